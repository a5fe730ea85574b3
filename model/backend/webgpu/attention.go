//go:build cgo || js

package webgpu

import (
	"fmt"

	"mhacsp/model/backend"
)

// mostHeads is what the attention's workgroup memory is made for.
const mostHeads = 16

// rowGroups is how many workgroups share the rows of all sequences, at the least where there are rows enough.
const rowGroups = 256

// partMost bounds the regions of work of all workgroups that share the rows, and the copies of the gradients that the
// backward pass adds up, in elements: 64 MiB each.
const partMost = 16 << 20

// attention is the plan of a call: workgroup (s, g) takes the rows g, g + copies, … of sequence s.
type attention struct {
	backend.Attention
	start, end      int
	count, longest  int
	copies          int
	work            backend.Vec
	edges, region   int
	calls, rowsEach int // a call takes that many rows of each workgroup
}

// prepared is what attention_prepare has made the start of the work of; nothing else writes there.
type prepared struct {
	q, rho, b      stamp
	work           uint64
	rows, n, heads int
}

// attended is what the forward pass has left of each workgroup's only row, its distances, trees and weights: the
// backward pass of the same call takes them as they are.
type attended struct {
	prepared
	start, end     *indices
	starts, ends   uint64 // their versions
	lo, hi, copies int
	fusion         backend.Fusion
	tree           backend.Tree
}

// rowsOf tells what a call makes of its rows from what others make; the zero value where a workgroup has several.
func (b *Backend) rowsOf(x attention) attended {
	if x.calls*x.rowsEach > 1 {
		return attended{}
	}
	start, end := b.indicesOf(x.Seq.Start), b.indicesOf(x.Seq.End)
	return attended{b.prepared, start, end, start.version, end.version, x.Seq.Lo, x.Seq.Hi, x.copies, x.Fusion, x.Tree}
}

// attend plans a call and prepares what its rows read; false where there is nothing to do.
func (b *Backend) attend(a backend.Attention, part int) (x attention, ok bool) {
	if a.Heads > mostHeads {
		b.fail("attention", fmt.Errorf("%d heads, the GPU's kernels take %d at most; take fewer, or compute on the "+
			"CPU", a.Heads, mostHeads))
	}
	x = attention{Attention: a, count: a.Seq.Hi - a.Seq.Lo}
	b.attended = attended{}
	if b.err != nil || x.count == 0 {
		return x, false
	}
	x.longest = b.longest(a.Seq)
	x.copies = 1
	rows := 1
	if !a.Last {
		x.copies = min(x.longest, max(1, rowGroups/x.count))
		// Each has a region of work, and on the way back gradients of its own.
		x.copies = max(1, min(x.copies, partMost/max(part, 4*a.Heads*a.Seq.Rows)))
		rows = (x.longest + x.copies - 1) / x.copies
	}
	x.edges = (2*a.Heads + a.Heads*a.Heads + 63) / 64 * 64
	x.region = x.edges + a.Seq.Rows*a.Heads
	x.work = b.temporary("attention", x.region+4*a.Heads*a.Seq.Rows*x.copies)
	x.start, x.end = b.place(a.Seq.Start), b.place(a.Seq.End)
	// A row reads every position before it some five times over, one read after the other.
	turns := 5 * x.longest
	if b.info.Software { // which counts all turns of a row in the backward pass, which has the most
		blocks, columns, heads := x.longest/64+1, 2*a.N/64+1, a.Heads
		turns = blocks*4*a.N + 2*columns*(x.longest+1) + blocks*heads*(9*heads+40) + 4*heads*heads*8
		if b.turns("attention", turns); b.err != nil {
			return x, false
		}
	}
	x.rowsEach = max(1, min(rows, b.turnsEach(x.count*x.copies)/turns))
	x.calls = (rows + x.rowsEach - 1) / x.rowsEach
	// The backward pass finds what the forward pass has left.
	work := b.memoryOf(x.work).id
	p := prepared{b.stamp(a.Q), b.stamp(a.Rho), b.stamp(a.B), work, a.Seq.Rows, a.N, a.Heads}
	if b.prepared != p {
		b.each("attention_prepare", max(a.Seq.Rows, a.Heads)*a.Heads,
			args{{"rows", a.Seq.Rows}, {"N", a.N}, {"H", a.Heads}, {"edges", x.edges}},
			on{{"work", x.work}, {"q", a.Q}, {"rho", a.Rho}, {"b", a.B}})
		b.prepared = p
	}
	return x, true
}

