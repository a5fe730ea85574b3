//go:build !js

package native

import (
	"fmt"
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/train"
	"mhacsp/tasks"
)

// ledger is a device whose memory is counted and not taken. It computes nothing.
type ledger struct {
	bytes   int64
	largest int // the most numbers of one buffer
}

// counted is a buffer of it.
type counted struct {
	of       *ledger
	elements int
}

func (c *counted) Len() int { return c.elements }
func (c *counted) Release() { c.of.bytes -= 4 * int64(c.elements) }

func (l *ledger) take(n int) *counted {
	l.bytes += 4 * int64(n)
	l.largest = max(l.largest, n)
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

// batchFits refuses a run whose batches the machine has no memory for, or the kernels no numbers: it makes a step and
// an evaluation of a few samples, each on a ledger of its own, and multiplies.
func batchFits(r train.Run) error {
	free, known := freeMemory()
	const few = 64
	small := r
	small.Training.Curriculum = false // later batches are longer than the first
	small.Training.Batch, small.Training.EvalBatch = min(few, r.Training.Batch), min(few, r.Training.EvalBatch)
	for _, x := range []struct {
		flag           string
		samples, tried int
		do             func(*train.Trainer) error
	}{
		{"--batch", r.Training.Batch, small.Training.Batch, func(t *train.Trainer) error {
			_, _, err := t.Advance()
			return err
		}},
		{"--eval-batch", r.Training.EvalBatch, small.Training.EvalBatch, func(t *train.Trainer) error {
			_, err := t.Evaluate(tasks.Validation, small.Training.EvalBatch)
			return err
		}},
	} {
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
		l.largest = 0 // the parameters' buffers do not grow with a batch
		if err := x.do(t); err != nil {
			return err
		}
		samples, tried := int64(x.samples), int64(x.tried)
		if need := begin + samples*((l.bytes-fixed)/tried+bytesSample); known && need > free {
			return fmt.Errorf("%s is %d: such a batch takes %s of memory, and %s are free; give fewer samples",
				x.flag, x.samples, sizeText(need), sizeText(free))
		}
		if samples*int64(l.largest)/tried > math.MaxInt32 {
			return fmt.Errorf("%s is %d: such a batch has a tensor of more than %d numbers, which is as far as the "+
				"kernels count; give fewer samples", x.flag, x.samples, math.MaxInt32)
		}
	}
	return nil
}
