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
)

const listFile = "files.json"

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
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(place, f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// squeezable are the kinds of files that compression makes smaller.
var squeezable = []string{".html", ".js", ".mjs", ".css", ".wasm", ".json", ".svg", ".webmanifest", ".safetensors"}

// compress writes NAME.br and NAME.gz where that is smaller, on all cores.
func (s *site) compress(out string, quality int) error {
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
	return b.Len(), os.WriteFile(place, b.Bytes(), 0o644)
}

// tooLarge is the error of a program over its bound.
type tooLarge struct {
	file        string
	bytes, most int
}

func (e tooLarge) Error() string {
	return fmt.Sprintf("%s has %d bytes in brotli, %d more than it may; make it smaller",
		e.file, e.bytes, e.bytes-e.most)
}

// within checks what visitors load against its bound, where the compression is the best there is.
func (s *site) within(quality int) (list []tooLarge) {
	if quality < brotli.BestCompression {
		return nil
	}
	for _, p := range all {
		for _, f := range s.files {
			if f.Source == p.file && f.Brotli > p.most {
				list = append(list, tooLarge{p.file, f.Brotli, p.most})
			}
		}
	}
	return list
}

// list writes what there is.
func (s *site) list(out string) error {
	text, err := json.MarshalIndent(struct {
		Version string  `json:"version"`
		Files   []*file `json:"files"`
	}{s.version, s.files}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, listFile), append(text, '\n'), 0o644)
}
