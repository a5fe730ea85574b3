package cpu

import (
	"fmt"
	"runtime"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
	"mhacsp/model/backend/reference"
)

// Fast is the float32 backend for use: vectorised, blocked, on all cores, in the reference's memory. However a
// kernel's work is cut into pieces, no element's sum depends on the cut, so a result has the same bits on 1, 2 or 8
// threads.
type Fast struct {
	reference.Memory[float32]
	pool pool
	jobs map[any]any // by the zero of their type, so that a call allocates nothing
}

// jobOf is the job of a type, the same at every call. A program that calls no kernel of Baseline, like the page's
// first, is linked without their loops: so Fast names none.
func jobOf[T any](f *Fast) *T {
	if j, ok := f.jobs[(*T)(nil)]; ok {
		return j.(*T)
	}
	j := new(T)
	f.jobs[(*T)(nil)] = j
	return j
}

var _ backend.Backend = (*Fast)(nil)

// New returns the fast backend on GOMAXPROCS threads.
func New() *Fast {
	f := &Fast{jobs: map[any]any{}}
	f.pool.start(runtime.GOMAXPROCS(0))
	return f
}

// Info names the processor features in use.
func (f *Fast) Info() backend.Info {
	return backend.Info{Name: "cpu", Adapter: fmt.Sprintf("%s, %d threads", vec.Features(), f.pool.workers), Bits: 32,
		Threads: f.pool.workers, Slow: vec.Why(), AnyWindow: true}
}

// Close ends the threads.
func (f *Fast) Close() { f.pool.stop() }

// Floats allocates n zeros.
func (f *Fast) Floats(n int) backend.Buffer {
	b := f.Memory.Floats(n)
	huge(data(backend.Vec{Buf: b, Len: n}))
	return b
}

type zeroJob struct{ x []float32 }

func (j *zeroJob) piece(_, i int) { clear(j.x[i*flatPiece : min((i+1)*flatPiece, len(j.x))]) }

// Zero clears a window.
func (f *Fast) Zero(v backend.Vec) {
	j := jobOf[zeroJob](f)
	j.x = data(v)
	f.pool.run(j, flatPieces(v.Len))
}

// NewFetch copies at once.
func (f *Fast) NewFetch() backend.Fetch { return backend.ImmediateFetch(f) }

// spread cuts n into parts pieces as even as can be and returns piece i.
func spread(n, parts, i int) (from, to int) { return n * i / parts, n * (i + 1) / parts }
