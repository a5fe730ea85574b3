package model_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"mhacsp/model"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

// preset is a named configuration, changed.
func preset(t testing.TB, name string, edit func(*model.Config)) model.Config {
	t.Helper()
	c := assert.Must(model.Preset(name))(t)
	edit(&c)
	return c
}

// TestPresetSizes: the presets have the sizes of SPEC §8.
func TestPresetSizes(t *testing.T) {
	type size struct {
		theta, rotate        string
		layers, width, heads int
	}
	for name, want := range map[string]size{
		"mha-csp": {"token", "state", 1, 132, 4}, "mha-csp-2": {"token", "state", 2, 88, 4},
		"mha-csp-s": {"state", "mixed", 1, 116, 4},
	} {
		c := preset(t, name, func(*model.Config) {})
		assert.Is(t, size{c.Theta, c.Rotate, c.Layers, c.Width, c.Heads}, want, "%s", name)
	}
}

// TestTensors holds names, shapes and order against the table of FORMATS.md.
func TestTensors(t *testing.T) {
	type entry struct {
		name  string
		shape []int
	}
	table := func(layers int, attention bool, theta string, skip bool, v, n, h, outputs int) []entry {
		d := n / h
		list := []entry{{"embedding.weight", []int{v, n}}}
		for l := range layers {
			add := func(name string, shape ...int) {
				list = append(list, entry{fmt.Sprintf("blocks.%d.%s", l, name), shape})
			}
			if l >= 1 {
				add("drive.weight", n, 2*n)
			}
			add("theta.weight", n, n)
			add("theta.bias", n)
			if theta != "token" {
				add("theta_h.weight", n, 2*n)
			}
			if theta == "product" {
				add("theta_h.bias", n)
			}
			add("gamma.weight", n, n)
			add("gamma.bias", n)
			add("input.weight", n, n)
			add("delta_h.weight", n, 2*n)
			add("delta_u.weight", n, n)
			add("delta.bias", n)
			if attention {
				add("metric.factor", h, d, d)
				add("metric.rho", h)
				add("fusion.weight", h, h)
				if skip && l < layers-1 {
					add("skip.gate", n)
				}
			}
		}
		return append(list, entry{"head.weight", []int{outputs, 2 * n}}, entry{"head.bias", []int{outputs}})
	}
	for _, x := range []struct {
		label, name string
		edit        func(*model.Config)
		want        []entry
	}{
		{"mha-csp-2, theta state", "mha-csp-2", func(c *model.Config) { c.Theta = "state" }, table(2, true, "state", true, 21, 88, 4, 21)},
		{"mha-csp-2, theta product", "mha-csp-2", func(c *model.Config) { c.Theta = "product" }, table(2, true, "product", true, 21, 88, 4, 21)},
		{"mha-csp-2", "mha-csp-2", func(*model.Config) {}, table(2, true, "token", true, 21, 88, 4, 21)},
		{"mha-csp-2 without skip", "mha-csp-2", func(c *model.Config) { c.Skip = false }, table(2, true, "token", false, 21, 88, 4, 21)},
		{"three classes", "mha-csp", func(c *model.Config) { c.Classes, c.Vocab = 3, 22 }, table(1, true, "token", true, 22, 132, 4, 3)},
		{"csp", "csp", func(c *model.Config) { c.Layers = 2 }, table(2, false, "token", true, 21, 136, 4, 21)},
	} {
		m := fastModel(t, preset(t, x.name, x.edit))
		var got []entry
		for _, p := range m.Params().Tensors {
			got = append(got, entry{p.Name, p.Shape})
		}
		assert.Is(t, got, x.want, "%s", x.label)
	}
}

