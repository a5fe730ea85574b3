package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mhacsp/model"
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// models are the plain float64 and the fast float32 network with the same shaken parameters.
func models(t *testing.T, c model.Config, seed uint64, std float64) map[string]*model.Model {
	list := map[string]*model.Model{"float64": newModel[float64](t, c), "fast": fastModel(t, c)}
	for _, m := range list {
		sequencetest.Shake(m, seed, std)
	}
	return list
}

// eachSwitch runs a test at every switch.
func eachSwitch(t *testing.T, test func(t *testing.T, c model.Config)) {
	for _, c := range switches(t) {
		t.Run(label(c), func(t *testing.T) { test(t, c) })
	}
}

// eachModel runs a test of both networks, by their names, at every switch; they are shaken by 0.3 from a seed.
func eachModel(t *testing.T, seed uint64, test func(t *testing.T, name string, c model.Config, m *model.Model)) {
	eachSwitch(t, func(t *testing.T, c model.Config) {
		for name, m := range models(t, c, seed, 0.3) {
			t.Run(name, func(t *testing.T) { test(t, name, c, m) })
		}
	})
}

// rowOf is row i of sample s of a dumped tensor as far as column limit of its last axis: everything that belongs to
// position i. Tensors without a row per position give nil.
func rowOf(x sequence.Tensor, s, i, limit int) []float32 {
	switch {
	case strings.HasSuffix(x.Name, ".state"), strings.HasSuffix(x.Name, ".output"),
		strings.HasSuffix(x.Name, ".memory"):
		n := x.Shape[2]
		return x.Data[(s*x.Shape[1]+i)*n:][:n]
	case strings.HasSuffix(x.Name, ".fusion"):
		n := x.Shape[2] * x.Shape[3]
		return x.Data[(s*x.Shape[1]+i)*n:][:n]
	case strings.HasSuffix(x.Name, ".attention"),
		strings.HasSuffix(x.Name, ".tree"), strings.HasSuffix(x.Name, ".distance"):
		var out []float32
		for h := range x.Shape[1] {
			out = append(out, x.Data[((s*x.Shape[1]+h)*x.Shape[2]+i)*x.Shape[3]:][:limit]...)
		}
		return out
	}
	return nil
}

// TestPrefixLogits: with `prefix` supervision the logits at each target position are those of the same model on the
// stream cut there, by Logits with a shorter target and by what generation reads (SPEC §7).
func TestPrefixLogits(t *testing.T) {
	eachSwitch(t, func(t *testing.T, c model.Config) {
		if c.Supervision != "prefix" || c.Classes > 0 {
			return
		}
		b := sequencetest.RandomBatch(c.Shape(), 4, 6, 1)
		b.Targets = [][]int32{{3, 1, 4, 11, 5}, {9, 2, 6}}
		both := models(t, c, 21, 0.3)
		exact, fast := both["float64"], both["fast"]
		whole := exact.Logits64(b)
		rough := assert.Must(fast.Logits(b))(t)
		v := c.Vocab
		for s, target := range b.Targets {
			for i := range target {
				prefix := append(slices.Clone(b.Prompts[s]), target[:i]...)
				cut := exact.Logits64(&sequence.Batch{Prompts: [][]int32{prefix}, Targets: [][]int32{{target[i]}}})
				e := sequencetest.Worst(whole[:v], cut)
				assert.True(t, e <= 1e-12,
					"sample %d, position %d: logits differ from the cut stream's by %.2g", s, i, e)
				e = sequencetest.Worst(whole[:v], exact.Logits64(&sequence.Batch{Prompts: [][]int32{prefix}}))
				assert.True(t, e <= 1e-12,
					"sample %d, position %d: logits differ from those of generation by %.2g", s, i, e)
				out := assert.Must(fast.Generate([][]int32{prefix}, 1, true))(t)
				e = sequencetest.Worst(widen(sequence.Softmax(rough[:v])), widen(out[0].Probs[0]))
				assert.True(t, e <= 1e-5,
					"sample %d, position %d: fast probabilities differ from those of generation by %.2g", s, i, e)
				whole, rough = whole[v:], rough[v:]
			}
		}
	})
}

