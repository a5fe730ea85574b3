package reference

import "mhacsp/model/backend"

// Memory are the calls on memory that both backends have in common. A buffer is a slice.
type Memory[T Float] struct{}

type buffer[E any] struct{ data []E }

func (b *buffer[E]) Len() int { return len(b.data) }
func (b *buffer[E]) Release() { b.data = nil }

// Data gives direct access to a window of a CPU backend's buffer, in T.
func Data[T Float](v backend.Vec) []T {
	if v.Buf == nil {
		return nil
	}
	b, ok := v.Buf.(*buffer[T])
	if !ok {
		panic("backend: buffer of another backend")
	}
	return b.data[v.Off : v.Off+v.Len : v.Off+v.Len]
}

func IntData(x backend.Index) []int32 {
	if x == nil {
		return nil
	}
	return x.(*buffer[int32]).data
}

// steps are the row of a sequence's first step, and the one behind its last.
func steps(a backend.Sequences, s int) (first, last int) {
	return int(IntData(a.Start)[s]), int(IntData(a.End)[s])
}

// Floats allocates n zeros.
func (*Memory[T]) Floats(n int) backend.Buffer { return &buffer[T]{make([]T, n)} }

// Ints allocates n zeros.
func (*Memory[T]) Ints(n int) backend.Index { return &buffer[int32]{make([]int32, n)} }

// Upload copies host numbers in.
func (*Memory[T]) Upload(dst backend.Vec, src []float32) {
	d := Data[T](dst)
	if len(src) > len(d) {
		panic("backend: Upload of more elements than the window holds")
	}
	for i, x := range src {
		d[i] = T(x)
	}
}

// UploadInts copies host numbers in.
func (*Memory[T]) UploadInts(dst backend.Index, src []int32) {
	if copy(IntData(dst), src) < len(src) {
		panic("backend: UploadInts of more elements than the buffer holds")
	}
}

// Download copies numbers out, rounded to float32.
func (*Memory[T]) Download(dst []float32, src backend.Vec) error {
	s := Data[T](src)
	if len(dst) > len(s) {
		panic("backend: Download of more elements than the window holds")
	}
	for i := range dst {
		dst[i] = float32(s[i])
	}
	return nil
}

// NewFetch copies at once.
func (r *Backend[T]) NewFetch() backend.Fetch { return backend.ImmediateFetch(r) }

// Zero clears a window.
func (*Backend[T]) Zero(v backend.Vec) { clear(Data[T](v)) }

// Copy copies src over the start of dst.
func (*Memory[T]) Copy(dst, src backend.Vec) { copy(Data[T](dst), Data[T](src)) }

// Sync has nothing to wait for.
func (*Memory[T]) Sync() error { return nil }

// Close has nothing to free.
func (*Backend[T]) Close() {}