// TestStartValues holds the start values of SPEC §8.
func TestStartValues(t *testing.T) {
	c := preset(t, "mha-csp-2", func(c *model.Config) { c.Theta = "product" })
	m := fastModel(t, c)
	m.Initialise(7)
	flat := assert.Must(m.Params().Download(m.Params().Values()))(t)
	n := float64(c.Width)
	xavier := func(in, out float64) float64 { return math.Sqrt(6/(in+out)) / math.Sqrt(3) } // standard deviation
	// Mean and standard deviation; two blocks start at 0.3.
	want := map[string][2]float64{
		"embedding.weight": {0, 0.3}, "drive.weight": {0, xavier(2*n, n)}, "theta.weight": {0, xavier(n, n)}, "theta.bias": {0, 0},
		"theta_h.weight": {0, 0.002}, "theta_h.bias": {1, 0}, "gamma.weight": {0, xavier(n, n)}, "gamma.bias": {0, 0}, "input.weight": {0, xavier(n, n)},
		"delta_h.weight": {0, 0.02}, "delta_u.weight": {0, xavier(n, n)}, "delta.bias": {-2, 0}, "metric.rho": {-1, 0},
		"fusion.weight": {0, 0.01}, "skip.gate": {0, 0}, "head.weight": {0, xavier(2*n, 21)}, "head.bias": {0, 0},
	}
	for _, p := range m.Params().Tensors {
		key := p.Name
		if after, ok := strings.CutPrefix(key, "blocks."); ok {
			key = after[strings.Index(after, ".")+1:]
		}
		values := flat[p.Offset:][:p.Len]
		if key == "metric.factor" {
			d := p.Shape[1]
			scale := 1 / math.Sqrt(2*float64(d))
			for i, x := range values {
				row, col := i/d%d, i%d
				got, mean := float64(x), 0.0
				if row == col {
					got, mean = math.Log1p(math.Exp(got)), scale
				}
				bound := 0.02 * scale * 5
				assert.Need(t, math.Abs(got-mean) <= bound && (col <= row || got == 0) && (col > row || got != mean),
					"%s[%d,%d] is %v, near %v wanted", p.Name, row, col, got, mean)
			}
			continue
		}
		w, ok := want[key]
		assert.Need(t, ok, "no start value for %s in this test", p.Name)
		var sum, square float64
		for _, x := range values {
			sum += float64(x)
		}
		mean := sum / float64(p.Len)
		for _, x := range values {
			square += (float64(x) - mean) * (float64(x) - mean)
		}
		std, slack := math.Sqrt(square/float64(p.Len)), 5*w[1]/math.Sqrt(float64(p.Len))
		assert.True(t, math.Abs(mean-w[0]) <= slack+1e-7 && math.Abs(std-w[1]) <= slack+1e-7,
			"%s has mean %.4g and standard deviation %.4g, wanted %.4g and %.4g", p.Name, mean, std, w[0], w[1])
	}
}

