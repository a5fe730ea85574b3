//go:build !js

package runs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"mhacsp/model"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/train"
	"mhacsp/tasks/assert"
)

// TestResolveTwice: a configuration from a pipe, which can be read once, is the same whenever it is asked for.
func TestResolveTwice(t *testing.T) {
	read, write, err := os.Pipe()
	assert.NoError(t, err)
	write.WriteString(`{"task": "parity", "model": "csp", "width": 8}`)
	write.Close()
	defer func(was *os.File) { os.Stdin = was }(os.Stdin)
	os.Stdin = read
	s := AddSettings(&cobra.Command{}, RunSettings())
	for range 2 {
		r, _, err := s.Resolve("-")
		assert.NoError(t, err)
		assert.Is(t, r.Training.Task, "parity", "the run's task")
	}
}

// TestSettings: train has a flag for every key of a run's configuration, and each flag sets its own key.
func TestSettings(t *testing.T) {
	parse := func(args ...string) (map[string]any, error) {
		c := &cobra.Command{}
		s := AddSettings(c, TaskSettings(), []Setting{SplitSetting()},
			ModelSettings(), BatchSettings(), trainingSettings())
		if err := c.ParseFlags(append([]string{"--model=mha-csp-s"}, args...)); err != nil {
			return nil, err
		}
		r, _, err := s.Resolve("")
		var m map[string]any
		if err == nil {
			err = json.Unmarshal(assert.Must(json.Marshal(r))(t), &m)
		}
		return m, err
	}
	// Values that no default has.
	values := map[string]string{
		"layers": "3", "heads": "2", "width": "24", "rotate": "state", "rotate-share": "0.25", "theta": "token",
		"fusion": "mean", "skip": "false", "supervision": "prefix", "ablation": "no-B", "embedding-std": "0.5",
		"gate-bias": "-3", "delta-bias": "-4", "memory": "4", "memory-period": "90", "preset": "paper",
		"format": "copy", "split": "iid", "seed": "77", "steps": "78", "batch": "79", "lr": "0.5",
		"schedule": "constant", "warmup": "81", "lr-floor": "0.5", "optimizer": "adamw", "beta1": "0.5",
		"beta2": "0.6", "eps": "0.1", "weight-decay": "0.2", "clip": "7", "answer-weight": "8", "curriculum": "true",
		"long-share": "0.25", "state-clip": "0.4", "eval-every": "91", "eval-samples": "92", "eval-batch": "93",
		"test-samples": "94", "patience": "95", "checkpoint-every": "96", "keep-checkpoints": "97",
	}
	plain := assert.Must(parse())(t)
	for key := range plain {
		name := strings.ReplaceAll(key, "_", "-")
		_, ok := values[name]
		assert.True(t, ok || key == "vocab" || key == "classes" || key == "model" || key == "task",
			"key %q has no flag, or no value in this test", key)
	}
	for name, value := range values {
		got, err := parse("--" + name + "=" + value)
		assert.Need(t, err == nil, "--%s=%s: %v", name, value, err)
		key := strings.ReplaceAll(name, "-", "_")
		text, _ := json.Marshal(got[key])
		assert.True(t, strings.Trim(string(text), `"`) == value, "--%s=%s sets %s to %s", name, value, key, text)
		if got[key] = plain[key]; plain[key] == nil {
			delete(got, key)
		}
		assert.Is(t, got, plain, "--%s=%s changes other keys", name, value)
	}
	got, err := parse("--task=modarith", "--min-length=5", "--max-length=9", "--brackets=false", "--model=csp")
	assert.NoError(t, err)
	for key, want := range map[string]any{
		"min_length": 5.0, "max_length": 9.0, "brackets": false, "vocab": 22.0, "classes": 5.0, "gate_bias": -1.2,
		"model": "csp", "curriculum": true,
	} {
		assert.Is(t, got[key], want, "modarith: %s", key)
	}
}

// TestDefaultsInHelp: what help calls a default is what train.Default has.
func TestDefaultsInHelp(t *testing.T) {
	d := NewDefaults()
	find := func(list []Setting, name string) string {
		i := slices.IndexFunc(list, func(x Setting) bool { return x.Name == name })
		assert.Need(t, i >= 0, "no flag %s", name)
		return d.text(list[i])
	}
	assert.Is(t, find(BatchSettings(), "batch"), " (default 64, for models without a memory 128)", "--batch")
	assert.Is(t, find(ModelSettings(), "width"), " (default: the model's)", "--width")
	assert.Is(t, find(ModelSettings(), "beta-range"), "", "--beta-range, whose default its own words name")
	assert.Says(t, find(trainingSettings(), "steps"), "tasks with labels")
}

// TestReplaced: a run that another process replaces while its model is read is the new one; the model may not be there
// yet.
func TestReplaced(t *testing.T) {
	dir, r := t.TempDir(), assert.Must(train.Default("parity"))(t)
	assert.Must(r.Fit())(t)
	f := assert.Must(train.Create(dir, r, false))(t)
	defer f.Close()
	l := &Loaded{Run: r, Dir: dir, Path: filepath.Join(dir, train.ModelFile), Device: cpu.New()}
	defer l.Device.Close()
	assert.OneLine(t, "no model yet", l.open(), dir, "has no model.safetensors", "train --resume "+dir)
	set := assert.Must(r.Config.Parameters())(t)
	assert.NoError(t, train.WriteModel(l.Path, r, set, make([]float32, set.Size())))
	r.Training.Seed = 77
	assert.NoError(t, f.WriteConfig(r))
	assert.NoError(t, l.open())
	assert.Is(t, l.Run.Training.Seed, uint64(77), "the run's seed")
}

func TestOverlay(t *testing.T) {
	r := assert.Must(train.Default("parity"))(t)
	assert.NoError(t, r.Overlay([]byte(`{"model": "x", "task": "y", "width": 12, "lr": 0.25, "max_length": 7}`)))
	assert.True(t, r.Config.(*model.Config).Width == 12 && r.Training.LR == 0.25 && r.Training.MaxLength == 7 &&
		r.Config.Name() == "mha-csp-s" && r.Training.Task == "parity", "%+v", r)
}
