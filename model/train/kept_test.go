package train

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/checkpoint"
	"mhacsp/tasks/assert"
)

func keptSteps(t *testing.T, dir string) []int {
	t.Helper()
	list := assert.Must(Kept(dir))(t)
	var steps []int
	for _, k := range list {
		steps = append(steps, k.Step)
	}
	return steps
}

// TestKeep: the kept checkpoints never are more than asked for, start at the first step and lie evenly apart; each is
// the model at its step. A run that is stopped between them and resumed keeps the same, and one that replaces it none.
func TestKeep(t *testing.T) {
	for _, c := range []struct {
		keep int
		want string
	}{
		{0, "[]"}, {1, "[0]"}, {2, "[0 8]"}, {3, "[0 4 8]"},
		{5, "[0 2 4 6 8]"}, {6, "[0 2 4 6 8]"}, {100, "[0 1 2 3 4 5 6 7 8 9]"},
	} {
		dir := t.TempDir()
		run := tiny(t, "parity")
		run.Training.Steps, run.Training.CheckpointEvery, run.Training.KeepCheckpoints = 9, 1, c.keep
		x := trainer(t, run, network(t, run))
		f := create(t, dir, run)
		models := map[int][]float32{}
		for {
			assert.NoError(t, f.Save(x))
			models[x.Count()] = parameters(t, x.Network)
			n := len(keptSteps(t, dir))
			assert.Need(t, n <= c.keep, "keep %d: %d checkpoints at step %d", c.keep, n, x.Count())
			if x.Over() {
				break
			}
			assert.Must(x.Step())(t)
		}
		assert.Is(t, fmt.Sprint(keptSteps(t, dir)), c.want, "keep %d", c.keep)
		list, _ := Kept(dir)
		for _, k := range list {
			m, _, err := LoadModel(k.Path, cpu.New())
			assert.NoError(t, err)
			assert.True(t, bitsEqual(parameters(t, m), models[k.Step]),
				"keep %d: %s is not the model at its step", c.keep, k.Path)
		}
		f.Close()
		assert.Must(Create(dir, run, true))(t).Close()
		assert.Is(t, keptSteps(t, dir), nil, "a run that was replaced leaves")
	}
}

// TestKeepIrregular: a checkpoint at any other step, as Ctrl-C writes one, is not
// kept, and other files are left alone.
func TestKeepIrregular(t *testing.T) {
	dir := t.TempDir()
	run := tiny(t, "parity")
	run.Training.Steps, run.Training.CheckpointEvery, run.Training.KeepCheckpoints = 9, 4, 2
	x := trainer(t, run, network(t, run))
	f := create(t, dir, run)
	own := filepath.Join(dir, KeptFolder, "step-7.safetensors")
	for range 8 {
		assert.NoError(t, f.Save(x))
		assert.NoError(t, checkpoint.WriteFile(own, &checkpoint.File{}))
		assert.Must(x.Step())(t)
	}
	assert.Is(t, fmt.Sprint(keptSteps(t, dir)), "[0 4]", "kept")
	assert.Must(os.Stat(own))(t)
}
