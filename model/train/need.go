package train

import (
	"mhacsp/model/backend"
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

// bytesSample is what a sample takes in addition to the device's memory, roughly.
const bytesSample = 1 << 10

// Need is what batches take of a device's memory.
type Need struct {
	Key     string // of the configuration: batch, or eval_batch
	Samples int
	Bytes   int64 // with the parameters and the optimizer's means
	Largest int64 // numbers of the largest tensor
}

// Needs estimates what a run's training steps and its evaluations take: it makes a step and an evaluation of a few
// samples, each on a ledger of its own, and multiplies.
func Needs(r Run) ([]Need, error) {
	const few = 64
	small := r
	small.Training.Curriculum = false // later batches are longer than the first
	small.Training.Batch, small.Training.EvalBatch = min(few, r.Training.Batch), min(few, r.Training.EvalBatch)
	needs := []Need{{Key: "batch", Samples: r.Training.Batch}, {Key: "eval_batch", Samples: r.Training.EvalBatch}}
	for i := range needs {
		l := &ledger{}
		net, err := r.Config.Open(backend.Around{Memory: l, Do: func(backend.Call) {}})
		if err != nil {
			return nil, err
		}
		net.Params().Upload(nil) // a ledger keeps no values; start values would take as much memory as they have
		t, err := New(small, net)
		if err != nil {
			return nil, err
		}
		fixed, tried := l.bytes, small.Training.Batch
		l.largest = 0 // the parameters' buffers do not grow with a batch
		if i == 0 {
			_, _, err = t.Advance()
		} else {
			tried = small.Training.EvalBatch
			_, err = t.Evaluate(tasks.Validation, tried)
		}
		if err != nil {
			return nil, err
		}
		n := &needs[i]
		n.Bytes = fixed + int64(n.Samples)*((l.bytes-fixed)/int64(tried)+bytesSample)
		n.Largest = int64(n.Samples) * int64(l.largest) / int64(tried)
	}
	return needs, nil
}
