//go:build !js

package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/checkpoint"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/words"
	"mhacsp/tasks"
)

// Folder is where train puts runs that have no --out.
const Folder = "runs"

// maxParameters bounds what init and train build, so that a typing error does not take all memory.
const maxParameters = 500_000_000

// Build makes a model with all parameters zero.
// It refuses one that takes more memory than is free, at that many bytes a parameter.
func Build(c sequence.Config, b backend.Backend, each int) (sequence.Network, error) {
	set, err := c.Parameters()
	if err != nil {
		return nil, err
	}
	if n := set.Count(); n > maxParameters {
		return nil, fmt.Errorf("the model has %s parameters, at most %s are possible; lower width or layers",
			words.Number(n), words.Number(maxParameters))
	}
	if err := hardware.Fits(set.Count(), each); err != nil {
		return nil, err
	}
	return c.Open(b)
}

// Loaded is a trained model with its task.
type Loaded struct {
	Run    train.Run
	Task   tasks.Task
	Net    sequence.Network
	Device backend.Backend
	Dir    string // of the run, where one was named or found
	Path   string // of the checkpoint
	Step   *int   // of the checkpoint, where it is known
}

// Load opens a run's model, or any checkpoint: of the run's task where a run is named, else of its own. A checkpoint
// file may be named in place of the run. With neither it takes the newest run.
func Load(dir, path string, device hardware.Flags) (*Loaded, error) {
	if info, err := os.Stat(dir); path == "" && err == nil && !info.IsDir() {
		dir, path = "", dir
	}
	var err error
	if dir == "" && path == "" {
		if dir, err = newestRun(); err != nil {
			return nil, err
		}
	}
	l := &Loaded{Dir: dir, Path: path}
	if dir != "" {
		if l.Run, err = train.ReadRun(dir); err != nil {
			return nil, err
		}
		l.Path = cmp.Or(path, filepath.Join(dir, train.ModelFile))
	}
	if l.Device, err = hardware.Open(device); err != nil {
		return nil, err
	}
	if err := l.open(); err != nil {
		l.Device.Close()
		return nil, err
	}
	return l, nil
}

// open reads the checkpoint, which tells which run it is of where none was named.
func (l *Loaded) open() error {
	f, err := checkpoint.ReadFile(l.Path)
	if l.Dir != "" && l.Path == filepath.Join(l.Dir, train.ModelFile) {
		now, _ := train.ReadRun(l.Dir)
		switch {
		case now.Config != nil && !reflect.DeepEqual(now, l.Run): // it was replaced meanwhile
			l.Run = now
			return l.open()
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s has no %s; if no process is about to write it, go on with: %s train --resume %s",
				l.Dir, train.ModelFile, cli.Program, cli.Quote(l.Dir))
		}
	}
	if err != nil {
		return err
	}
	var text []byte
	if l.Net, text, err = train.OpenModel(f, l.Device); err != nil {
		return fmt.Errorf("%s: %w", l.Path, err)
	}
	if step, ok := train.StepOf(l.Path, f); ok {
		l.Step = &step
	}
	if l.Dir == "" {
		if l.Run, err = train.ParseRun(text); err != nil {
			return fmt.Errorf("%s: %w; name the run it belongs to with --run", l.Path, err)
		}
	}
	l.Run.Config = l.Net.Config()
	if l.Task, err = TaskOf(&l.Run); err != nil {
		return fmt.Errorf("%s: %w", cmp.Or(l.Dir, l.Path), err)
	}
	if err := fits(l.Run, l.Task); err != nil {
		return fmt.Errorf("%s: %w", l.Path, err)
	}
	return nil
}

// fits refuses a model whose head or embedding is not for the task.
func fits(r train.Run, t tasks.Task) error {
	if s := r.Config.Shape(); s.Vocab != t.Vocabulary().Size() || s.Classes != t.Classes() {
		return fmt.Errorf("the model has %d tokens and %d classes, task %s has %d and %d; it is of another task",
			s.Vocab, s.Classes, t.Name(), t.Vocabulary().Size(), t.Classes())
	}
	return nil
}

// Note says that a prompt of that many tokens is longer than the model's memory can tell apart; "" where it is not.
func (l *Loaded) Note(tokens int) string {
	traits := l.Net.Config().Traits()
	if !traits.Outgrows(tokens) {
		return ""
	}
	return fmt.Sprintf("a prompt has %d tokens, and the memory starts again after %d: it cannot tell the positions "+
		"of a longer one apart; shorten it, or train with --memory-period %d", tokens, traits.Reach, tokens)
}

// newestRun is the run folder whose checkpoint is the latest.
func newestRun() (string, error) {
	found, _ := filepath.Glob(filepath.Join(Folder, "*", train.ModelFile)) // the pattern is a right one
	newest, at := "", time.Time{}
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && (newest == "" || info.ModTime().After(at)) {
			newest, at = filepath.Dir(path), info.ModTime()
		}
	}
	if newest == "" {
		return "", errors.New(`there is no run under ` + Folder +
			`/; train one with "` + cli.Program + ` train", or name a folder with --run`)
	}
	return newest, nil
}

// Unusable says what is wrong with the numbers of a checkpoint of which something that is no number was computed.
func Unusable(path string, n sequence.Network, what string) error {
	flat, err := n.Params().Download(n.Params().Values())
	if err != nil {
		return cli.Working(err)
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

// AblationOf is what is left out of a model, empty where nothing is.
func AblationOf(c sequence.Config) string {
	if key := keyOf(c, "ablation"); key != nil && valueOf(key) != "none" {
		return valueOf(key)
	}
	return ""
}

// RefuseOwn ends a command that has nothing to say about the user's own data.
func (l *Loaded) RefuseOwn(command string) error {
	if l.Run.Own == nil {
		return nil
	}
	return fmt.Errorf("%s: mhacsp %s knows the program's own tasks, and this run has data of its own; "+
		"mhacsp eval and ask know it", l.Path, command)
}
