//go:build cgo || js

package webgpu

import (
	"math"

	"mhacsp/model/backend"
)

// softmax runs a kernel that imports shared/softmax.wgsl: an invocation for each position of each head, and one more.
func (b *Backend) softmax(kernel string, a backend.Softmax, t int, bind on) {
	longest, d := b.longest(a.Seq), a.N/a.Heads
	key := pipelineKey{kernel: kernel, lanes: lanesFor(longest+1, 1)}
	n := a.N
	if key.head, key.quads = quads(d); key.quads {
		n /= 4
	}
	b.turns(kernel, (longest+1)*(2*key.head+2)+4*key.head)
	b.formed(key, groupOf(longest+1, key.lanes), a.Heads, a.Seq.Hi-a.Seq.Lo, args{
		{"start", b.place(a.Seq.Start)}, {"end", b.place(a.Seq.End)}, {"lo", a.Seq.Lo}, {"N", n},
		{"heads", a.Heads}, {"T", t}, {"scale", float32(1 / math.Sqrt(float64(d)))},
	}, bind)
}

// turned is a with queries and keys turned, in memory of the backend's own, where that is asked for.
func (b *Backend) turned(a backend.Softmax) backend.Softmax {
	if !a.Turn.Given() {
		return a
	}
	for i, v := range []*backend.Vec{&a.Q, &a.K} {
		own := b.temporary([]string{"softmax q", "softmax k"}[i], a.Seq.Rows*a.N)
		b.Copy(own, v.Slice(0, own.Len))
		b.softmaxTurn(a, own, false)
		*v = own
	}
	return a
}

// softmaxTurn turns x [rows, N] in place.
func (b *Backend) softmaxTurn(a backend.Softmax, x backend.Vec, back bool) {
	b.grid("softmax_turn", groupOf(b.longest(a.Seq)*a.N/2, 64), a.Seq.Hi-a.Seq.Lo, args{
		{"start", b.place(a.Seq.Start)}, {"end", b.place(a.Seq.End)}, {"lo", a.Seq.Lo}, {"N", a.N},
		{"d", a.N / a.Heads}, {"back", back},
	}, on{{"x", x}, {"turn", a.Turn}, {"ints", indexed}})
}

// SoftmaxForward streams the keys: memory is O(T).
func (b *Backend) SoftmaxForward(a backend.SoftmaxForward) {
	a.Check()
	x := b.turned(a.Softmax)
	b.softmax("softmax_forward", x, 0,
		on{{"o", a.O}, {"logs", a.Log}, {"q", x.Q}, {"k", x.K}, {"v", x.V}, {"ints", indexed}})
}

// SoftmaxBackward is the backward pass of SoftmaxForward; weights are computed again, not stored.
func (b *Backend) SoftmaxBackward(a backend.SoftmaxBackward) {
	a.Check()
	x := b.turned(a.Softmax)
	heads := a.Seq.Rows * a.Heads
	sums := b.temporary("softmax", 2*heads)
	d, wide := quads(a.N / a.Heads)
	b.elements("softmax_along", wide, heads, args{{"n", heads}, {"d", d}},
		on{{"sums", sums}, {"dout", a.DO}, {"o", a.O}, {"logs", a.Log}})
	b.softmax("softmax_backward_query", x, 0,
		on{{"dq", a.DQ}, {"q", x.Q}, {"k", x.K}, {"v", x.V}, {"dout", a.DO}, {"sums", sums}, {"ints", indexed}})
	b.softmax("softmax_backward_key", x, 0, on{
		{"dk", a.DK}, {"dv", a.DV}, {"q", x.Q}, {"k", x.K}, {"v", x.V}, {"dout", a.DO}, {"sums", sums},
		{"ints", indexed},
	})
	if a.Turn.Given() {
		b.softmaxTurn(x, a.DQ, true)
		b.softmaxTurn(x, a.DK, true)
	}
}

// SoftmaxMatrices writes every row in full.
func (b *Backend) SoftmaxMatrices(a backend.SoftmaxMatrices) {
	a.Check()
	b.Zero(a.Weights)
	x := b.turned(a.Softmax)
	b.softmax("softmax_matrices", x, a.T, on{{"weights", a.Weights}, {"q", x.Q}, {"k", x.K}, {"ints", indexed}})
}
