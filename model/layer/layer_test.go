package layer

import (
	"slices"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
	"mhacsp/tasks/assert"
)

// released is a device that keeps account of its buffers.
type released struct {
	*reference.Backend[float32]
	made, freed int
}

type counted struct {
	backend.Buffer
	d *released
}

func (c counted) Release() { c.d.freed++ }

type countedInts struct {
	backend.Index
	d *released
}

func (c countedInts) Release() { c.d.freed++ }

func (d *released) Floats(n int) backend.Buffer {
	d.made++
	return counted{d.Backend.Floats(n), d}
}

func (d *released) Ints(n int) backend.Index {
	d.made++
	return countedInts{d.Backend.Ints(n), d}
}

func (d *released) UploadInts(dst backend.Index, src []int32) {
	d.Backend.UploadInts(dst.(countedInts).Index, src)
}

// TestFloats: a buffer is made once for the largest request, with room to spare, and the outgrown one is released.
func TestFloats(t *testing.T) {
	d := &released{Backend: reference.New[float32]()}
	var f Floats
	for _, x := range []struct{ n, made, freed int }{
		{100, 1, 0}, {100, 1, 0}, {7, 1, 0}, {125, 1, 0}, {126, 2, 1},
		{100, 2, 1}, {157, 2, 1}, {1000, 3, 2}, {0, 3, 2},
	} {
		v := f.Get(d, x.n)
		assert.True(t, v.Len == x.n && v.Off == 0 && v.Buf.Len() >= x.n && v.Given(),
			"%d elements asked: %d at %d of a buffer of %d", x.n, v.Len, v.Off, v.Buf.Len())
		assert.Is(t, [2]int{d.made, d.freed}, [2]int{x.made, x.freed}, "%d elements: buffers made and released", x.n)
	}
}

// TestFloatsKeep: within its room a buffer keeps what it holds.
func TestFloatsKeep(t *testing.T) {
	b := reference.New[float32]()
	var f Floats
	b.Upload(f.Get(b, 3), []float32{1, 2, 3})
	got := reference.Data[float32](f.Get(b, 2))
	assert.True(t, slices.Equal(got, []float32{1, 2}), "%v", got)
}

func TestInts(t *testing.T) {
	d := &released{Backend: reference.New[float32]()}
	var f Ints
	for _, x := range []struct{ n, made, freed int }{
		{8, 1, 0}, {3, 1, 0}, {10, 1, 0}, {11, 2, 1}, {4, 2, 1}, {100, 3, 2},
	} {
		got := f.Put(d, make([]int32, x.n))
		assert.True(t, got.Len() >= x.n, "%d numbers in a buffer of %d", x.n, got.Len())
		assert.Is(t, [2]int{d.made, d.freed}, [2]int{x.made, x.freed}, "%d numbers: buffers made and released", x.n)
	}
}

func TestAligned(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 64, 63: 64, 64: 64, 65: 128, 6528: 6528} {
		assert.Is(t, aligned(n), want, "aligned(%d) is", n)
	}
}