// TestValidate: each message names the field and its value.
func TestValidate(t *testing.T) {
	for key, values := range map[string][]any{
		"layers": {0, 65}, "width": {0, 8193, 130}, "heads": {0, -1, 133}, "rotate": {"x"}, "theta": {""},
		"fusion": {"mash"}, "supervision": {"last"}, "ablation": {"no-b", "no-pi"},
		"rotate_share": {1.5, -0.5, math.NaN()}, "embedding_std": {0.0, math.NaN()},
	} {
		for _, value := range values {
			c := preset(t, "mha-csp", func(*model.Config) {})
			sequencetest.Small(t, &c, sequencetest.Keys{key: value})
			sequencetest.Unfit(t, "mha-csp", c.Validate(), key, value)
		}
	}
	for _, x := range []struct {
		field string
		value any
		edit  func(*model.Config)
	}{
		{"width", 132, func(c *model.Config) { c.Heads = 5 }}, {"vocab", 18, func(c *model.Config) { c.Vocab = 18 }},
		{"vocab", 65537, func(c *model.Config) { c.Vocab = 65537 }},
		{"classes", -1, func(c *model.Config) { c.Classes = -1 }},
		{"model", "x", func(c *model.Config) { c.Model = "x" }},
		{"theta", "state", func(c *model.Config) { c.Theta, c.Rotate = "state", "input" }},
		{"theta", "product", func(c *model.Config) { c.Theta, c.Rotate = "product", "input" }},
		{"memory", 149, func(c *model.Config) { c.Width, c.Memory, c.Rotate = 152, 149, "mixed" }},
		{"memory", 133, func(c *model.Config) { c.Width, c.Memory, c.Rotate = 152, 133, "mixed" }},
		{"memory", 132, func(c *model.Config) { c.Width, c.Memory = 152, 132 }}, // every unit turns
		{"memory", 68, func(c *model.Config) { c.Width, c.Memory, c.Rotate, c.Layers = 152, 68, "mixed", 2 }},
		{"memory", 68, func(c *model.Config) { c.Width, c.Memory, c.Rotate, c.Classes = 152, 68, "mixed", 2 }},
		{"memory", 68, func(c *model.Config) {
			c.Width, c.Memory, c.Rotate, c.Supervision = 152, 68, "mixed", "prefix"
		}},
		{"rotate_share", 0.001, func(c *model.Config) {
			c.Width, c.Memory, c.Rotate, c.Theta, c.RotateShare = 152, 68, "mixed", "state", 0.001
		}},
		{"rotate_share", 0.001, func(c *model.Config) {
			c.Width, c.Memory, c.Rotate, c.Theta, c.RotateShare = 152, 68, "mixed", "product", 0.001
		}},
		{"ablation", "no-tree", func(c *model.Config) { c.Model, c.Ablation = "csp", "no-tree" }},
		{"ablation", "no-lse", func(c *model.Config) { c.Model, c.Ablation = "csp", "no-lse" }},
		{"ablation", "no-B", func(c *model.Config) { c.Model, c.Ablation = "csp", "no-B" }},
		{"ablation", "no-B", func(c *model.Config) { c.Heads, c.Ablation = 1, "no-B" }},
		{"ablation", "no-omega", func(c *model.Config) { c.Model, c.Ablation = "csp", "no-omega" }},
	} {
		c := preset(t, "mha-csp", x.edit)
		sequencetest.Unfit(t, "mha-csp, edited", c.Validate(), x.field, x.value)
	}
	for _, edit := range []func(*model.Config){
		func(c *model.Config) { c.Model, c.Heads = "csp", 5 }, // no heads to cut the width for
		func(c *model.Config) { c.Model, c.Ablation = "csp", "no-norm" },
		func(c *model.Config) { c.Rotate, c.RotateShare = "mixed", 1 },
		func(c *model.Config) { c.Theta, c.Rotate = "state", "mixed" },
		func(c *model.Config) { c.Width, c.Memory, c.Rotate = 152, 148, "mixed" },
		func(c *model.Config) { c.Width, c.Memory, c.Rotate, c.RotateShare = 152, 132, "mixed", 0 },
		func(c *model.Config) { c.Layers, c.Width, c.Heads, c.Vocab = 64, 1, 1, 19 },
	} {
		c := preset(t, "mha-csp", edit)
		assert.Is(t, c.Validate(), nil, "%+v", c)
	}
}

func TestTurn(t *testing.T) {
	for _, x := range []struct {
		rotate string
		share  float64
		width  int
		want   int
	}{
		{"state", 0.5, 7, 7}, {"input", 0.5, 7, 0}, {"mixed", 0.5, 7, 3},
		{"mixed", 0.5, 116, 58}, {"mixed", 0, 8, 0}, {"mixed", 1, 8, 8}, {"mixed", 0.25, 8, 2},
	} {
		c := model.Config{Rotate: x.rotate, RotateShare: x.share, Width: x.width}
		assert.Is(t, c.Turn(), x.want, "%s, share %v of %d: units turn", x.rotate, x.share, x.width)
	}
}
