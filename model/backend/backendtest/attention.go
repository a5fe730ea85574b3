package backendtest

import (
	"fmt"
	"math"
	"slices"

	"mhacsp/model/backend"
)

// spread is how far apart the positions' projections lie.
type spread int

const (
	near    spread = iota // distances about 1, as at the start of training
	far                   // clusters of near positions, up to 300 apart
	apart                 // every position 300 from the next
	closeBy               // distances of 1e-4
)

// attention is one setting of the attention.
type attention struct {
	arena
	n, h   int
	last   bool
	fusion backend.Fusion
	tree   backend.Tree
	spread spread
}

func (c attention) String() string {
	return fmt.Sprintf("%s-n=%d-h=%d-%s-%s-%s", c.label, c.n, c.h, []string{"mesh", "pooled", "mean"}[c.fusion],
		[]string{"lse", "none", "sum"}[c.tree], []string{"near", "far", "apart", "close"}[c.spread]) +
		option(c.last, "last")
}

func attentions() (list []attention) {
	both := func(c attention) {
		for _, last := range []bool{false, true} {
			c.last = last
			list = append(list, c)
		}
	}
	for i, t := range lengths {
		both(attention{arena: alone(t), n: 20, h: 4})
		both(attention{arena: alone(t), n: 6, h: 1, spread: spread(i % 2)})
	}
	mixed := layOut("mixed", []int{65, 1, 64, 2, 128, 3, 63}, 0, 7)
	inner, none := mixed.part("inner", 1, 4), mixed.part("none", 3, 3)
	both(attention{arena: mixed, n: 132, h: 4})
	both(attention{arena: inner, n: 132, h: 1})
	both(attention{arena: inner, n: 132, h: 4, spread: far})
	both(attention{arena: none, n: 20, h: 4})
	for _, t := range []int{130, 257} { // further blocks of the positions before the last
		list = append(list, attention{arena: alone(t), n: 20, h: 4, last: true})
	}
	few := layOut("few", []int{5, 33, 1, 2, 9}, 1, 4)
	for fusion := range backend.FusionMean + 1 {
		for tree := range backend.TreeSum + 1 {
			both(attention{arena: few, n: 6, h: 1, fusion: fusion, tree: tree})
			both(attention{arena: few, n: 20, h: 4, fusion: fusion, tree: tree})
			both(attention{arena: few, n: 24, h: 4, fusion: fusion, tree: tree, spread: far})
			both(attention{arena: few, n: 20, h: 2, fusion: fusion, tree: tree, spread: apart})
		}
	}
	return append(list, attention{arena: few, n: 20, h: 4, tree: backend.TreeNone, spread: closeBy})
}

// span holds an attention's inputs.
type span struct {
	attention
	state, q, rho, b []float32
}

func (c attention) draw(d draw) span {
	x := span{attention: c, state: d.circle(c.rows, c.n), q: c.project(d), rho: d.normal(c.h, 0.5)}
	for i := range x.rho {
		x.rho[i]--
	}
	// The scores of the fusion are c_k B_kl c_l, c the length of the longest span: B is drawn so that they stay
	// moderate.
	top, longest := 5.0, float64(c.whole().longest())
	switch {
	case c.spread == closeBy: // whose c_k, without a tree, are log(1 + D)
		top = 1e-4
	case c.tree == backend.TreeSum && c.spread == near:
		top += 2 * longest
	case c.tree == backend.TreeSum && c.spread == far:
		top += 2*longest + 300*longest/cluster
	case c.tree == backend.TreeSum:
		top += 300 * longest
	case c.tree == backend.TreeLogSumExp && c.spread != near:
		top += 300
	}
	x.b = d.normal(c.h*c.h, 3/(top*top))
	return x
}

// cluster is the number of positions that lie together where spread is far.
const cluster = 6

