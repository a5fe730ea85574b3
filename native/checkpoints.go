//go:build desktop && !js

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"mhacsp/model/checkpoint"
	"mhacsp/model/train"
	"mhacsp/native/window"
)

// show prepares a viewer for a finished run.
func (v *viewer) show(l *loaded, f *viewFlags) error {
	dir := ""
	if info, err := os.Stat(f.run); err == nil && info.IsDir() {
		dir = f.run
	}
	var err error
	v.curves = &curves{steps: l.run.Training.Steps}
	if dir != "" {
		if v.curves, err = readCurves(dir, l.run.Training.Steps, math.MaxInt); err != nil {
			return err
		}
	}
	v.step = v.curves.last.Step
	v.describe(deviceLine(l.device, f.train.device), l.path)
	if dir == "" {
		return nil
	}
	kept, err := train.Kept(dir)
	if err != nil {
		return err
	}
	for i, k := range kept {
		if k.Step == v.step { // the model's own
			kept = kept[:i]
			break
		}
	}
	v.kept = append(kept, train.Checkpoint{Step: v.step, Path: l.path})
	if len(v.kept) == 1 {
		v.rows = append(v.rows, window.Row{Label: "checkpoints", Value: "one; --keep-checkpoints 50 keeps more"})
	}
	for _, k := range v.kept {
		v.content.Checkpoints = append(v.content.Checkpoints, k.Step)
	}
	v.content.Checkpoint = len(v.kept) - 1
	return nil
}

// choose puts a checkpoint's parameters into the network and shows it.
func (v *viewer) choose(at int) {
	k := v.kept[at]
	f, err := checkpoint.ReadFile(k.Path)
	if err == nil {
		if err = train.Fits(v.run.Config, f); err != nil {
			err = fmt.Errorf("%s: %w", filepath.Base(k.Path), err)
		}
	}
	if err != nil {
		v.win.Do(func(s *window.Screen) { s.Refuse(err.Error()) })
		v.publish()
		return
	}
	train.Load(f, v.net.Params())
	v.step, v.content.Checkpoint = k.Step, at
	v.look()
}
