//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"

	"mhacsp/model/checkpoint"
)

const listFile = "files.json"

// listing is what listFile says.
type listing struct {
	Version string  `json:"version"`
	Quality int     `json:"quality"` // of the compressed files; −1: there are none
	Files   []*file `json:"files"`
}

// qualityOf is how well the compressed files of the last build in a folder are, −1 where that is not known.
func qualityOf(out string) int {
	old := listing{Quality: -1}
	if text, err := os.ReadFile(filepath.Join(out, listFile)); err != nil || json.Unmarshal(text, &old) != nil {
		return -1
	}
	return old.Quality
}

// write puts the files into the folder and takes away what is of an older build. Compressed files of a name that has
// not changed stay: a hashed name has the same contents.
func (s *site) write(out string) error {
	keep := map[string]bool{listFile: true}
	for _, f := range s.files {
		keep[f.Name] = true
		if f.Name != f.Source {
			keep[f.Name+".br"], keep[f.Name+".gz"] = true, true
		}
	}
	err := filepath.WalkDir(out, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(out, p)
		if err != nil || keep[filepath.ToSlash(rel)] {
			return err
		}
		return os.Remove(p)
	})
	if err != nil {
		return err
	}
	for _, f := range s.files {
		place := filepath.Join(out, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(place), 0o777); err != nil {
			return err
		}
		if err := replace(place, f.data); err != nil {
			return err
		}
	}
	return nil
}

// replace writes a file next to its place and renames it: what stands under a hashed name is whole.
func replace(place string, data []byte) error {
	return checkpoint.WriteAtomic(place, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
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
	var wait sync.WaitGroup
	failed := make([]error, len(s.files))
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, f := range s.files {
		if !slices.Contains(squeezable, path.Ext(f.Source)) {
			continue
		}
		wait.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			failed[i] = f.compress(filepath.Join(out, filepath.FromSlash(f.Name)), quality)
		})
	}
	wait.Wait()
	return errors.Join(failed...)
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
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			panic(err) // the level is a constant of that package
		}
		return z
	})
	return err
}

// unpack removes what was compressed, and before that the list that says how well: a build may end in between.
func (s *site) unpack(out string) error {
	if err := os.Remove(filepath.Join(out, listFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range s.files {
		for _, kind := range []string{".br", ".gz"} {
			err := os.Remove(filepath.Join(out, filepath.FromSlash(f.Name)+kind))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
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
	return b.Len(), replace(place, b.Bytes())
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

// list writes what there is.
func (s *site) list(out string) error {
	text, err := json.MarshalIndent(listing{s.version, s.quality, s.files}, "", "  ")
	if err != nil {
		return err
	}
	return replace(filepath.Join(out, listFile), append(text, '\n'))
}
