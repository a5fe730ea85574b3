package train

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"mhacsp/model/checkpoint"
)

// KeptFolder holds, inside a run's folder, the checkpoints that keep_checkpoints asks for, named by their step
// (FORMATS.md).
const KeptFolder = "checkpoints"

const keptName = "step-%09d.safetensors"

// Checkpoint is a kept one.
type Checkpoint struct {
	Step int
	Path string
}

// Kept lists the checkpoints kept in a run's folder, by step. There may be none.
func Kept(dir string) ([]Checkpoint, error) {
	entries, err := os.ReadDir(filepath.Join(dir, KeptFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Checkpoint
	for _, e := range entries {
		var step int
		if _, err := fmt.Sscanf(e.Name(), keptName, &step); err == nil && e.Name() == fmt.Sprintf(keptName, step) {
			list = append(list, Checkpoint{step, filepath.Join(dir, KeptFolder, e.Name())})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Step < list[j].Step })
	return list, nil
}

// keep adds the trainer's checkpoint to those that are kept, where its step is one of the regular ones. When there are
// too many, those at every second, fourth, … of the regular steps stay: they are spread over the whole run, and which
// they are depends on the step alone.
func (f *Folder) keep(model *checkpoint.File, t *Trainer) error {
	most, every := t.Run.Training.KeepCheckpoints, t.Run.Training.CheckpointEvery
	if most == 0 || t.step%every != 0 || t.TookBest() {
		return nil
	}
	apart := every
	for t.step/apart+1 > most {
		apart *= 2
	}
	kept, err := Kept(f.Dir)
	if err != nil {
		return err
	}
	for _, k := range kept {
		if k.Step%apart != 0 {
			if err := checkpoint.Remove(k.Path); err != nil {
				return err
			}
		}
	}
	if t.step%apart != 0 {
		return nil
	}
	folder := filepath.Join(f.Dir, KeptFolder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return checkpoint.Unwritten(folder, checkpoint.Cause(err))
	}
	return checkpoint.WriteFile(filepath.Join(folder, fmt.Sprintf(keptName, t.step)), model)
}
