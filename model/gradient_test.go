package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mhacsp/model"
	"mhacsp/model/backend/cpu"
)

// switches are configurations that between them use every switch of SPEC §§2, 5–7 and 10.
func switches(t testing.TB) []model.Config {
	base := func(edit func(*model.Config)) model.Config {
		c, err := model.Preset("mha-csp")
		if err != nil {
			t.Fatal(err)
		}
		c.Width, c.Heads, c.EmbeddingStd = 6, 2, 0.7
		edit(&c)
		return c
	}
	var list []model.Config
	for _, supervision := range []string{"final", "prefix"} {
		for _, layers := range []int{1, 2} {
			list = append(list, base(func(c *model.Config) { c.Supervision, c.Layers = supervision, layers }))
		}
		for _, ablation := range []string{"no-tree", "no-lse", "no-B", "no-norm"} {
			list = append(list, base(func(c *model.Config) { c.Supervision, c.Ablation, c.Layers = supervision, ablation, 2 }))
		}
		list = append(list,
			base(func(c *model.Config) { c.Supervision, c.Fusion = supervision, "pooled" }),
			base(func(c *model.Config) { c.Supervision, c.Fusion, c.Layers = supervision, "mean", 2 }),
			base(func(c *model.Config) { c.Supervision, c.Rotate = supervision, "input" }),
			base(func(c *model.Config) { c.Supervision, c.Rotate, c.Theta = supervision, "mixed", "state" }),
			base(func(c *model.Config) { c.Supervision, c.Theta, c.Layers = supervision, "state", 2 }),
			base(func(c *model.Config) { c.Supervision, c.Skip, c.Layers = supervision, false, 3 }),
			base(func(c *model.Config) { c.Supervision, c.Model, c.Layers = supervision, "csp", 2 }),
			base(func(c *model.Config) { c.Supervision, c.Heads = supervision, 1 }),
		)
	}
	return append(list,
		base(func(c *model.Config) { c.Classes, c.Layers = 3, 2 }),
		base(func(c *model.Config) { c.Classes, c.Model = 2, "csp" }),
		base(func(c *model.Config) { c.Classes, c.Supervision = 2, "prefix" }),
	)
}

func label(c model.Config) string {
	return fmt.Sprintf("%s/L%d/H%d/%s/%s-%s/%s/skip=%v/%s/classes=%d", c.Model, c.Layers, c.Heads, c.Supervision, c.Rotate, c.Theta, c.Fusion, c.Skip, c.Ablation, c.Classes)
}

// randomBatch draws prompts and targets (or labels) of the given prompt lengths.
func randomBatch(c model.Config, seed uint64, lengths ...int) *model.Batch {
	r := rand.New(rand.NewPCG(seed, 7))
	tokens := func(n int) []int32 {
		x := make([]int32, n)
		for i := range x {
			x[i] = int32(r.IntN(c.Vocab))
		}
		return x
	}
	b := &model.Batch{}
	for i, n := range lengths {
		b.Prompts = append(b.Prompts, tokens(n))
		if c.Classes > 0 {
			b.Labels = append(b.Labels, int32(r.IntN(c.Classes)))
		} else {
			b.Targets = append(b.Targets, tokens(1+i%4))
		}
	}
	return b
}

// shake moves every parameter away from its start value, so that no gradient is zero by symmetry.
func shake(m *model.Model, seed uint64, std float64) {
	r := rand.New(rand.NewPCG(seed, 9))
	flat := m.Params().Initial(seed)
	for _, t := range m.Params().Tensors {
		for i := range flat[t.Offset : t.Offset+t.Len] {
			flat[t.Offset+i] += float32(std * r.NormFloat64())
		}
	}
	m.Params().Upload(flat)
}

func newModel[T cpu.Float](t testing.TB, c model.Config) *model.Model {
	m, err := model.New(c, cpu.NewReference[T]())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// loss64 is the loss in full precision.
func loss64(m *model.Model, b *model.Batch) float64 {
	m.Evaluate(b)
	return m.LossVec()[0]
}

// TestGradient holds every gradient of the float64 model against central differences: at most 1e-6 relative L2
// per tensor ("Numbers that hold everywhere" in .github/CONTRIBUTING.md).
func TestGradient(t *testing.T) {
	for _, c := range switches(t) {
		t.Run(label(c), func(t *testing.T) {
			m := newModel[float64](t, c)
			shake(m, 3, 0.3)
			b := randomBatch(c, 5, 1, 2, 5, 3)
			b.AnswerWeight, b.AnswerAt = 3, []int{0, 0, 1, 0}
			m.Backend().Zero(m.Params().Grads())
			m.Gradients(b)
			value, grad := cpu.Data[float64](m.Params().Values()), append([]float64(nil), cpu.Data[float64](m.Params().Grads())...)
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
						return loss64(m, b)
					}
					// Fourth order: strong curvature spoils the two-point formula at any step.
					want := (8*(at(step)-at(-step)) - (at(2*step) - at(-2*step))) / (12 * step)
					diff += (want - grad[i]) * (want - grad[i])
					norm += want * want
				}
				// 1e-10: below it central differences are rounding noise
				if math.Sqrt(diff) > 1e-6*math.Sqrt(norm)+1e-10 {
					t.Errorf("%s: gradient differs from central differences by %.2g of %.2g", x.Name, math.Sqrt(diff), math.Sqrt(norm))
				}
			}
		})
	}
}
