package optim

import (
	"fmt"
	"math"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/reference"
	"mhacsp/model/param"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

func TestSchedule(t *testing.T) {
	cosine := Schedule{Kind: "cosine", Rate: 2, Warmup: 4, Steps: 104, Floor: 0.1}
	constant := Schedule{Kind: "constant", Rate: 2, Warmup: 4, Steps: 104, Floor: 0.1}
	bare := Schedule{Kind: "cosine", Rate: 2, Steps: 10}
	for _, x := range []struct {
		s    Schedule
		step int
		want float64
	}{
		{cosine, 1, 0.5}, {cosine, 2, 1}, {cosine, 4, 2}, // linear warm-up
		{cosine, 54, 2 * (0.1 + 0.9*0.5)}, // half way
		{cosine, 29, 2 * (0.1 + 0.9*(1+math.Sqrt2/2)/2)},
		{cosine, 104, 0.2}, {cosine, 105, 0.2}, {cosine, 1 << 20, 0.2}, // the floor, and it stays
		{constant, 1, 0.5}, {constant, 4, 2}, {constant, 5, 2}, {constant, 104, 2}, {constant, 1 << 20, 2},
		{bare, 5, 1}, {bare, 10, 0},
		{Schedule{Kind: "cosine", Rate: 2, Warmup: 10, Steps: 5, Floor: 0.1}, 5, 1}, // stopped in the warm-up
		{Schedule{Kind: "cosine", Rate: 2, Warmup: 5, Steps: 5, Floor: 0.1}, 5, 2},
	} {
		got := x.s.At(x.step)
		assert.True(t, math.Abs(got-x.want) <= 1e-12, "%+v: step %d has rate %v, %v wanted", x.s, x.step, got, x.want)
	}
	for step := cosine.Warmup + 1; step <= cosine.Steps; step++ {
		now, before := cosine.At(step), cosine.At(step-1)
		assert.True(t, now < before, "step %d: the cosine rises from %v to %v", step, before, now)
	}
}

func TestScheduleValidate(t *testing.T) {
	good := Schedule{Kind: "cosine", Rate: 1e-3, Warmup: 200, Steps: 1000, Floor: 0.05}
	for _, kind := range Kinds() {
		s := good
		s.Kind = kind
		assert.Is(t, s.Validate(), nil, "%s", kind)
	}
	for _, x := range []struct {
		field string
		value any
		edit  func(*Schedule)
	}{
		{"schedule", "linear", func(s *Schedule) { s.Kind = "linear" }},
		{"schedule", "", func(s *Schedule) { s.Kind = "" }},
		{"lr", 0, func(s *Schedule) { s.Rate = 0 }}, {"lr", -1, func(s *Schedule) { s.Rate = -1 }},
		{"lr", 11, func(s *Schedule) { s.Rate = 11 }}, {"lr", "NaN", func(s *Schedule) { s.Rate = math.NaN() }},
		{"warmup", -3, func(s *Schedule) { s.Warmup = -3 }}, {"lr_floor", -0.1, func(s *Schedule) { s.Floor = -0.1 }},
		{"lr_floor", 1.1, func(s *Schedule) { s.Floor = 1.1 }},
		{"lr_floor", "NaN", func(s *Schedule) { s.Floor = math.NaN() }},
	} {
		s := good
		x.edit(&s)
		sequencetest.Unfit(t, fmt.Sprintf("%+v", s), s.Validate(), x.field, x.value)
	}
}

func TestOptionsValidate(t *testing.T) {
	good := Options{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Decay: 1e-4, Clip: 1}
	assert.NoError(t, good.Validate())
	assert.Is(t, (Options{Eps: 1e-8}).Validate(), nil, "betas, decay and clip of 0")
	for _, x := range []struct {
		field string
		value any
		edit  func(*Options)
	}{
		{"beta1", 1, func(o *Options) { o.Beta1 = 1 }}, {"beta1", -0.5, func(o *Options) { o.Beta1 = -0.5 }},
		{"beta2", 1.5, func(o *Options) { o.Beta2 = 1.5 }},
		{"beta2", "NaN", func(o *Options) { o.Beta2 = math.NaN() }},
		{"eps", 0, func(o *Options) { o.Eps = 0 }}, {"eps", 2, func(o *Options) { o.Eps = 2 }},
		{"weight_decay", -1, func(o *Options) { o.Decay = -1 }},
		{"weight_decay", 11, func(o *Options) { o.Decay = 11 }},
		{"clip", -1, func(o *Options) { o.Clip = -1 }}, {"clip", "+Inf", func(o *Options) { o.Clip = math.Inf(1) }},
	} {
		o := good
		x.edit(&o)
		sequencetest.Unfit(t, fmt.Sprintf("%+v", o), o.Validate(), x.field, x.value)
	}
}

// hand is Adam as in SPEC §8, one number at a time.
type hand struct {
	o       Options
	p, m, v []float64
	step    int
}

func (h *hand) update(rate float64, grad []float64) (norm2 float64) {
	h.step++
	for _, g := range grad {
		norm2 += g * g
	}
	scale := 1.0
	if norm := math.Sqrt(norm2); h.o.Clip > 0 && norm > h.o.Clip {
		scale = h.o.Clip / norm
	}
	for i, g := range grad {
		g *= scale
		if h.o.Decoupled {
			h.p[i] -= rate * h.o.Decay * h.p[i]
		} else {
			g += h.o.Decay * h.p[i]
		}
		h.m[i] = h.o.Beta1*h.m[i] + (1-h.o.Beta1)*g
		h.v[i] = h.o.Beta2*h.v[i] + (1-h.o.Beta2)*g*g
		mean := h.m[i] / (1 - math.Pow(h.o.Beta1, float64(h.step)))
		square := h.v[i] / (1 - math.Pow(h.o.Beta2, float64(h.step)))
		h.p[i] -= rate * mean / (math.Sqrt(square) + h.o.Eps)
	}
	return norm2
}

// set has two tensors with a gap between them.
func set(b backend.Backend) *param.Set {
	p := &param.Set{}
	p.Add("a", param.Constant(0), 3)
	p.Add("b", param.Constant(0), 2, 2)
	p.Allocate(b)
	return p
}

// spread lays the numbers of both tensors on the flat buffer; gather is the inverse.
func spread(p *param.Set, x []float64) []float32 {
	flat := make([]float32, p.Size())
	for _, t := range p.Tensors {
		for i := range t.Len {
			flat[t.Offset+i] = float32(x[i])
		}
		x = x[t.Len:]
	}
	return flat
}

func gather(p *param.Set, flat []float32) (x []float64) {
	for _, t := range p.Tensors {
		for _, v := range flat[t.Offset:][:t.Len] {
			x = append(x, float64(v))
		}
	}
	return x
}

var gradients = [][]float64{
	{3, -1, 0.5, 0, 2, 1e-3, -4},         // norm 5.5: clipped
	{0.1, 0.2, -0.1, 0.3, 0, -1e-3, 0.2}, // norm 0.44: not clipped
	{-30, 2, 1, 0, 0, 5, 7},
}

func TestAdam(t *testing.T) {
	fast := cpu.New()
	defer fast.Close()
	start := []float64{1, -2, 0.25, 3, 0, -0.5, 8}
	for name, b := range map[string]backend.Backend{"float64": reference.New[float64](), "fast": fast} {
		for _, o := range []Options{
			{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}, {Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Clip: 1},
			{Beta1: 0.9, Beta2: 0.98, Eps: 1e-8, Clip: 1, Decay: 0.1},
			{Beta1: 0.9, Beta2: 0.98, Eps: 1e-8, Clip: 1, Decay: 0.1, Decoupled: true},
			{Beta1: 0.5, Beta2: 0.5, Eps: 0.3},
		} {
			p := set(b)
			p.Upload(spread(p, start))
			a, place, norm2 := NewAdam(o, b, p), backend.All(b.Floats(1)), make([]float32, 1)
			h := hand{o: o, p: append([]float64(nil), start...), m: make([]float64, 7), v: make([]float64, 7)}
			for i, g := range gradients {
				rate := 0.1 / float64(i+1)
				b.Upload(p.Grads(), spread(p, g))
				a.Step(rate, backend.Vec{}, place)
				assert.NoError(t, b.Download(norm2, place))
				want := h.update(rate, g)
				assert.True(t, math.Abs(float64(norm2[0])-want) <= 1e-5*want,
					"%s, %+v, step %d: squared norm %v, %v wanted", name, o, i+1, norm2[0], want)
				flat := assert.Must(p.Download(p.Values()))(t)
				m, v, err := a.Moments()
				assert.NoError(t, err)
				for what, x := range map[string][2][]float64{
					"parameter": {gather(p, flat), h.p}, "mean": {gather(p, m), h.m}, "square": {gather(p, v), h.v},
				} {
					for k, got := range x[0] {
						// float32 constants: 1 − β₂ is known to 6e-5 of itself only
						want := x[1][k]
						assert.True(t, math.Abs(got-want) <= 1e-4*math.Abs(want)+1e-7,
							"%s, %+v, step %d: %s %d is %v, %v wanted", name, o, i+1, what, k, got, want)
					}
				}
			}
			assert.Is(t, a.Steps, len(gradients), "steps counted")
		}
	}
}

// TestAdamRestore: an optimizer with restored moments goes on with the same bits.
func TestAdamRestore(t *testing.T) {
	b := cpu.New()
	defer b.Close()
	o := Options{Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, Decay: 0.01, Clip: 1}
	p, q := set(b), set(b)
	first := NewAdam(o, b, p)
	run := func(a *Adam, p *param.Set, g []float64) []float32 {
		b.Upload(p.Grads(), spread(p, g))
		a.Step(0.01, backend.Vec{}, backend.Vec{})
		return assert.Must(p.Download(p.Values()))(t)
	}
	run(first, p, gradients[0])
	middle := run(first, p, gradients[1])
	m, v, err := first.Moments()
	assert.NoError(t, err)
	want := run(first, p, gradients[2])
	second := NewAdam(o, b, q)
	q.Upload(middle)
	second.Restore(m, v, 2)
	for i, x := range run(second, q, gradients[2]) {
		assert.Is(t, x, want[i], "number %d after a restore, not as without, is", i)
	}
}

// TestAdamNotFinite: a gradient whose norm is not finite changes neither parameters nor moments.
func TestAdamNotFinite(t *testing.T) {
	fast := cpu.New()
	defer fast.Close()
	for name, b := range map[string]backend.Backend{"float32": reference.New[float32](), "fast": fast} {
		for _, bad := range []float64{math.NaN(), math.Inf(1), 1e30} { // the square of 1e30 overflows
			p, start := set(b), []float64{1, 2, 3, 4, 5, 6, 7}
			p.Upload(spread(p, start))
			a := NewAdam(Options{Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, Decay: 0.1, Clip: 1}, b, p)
			b.Upload(p.Grads(), spread(p, []float64{1, 1, bad, 1, 1, 1, 1}))
			a.Step(0.1, backend.Vec{}, backend.Vec{})
			flat := assert.Must(p.Download(p.Values()))(t)
			m, v, err := a.Moments()
			assert.NoError(t, err)
			got := [][]float64{gather(p, flat), gather(p, m), gather(p, v)}
			want := [][]float64{start, make([]float64, 7), make([]float64, 7)}
			assert.Is(t, got, want, "%s, gradient %v: parameters and moments", name, bad)
		}
	}
}

// TestInfiniteLoss: a loss that is not finite stops the update even where every gradient is finite, and all updates
// after it until the optimizer is restored.
func TestInfiniteLoss(t *testing.T) {
	for _, b := range []backend.Backend{reference.New[float64](), cpu.New()} {
		p, ones := set(b), []float64{1, 1, 1, 1, 1, 1, 1}
		p.Upload(spread(p, ones))
		b.Upload(p.Grads(), spread(p, ones))
		a := NewAdam(Options{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}, b, p)
		loss := backend.All(b.Floats(1))
		for _, x := range []struct {
			loss  float32
			moves bool
		}{{float32(math.Inf(1)), false}, {2, false}, {float32(math.NaN()), false}, {2, true}} {
			if x.moves {
				a.Restore(make([]float32, p.Size()), make([]float32, p.Size()), 0)
			}
			b.Upload(loss, []float32{x.loss})
			a.Step(0.1, loss, backend.Vec{})
			got := assert.Must(p.Download(p.Values()))(t)
			assert.Is(t, got[0] != 1, x.moves, "%s: loss %v: parameter moved", b.Info().Name, x.loss)
		}
		b.Close()
	}
}
