package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"mhacsp/model/backend/tune"
	"mhacsp/model/checkpoint"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/tasks/strict"
	"mhacsp/wasm/pool"
	"mhacsp/wasm/protocol"
)

// maxParameters bounds what a page builds, so that a typing error does not take a visitor's memory.
const maxParameters = 5_000_000

// open builds what a command asks for. What was open stays as it is until the new one is ready.
func (s *Session) open(c protocol.Command) error {
	run, weights, err := resolve(c)
	if err != nil {
		return err
	}
	var state *checkpoint.File
	if c.State != nil {
		if state, err = decode("state", c.State); err != nil {
			return err
		}
	}
	set, err := run.Config.Parameters()
	if err != nil {
		return err
	}
	if n := set.Count(); n > maxParameters {
		var size struct{ Width int } // the key that grows it most, in every family
		text, err := json.Marshal(run.Config)
		if err = errors.Join(err, json.Unmarshal(text, &size)); err != nil {
			return err
		}
		return strict.Unfit("width", size.Width,
			", which makes %d parameters; a page trains at most %d, lower width or layers", n, maxParameters)
	}
	device, err := s.host.Open(cmp.Or(c.Backend, "auto"))
	if err != nil {
		return err
	}
	var net sequence.Network
	var t *train.Trainer
	if weights == nil { // what is trained elsewhere opens, to be asked
		err = roomy(device, run, set.Count(), c.Cores)
	}
	if err == nil {
		net, t, err = build(device, run, weights, state)
	}
	if err != nil {
		device.Close()
		return err
	}
	s.drop()
	if s.host.Fuse != nil {
		s.host.Fuse(!c.Plain)
	}
	s.device, s.net, s.trainer = device, net, t
	if device.Pool != nil {
		s.pool = device.Pool(net, c.Cores)
		t.Spread = s.pool.Gradients
	}
	s.tune(c.Forms)
	var base snapshot
	if weights != nil {
		if base.file, err = t.State(); err != nil {
			return err
		}
		base.step = t.Count()
		if step, ok := train.StepIn(weights); ok {
			t.Before = max(step-t.Count(), 0)
		}
	}
	s.past = newPast(base, set.Count())
	s.shown, s.state = t.Count(), protocol.Paused
	if t.Finished() {
		s.state = protocol.Ended
	}
	return nil
}

// tune lets the first steps of what was just opened find the fastest forms of the device's kernels. kept is what the
// page has of earlier runs; what cannot be read counts as nothing, and is measured again. A page that gives none, as
// one that measures times itself, keeps the usual forms.
func (s *Session) tune(kept json.RawMessage) {
	if s.device.Tune == nil || kept == nil {
		return
	}
	var known []tune.Record
	_ = json.Unmarshal(kept, &known)
	s.tuner = s.device.Tune(s.trainer.Run.Training.Batch, known, func(r tune.Record, used bool) {
		s.emit(protocol.Forms{Record: r, Used: used}, 0)
	})
}

// roomy refuses a run of that many parameters whose batches the device has no memory for. A pool makes a training step
// of one in parts.
func roomy(d Device, r train.Run, parameters, cores int) error {
	if d.Room == nil {
		return nil
	}
	batch := r.Training.Batch
	if d.Pool != nil {
		parts := pool.Parts(batch)
		r.Training.Batch = (batch + parts - 1) / parts
	}
	// To count takes time. What the recommended runs take, some 30 MB, is there.
	t := r.Training
	if r.Own == nil && max(t.Batch, t.EvalBatch) <= 64 && t.MaxLength <= 128 && parameters <= 200_000 {
		return nil
	}
	needs, err := train.Needs(r)
	if err != nil {
		return nil // what cannot be trained says so when it is asked to
	}
	for i, samples := range []int{batch, r.Training.EvalBatch} {
		if n := needs[i]; !d.Room(n.Bytes, cores) {
			return strict.Unfit(n.Key, samples, ", which takes %d MB of memory, more than this device gives a page; "+
				"lower it, or width, or layers, or cores", n.Bytes>>20)
		}
		cores = 1 // of an evaluation
	}
	return nil
}

// build puts a run's network and trainer on a device.
func build(d Device, r train.Run, weights, state *checkpoint.File) (sequence.Network, *train.Trainer, error) {
	net, err := r.Config.Open(d.Backend)
	if err != nil {
		return nil, nil, err
	}
	net.Initialise(r.Training.Seed)
	t, err := train.New(r, net)
	if err != nil {
		return nil, nil, err
	}
	if weights != nil {
		train.Load(weights, net.Params())
	}
	if state != nil {
		if err := t.Restore(state); err != nil {
			return nil, nil, fmt.Errorf("state: %w", err)
		}
		if t.TookBest() && !t.Over() {
			return nil, nil, train.ErrTookBest
		}
	}
	return net, t, d.Sync()
}