// TestPrefixRows: row i of every block's states, matrices and outputs is the last row of the run on prefix i.
func TestPrefixRows(t *testing.T) {
	const length = 9
	// The dump is float32: 1e-6 is its rounding on the float64 model, 1e-4 that of two float32 runs.
	bounds := map[string]float64{"float64": 1e-6, "fast": 1e-4}
	eachModel(t, 5, func(t *testing.T, name string, c model.Config, m *model.Model) {
		prompt := sequencetest.RandomBatch(c.Shape(), 8, length).Prompts[0]
		whole := dump(t, m, &sequence.Batch{Prompts: [][]int32{prompt}})
		for i := range length {
			cut := dump(t, m, &sequence.Batch{Prompts: [][]int32{prompt[:i+1]}})
			for k, x := range whole {
				want, got := rowOf(cut[k], 0, i, i+1), rowOf(x, 0, i, i+1)
				e := sequencetest.Worst(widen(got), widen(want))
				assert.True(t, want == nil || e <= bounds[name]*(1+norm(want)),
					"row %d of %s differs from the run on that prefix by %.2g", i, x.Name, e)
			}
		}
	})
}

// TestCausality: another token at t leaves everything before t alone, bit for bit
// ("Numbers that hold everywhere" in .github/testing.md).
func TestCausality(t *testing.T) {
	const length = 11
	eachModel(t, 7, func(t *testing.T, _ string, c model.Config, m *model.Model) {
		prompts := sequencetest.RandomBatch(c.Shape(), 6, length, 4).Prompts
		before := dump(t, m, &sequence.Batch{Prompts: prompts})
		for at := range length {
			changed := slices.Clone(prompts[0])
			changed[at] = (changed[at] + 1) % int32(c.Vocab)
			after := dump(t, m, &sequence.Batch{Prompts: [][]int32{changed, prompts[1]}})
			for k, x := range before {
				for i := range at {
					assert.True(t, sequencetest.SameBits(rowOf(x, 0, i, at), rowOf(after[k], 0, i, at)),
						"token %d changed row %d of %s", at, i, x.Name)
				}
				for i := range 4 {
					assert.True(t, sequencetest.SameBits(rowOf(x, 1, i, 4), rowOf(after[k], 1, i, 4)),
						"token %d of sample 0 changed row %d of sample 1 in %s", at, i, x.Name)
				}
				assert.True(t, !strings.HasSuffix(x.Name, ".output") ||
					!sequencetest.SameBits(rowOf(x, 0, at, 0), rowOf(after[k], 0, at, 0)),
					"token %d has no influence on its own row of %s", at, x.Name)
			}
		}
	})
}

// TestPaddingForward: in a batch of mixed lengths each sample gives the bits that it gives alone, and the padding of
// the dump is zero.
func TestPaddingForward(t *testing.T) {
	lengths := []int{5, 1, 19, 2, 8}
	padded := func(x []float32) bool {
		return !slices.ContainsFunc(x, func(v float32) bool { return v != 0 })
	}
	eachModel(t, 8, func(t *testing.T, _ string, c model.Config, m *model.Model) {
		b := sequencetest.RandomBatch(c.Shape(), 9, lengths...)
		whole := dump(t, m, b)
		for s := range lengths {
			steps := len(b.Prompts[s])
			if c.Supervision == "prefix" && c.Classes == 0 {
				steps += len(b.Targets[s]) - 1
			}
			for k, x := range dump(t, m, sequencetest.One(b, s)) {
				w := whole[k]
				switch x.Name {
				case "loss":
					continue
				case "logits":
					row := len(w.Data) / len(lengths)
					got, rest := w.Data[s*row:][:len(x.Data)], w.Data[s*row:][len(x.Data):row]
					assert.True(t, sequencetest.SameBits(got, x.Data),
						"logits of sample %d are not those of the sample alone", s)
					assert.True(t, padded(rest), "padding of the logits of sample %d is %v", s, rest)
					continue
				}
				for i := range steps {
					assert.True(t, sequencetest.SameBits(rowOf(w, s, i, steps), rowOf(x, 0, i, steps)),
						"row %d of %s of sample %d is not that of the sample alone", i, x.Name, s)
				}
				longest, limit := w.Shape[1], 0
				if strings.HasSuffix(x.Name, ".attention") ||
					strings.HasSuffix(x.Name, ".tree") || strings.HasSuffix(x.Name, ".distance") {
					longest, limit = w.Shape[2], w.Shape[3]
				}
				for i := steps; i < longest; i++ {
					assert.True(t, padded(rowOf(w, s, i, limit)),
						"row %d of %s of sample %d is padding and not zero", i, x.Name, s)
				}
			}
		}
	})
}

// TestIsometry: with closed gates a step is a rotation whatever the decay, so the gradient of the phase keeps its
// norm through 1024 steps, and a gradient along the radius is gone after one (SPEC §2).
func TestIsometry(t *testing.T) {
	fast := cpu.New()
	defer fast.Close()
	for name, device := range map[string]backend.Backend{
		"float64": reference.New[float64](), "float32": reference.New[float32](), "fast": fast,
	} {
		for _, n := range []int{5, 32} {
			t.Run(fmt.Sprintf("%s/N=%d", name, n), func(t *testing.T) { isometry(t, device, n, 1e-4) })
		}
	}
}

