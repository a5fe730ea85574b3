package cpu

import (
	"mhacsp/model/backend"
)

type zeroJob struct{ x []float32 }

func (j *zeroJob) piece(_, i int) { clear(j.x[i*flatPiece : min((i+1)*flatPiece, len(j.x))]) }

// Zero clears a window.
func (f *Fast) Zero(v backend.Vec) {
	f.zero.x = Data[float32](v)
	f.pool.run(&f.zero, flatPieces(v.Len))
}

// Upload copies host numbers in.
func (f *Fast) Upload(dst backend.Vec, src []float32) {
	if copy(Data[float32](dst), src) < len(src) {
		panic("backend: Upload of more elements than the window holds")
	}
}

// NewFetch copies at once.
func (f *Fast) NewFetch() backend.Fetch { return backend.ImmediateFetch(f) }

// Download copies numbers out.
func (f *Fast) Download(dst []float32, src backend.Vec) error {
	if copy(dst, Data[float32](src)) < len(dst) {
		panic("backend: Download of more elements than the window holds")
	}
	return nil
}
