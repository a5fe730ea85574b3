//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// later is work that waits until a call needs what it writes, so that one dispatch does many pieces of it: windows to
// be cleared, sums over the parts of products, and the sum over a norm's parts, which the optimizer makes itself. A
// GPU pays microseconds for a dispatch, however little it does.
//
// Zeros were asked for before the sums that wait with them. Whoever touches one of the windows calls before.
type later struct {
	zeros   []backend.Vec
	sums    []partial
	norm    norm
	parts   backend.Vec // the products' parts, of all sums
	used    int         // elements of it that are taken
	flushed bool        // what waited is being recorded: nothing is to be waited for
}

// partial is a sum: To[i] += Σ_c parts[from + c·n + i].
type partial struct {
	to             backend.Vec
	from, n, parts int
}

// norm is a squared norm in parts: To = Σ of that many numbers of parts. None: 0 parts.
type norm struct {
	to, parts backend.Vec
	count     int
}

// zerosMost and sumsMost are the windows of zeros.wgsl and the jobs of partial_sum.wgsl.
const zerosMost, sumsMost = 8, 12

func overlap(a, b backend.Vec) bool {
	return a.Buf == b.Buf && a.Off < b.Off+b.Len && b.Off < a.Off+a.Len
}

// before makes sure that the contents of v are what the calls so far make of them.
func (b *Backend) before(v backend.Vec) {
	l := &b.later
	if l.flushed {
		return
	}
	if l.norm.count > 0 && overlap(l.norm.to, v) {
		b.flushNorm()
	}
	for _, s := range l.sums {
		if overlap(s.to, v) {
			b.flush()
			return
		}
	}
	for _, z := range l.zeros {
		if overlap(z, v) {
			b.flushZeros()
			return
		}
	}
}

// flush records all that waits.
func (b *Backend) flush() {
	b.flushZeros()
	if l := &b.later; len(l.sums) > 0 {
		l.flushed = true
		b.partialSums(l.sums, true)
		l.sums, l.flushed = l.sums[:0], false
	}
	b.flushNorm()
}

func (b *Backend) flushNorm() {
	if n := b.takeNorm(b.later.norm.to); n.count > 0 {
		b.later.flushed = true
		b.grid("sumsquares", 1, 1, args{{"n", n.count}, {"plain", true}}, on{{"partial", n.to}, {"x", n.parts}})
		b.later.flushed = false
	}
}

// takeNorm is the norm that waits to be written to v, and waits no longer.
func (b *Backend) takeNorm(v backend.Vec) (n norm) {
	if l := &b.later; l.norm.count > 0 && l.norm.to.Buf == v.Buf && l.norm.to.Off == v.Off {
		n, l.norm = l.norm, norm{}
	}
	return n
}

func (b *Backend) flushZeros() {
	l := &b.later
	if len(l.zeros) == 0 {
		return
	}
	l.flushed = true
	var x [zerosMost]backend.Vec
	var n [zerosMost]int
	most := 0
	for i, z := range l.zeros {
		x[i], n[i] = z, z.Len/4
		most = max(most, n[i])
	}
	b.each("zeros", most, args{
		{"n0", n[0]}, {"n1", n[1]}, {"n2", n[2]}, {"n3", n[3]}, {"n4", n[4]}, {"n5", n[5]}, {"n6", n[6]}, {"n7", n[7]},
	}, on{
		{"x0", x[0]}, {"x1", x[1]}, {"x2", x[2]}, {"x3", x[3]}, {"x4", x[4]}, {"x5", x[5]}, {"x6", x[6]}, {"x7", x[7]},
	})
	l.zeros, l.flushed = l.zeros[:0], false
}

// partialSums adds up parts, or writes the sums; all lie in one buffer, and so do the parts.
func (b *Backend) partialSums(sums []partial, add bool) {
	out := sums[0].to
	first, end := out.Off, 0
	for _, s := range sums {
		first, end = min(first, s.to.Off), max(end, s.to.Off+s.to.Len)
	}
	var jobs [4 * sumsMost]int
	total := 0
	for i, s := range sums {
		copy(jobs[4*i:], []int{s.from, s.to.Off - first, s.n, s.parts})
		total += s.n
	}
	all := backend.Vec{Buf: out.Buf, Off: first, Len: end - first}
	b.each("partial_sum", total, args{{"jobs", jobs[:]}, {"total", total}, {"add", add}},
		on{{"out", all}, {"part", b.later.parts.Slice(0, b.later.used)}})
}

// clear lets v be cleared with what else waits; false where it is no window that kernels can be given.
func (b *Backend) clear(v backend.Vec) bool {
	l := &b.later
	if v.Off%backend.Align != 0 || v.Len%4 != 0 {
		return false
	}
	b.before(v)
	if len(l.zeros) == zerosMost {
		b.flushZeros()
	}
	l.zeros = append(l.zeros, v)
	b.memoryOf(v).used = b.epoch
	return true
}

// partsOf is memory for the parts of that many sums, n elements in all: it keeps its contents until they are flushed.
func (b *Backend) partsOf(sums, n int) backend.Vec {
	l := &b.later
	n = (n + backend.Align - 1) / backend.Align * backend.Align
	if len(l.sums)+sums > sumsMost {
		b.flush()
	}
	if len(l.sums) == 0 {
		l.used = 0
	}
	if l.parts.Len < l.used+n {
		b.flush()
		l.used = 0
		// Room for a few, lest the next one flushes; not where there are many, which are worth a flush.
		l.parts = b.temporary("parts", max(n, min(2*n, partsMost)))
		l.parts.Len = min(l.parts.Buf.Len(), max(n, windowMax/4)) // one kernel reads the parts of all
	}
	v := l.parts.Slice(l.used, n)
	l.used += n
	return v
}

// sum adds parts, n elements of each from the given one of partsOf's on, to v.
func (b *Backend) sum(to backend.Vec, parts backend.Vec, from, n, count int) {
	l := &b.later
	to.Len = n
	if len(l.sums) > 0 && l.sums[0].to.Buf != to.Buf {
		b.flush()
	}
	l.sums = append(l.sums, partial{to, parts.Off + from, n, count})
	b.memoryOf(to).used = b.epoch
}
