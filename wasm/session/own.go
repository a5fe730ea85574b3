package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mhacsp/model/train"
	"mhacsp/tasks"
	"mhacsp/tasks/own"
	"mhacsp/tasks/strict"
	"mhacsp/wasm/protocol"
)

// ownTask is a run's own data. Without its files it draws one sample that stands for all, so that a network of its
// kind can be made, and the session refuses what draws more.
type ownTask struct {
	*own.Task
	filed bool
}

// Sample draws from the files, where they are there.
func (o *ownTask) Sample(s *tasks.Sample, d tasks.Draw, index uint64) {
	if o.filed {
		o.Task.Sample(s, d, index)
	} else {
		o.Blank(s)
	}
}

// ownOf is a run's own data, nil where the program draws its samples.
func ownOf(r train.Run) *ownTask {
	o, _ := r.Own.(*ownTask)
	return o
}

// fileless refuses commands that need samples where there are none.
func (s *Session) fileless(command string) error {
	o := ownOf(s.trainer.Run)
	switch {
	case o == nil:
	case command == protocol.Lengths:
		return errors.New("lengths are measured on samples that the program draws, and this run has data of its " +
			"own; give the lines a field \"group\" for a breakdown")
	case !o.filed && slices.Contains([]string{protocol.Start, protocol.Step, protocol.Seek, protocol.Evaluate,
		protocol.Samples}, command):
		return fmt.Errorf("the file %s of this run is not here, so it only answers; drop the file on the page to "+
			"train", o.File(tasks.Train).Path)
	}
	return nil
}

// resolveRun is the run of a configuration text and the files that came with it.
func resolveRun(c protocol.Command, text []byte) (train.Run, error) {
	head, err := train.ParseHead(text)
	if err != nil {
		return train.Run{}, err
	}
	if head.Task != own.Name {
		if c.Files != nil {
			return train.Run{}, strict.Unfit("task", head.Task, ", and files came with it; choose task %q", own.Name)
		}
		r, _, err := train.Resolve(text)
		return r, err
	}
	t, err := readOwn(c, text)
	if err != nil {
		return train.Run{}, err
	}
	r, err := train.Recommended(t, head.Model)
	if err != nil {
		return r, err
	}
	x := &r.Training
	x.EvalSamples = min(x.EvalSamples, t.Samples(tasks.Validation))
	x.TestSamples = min(t.Samples(tasks.Test), 1<<24)
	if err := r.Overlay(text); err != nil {
		return r, err
	}
	if err := cmp.Or(t.Has("eval_samples", x.EvalSamples, tasks.Validation),
		t.Has("test_samples", x.TestSamples, tasks.Test)); err != nil {
		return r, err
	}
	raw, err := json.Marshal(t.Data())
	if err != nil {
		return r, err
	}
	x.Data = (*json.RawMessage)(&raw)
	if _, err := r.Fit(); err != nil {
		return r, err
	}
	return r, r.Validate()
}

// readOwn makes the task of files, or of what a configuration says of them.
func readOwn(c protocol.Command, text []byte) (*ownTask, error) {
	var known struct {
		Data json.RawMessage `json:"data"`
	}
	if err := train.ReadJSON(text, &known); err != nil {
		return nil, err
	}
	first, second := c.Files["train"], c.Files["validation"]
	if known.Data != nil {
		t, err := own.Parse(known.Data)
		if err != nil || c.Files == nil {
			return &ownTask{Task: t}, err
		}
		parts := [3][]byte{first, second, c.Files["test"]}
		train := t.File(tasks.Train) // the longer part of one file, where it was split
		if second == nil && train.Path == t.File(tasks.Validation).Path && train.Bytes < int64(len(first)) {
			if parts[tasks.Train], parts[tasks.Validation], err = t.Split(first); err != nil {
				return nil, err
			}
		}
		for role, part := range parts {
			role := tasks.Role(role)
			if t.Samples(role) == 0 {
				continue
			}
			if part == nil {
				return nil, fmt.Errorf("the run has a file for %s, %s, too; drop all of its files together", role,
					t.File(role).Path)
			}
			held := func(string) (own.Source, error) { return bytes.NewReader(part), nil }
			if err := t.Load(held, role); err != nil {
				return nil, err
			}
		}
		return &ownTask{t, true}, nil
	}
	if c.Data == nil || first == nil {
		return nil, strict.Unfit("task", own.Name, ", and no file came with it; drop a file of JSON lines on the page")
	}
	fields, err := own.ParseFields(c.Data.Fields)
	if err != nil {
		return nil, err
	}
	o := own.Options{
		Train: c.Data.Train, Validation: c.Data.Validation, Test: c.Data.Test, Tokens: c.Data.Tokens,
		Groups: c.Data.Groups, Fields: fields,
	}
	if second == nil {
		if c.Files["test"] != nil {
			return nil, errors.New("a test file came without a validation file; give both, or the training file alone")
		}
		t, err := own.ReadSplit(o, first)
		return &ownTask{t, true}, err
	}
	// By place, not by name: two files may have the same.
	names := []string{"train", "validation", "test"}
	t, err := own.Read(o, func(string) (own.Source, error) {
		part := c.Files[names[0]]
		names = names[1:]
		return bytes.NewReader(part), nil
	})
	return &ownTask{t, true}, err
}
