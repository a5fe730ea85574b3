// Package sequencetest holds every family of networks to what sequence.Network promises. A family's own
// tests call Run with each of its switches.
package sequencetest

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
	"mhacsp/tasks/assert"
	"mhacsp/tasks/token"
)

// Run tests one configuration on the float64 reference and on the fast float32 path. It should be small: every
// gradient is compared with central differences.
func Run(t *testing.T, c sequence.Config) {
	t.Run("Parameters", func(t *testing.T) { parameters(t, c) })
	t.Run("Gradient", func(t *testing.T) { gradient(t, c) })
	t.Run("BatchGradient", func(t *testing.T) { batchGradient(t, c) })
	if c.Shape().Classes > 0 {
		t.Run("Labels", func(t *testing.T) { labels(t, c) })
		return
	}
	t.Run("Decoding", func(t *testing.T) { decoding(t, c) })
	t.Run("Generate", func(t *testing.T) { generateEach(t, c) })
	t.Run("Causality", func(t *testing.T) { causality(t, c) })
}

// exact is the network on the float64 reference.
func exact(t *testing.T, c sequence.Config) sequence.Network {
	t.Helper()
	return assert.Must(c.Open(reference.New[float64]()))(t)
}

// open is the network on the float64 reference and on the fast path, with the same shaken parameters.
func open(t *testing.T, c sequence.Config, seed uint64, std float64) map[string]sequence.Network {
	t.Helper()
	device := cpu.New()
	t.Cleanup(device.Close)
	list := map[string]sequence.Network{"float64": exact(t, c), "fast": assert.Must(c.Open(device))(t)}
	for _, m := range list {
		Shake(m, seed, std)
	}
	return list
}

// loss64 is the last loss on the float64 reference, in full precision.
func loss64(m sequence.Network) float64 {
	return reference.Data[float64](m.Results().Slice(sequence.ResultLoss, 1))[0]
}

// parameters: the names and shapes that a configuration tells are those of the network, and its seed fixes the values.
func parameters(t *testing.T, c sequence.Config) {
	set := assert.Must(c.Parameters())(t)
	m := exact(t, c)
	there := m.Params()
	assert.Need(t, len(set.Tensors) == len(there.Tensors) && set.Count() == there.Count() && set.Count() != 0,
		"%d tensors told, %d there", len(set.Tensors), len(there.Tensors))
	for i, x := range there.Tensors {
		told := set.Tensors[i]
		assert.True(t, told.Name == x.Name && slices.Equal(told.Shape, x.Shape),
			"told is %s %v, there %s %v", told.Name, told.Shape, x.Name, x.Shape)
	}
	values := func(seed uint64) []float32 {
		m.Initialise(seed)
		return assert.Must(m.Params().Download(m.Params().Values()))(t)
	}
	first := values(1)
	assert.True(t, !slices.Equal(first, values(2)) && slices.Equal(first, values(1)),
		"the seed does not fix the start values")
	assert.True(t, m.Config() != nil && m.Config().Name() == c.Name() && m.Config().Shape() == c.Shape(),
		"the network is of %+v, opened with %+v", m.Config(), c)
}

// gradient holds every gradient of the float64 network against central differences:
// at most 1e-6 relative L2 per tensor.
func gradient(t *testing.T, c sequence.Config) {
	s := c.Shape()
	m := exact(t, c)
	Shake(m, 3, 0.3)
	b := RandomBatch(s, 5, 1, 2, 5, 3)
	b.AnswerWeight, b.AnswerAt = 3, []int{0, 0, 1, 0}
	m.Backend().Zero(m.Params().Grads())
	m.Gradients(b)
	value := reference.Data[float64](m.Params().Values())
	grad := append([]float64(nil), reference.Data[float64](m.Params().Grads())...)
	r := rand.New(rand.NewPCG(1, 1))
	const step = 3e-5
	for _, x := range m.Params().Tensors {
		var diff, norm float64
		for range min(x.Len, 12) {
			i := x.Offset + r.IntN(x.Len)
			at := func(h float64) float64 {
				old := value[i]
				value[i] = old + h
				defer func() { value[i] = old }()
				m.Evaluate(b)
				return loss64(m)
			}
			// Fourth order: strong curvature spoils the two-point formula at any step.
			want := (8*(at(step)-at(-step)) - (at(2*step) - at(-2*step))) / (12 * step)
			diff += (want - grad[i]) * (want - grad[i])
			norm += want * want
		}
		// 1e-10: below it central differences are rounding noise
		assert.True(t, math.Sqrt(diff) <= 1e-6*math.Sqrt(norm)+1e-10,
			"%s: gradient differs from central differences by %.2g of %.2g", x.Name, math.Sqrt(diff), math.Sqrt(norm))
	}
}