func isometry(t *testing.T, dev backend.Backend, n int, bound float64) {
	const length, vocab = 1024, 21
	c := preset(t, "mha-csp", func(*model.Config) {})
	r := rand.New(rand.NewPCG(31, 1))
	floats := func(size int) backend.Vec { return backend.All(dev.Floats(size)) }
	put := func(x []float32) backend.Vec {
		v := floats(len(x))
		dev.Upload(v, x)
		return v
	}
	ints := func(x []int32) backend.Index {
		v := dev.Ints(len(x))
		dev.UploadInts(v, x)
		return v
	}
	at := make([]int32, length+1)
	for i := range at {
		at[i] = int32(r.IntN(vocab))
	}
	at[length] = -1
	// What an input may do: any angle, any decay, a gate that b_γ = −π/2 shuts.
	normal := func(size int, mean, std float64) backend.Vec {
		x := make([]float32, size)
		for i := range x {
			x[i] = float32(mean + std*r.NormFloat64())
		}
		return put(x)
	}
	unit := 1 / math.Sqrt(float64(n)) // of weights whose products with what has variance 1 have it too
	weights := backend.DriveWeights{
		Theta: normal(n*n, 0, unit), Input: normal(n*n, 0, unit), Delta: normal(n*n, 0, 2*unit), Gamma: floats(n * n),
		ThetaBias: floats(n), DeltaBias: normal(n, c.DeltaBias, 0), GammaBias: normal(n, -math.Pi/2, 0),
	}
	init, tangent, radius := make([]float32, 2*n), make([]float64, n), make([]float64, n)
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		init[i], init[n+i] = float32(cos), float32(sin)
		tangent[i], radius[i] = r.NormFloat64(), r.NormFloat64()
	}
	drive := backend.DriveForward{
		Drive: backend.Drive{
			U: normal(vocab*n, 0, 1), Weights: weights, M: vocab, N: n,
			PreTheta: floats(vocab * n), PreGamma: floats(vocab * n),
			V: floats(2 * vocab * n), R: floats(2 * vocab * n),
		},
		Rot: floats(2 * vocab * n), Turn: n, In: floats(2 * vocab * n), DeltaU: floats(vocab * n),
	}
	dev.DriveForward(drive)
	rows := length + 1
	cell := backend.Cell{
		Seq: backend.Sequences{Start: ints([]int32{0}), End: ints([]int32{length}), Hi: 1, Rows: rows},
		At:  ints(at), N: n, Turn: n, M: vocab,
		In: drive.In, DeltaU: drive.DeltaU, Rot: drive.Rot, WDelta: normal(2*n*n, 0, 0.2), Normalise: true, Eps: 1e-8,
		State: floats(2 * rows * n), Alpha: floats(rows * n), Inv: floats(rows * n),
	}
	dev.RecurrenceForward(backend.RecurrenceForward{Cell: cell, Init: put(init)})
	state := make([]float32, 2*rows*n)
	assert.NoError(t, dev.Download(state, cell.State))
	last := state[2*length*n:]
	grad := func(along func(i int, re, im float64) (float64, float64)) []float32 {
		d := make([]float32, 2*rows*n)
		for i := range n {
			re, im := along(i, float64(last[i]), float64(last[n+i]))
			d[2*length*n+i], d[2*length*n+n+i] = float32(re), float32(im)
		}
		dInit := floats(2 * n)
		dev.RecurrenceBackward(backend.RecurrenceBackward{
			Cell: cell, DState: put(d), DDelta: floats(rows * n), DInit: dInit,
			TDelta: floats(vocab * n), TTheta: floats(vocab * n), TIn: floats(2 * vocab * n),
		})
		out := make([]float32, 2*n)
		assert.NoError(t, dev.Download(out, dInit))
		return out
	}
	got := grad(func(i int, re, im float64) (float64, float64) { return -tangent[i] * im, tangent[i] * re })
	var before, after float64
	for i := range n {
		before += tangent[i] * tangent[i]
		after += float64(got[i])*float64(got[i]) + float64(got[n+i])*float64(got[n+i])
		phase := float64(init[i])*float64(got[n+i]) - float64(init[n+i])*float64(got[i])
		e := math.Abs(phase - tangent[i])
		assert.True(t, e <= bound*(1+math.Abs(tangent[i])), "unit %d: ∂φ_T/∂φ_0 is off by %.2g", i, e)
	}
	e := math.Abs(math.Sqrt(after/before) - 1)
	assert.True(t, e <= bound, "the gradient's norm changed by %.2g of itself through %d steps", e, length)
	gone := grad(func(i int, re, im float64) (float64, float64) { return radius[i] * re, radius[i] * im })
	e = norm(gone)
	assert.True(t, e <= 1e-3, "a gradient along the radius is still %.2g after %d steps", e, length)
}

