//go:build !js

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mhacsp/model/train"
	"mhacsp/native/album"
)

// ofNetworks are the kinds that need more than records.
func ofNetworks() []string { return []string{album.Spectrum, album.Embedding, album.Matrices} }

// look opens a run's network for what needs it. Of a checkpoint file it takes the configuration too.
func (f *figuresFlags) look(a *album.Album, s *album.Run, wanted func(...string) bool) error {
	_, err := os.Stat(filepath.Join(s.Path, train.ModelFile))
	if s.Run.Config != nil && errors.Is(err, fs.ErrNotExist) {
		for _, kind := range ofNetworks() {
			a.Miss(kind, s.Path, "no checkpoint yet")
		}
		return nil
	}
	l, err := load(s.Path, "", f.device)
	if err != nil {
		return err
	}
	defer l.device.Close()
	s.Run, s.Task = l.run, taskText(l.run.Training)
	if l.step != nil {
		s.Step = *l.step
	}
	s.Inside, err = insideOf(l, asTyped(f.text), wanted, func(kind, why string) { a.Miss(kind, s.Path, why) })
	if err != nil {
		return working(err)
	}
	if s.Inside.Digits != nil {
		a.AddDigits(s)
	}
	if s.Inside.Matrices != nil {
		a.AddMatrices(s)
	}
	return nil
}