// batchGradient: the gradient of a batch is the mean of its samples' gradients, each weighing as its target tokens do.
func batchGradient(t *testing.T, c sequence.Config) {
	s := c.Shape()
	// The weights sum to a power of two: the mean's factor is a float32 on every backend.
	b := RandomBatch(s, 12, 7, 1, 16, 2)
	weights := []float64{1, 1, 1, 1}
	if s.Classes == 0 {
		b = RandomBatch(s, 12, 7, 1, 16, 2, 5)
		b.Targets = [][]int32{{4}, {9, 17}, {2, 15, 3, 17}, {1, 1, 0, 17}, {17}}
		b.AnswerAt, b.AnswerWeight = []int{-1, -1, 2, -1, -1}, 5
		weights = []float64{1, 2, 4 - 1 + 5, 4, 1} // an answer counts as five tokens
	}
	m := exact(t, c)
	Shake(m, 13, 0.3)
	run := func(b *sequence.Batch) (float64, []float64) {
		m.Backend().Zero(m.Params().Grads())
		m.Gradients(b)
		return loss64(m), slices.Clone(reference.Data[float64](m.Params().Grads()))
	}
	loss, grad := run(b)
	var total, wantLoss float64
	want := make([]float64, len(grad))
	for i, w := range weights {
		l, g := run(One(b, i))
		total += w
		wantLoss += w * l
		for k, x := range g {
			want[k] += w * x
		}
	}
	for i := range want {
		want[i] /= total
	}
	e := math.Abs(loss - wantLoss/total)
	assert.True(t, e <= 1e-12, "loss of the batch differs from the weighted mean of its samples' by %.2g", e)
	for _, p := range m.Params().Tensors {
		from, to := p.Offset, p.Offset+p.Len
		size := Worst(want[from:to], make([]float64, p.Len))
		e := Worst(grad[from:to], want[from:to])
		assert.True(t, e <= 1e-10*size+1e-13,
			"gradient of %s differs from the sum over samples by %.2g of %.2g", p.Name, e, size)
	}
}

// decoding: greedy free-running decoding writes a target exactly when the teacher-forced logits are right at each of
// its positions. What the network wrote is one target, with one token changed it is another, and the first position at
// which teacher forcing is wrong is where the output leaves the target.
func decoding(t *testing.T, c sequence.Config) {
	s := c.Shape()
	for name, m := range open(t, c, 17, 0.5) {
		SetBias(t, m, int(token.EOS), 0.3)
		prompts := RandomBatch(s, 5, 4, 1, 9, 6, 13, 2).Prompts
		const limit = 7
		out := generate(t, m, prompts, limit, false)
		b := &sequence.Batch{Prompts: prompts}
		for _, g := range out {
			b.Targets = append(b.Targets, g.Tokens)
		}
		for i, ok := range right(t, m, b) {
			assert.True(t, !slices.Contains(ok, false),
				"%s: sample %d wrote %v, teacher-forced right at %v", name, i, b.Targets[i], ok)
		}
		for i, g := range out {
			for at := range g.Tokens {
				target := slices.Clone(g.Tokens)
				target[at] = (target[at] + 1) % token.EOS
				ok := right(t, m, &sequence.Batch{Prompts: prompts[i : i+1], Targets: [][]int32{target}})[0]
				first := slices.Index(ok, false)
				assert.True(t, first == at,
					"%s: sample %d differs from its output at %d, teacher forcing first at %d", name, i, at, first)
			}
		}
	}
}

