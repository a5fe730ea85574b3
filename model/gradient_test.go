package model_test

import (
	"fmt"
	"testing"

	"mhacsp/model"
	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

// switches are configurations that between them use every switch of SPEC §§2, 5–7 and 10.
func switches(t testing.TB) []model.Config {
	base := func(edit func(*model.Config)) model.Config {
		return preset(t, "mha-csp", func(c *model.Config) {
			c.Width, c.Heads, c.EmbeddingStd = 6, 2, 0.7
			edit(c)
		})
	}
	var list []model.Config
	for _, supervision := range []string{"final", "prefix"} {
		for _, layers := range []int{1, 2} {
			list = append(list, base(func(c *model.Config) { c.Supervision, c.Layers = supervision, layers }))
		}
		for _, ablation := range []string{"no-tree", "no-lse", "no-B", "no-norm"} {
			list = append(list, base(func(c *model.Config) {
				c.Supervision, c.Ablation, c.Layers = supervision, ablation, 2
			}))
		}
		list = append(list,
			base(func(c *model.Config) { c.Supervision, c.Fusion = supervision, "pooled" }),
			base(func(c *model.Config) { c.Supervision, c.Fusion, c.Layers = supervision, "mean", 2 }),
			base(func(c *model.Config) { c.Supervision, c.Rotate = supervision, "input" }),
			base(func(c *model.Config) { c.Supervision, c.Rotate, c.Theta = supervision, "mixed", "state" }),
			base(func(c *model.Config) { c.Supervision, c.Theta, c.Layers = supervision, "state", 2 }),
			base(func(c *model.Config) { c.Supervision, c.Rotate, c.Theta = supervision, "mixed", "product" }),
			base(func(c *model.Config) { c.Supervision, c.Theta, c.Layers = supervision, "product", 2 }),
			base(func(c *model.Config) { c.Supervision, c.Skip, c.Layers = supervision, false, 3 }),
			base(func(c *model.Config) { c.Supervision, c.Model, c.Layers = supervision, "csp", 2 }),
			base(func(c *model.Config) { c.Supervision, c.Heads = supervision, 1 }),
		)
	}
	list = append(list,
		remembering(t, func(*model.Config) {}),
		remembering(t, func(c *model.Config) { c.Theta, c.MemoryPeriod, c.Width, c.Memory = "token", 11, 11, 5 }),
		remembering(t, func(c *model.Config) { c.Model, c.RotateShare = "csp", 0.4 }),
		remembering(t, func(c *model.Config) { c.Theta = "product" }),
	)
	// The others are only other numbers: TestOracle has them.
	for _, ablation := range []string{"learned-omega", "fixed-psi", "no-zeta", "norm-memory"} {
		list = append(list, remembering(t, func(c *model.Config) { c.Ablation, c.MemoryPeriod = ablation, 7 }))
	}
	return append(list,
		base(func(c *model.Config) { c.Classes, c.Layers = 3, 2 }),
		base(func(c *model.Config) { c.Classes, c.Model = 2, "csp" }),
		base(func(c *model.Config) { c.Classes, c.Supervision = 2, "prefix" }),
	)
}

// remembering is a small configuration with a memory, changed.
func remembering(t testing.TB, edit func(*model.Config)) model.Config {
	return preset(t, "mha-csp-m", func(c *model.Config) {
		c.Width, c.Memory, c.MemoryPeriod, c.Heads, c.EmbeddingStd = 9, 3, 0, 2, 0.7
		edit(c)
	})
}

func label(c model.Config) string {
	return fmt.Sprintf("%s/L%d/H%d/%s/%s-%s/%s/skip=%v/%s/memory=%d/classes=%d",
		c.Model, c.Layers, c.Heads, c.Supervision, c.Rotate,
		c.Theta, c.Fusion, c.Skip, c.Ablation, c.Memory, c.Classes)
}

func newModel[T reference.Float](t testing.TB, c model.Config) *model.Model {
	return assert.Must(model.New(c, reference.New[T]()))(t)
}

// TestNetwork holds every switch to what a sequence.Network promises.
func TestNetwork(t *testing.T) {
	eachSwitch(t, func(t *testing.T, c model.Config) { sequencetest.Run(t, &c) })
}
