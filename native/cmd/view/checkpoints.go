//go:build desktop && !js

package view

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"mhacsp/model/checkpoint"
	"mhacsp/model/train"
	"mhacsp/native/hardware"
	"mhacsp/native/runs"
	"mhacsp/native/window"
)

// show prepares a viewer for a finished run.
func (v *viewer) show(l *runs.Loaded, f *viewFlags) error {
	var err error
	v.curves = &curves{steps: l.Run.Training.Steps}
	if l.Dir != "" {
		if v.curves, err = readCurves(l.Dir, l.Run.Training.Steps, math.MaxInt); err != nil {
			return err
		}
	}
	v.step = v.curves.last.Step
	if l.Step != nil { // while the run trains its log is ahead of its checkpoint
		v.step = *l.Step
	}
	v.describe(hardware.DeviceLine(l.Device, f.train.Device), l.Path)
	if l.Dir == "" {
		return nil
	}
	kept, err := train.Kept(l.Dir)
	if err != nil {
		return err
	}
	// Not the model's own, and none that is newer than it.
	kept = slices.DeleteFunc(kept, func(k train.Checkpoint) bool { return k.Step >= v.step })
	v.kept = append(kept, train.Checkpoint{Step: v.step, Path: l.Path})
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
	if step, ok := train.StepIn(f); ok { // training may have written a newer one since
		k.Step = step
	}
	v.step, v.content.Checkpoint = k.Step, at
	v.look()
}