// generateEach: an output ends with <EOS> or has limit tokens, holds no other <EOS>, and comes with the distribution
// that each token tops; a prompt in a batch is answered as alone; a lower limit cuts the output short.
func generateEach(t *testing.T, c sequence.Config) {
	const limit = 8
	s := c.Shape()
	for name, m := range open(t, c, 23, 0.5) {
		SetBias(t, m, int(token.EOS), 0.5)
		prompts := RandomBatch(s, 6, 3, 1, 8, 5, 12, 2, 1, 7).Prompts
		out := generate(t, m, prompts, limit, true)
		for i, g := range out {
			end, n := slices.Index(g.Tokens, token.EOS), len(g.Tokens)
			assert.True(t, n > 0 && n <= limit && end == n-1 || n == limit && end < 0,
				"%s: sample %d writes %v; it ends with the first <EOS> or has %d tokens", name, i, g.Tokens, limit)
			assert.Need(t, len(g.Probs) == len(g.Tokens),
				"%s: sample %d has %d tokens and %d distributions", name, i, len(g.Tokens), len(g.Probs))
			for k, p := range g.Probs {
				var sum float64
				for _, x := range p {
					sum += float64(x)
					assert.True(t, x >= 0, "%s: sample %d, token %d: probability %v", name, i, k, x)
				}
				assert.True(t, len(p) == s.Vocab && math.Abs(sum-1) <= 1e-5 && sequence.Argmax(p) == g.Tokens[k],
					"%s: sample %d, token %d: %d probabilities that sum to %v, greatest at %d, token %d", name, i, k,
					len(p), sum, sequence.Argmax(p), g.Tokens[k])
			}
			alone := generate(t, m, prompts[i:i+1], limit, true)[0]
			assert.True(t, slices.Equal(alone.Tokens, g.Tokens),
				"%s: sample %d writes %v in the batch and %v alone", name, i, g.Tokens, alone.Tokens)
			assert.True(t, slices.EqualFunc(alone.Probs, g.Probs, SameBits),
				"%s: sample %d: the batch changes the distributions, %v alone, to %v", name, i, alone.Probs, g.Probs)
		}
		for i, g := range generate(t, m, prompts, 2, false) {
			want := out[i].Tokens[:min(2, len(out[i].Tokens))]
			assert.True(t, slices.Equal(g.Tokens, want) && g.Probs == nil,
				"%s: sample %d with limit 2 writes %v, %v", name, i, g.Tokens, out[i].Tokens)
		}
		for i, g := range generate(t, m, prompts, 0, true) {
			assert.True(t, len(g.Tokens) == 0, "%s: sample %d with limit 0 writes %v", name, i, g.Tokens)
		}

		// One that prefers <EOS> above all writes nothing else, one that avoids it runs to the limit.
		for bias, want := range map[float32]int{1e4: 1, -1e4: limit} {
			SetBias(t, m, int(token.EOS), bias)
			for i, g := range generate(t, m, prompts, limit, false) {
				assert.Is(t, len(g.Tokens), want, "%s, bias %v: sample %d has … tokens", name, bias, i)
			}
		}
	}
}

// causality: a target token has no say in the logits up to and including its own position, and reaches the next.
func causality(t *testing.T, c sequence.Config) {
	s := c.Shape()
	b := RandomBatch(s, 2, 3)
	b.Targets = [][]int32{{5, 6, 7, 8, 17}}
	for name, m := range open(t, c, 4, 0.3) {
		before := assert.Must(m.Logits(b))(t)
		for at := range b.Targets[0] {
			changed := &sequence.Batch{Prompts: b.Prompts, Targets: [][]int32{slices.Clone(b.Targets[0])}}
			changed.Targets[0][at] = 12
			after := assert.Must(m.Logits(changed))(t)
			split := (at + 1) * s.Vocab
			assert.True(t, SameBits(before[:split], after[:split]),
				"%s: target token %d changed logits up to its own position", name, at)
			assert.True(t, split >= len(before) || !SameBits(before[split:][:s.Vocab], after[split:][:s.Vocab]),
				"%s: target token %d does not reach the next position's logits", name, at)
		}
	}
}

