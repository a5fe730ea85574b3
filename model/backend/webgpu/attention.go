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
	calls, rowsEach int // a call takes so many rows of each workgroup
	sharers         int // workgroups that share a row, phase by phase; 0: a dispatch does all phases
}

// The phases of a row's work, bits as in shared/attention.wgsl. The first, third and fifth are shared, the others go
// through a row in order.
const (
	phaseDistance   = 1
	phaseWeights    = 2
	attentionPhases = 5
	allPhases       = 1<<attentionPhases - 1
)

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

// trained is what attention the steps so far had: the most heads, and whether a block had more than the last rows.
type trained struct {
	heads int
	all   bool
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
		b.fail("attention", fmt.Errorf("%d heads, the GPU's kernels take %d at most", a.Heads, mostHeads))
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
	if !b.info.Software {
		// A row reads every position before it some five times over, one read after the other.
		x.rowsEach = max(1, min(rows, b.turnsEach(x.count*x.copies)/(5*x.longest)))
	} else {
		// The loops of a row in the backward pass, which has the most: those that workgroups can share, and the rest.
		blocks, columns, heads := x.longest/64+1, 2*a.N/64+1, a.Heads
		shared := blocks*4*a.N + 2*columns*(x.longest+1)
		ordered := blocks*heads*(9*heads+40) + 4*heads*heads*8
		if shared+ordered <= b.turnsAllowed() {
			x.rowsEach = min(rows, b.turnsAllowed()/(shared+ordered))
		} else {
			x.rowsEach, x.sharers = 1, columns
			longest := blocks*heads*(3*heads+20) + 4*heads*heads*8 // of the two phases in order, with room
			if b.turns("attention", max(longest, x.longest+1+(blocks/columns+1)*4*a.N)); b.err != nil {
				return x, false
			}
		}
	}
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

// rows runs a kernel, which has the first so many phases, over all rows; what is done already it leaves out.
func (b *Backend) rows(kernel string, phases, done int, x attention, extra int, bind on) {
	key := pipelineKey{kernel: kernel}
	if !b.soft {
		key = reform(key, b.Forms())
	}
	for c := range x.calls {
		call := func(workgroups, phases int) {
			b.space(key, x.count, x.copies, workgroups, args{
				{"start", x.start}, {"end", x.end}, {"lo", x.Seq.Lo}, {"N", x.N}, {"H", x.Heads}, {"rows", x.Seq.Rows},
				{"last", x.Last}, {"fusion", int(x.Fusion)}, {"tree", int(x.Tree)},
				{"row0", c * x.rowsEach * x.copies}, {"stride", x.copies}, {"count", x.rowsEach},
				{"edges", x.edges}, {"region", x.region}, {"extra", extra}, {"phases", phases},
			}, bind)
		}
		if x.sharers == 0 {
			call(1, allPhases&^done)
			continue
		}
		for i := range phases {
			workgroups := 1
			if i%2 == 0 {
				workgroups = x.sharers
			}
			if 1<<i&done == 0 {
				call(workgroups, 1<<i)
			}
		}
	}
}

// last is the plan of a call for the last rows alone, where that goes without barriers.
type last struct {
	backend.Attention
	count, longest int
	start, end     int
	back           bool
	work           backend.Vec
}

// onlyLast tells whether a call goes without barriers, which a software adapter pays dearly for, and plans it: one
// invocation then walks along a sequence, so that its loops must stay within what the adapter can count.
func (b *Backend) onlyLast(a backend.Attention, back bool) (x last, ok bool) {
	if !a.Last || !b.soft || !tiled(a.N) || b.err != nil {
		return x, false
	}
	heads := a.Heads
	x = last{Attention: a, count: a.Seq.Hi - a.Seq.Lo, longest: b.longest(a.Seq), back: back}
	along := x.longest * heads * (5*heads + 9)
	if x.count == 0 || along+20*heads*heads > turnsMax || heads*(a.N/heads/4+2) > turnsMax {
		return x, false
	}
	x.work = b.temporary("attention last", 6*a.Seq.Rows*heads+x.count*(2*heads+3*heads*heads))
	x.start, x.end = b.place(a.Seq.Start), b.place(a.Seq.End)
	return x, true
}

// lastTiles runs a kernel of such a call over n by y.
func (b *Backend) lastTiles(kernel string, x last, n, y int, bind on) {
	b.tiles(kernel, n, 1, y, args{
		{"start", x.start}, {"end", x.end}, {"lo", x.Seq.Lo}, {"count", x.count}, {"N", x.N}, {"H", x.Heads},
		{"rows", x.Seq.Rows}, {"fusion", int(x.Fusion)}, {"tree", int(x.Tree)}, {"back", x.back},
	}, bind)
}

func (b *Backend) lastRows(x last, dout backend.Vec) {
	b.lastTiles("attention_last_rows_software", x, x.longest, x.count,
		on{{"work", x.work}, {"q", x.Q}, {"state", x.State}, {"dout", dout}, {"ints", indexed}})
}

func (b *Backend) lastAlong(x last, part backend.Vec) {
	b.lastTiles("attention_last_along_software", x, x.count, 1,
		on{{"work", x.work}, {"part", part}, {"rho", x.Rho}, {"b", x.B}, {"ints", indexed}})
}

// AttentionForward streams the rows: memory is O(T).
func (b *Backend) AttentionForward(a backend.AttentionForward) {
	a.Check()
	if x, ok := b.onlyLast(a.Attention, false); ok {
		b.lastRows(x, backend.Vec{})
		b.lastAlong(x, backend.Vec{})
		b.lastTiles("attention_last_out_software", x, a.N/2, x.count,
			on{{"o", a.O}, {"work", x.work}, {"state", a.State}, {"ints", indexed}})
		return
	}
	if x, ok := b.attend(a.Attention, 0); ok {
		b.rows("attention_forward", 3, 0, x, 0,
			on{{"o", a.O}, {"work", x.work}, {"q", a.Q}, {"state", a.State}, {"ints", indexed}})
		b.attended = b.rowsOf(x)
	}
}

// AttentionBackward is the backward pass of AttentionForward; rows are computed again, not stored.
func (b *Backend) AttentionBackward(a backend.AttentionBackward) {
	a.Check()
	b.trained.heads, b.trained.all = max(b.trained.heads, a.Heads), b.trained.all || !a.Last
	if x, ok := b.onlyLast(a.Attention, true); ok {
		sums := a.Heads + a.Heads*a.Heads
		part := b.temporary("part", x.count*sums)
		b.lastRows(x, a.DO)
		b.lastAlong(x, part)
		b.lastTiles("attention_last_spread_software", x, a.N/2, x.count,
			on{{"dstate", a.DState}, {"dq", a.DQ}, {"work", x.work}, {"q", a.Q}, {"dout", a.DO}, {"ints", indexed}})
		b.each("attention_last_sums_software", sums,
			args{{"H", a.Heads}, {"n", x.count}},
			on{{"drho", a.DRho}, {"db", a.DB}, {"part", part}})
		return
	}
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
	done := 0
	if left := b.rowsOf(x); left == before && left != (attended{}) {
		done = phaseDistance | phaseWeights
	}
	b.rows("attention_backward", attentionPhases, done, x, sums,
		on{{"part", part}, {"work", x.work}, {"q", a.Q}, {"state", a.State}, {"dout", a.DO}, {"ints", indexed}})
	b.grid("attention_gather", x.count, x.longest+1, args{
		{"start", x.start}, {"end", x.end}, {"lo", a.Seq.Lo}, {"N", a.N}, {"H", a.Heads},
		{"rows", a.Seq.Rows}, {"copies", x.copies}, {"longest", x.longest}, {"sums", sums},
		{"n", x.copies * x.count},
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
		b.rows("attention_matrices", 2, 0, x, a.T, on{
			{"distance_out", a.Distance}, {"tree_out", a.TreeOut}, {"fused_out", a.FusedOut}, {"weights_out", a.Weights},
			{"work", x.work}, {"q", a.Q}, {"ints", indexed},
		})
	}
}
