//go:build !js

package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/checkpoint"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/native/words"
	"mhacsp/tasks"
)

// runsFolder is where train puts runs that have no --out.
const runsFolder = "runs"

// maxParameters bounds what init and train build, so that a typing error does not take all memory.
const maxParameters = 500_000_000

// build makes a model with all parameters zero.
// It refuses one that takes more memory than is free, at that many bytes a parameter.
func build(c sequence.Config, b backend.Backend, each int) (sequence.Network, error) {
	set, err := c.Parameters()
	if err != nil {
		return nil, err
	}
	if n := set.Count(); n > maxParameters {
		return nil, fmt.Errorf("the model has %s parameters, at most %s are possible; lower width or layers",
			words.Number(n), words.Number(maxParameters))
	}
	if err := fits(set.Count(), each); err != nil {
		return nil, err
	}
	return c.Open(b)
}

// loaded is a trained model with its task.
type loaded struct {
	run    train.Run
	task   tasks.Task
	net    sequence.Network
	device backend.Backend
	dir    string // of the run, where one was named or found
	path   string // of the checkpoint
	step   *int   // of the checkpoint, where it is known
}

// load opens a run's model, or any checkpoint: of the run's task where a run is named, else of its own. A checkpoint
// file may be named in place of the run. With neither it takes the newest run.
func load(dir, path string, device deviceFlags) (*loaded, error) {
	if info, err := os.Stat(dir); path == "" && err == nil && !info.IsDir() {
		dir, path = "", dir
	}
	if dir == "" && path == "" {
		var err error
		if dir, err = newestRun(); err != nil {
			return nil, err
		}
	}
	l := &loaded{dir: dir, path: path}
	var err error
	if dir != "" {
		if l.run, err = train.ReadRun(dir); err != nil {
			return nil, err
		}
		if path == "" {
			l.path = filepath.Join(dir, train.ModelFile)
		}
	}
	if l.device, err = openBackend(device); err != nil {
		return nil, err
	}
	if err := l.open(dir == ""); err != nil {
		l.device.Close()
		return nil, err
	}
	return l, nil
}

// open reads the checkpoint. alone: it tells which run it is of.
func (l *loaded) open(alone bool) error {
	f, err := checkpoint.ReadFile(l.path)
	if err != nil {
		return err
	}
	var text []byte
	if l.net, text, err = train.OpenModel(f, l.device); err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	if step, ok := train.StepOf(l.path, f); ok {
		l.step = &step
	}
	if alone {
		if l.run, err = train.ParseRun(text); err != nil {
			return fmt.Errorf("%s: %w; name the run it belongs to with --run", l.path, err)
		}
	}
	l.run.Config = l.net.Config()
	if l.task, err = taskOf(&l.run); err != nil {
		return err
	}
	if s, t := l.net.Config().Shape(), l.task; s.Vocab != t.Vocabulary().Size() || s.Classes != t.Classes() {
		return fmt.Errorf("%s: the model has %d tokens and %d classes, task %s has %d and %d; "+
			"it is of another task", l.path, s.Vocab, s.Classes, t.Name(), t.Vocabulary().Size(), t.Classes())
	}
	return nil
}

// note says that a prompt of that many tokens is longer than the model's memory can tell apart; "" where it is not.
func (l *loaded) note(tokens int) string {
	traits := l.net.Config().Traits()
	if !traits.Outgrows(tokens) {
		return ""
	}
	return fmt.Sprintf("a prompt has %d tokens, and the memory starts again after %d: it cannot tell the positions "+
		"of a longer one apart; shorten it, or train with --memory-period %d", tokens, traits.Reach, tokens)
}

// newestRun is the run folder whose checkpoint is the latest.
func newestRun() (string, error) {
	found, err := filepath.Glob(filepath.Join(runsFolder, "*", train.ModelFile))
	if err != nil {
		return "", err
	}
	newest, at := "", time.Time{}
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && (newest == "" || info.ModTime().After(at)) {
			newest, at = filepath.Dir(path), info.ModTime()
		}
	}
	if newest == "" {
		return "", errors.New(`there is no run under ` + runsFolder +
			`/; train one with "` + program + ` train", or name a folder with --run`)
	}
	return newest, nil
}

// unusable says of a checkpoint from which something that is no number was computed what is wrong with its own
// numbers.
func unusable(path string, n sequence.Network, what string) error {
	flat, err := n.Params().Download(n.Params().Values())
	if err != nil {
		return working(err)
	}
	name, most := "", float32(0)
	for _, t := range n.Params().Tensors {
		for _, x := range flat[t.Offset : t.Offset+t.Len] {
			if x-x != 0 {
				return fmt.Errorf("%s: %s is not finite: tensor %q holds %v; use an earlier checkpoint, or copy it "+
					"again", path, what, t.Name, x)
			}
			if x = max(x, -x); x > most {
				name, most = t.Name, x
			}
		}
	}
	return fmt.Errorf("%s: %s is not finite: the parameters are, but far too large, up to %.3g in tensor %q; "+
		"use an earlier checkpoint, or copy it again", path, what, most, name)
}

// ablationOf is what is left out of a model, empty where nothing is.
func ablationOf(c sequence.Config) string {
	for _, k := range c.Keys() {
		if k.Name == "ablation" && valueOf(k.Value) != "none" {
			return valueOf(k.Value)
		}
	}
	return ""
}

// refuseOwn ends a command that has nothing to say about the user's own data.
func (l *loaded) refuseOwn(command string) error {
	if l.run.Own == nil {
		return nil
	}
	return fmt.Errorf("%s: mhacsp %s knows the program's own tasks, and this run has data of its own; "+
		"mhacsp eval and ask know it", l.path, command)
}
