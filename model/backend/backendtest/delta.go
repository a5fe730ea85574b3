package backendtest

import (
	"fmt"

	"mhacsp/model/backend"
)

// deltaRule is one setting of the gated delta rule.
type deltaRule struct {
	arena
	h, k, d int
	scale   float32
	deep    bool // A is from −12 to −8
}

func (c deltaRule) String() string {
	return fmt.Sprintf("%s-h=%d-k=%d-d=%d-scale=%g", c.label, c.h, c.k, c.d, c.scale)
}

func deltaRules() (list []deltaRule) {
	for i, t := range append([]int{33, 32, 17, 16}, lengths[:]...) {
		for j, n := range [][3]int{{1, 1, 1}, {2, 5, 7}, {4, 16, 32}} {
			list = append(list, deltaRule{alone(t), n[0], n[1], n[2], float32(1 + (i+j)%2), false})
		}
	}
	short := layOut("short", []int{17, 3, 18}, 0, 3)
	return append(list,
		deltaRule{mixed, 4, 16, 32, 2, false}, deltaRule{mixed, 3, 6, 20, 1, false},
		deltaRule{inner, 2, 20, 33, 2, false}, deltaRule{inner, 1, 33, 9, 1, false},
		deltaRule{manyBelow(38), 2, 8, 8, 2, false}, deltaRule{none, 2, 8, 8, 2, false},
		deltaRule{short, 1, backend.DeltaWidest, backend.DeltaWidest, 2, false},
		deltaRule{short, 2, 64, 128, 1, false}, deltaRule{short, 2, 128, 5, 2, false},
		deltaRule{short.part("deep", 0, 3), 4, 8, 8, 1, true})
}

// delta holds the inputs of a gated delta rule.
type delta struct {
	deltaRule
	x, a, b, rate []float32
}

func (c deltaRule) draw(d draw) delta {
	x := delta{c, d.normal(c.rows*c.width(), 1), d.normal(c.rows*c.h, 1.5), d.normal(c.rows*c.h, 1.5),
		d.normal(c.h, 1)}
	if c.deep {
		x.a = d.deep(len(x.a))
	}
	return x
}

func (c deltaRule) width() int { return c.h * (2*c.k + c.d) }
func (c deltaRule) entry() int { return c.h * c.k * c.d }

// inputs are the arguments that both directions read; what the way forward leaves is left to the caller.
func (x delta) inputs(b *bench) backend.Delta {
	return backend.Delta{Seq: x.seq(b), H: x.h, K: x.k, D: x.d, X: b.in("X", x.x), A: b.in("A", x.a),
		B: b.in("B", x.b), Rate: b.in("Rate", x.rate), Scale: x.scale, Eps: 1e-6}
}

// kept is the roles of Saved: the states that a covered sequence leaves there.
func (x delta) kept() []role {
	list := filled(x.rows/backend.DeltaEvery*x.entry(), kept)
	for s := x.lo; s < x.hi; s++ {
		for r := int(x.start[s]) + backend.DeltaEvery; r < int(x.end[s]); r += backend.DeltaEvery {
			copy(list[(r/backend.DeltaEvery-1)*x.entry():], filled(x.entry(), written))
		}
	}
	return list
}

func (x delta) forward(b *bench) {
	a, saved := backend.DeltaForward{Delta: x.inputs(b)}, x.kept()
	a.O = x.out(b, "O", forward, x.h*x.d, eachStep(zero))
	a.Gates = x.out(b, "Gates", forward, 4*x.h, eachStep(free))
	a.Saved = b.out("Saved", forward, len(saved), saved)
	b.DeltaForward(a)
}

func deltaForward() kernel {
	k := kernel{call: backend.DeltaForward{}, writes: "O Gates Saved"}
	return casesOf(k, deltaRules(), func(c deltaRule, d draw) program { return c.draw(d).forward })
}

func deltaBackward() kernel {
	k := kernel{call: backend.DeltaBackward{}, writes: "DX DA DB DRate"}
	return casesOf(k, deltaRules(), func(c deltaRule, d draw) program {
		// What the forward pass left, of every sequence; the call may cover fewer.
		x := c.draw(d)
		x.arena = c.whole()
		left := d.saved(x.forward)
		x.arena = c.arena
		do, drate := d.normal(c.rows*c.h*c.d, 1), filled[float32](c.h, 1)
		if c.deep {
			clear(drate) // compared with 1 its errors are none
		}
		return func(b *bench) {
			a := backend.DeltaBackward{Delta: x.inputs(b), DO: b.in("DO", do)}
			a.Gates, a.Saved = b.in("Gates", left["Gates"]), b.in("Saved", left["Saved"])
			a.DX = c.out(b, "DX", gradient, c.width(), eachStep(zero))
			a.DA, a.DB = c.out(b, "DA", gradient, c.h, eachStep(zero)), c.out(b, "DB", gradient, c.h, eachStep(zero))
			a.DRate = b.add("DRate", gradient, drate, c.sums(c.h))
			b.DeltaBackward(a)
		}
	})
}