// labels: a prompt's class and logits do not depend on its batch, the hits of
// Results tell where the class is the label.
func labels(t *testing.T, c sequence.Config) {
	s := c.Shape()
	b := RandomBatch(s, 5, 4, 1, 9, 6)
	for name, m := range open(t, c, 17, 0.5) {
		classes, logits, err := m.Classify(b.Prompts)
		assert.NoError(t, err)
		want := assert.Must(m.Logits(b))(t)
		assert.True(t, SameBits(logits, want), "%s: Classify has other logits than Logits", name)
		for i := range b.Prompts {
			row := logits[i*s.Classes:][:s.Classes]
			assert.True(t, classes[i] == sequence.Argmax(row),
				"%s: sample %d is of class %d, logits %v", name, i, classes[i], row)
			alone, own, err := m.Classify(b.Prompts[i : i+1])
			assert.NoError(t, err)
			assert.True(t, alone[0] == classes[i] && SameBits(own, row),
				"%s: sample %d is of class %d in the batch and %d alone", name, i, classes[i], alone[0])
		}
		for shift := range s.Classes {
			x := &sequence.Batch{Prompts: b.Prompts}
			for _, k := range classes {
				x.Labels = append(x.Labels, (k+int32(shift))%int32(s.Classes))
			}
			for i, hit := range hits(t, m, x) {
				assert.True(t, hit == (shift == 0),
					"%s: sample %d, label %d, class %d: hit is %v", name, i, x.Labels[i], classes[i], hit)
			}
		}
	}
}

// hits are those of Results, one a logits row.
func hits(t *testing.T, m sequence.Network, b *sequence.Batch) []bool {
	t.Helper()
	m.Evaluate(b)
	results := m.Results()
	numbers := make([]float32, results.Len)
	assert.NoError(t, m.Backend().Download(numbers, results))
	var out []bool
	for _, x := range numbers[sequence.ResultHits:] {
		out = append(out, x != 0)
	}
	return out
}

func generate(t *testing.T, m sequence.Network, prompts [][]int32, limit int, probs bool) []sequence.Generation {
	t.Helper()
	return assert.Must(m.Generate(prompts, limit, probs))(t)
}

// right tells at which positions of the batch's targets the teacher-forced logits have the target on top, by the hits
// of Results. The logits must say the same.
func right(t *testing.T, m sequence.Network, b *sequence.Batch) [][]bool {
	t.Helper()
	logits := assert.Must(m.Logits(b))(t)
	hit, vocab := hits(t, m, b), m.Config().Shape().Vocab
	out := make([][]bool, len(b.Targets))
	for s, target := range b.Targets {
		for _, id := range target {
			assert.True(t, (sequence.Argmax(logits[:vocab]) == id) == hit[0],
				"sample %d: the hit of token %d is %v, the greatest logit is that of %d", s, id, hit[0],
				sequence.Argmax(logits[:vocab]))
			out[s] = append(out[s], hit[0])
			hit, logits = hit[1:], logits[vocab:]
		}
	}
	assert.Need(t, len(logits) == 0 && len(hit) == 0, "%d logits and %d hits too many", len(logits), len(hit))
	return out
}

// Threads holds the gradients of a batch to the same bits on 1, 2 and 8 threads.
func Threads(t *testing.T, c sequence.Config, b *sequence.Batch) {
	t.Helper()
	gradients := func(threads int) []float32 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		device := cpu.New()
		defer device.Close()
		m := assert.Must(c.Open(device))(t)
		m.Initialise(5)
		device.Zero(m.Params().Grads())
		m.Gradients(b)
		return assert.Must(m.Params().Download(m.Params().Grads()))(t)
	}
	one := gradients(1)
	for _, threads := range []int{2, 8} {
		for i, x := range gradients(threads) {
			assert.Need(t, math.Float32bits(x) == math.Float32bits(one[i]),
				"%d threads: gradient %d is %v, on one thread %v", threads, i, x, one[i])
		}
	}
}

// One is sample i of a batch alone.
func One(b *sequence.Batch, i int) *sequence.Batch {
	x := b.Part(i, i+1)
	x.Whole = sequence.Whole{} // it is no part of a whole
	return &x
}

// Worst is the greatest absolute difference; a length that differs or a NaN is infinite.
func Worst(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	var most float64
	for i := range a {
		d := math.Abs(a[i] - b[i])
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		most = max(most, d)
	}
	return most
}

// Distance is the L2 norm of the difference of as many numbers.
func Distance[A, B float32 | float64](a []A, b []B) float64 {
	var sum float64
	for i, x := range a {
		d := float64(x) - float64(b[i])
		sum += d * d
	}
	return math.Sqrt(sum)
}

// Norm is the L2 norm of numbers.
func Norm[A float32 | float64](a []A) float64 { return Distance(a, make([]A, len(a))) }

// SameBits reports whether numbers are the same to the last bit.
func SameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}
