//go:build !js

package main

import (
	"fmt"

	"mhacsp/model/backend"
	"mhacsp/model/train"
	"mhacsp/tasks"
)

// ledger is a device whose memory is counted and not taken. It computes nothing.
type ledger struct{ bytes int64 }

// counted is a buffer of it.
type counted struct {
	of       *ledger
	elements int
}

func (c *counted) Len() int { return c.elements }
func (c *counted) Release() { c.of.bytes -= 4 * int64(c.elements) }

func (l *ledger) take(n int) *counted {
	l.bytes += 4 * int64(n)
	return &counted{l, n}
}

func (l *ledger) Info() backend.Info                    { return backend.Info{Name: "cpu"} }
func (l *ledger) Floats(n int) backend.Buffer           { return l.take(n) }
func (l *ledger) Ints(n int) backend.Index              { return l.take(n) }
func (l *ledger) Upload(backend.Vec, []float32)         {}
func (l *ledger) UploadInts(backend.Index, []int32)     {}
func (l *ledger) Download([]float32, backend.Vec) error { return nil }
func (l *ledger) NewFetch() backend.Fetch               { return backend.ImmediateFetch(l) }
func (l *ledger) Zero(backend.Vec)                      {}
func (l *ledger) Copy(_, _ backend.Vec)                 {}
func (l *ledger) Sync() error                           { return nil }
func (l *ledger) Close()                                {}
func (l *ledger) device() backend.Backend {
	return backend.Around{Memory: l, Do: func(backend.Call) {}}
}

// bytesSample is what a sample takes beside the device's memory, roughly.
const bytesSample = 1 << 10

// batchFits refuses a run whose batches the machine has no memory for: it makes a step and an evaluation of a few
// samples on a ledger, and multiplies.
func batchFits(r train.Run) error {
	free, known := freeMemory()
	if !known {
		return nil
	}
	const few = 64
	batch, evaluated := r.Training.Batch, r.Training.EvalBatch
	small := r
	small.Training.Batch, small.Training.EvalBatch = min(few, batch), min(few, evaluated)
	l := &ledger{}
	net, err := r.Config.Open(l.device())
	if err != nil {
		return err
	}
	begin := l.bytes
	net.Params().Upload(nil) // a ledger keeps no values; start values would take as much memory as they have
	t, err := train.New(small, net)
	if err != nil {
		return err
	}
	fixed := l.bytes
	if _, _, err := t.Advance(); err != nil {
		return err
	}
	step := (l.bytes - fixed) / int64(small.Training.Batch)
	fixed = l.bytes
	if _, err := t.Evaluate(tasks.Validation, small.Training.EvalBatch); err != nil {
		return err
	}
	evaluation := (l.bytes - fixed) / int64(small.Training.EvalBatch)
	for _, x := range []struct {
		flag           string
		samples, bytes int64
	}{{"--batch", int64(batch), step}, {"--eval-batch", int64(evaluated), evaluation}} {
		if need := begin + x.samples*(x.bytes+bytesSample); need > free {
			return fmt.Errorf("%s is %d: such a batch takes %s of memory, and %s are free; give fewer samples",
				x.flag, x.samples, sizeText(need), sizeText(free))
		}
	}
	return nil
}
