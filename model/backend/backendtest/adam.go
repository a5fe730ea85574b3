package backendtest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"mhacsp/model/backend"
)

// update is one setting of Adam.
type update struct {
	label     string
	n, steps  int
	first     int // number of the first step
	clip      float32
	norm2     float64 // 0: the gradient's own
	loss      float64
	decay     float32
	decoupled bool
	guard     float32 // before the first step
	unguarded bool
}

func adam() kernel {
	k := kernel{call: backend.Adam{}, writes: "Param M V", optional: "Loss Guard", unsized: "Param"}
	for _, u := range []update{
		{label: "plain", n: 1000, steps: 5, first: 1},
		{label: "loss", n: 70, steps: 2, first: 1, clip: 1, loss: 2.5},
		{label: "one", n: 1, steps: 5, first: 1},
		{label: "clipped", n: 1003, steps: 5, first: 1, clip: 1},
		{label: "below-clip", n: 70, steps: 5, first: 1, clip: 1000},
		{label: "norm-given", n: 70, steps: 2, first: 1, clip: 2, norm2: 1e6},
		{label: "decay", n: 1003, steps: 5, first: 1, clip: 1, decay: 0.1},
		{label: "decoupled", n: 1003, steps: 5, first: 1, clip: 1, decay: 0.1, decoupled: true},
		{label: "late", n: 119177, steps: 1, first: 12345, clip: 1, decay: 1e-4},
		{label: "infinite", n: 70, steps: 1, first: 3, clip: 1, decay: 0.1, norm2: math.Inf(1)},
		{label: "infinite-unclipped", n: 70, steps: 1, first: 3, norm2: math.Inf(1)},
		{label: "nan", n: 70, steps: 1, first: 3, clip: 1, decay: 0.1, decoupled: true, norm2: math.NaN()},
		{label: "nan-unclipped", n: 70, steps: 1, first: 1, norm2: math.NaN()},
		{label: "guarded", n: 1000, steps: 2, first: 1, decay: 0.1, decoupled: true, guard: 1},
		{label: "unguarded", n: 70, steps: 5, first: 1, unguarded: true},
		{label: "nan-unguarded", n: 70, steps: 2, first: 1, norm2: math.NaN(), unguarded: true},
		{label: "infinite-loss", n: 70, steps: 1, first: 3, clip: 1, decay: 0.1, loss: math.Inf(1)},
		{label: "nan-loss", n: 70, steps: 1, first: 3, loss: math.NaN()},
		{label: "nan-loss-unguarded", n: 70, steps: 2, first: 1, loss: math.NaN(), unguarded: true},
	} {
		k.add(u.label, nil, u.setup)
		k.and(u.formula)
	}
	return k
}

const (
	rate  = float32(0.01)
	beta1 = float32(0.9)
	beta2 = float32(0.98)
)

type state struct{ param, m, v, norm2 []float32 }

func (u update) start(d draw) (s state, grads [][]float32) {
	s = state{d.normal(u.n, 1), make([]float32, u.n), make([]float32, u.n), make([]float32, u.steps)}
	if u.first > 1 {
		s.m, s.v = d.normal(u.n, 0.3), d.normal(u.n, 0.5)
		for i, x := range s.v {
			s.v[i] = x * x
		}
	}
	for k := range u.steps {
		g := d.normal(u.n, 1)
		norm2 := u.norm2
		if norm2 == 0 {
			for _, x := range g {
				norm2 += float64(x) * float64(x)
			}
		}
		grads, s.norm2[k] = append(grads, g), float32(norm2)
	}
	return s, grads
}

// stays reports whether the norm, the loss or the guard forbids the update.
func (u update) stays() bool {
	return u.guard != 0 || math.IsNaN(u.norm2-u.norm2) || math.IsNaN(u.loss-u.loss)
}

func (u update) setup(d draw) program {
	s, grads := u.start(d)
	var r []role
	if u.stays() {
		r = filled(u.n, kept)
	}
	return func(b *bench) {
		a := backend.Adam{Param: b.add("Param", gradient, s.param, r), M: b.add("M", forward, s.m, r),
			V: b.add("V", forward, s.v, r), Rate: rate, Beta1: beta1, Beta2: beta2, Eps: eps, Decay: u.decay,
			Decoupled: u.decoupled, Clip: u.clip}
		if !u.unguarded {
			a.Guard = b.add("Guard", 0, []float32{u.guard}, nil)
		}
		if u.loss != 0 {
			a.Loss = b.raw([]float32{float32(u.loss)})
		}
		for k, g := range grads {
			a.Grad, a.Step = b.in(fmt.Sprintf("Grad%d", k), g), u.first+k
			a.Norm2 = b.raw(s.norm2[k : k+1]) // a NaN equals nothing, itself included
			b.Adam(a)
		}
	}
}

// trips checks that a guard is set after a bad step, and that a good step behind it changes nothing either.
func (u update) trips(b *bench) error {
	a := backend.Adam{Param: b.floats(5), M: b.floats(5), V: b.floats(5), Grad: b.floats(5), Norm2: b.floats(1),
		Loss: b.floats(1), Guard: b.floats(1), Rate: rate, Beta1: beta1, Beta2: beta2, Eps: eps}
	b.Upload(a.Param, count(1, 5))
	b.Upload(a.Grad, count(2, 5))
	for k, x := range [][2]float32{{float32(u.norm2), float32(u.loss)}, {1, 1}} {
		b.Upload(a.Guard, []float32{u.guard}[:1-k])
		b.Upload(a.Norm2, x[:1])
		b.Upload(a.Loss, x[1:])
		a.Step = 1 + k
		b.Adam(a)
		err := errors.Join(b.holds("Guard", a.Guard, []float32{1}), b.holds("Param", a.Param, count(1, 5)))
		if err != nil {
			return fmt.Errorf("step %d: %w", a.Step, err)
		}
	}
	return nil
}

// formula checks the reference too: SPEC §8 written out once more, in float64.
func (u update) formula(b *bench) error {
	if u.stays() {
		return u.trips(b)
	}
	s, grads := u.start(newDraw(u.label, nil))
	p, m, v := widen(s.param), widen(s.m), widen(s.v)
	b1, b2 := float64(beta1), float64(beta2)
	for k, grad := range grads {
		step, scale := float64(u.first+k), 1.0
		if norm := math.Sqrt(float64(s.norm2[k])); u.clip > 0 && norm > float64(u.clip) {
			scale = float64(u.clip) / norm
		}
		for i := range p {
			g, shrink := float64(grad[i])*scale, 0.0
			if u.decoupled {
				shrink = float64(rate) * float64(u.decay) * p[i]
			} else {
				g += float64(u.decay) * p[i]
			}
			m[i] = b1*m[i] + (1-b1)*g
			v[i] = b2*v[i] + (1-b2)*g*g
			mean, square := m[i]/(1-math.Pow(b1, step)), v[i]/(1-math.Pow(b2, step))
			p[i] -= shrink + float64(rate)*mean/(math.Sqrt(square)+eps)
		}
	}
	tensors, got, err := execute(u.setup(newDraw(u.label, nil)), b.Backend)
	if err != nil {
		return err
	}
	for i, want := range [][]float64{p, m, v} {
		buf := slices.Clone(got[i])
		for j, x := range want {
			buf[margin+j] = float32(x)
		}
		if _, err := tensors[i].compare(got[i], buf); err != nil {
			return fmt.Errorf("against the formula: %w", err)
		}
	}
	return nil
}

func widen(x []float32) []float64 { return each(len(x), func(i int) float64 { return float64(x[i]) }) }