// resolve is the run of a command, and its weights where it brings some. The configuration in a checkpoint stands in
// for the keys that the command leaves out.
func resolve(c protocol.Command) (train.Run, *checkpoint.File, error) {
	text := []byte(cmp.Or(string(c.Run), "{}"))
	if c.Checkpoint == nil {
		r, err := resolveRun(c, text)
		return r, nil, err
	}
	f, err := decode("checkpoint", c.Checkpoint)
	if err != nil {
		return train.Run{}, nil, err
	}
	own, err := train.ConfigOf(f)
	if err != nil {
		return train.Run{}, nil, fmt.Errorf("checkpoint: %w", err)
	}
	if text, err = merge(own, text); err != nil {
		return train.Run{}, nil, err
	}
	r, err := resolveRun(c, text)
	if err != nil {
		return r, nil, fmt.Errorf("checkpoint: %w", err)
	}
	if err := train.Fits(r.Config, f); err != nil {
		return r, nil, fmt.Errorf("checkpoint: %w", err)
	}
	return r, f, nil
}

func decode(field string, data []byte) (*checkpoint.File, error) {
	f, err := checkpoint.Decode(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, &protocol.Error{Text: fmt.Sprintf("%s: the file %v", field, err), Field: field, At: -1}
	}
	return f, nil
}

// merge writes the keys of over over those of base.
func merge(base, over []byte) ([]byte, error) {
	keys := map[string]json.RawMessage{}
	for _, text := range [][]byte{base, over} {
		if len(text) == 0 {
			continue
		}
		if err := train.ReadJSON(text, &keys); err != nil {
			return nil, err
		}
	}
	return json.Marshal(keys)
}

func (s *Session) opened() (protocol.Opened, error) {
	t := s.trainer
	run, err := json.Marshal(t.Run)
	if err != nil {
		return protocol.Opened{}, err
	}
	info := s.device.Info()
	var columns, warnings []string
	o := ownOf(t.Run)
	if o != nil {
		columns = o.Columns()
		for _, w := range o.Warnings() {
			warnings = append(warnings, errorOf(w).Text)
		}
	}
	return protocol.Opened{
		Run: run, Step: t.Count(), Learned: t.Before + t.Count(), State: s.state, Parameters: s.net.Params().Count(),
		Memory: s.device.Memory(), Backend: info.Name, Adapter: info.Adapter, Software: info.Software,
		Notice: s.device.Notice, Example: t.Task.Example(), Filed: o != nil && o.filed,
		Columns: columns, Warnings: warnings,
	}, nil
}

// seek goes to a training step: back to what is kept, then on by training. It answers when it is there.
func (s *Session) seek(c protocol.Command) error {
	t := s.trainer
	if c.Step > t.Run.Training.Steps {
		return strict.Unfit("step", c.Step, "; the run ends at step %d, open it with more steps", t.Run.Training.Steps)
	}
	nearest, ok := s.past.before(c.Step)
	if c.Step < t.Count() || s.state == protocol.Ended || ok && nearest.step > t.Count() {
		switch {
		case ok:
			if err := t.Restore(nearest.file); err != nil {
				return err
			}
		case t.Before > 0:
			return strict.Unfit("step", c.Step, "; this run began with the weights of a file, which are not here: "+
				"choose a step from %d on", s.past.base.step)
		default:
			t.Reset()
		}
		s.due = false
	}
	s.goal = goal{step: c.Step, id: c.ID, set: true}
	if t.Count() == c.Step {
		s.become(protocol.Paused, s.stopAt())
	} else {
		s.state = protocol.Running
	}
	return nil
}

// save writes a checkpoint as native reads it, and all of the trainer's state where asked for.
func (s *Session) save(full bool) (protocol.Saved, error) {
	if err := s.settle(nil); err != nil {
		return protocol.Saved{}, err
	}
	t := s.trainer
	if full {
		state, err := t.State()
		if err != nil {
			return protocol.Saved{}, err
		}
		return savedOf(t, snapshot{t.Count(), state})
	}
	out := protocol.Saved{Step: t.Count(), Name: fileName(t.Run, t.Before+t.Count())}
	f, err := t.Model()
	if err == nil {
		out.Checkpoint, err = encode(f)
	}
	return out, err
}

// savedOf is a save made of a state that is kept.
func savedOf(t *train.Trainer, x snapshot) (protocol.Saved, error) {
	out := protocol.Saved{Step: x.step, Name: fileName(t.Run, t.Before+x.step)}
	var err, failed error
	out.Checkpoint, err = encode(t.ModelOf(x.file, x.step))
	out.State, failed = encode(x.file)
	return out, errors.Join(err, failed)
}

func fileName(r train.Run, step int) string {
	return fmt.Sprintf("%s-%s-seed-%d-step-%d.safetensors", r.Training.Task, r.Config.Name(), r.Training.Seed, step)
}

func encode(f *checkpoint.File) ([]byte, error) {
	var b bytes.Buffer
	err := checkpoint.Encode(&b, f)
	return b.Bytes(), err
}