// rows runs a kernel over all rows; done: their distances, trees and weights are there.
func (b *Backend) rows(kernel string, done bool, x attention, extra int, bind on) {
	for c := range x.calls {
		b.grid(kernel, x.count, x.copies, args{
			{"start", x.start}, {"end", x.end}, {"lo", x.Seq.Lo}, {"N", x.N}, {"H", x.Heads}, {"rows", x.Seq.Rows},
			{"last", x.Last}, {"fusion", int(x.Fusion)}, {"tree", int(x.Tree)},
			{"row0", c * x.rowsEach * x.copies}, {"stride", x.copies}, {"count", x.rowsEach},
			{"edges", x.edges}, {"region", x.region}, {"extra", extra}, {"done", done},
		}, bind)
	}
}

// AttentionForward streams the rows: memory is O(T).
func (b *Backend) AttentionForward(a backend.AttentionForward) {
	a.Check()
	if x, ok := b.attend(a.Attention, 0); ok {
		b.rows("attention_forward", false, x, 0,
			on{{"o", a.O}, {"work", x.work}, {"q", a.Q}, {"state", a.State}, {"ints", indexed}})
		b.attended = b.rowsOf(x)
	}
}

// AttentionBackward is the backward pass of AttentionForward; rows are computed again, not stored.
func (b *Backend) AttentionBackward(a backend.AttentionBackward) {
	a.Check()
	one := a.Seq.Rows * (4*a.N + a.Heads)
	before := b.attended
	x, ok := b.attend(a.Attention, one)
	if !ok {
		return
	}
	sums := x.copies * one
	total := sums + x.copies*x.count*(a.Heads+a.Heads*a.Heads)
	part := b.temporary("part", total)
	if !a.Last {
		b.Zero(part)
	}
	left := b.rowsOf(x)
	done := left == before && left != (attended{})
	b.rows("attention_backward", done, x, sums,
		on{{"part", part}, {"work", x.work}, {"q", a.Q}, {"state", a.State}, {"dout", a.DO}, {"ints", indexed}})
	b.grid("attention_gather", x.count, x.longest+1, args{
		{"start", x.start}, {"end", x.end}, {"lo", a.Seq.Lo}, {"N", a.N}, {"H", a.Heads}, {"rows", a.Seq.Rows},
		{"copies", x.copies}, {"longest", x.longest}, {"sums", sums}, {"n", x.copies * x.count},
	}, on{
		{"dstate", a.DState}, {"dq", a.DQ}, {"part", part}, {"q", a.Q}, {"drho", a.DRho}, {"db", a.DB},
		{"ints", indexed},
	})
}

// AttentionMatrices writes every row in full.
func (b *Backend) AttentionMatrices(a backend.AttentionMatrices) {
	a.Check()
	for _, v := range []backend.Vec{a.Distance, a.TreeOut, a.FusedOut, a.Weights} {
		b.Zero(v)
	}
	a.Last = false
	if x, ok := b.attend(a.Attention, 0); ok {
		b.rows("attention_matrices", false, x, a.T, on{
			{"distance_out", a.Distance}, {"tree_out", a.TreeOut}, {"fused_out", a.FusedOut}, {"weights_out", a.Weights},
			{"work", x.work}, {"q", a.Q}, {"ints", indexed},
		})
	}
}
