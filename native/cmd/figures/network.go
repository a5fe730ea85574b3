//go:build !js

package figures

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mhacsp/model/train"
	"mhacsp/native/album"
	"mhacsp/native/cli"
	"mhacsp/native/runs"
)

// ofNetworks are the kinds that need more than records.
func ofNetworks() []string { return []string{album.Spectrum, album.Embedding, album.Matrices} }

// look opens a run's network for what needs it. Of a checkpoint file it takes the configuration too.
func (f *figuresFlags) look(a *album.Album, s *album.Run, kinds []string) error {
	if s.Recorded {
		f.show(a, s)
		return nil
	}
	_, err := os.Stat(filepath.Join(s.Path, train.ModelFile))
	if s.Run.Config != nil && errors.Is(err, fs.ErrNotExist) {
		for _, kind := range ofNetworks() {
			a.Miss(kind, s.Path, "no checkpoint yet")
		}
		return nil
	}
	l, err := runs.Load(s.Path, "", f.device)
	if err != nil {
		return err
	}
	defer l.Device.Close()
	s.Run, s.Task = l.Run, cli.TaskText(l.Run.Training)
	if l.Step != nil {
		s.Step = *l.Step
	}
	s.Inside, err = InsideOf(l, cli.AsTyped(f.text), kinds, func(kind, why string) { a.Miss(kind, s.Path, why) })
	if err != nil {
		return cli.Working(err)
	}
	draw(a, s)
	return nil
}

// draw adds the figures of one network.
func draw(a *album.Album, s *album.Run) {
	if s.Inside.Digits != nil {
		a.AddDigits(s)
	}
	if s.Inside.Matrices != nil {
		a.AddMatrices(s)
	}
}

// show draws what a record has of a network.
func (f *figuresFlags) show(a *album.Album, s *album.Run) {
	if f.text != "" {
		a.Miss(album.Matrices, s.Path, "a given text needs the model, and a record has none")
		s.Inside.Matrices = nil
	}
	for _, x := range []struct {
		kind  string
		there bool
	}{
		{album.Spectrum, s.Inside.Spectrum != nil}, {album.Embedding, s.Inside.Digits != nil},
		{album.Matrices, s.Inside.Matrices != nil || f.text != ""},
	} {
		if !x.there {
			a.Miss(x.kind, s.Path, "its record has none")
		}
	}
	draw(a, s)
}