// project draws Q: per head, near positions are independent of unit distance on average; the distance between two
// clusters, or two positions where all are apart, is 300 at most, and 300 somewhere.
func (c attention) project(d draw) []float32 {
	dim := c.n / c.h
	unit := math.Sqrt(1 / float64(4*dim))
	if c.spread == closeBy {
		unit /= 100
	}
	q := d.normal(2*c.rows*c.n, unit)
	if c.spread == near || c.spread == closeBy {
		return q
	}
	size := cluster
	if c.spread == apart {
		size = 1
	}
	for r := range c.rows {
		for k := range c.h {
			// Neighbouring clusters are centred on different axes of the head's 2d, at ±radius.
			group := r / size
			axis, plane := group%dim, group/dim%2
			q[2*c.n*r+plane*c.n+k*dim+axis] += float32(12 * (1 - 2*(group%2)))
		}
	}
	// Scale each head to a greatest distance between neighbours of 300.
	for k := range c.h {
		var most float64
		for r := range c.rows - 1 {
			most = max(most, c.distance(q, r, k))
		}
		if most == 0 {
			continue
		}
		scale := float32(math.Sqrt(300 / most))
		for r := range c.rows {
			for i := range 2 * dim {
				q[2*c.n*r+i/dim*c.n+k*dim+i%dim] *= scale
			}
		}
	}
	return q
}

// distance is head k's squared distance of rows r and r+1.
func (c attention) distance(q []float32, r, k int) (sum float64) {
	dim := c.n / c.h
	for i := range 2 * dim {
		at := 2*c.n*r + i/dim*c.n + k*dim + i%dim
		diff := float64(q[at+2*c.n]) - float64(q[at])
		sum += diff * diff
	}
	return sum
}

func (c span) inputs(b *bench) backend.Attention {
	return backend.Attention{Seq: c.seq(b), N: c.n, Heads: c.h, Last: c.last, Fusion: c.fusion, Tree: c.tree,
		State: b.in("State", c.state), Q: b.in("Q", c.q), Rho: b.in("Rho", c.rho), B: b.in("B", c.b)}
}

// outputs is the length of O and its roles.
func (c attention) outputs() (n int, r []role) {
	if c.last {
		n = 2 * max(c.hi-c.lo, 1) * c.n // no buffer is empty
		return n, each(n, func(i int) role { return writtenIf(i < 2*(c.hi-c.lo)*c.n, kept) })
	}
	return 2 * c.rows * c.n, c.roles(2*c.n, eachStep(zero))
}

func attentionForward() kernel {
	k := kernel{call: backend.AttentionForward{}, writes: "O"}
	return casesOf(k, attentions(), func(c attention, d draw) program {
		x := c.draw(d)
		n, r := c.outputs()
		return func(b *bench) {
			b.AttentionForward(backend.AttentionForward{Attention: x.inputs(b), O: b.out("O", forward, n, r)})
		}
	})
}

func attentionBackward() kernel {
	k := kernel{call: backend.AttentionBackward{}, writes: "DState DQ DRho DB"}
	return casesOf(k, attentions(), func(c attention, d draw) program {
		x := c.draw(d)
		n, _ := c.outputs()
		do, dstate := d.normal(n, 1), d.normal(2*c.rows*c.n, 0.5)
		drho, db := d.normal(c.h, 0.1), d.normal(c.h*c.h, 0.1)
		return func(b *bench) {
			b.AttentionBackward(backend.AttentionBackward{
				Attention: x.inputs(b), DO: b.in("DO", do), // row 0 of a sequence takes no part
				DState: b.add("DState", gradient, dstate, c.roles(2*c.n, behind(kept))),
				DQ:     c.out(b, "DQ", gradient, 2*c.n, behind(zero)),
				DRho:   b.add("DRho", gradient, drho, c.sums(c.h)),
				DB:     b.add("DB", gradient, db, c.sums(c.h*c.h))})
		}
	})
}

func attentionMatrices() kernel {
	k := kernel{call: backend.AttentionMatrices{}, writes: "Distance TreeOut FusedOut Weights"}
	some := slices.DeleteFunc(attentions(), func(c attention) bool { return c.last || c.lo == c.hi })
	return casesOf(k, some, func(c attention, d draw) program {
		x := c.draw(d)
		size, all := c.squares(c.h, true)
		_, lower := c.squares(c.h, false)
		fused := each((c.hi-c.lo)*size*c.h*c.h, func(at int) role {
			return writtenIf(at/(c.h*c.h)%size < c.steps(c.lo+at/(c.h*c.h*size)), zero)
		})
		return func(b *bench) {
			b.AttentionMatrices(backend.AttentionMatrices{Attention: x.inputs(b), T: size,
				Distance: b.out("Distance", forward, len(all), all),
				TreeOut:  b.out("TreeOut", forward, len(lower), lower),
				FusedOut: b.out("FusedOut", forward, len(fused), fused),
				Weights:  b.out("Weights", forward, len(lower), lower)})
		}
	})
}