// TestOneStep: a sequence of one position attends to itself alone, so its output is its state on the unit circle.
func TestOneStep(t *testing.T) {
	eachModel(t, 2, func(t *testing.T, _ string, c model.Config, m *model.Model) {
		b := sequencetest.RandomBatch(c.Shape(), 3, 1)
		list := dump(t, m, b)
		for _, x := range list {
			want := make([]float64, len(x.Data))
			switch {
			case strings.HasSuffix(x.Name, ".attention"):
				for i := range want {
					want[i] = 1
				}
			case strings.HasSuffix(x.Name, ".tree"), strings.HasSuffix(x.Name, ".distance"):
			case strings.HasSuffix(x.Name, ".output"):
				state := strings.Replace(x.Name, ".output", ".state", 1)
				at := slices.IndexFunc(list, func(x sequence.Tensor) bool { return x.Name == state })
				want = onCircle(list[at].Data)
			default:
				continue
			}
			e := sequencetest.Worst(widen(x.Data), want)
			assert.True(t, e <= 1e-5, "%s is off by %.2g", x.Name, e)
		}
		loss, grad := gradients(t, m, b)
		assert.True(t, isFinite(append(grad, loss)) && norm(grad) != 0, "loss %v, gradient norm %v", loss, norm(grad))
	})
}

// onCircle is z/sqrt(|z|²+ε) of rows [Re ; Im] that all have one length; here there is one row.
func onCircle(x []float32) []float64 {
	n := len(x) / 2
	y := make([]float64, 2*n)
	for i := range n {
		re, im := float64(x[i]), float64(x[n+i])
		s := 1 / math.Sqrt(re*re+im*im+1e-8)
		y[i], y[n+i] = re*s, im*s
	}
	return y
}

func isFinite(x []float32) bool {
	return !slices.ContainsFunc(x, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) })
}

// TestOverflow: edge distances up to 300, where exp overflows float32 and the sum of exponentials float64 in a long
// tree, give finite outputs, loss and gradients at every switch.
func TestOverflow(t *testing.T) {
	list := switches(t)
	for _, c := range switches(t) {
		if c.Fusion == "mesh" && c.Layers == 2 { // every ablation with every fusion
			for _, fusion := range []string{"pooled", "mean"} {
				c.Fusion = fusion
				list = append(list, c)
			}
		}
	}
	for _, c := range list {
		if !c.Attention() {
			continue
		}
		t.Run(label(c), func(t *testing.T) {
			b := sequencetest.RandomBatch(c.Shape(), 3, 40, 2, 1, 17)
			m := fastModel(t, c)
			sequencetest.Shake(m, 6, 0.3)
			stretch(t, c, m, b, 300)
			for _, x := range dump(t, m, b) {
				assert.True(t, isFinite(x.Data), "%s is not finite", x.Name)
			}
			loss, grad := gradients(t, m, b)
			assert.True(t, isFinite([]float32{loss}) && loss > 0, "loss is %v", loss)
			for _, p := range m.Params().Tensors {
				assert.True(t, isFinite(grad[p.Offset:][:p.Len]), "gradient of %s is not finite", p.Name)
			}
		})
	}
}

// stretch scales the metrics of every block until its greatest edge distance is about most.
func stretch(t *testing.T, c model.Config, m *model.Model, b *sequence.Batch, most float64) {
	t.Helper()
	flat := assert.Must(m.Params().Download(m.Params().Values()))(t)
	edge := func(l int) float64 {
		x := assert.Must(sequence.Find(dump(t, m, b), l, "distance"))(t)
		s, h, n := x.Shape[0], x.Shape[1], x.Shape[2]
		var top float64
		for k := range s * h {
			for i := range n - 1 {
				top = max(top, float64(x.Data[(k*n+i)*n+i+1]))
			}
		}
		return top
	}
	for l := range c.Layers {
		factor, d := m.Params().Find(flat, fmt.Sprintf("blocks.%d.metric.factor", l))
		scale := 6.0
		for range 4 {
			for i := range factor {
				factor[i] = 0
				if i/d%d == i%d {
					factor[i] = float32(scale) // softplus is the identity up here
				}
			}
			m.Params().Upload(flat)
			scale *= math.Sqrt(most / edge(l))
		}
		e := edge(l)
		assert.Need(t, e >= 0.95*most && e <= 1.05*most,
			"block %d: greatest edge distance is %v, not %v: the test does not test", l, e, most)
	}
}

