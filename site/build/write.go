//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/andybalholm/brotli"
	"golang.org/x/sync/errgroup"

	"mhacsp/model/checkpoint"
)

const listFile = "files.json"

// listing is what listFile says.
type listing struct {
	Version string  `json:"version"`
	Quality int     `json:"quality"` // of the compressed files; −1: there are none
	Files   []*file `json:"files"`
}

// listed is what the last build in a folder says; of quality −1 where that is not known.
func listed(out string) listing {
	old := listing{Quality: -1}
	if text, err := os.ReadFile(filepath.Join(out, listFile)); err != nil || json.Unmarshal(text, &old) != nil {
		return listing{Quality: -1}
	}
	return old
}

// write puts the files into the folder and takes away what the build before has listed; what else is there stays.
// Compressed files of a name that has not changed stay: a hashed name has the same contents.
func (s *site) write(out string) error {
	keep := map[string]bool{}
	for _, f := range s.files {
		keep[f.Name] = true
		if f.Name != f.Source {
			keep[f.Name+".br"], keep[f.Name+".gz"] = true, true
		}
	}
	for _, f := range listed(out).Files {
		for _, kind := range []string{"", ".br", ".gz"} {
			if keep[f.Name+kind] || !filepath.IsLocal(f.Name) {
				continue
			}
			if err := checkpoint.Remove(filepath.Join(out, filepath.FromSlash(f.Name)+kind)); err != nil {
				return err
			}
		}
	}
	for _, f := range s.files {
		place := filepath.Join(out, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(place), 0o777); err != nil {
			return err
		}
		if err := checkpoint.WriteText(place, f.data); err != nil {
			return err
		}
	}
	return nil
}

// squeezable are the kinds of files that compression makes smaller.
var squeezable = []string{".html", ".js", ".mjs", ".css", ".wasm", ".json", ".svg", ".webmanifest", ".safetensors"}

// compress writes NAME.br and NAME.gz where that is smaller, on all cores. What an older build has compressed as well
// under a hashed name is taken as it is.
func (s *site) compress(out string, quality int) error {
	if s.quality != quality {
		if err := s.unpack(out); err != nil {
			return err
		}
		s.quality = quality
	}
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range s.files {
		if slices.Contains(squeezable, path.Ext(f.Source)) {
			all.Go(func() error { return f.compress(filepath.Join(out, filepath.FromSlash(f.Name)), quality) })
		}
	}
	return all.Wait()
}

func (f *file) compress(place string, quality int) error {
	var err error
	f.Brotli, err = f.squeeze(place+".br", func(w io.Writer) io.WriteCloser {
		return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: quality, LGWin: 24})
	})
	if err != nil {
		return err
	}
	f.Gzip, err = f.squeeze(place+".gz", func(w io.Writer) io.WriteCloser {
		z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // the level is a constant of that package
		return z
	})
	return err
}

// unpack removes what was compressed, and before that says in the list that nothing is: a build may end in between.
func (s *site) unpack(out string) error {
	s.quality = -1
	if err := s.list(out); err != nil {
		return err
	}
	for _, f := range s.files {
		place := filepath.Join(out, filepath.FromSlash(f.Name))
		if err := checkpoint.Remove(place+".br", place+".gz"); err != nil {
			return err
		}
	}
	return nil
}

// squeeze returns the compressed size, 0 where it would not be smaller.
func (f *file) squeeze(place string, method func(io.Writer) io.WriteCloser) (int, error) {
	if info, err := os.Stat(place); err == nil && f.Name != f.Source {
		return int(info.Size()), nil
	}
	var b bytes.Buffer
	w := method(&b)
	if _, err := w.Write(f.data); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	if b.Len() >= len(f.data) {
		return 0, nil
	}
	return b.Len(), checkpoint.WriteText(place, b.Bytes())
}

// within checks what visitors load against its bound, where the compression is the best there is.
func (s *site) within(quality int) error {
	if quality < brotli.BestCompression {
		return nil
	}
	for _, p := range all {
		for _, f := range s.files {
			if f.Source == p.file && f.Brotli > p.most {
				return fmt.Errorf("%s has %d bytes in brotli, %d more than it may; make it smaller",
					p.file, f.Brotli, f.Brotli-p.most)
			}
		}
	}
	return nil
}

func (s *site) list(out string) error {
	text, err := json.MarshalIndent(listing{s.version, s.quality, s.files}, "", "  ")
	if err != nil {
		return err
	}
	return checkpoint.WriteText(filepath.Join(out, listFile), append(text, '\n'))
}