// TestMirror: a network and its mirror image, whose hands all turn the other way round, have the same logits (SPEC
// §2).
func TestMirror(t *testing.T) {
	eachSwitch(t, func(t *testing.T, c model.Config) {
		if c.Memory > 0 { // its rates are not learned
			return
		}
		b := sequencetest.RandomBatch(c.Shape(), 3, 6, 1)
		m := newModel[float64](t, c)
		sequencetest.Shake(m, 22, 0.3)
		want := m.Logits64(b)
		p := m.Params()
		flat := assert.Must(p.Download(p.Values()))(t)
		for _, x := range p.Tensors {
			parts := strings.Split(x.Name, ".")
			values, columns := flat[x.Offset:x.Offset+x.Len], x.Shape[len(x.Shape)-1]
			for i := range values {
				imaginary := i%columns >= columns/2 // the column of what is read of a state
				var turn bool
				switch parts[len(parts)-2] {
				case "theta":
					turn = true
				case "theta_h":
					turn = len(x.Shape) == 2 && imaginary == (c.Theta == "product")
				case "drive", "delta_h", "head":
					turn = len(x.Shape) == 2 && imaginary
				}
				if turn {
					values[i] = -values[i]
				}
			}
		}
		p.Upload(flat)
		e := sequencetest.Worst(want, m.Logits64(b))
		assert.True(t, e <= 1e-12, "logits differ by %.3g", e)
	})
}

// TestGenerateLeavesTraining: an answer between two steps changes neither the loss read afterwards nor the hits.
func TestGenerateLeavesTraining(t *testing.T) {
	for _, c := range switches(t) {
		m := fastModel(t, c)
		m.Initialise(2)
		b := sequencetest.RandomBatch(c.Shape(), 3, 5, 2)
		loss, _ := gradients(t, m, b)
		results := func() []float32 {
			x := make([]float32, m.Results().Len)
			assert.NoError(t, m.Backend().Download(x, m.Results()))
			return x
		}
		before := results()
		prompts := sequencetest.RandomBatch(c.Shape(), 8, 20, 1, 3).Prompts
		if c.Classes > 0 {
			_, _, err := m.Classify(prompts)
			assert.NoError(t, err)
		} else {
			assert.Must(m.Generate(prompts, 4, true))(t)
		}
		assert.Is(t, assert.Must(m.Loss())(t), loss, "%s: after generation the last loss", label(c))
		assert.True(t, sequencetest.SameBits(before, results()), "%s: generation changed the last hits", label(c))
	}
}

// TestStateClip: a bound that nothing reaches changes no bit of the gradients; one that is reached makes those of the
// loop's parameters smaller; and a batch that holds each sample twice has the same gradients with the same state_clip,
// which counts for a sample and not for a batch (SPEC §8).
func TestStateClip(t *testing.T) {
	c := preset(t, "mha-csp-m", func(c *model.Config) { c.Width, c.Memory, c.MemoryPeriod, c.Heads = 24, 8, 40, 2 })
	once := sequencetest.RandomBatch(c.Shape(), 5, 30, 7, 1, 22)
	twice := &sequence.Batch{
		Prompts: slices.Concat(once.Prompts, once.Prompts), Targets: slices.Concat(once.Targets, once.Targets),
		AnswerAt: slices.Concat(once.AnswerAt, once.AnswerAt), AnswerWeight: once.AnswerWeight,
	}
	for name, m := range models(t, c, 3, 0.3) {
		with := func(b *sequence.Batch, clip float32) []float32 {
			b.StateClip = clip
			_, flat := gradients(t, m, b)
			return flat
		}
		free, small := with(once, 0), with(once, 1e-3)
		assert.Is(t, with(once, 1e6), free, "%s: a bound that nothing reaches changes the gradients", name)
		const of = "blocks.0.delta_h.weight"
		a, _ := m.Params().Find(free, of)
		b, _ := m.Params().Find(small, of)
		assert.True(t, norm(b) < norm(a)/2,
			"%s: the gradient of %s has norm %g with a bound, %g without", name, of, norm(b), norm(a))
		off := distance(with(twice, 1e-3), small)
		assert.True(t, off <= 1e-5*norm(small),
			"%s: with each sample twice the gradients are %g apart, of %g", name, off, norm(small))
	}
}
