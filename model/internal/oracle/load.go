package oracle

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Net is a configuration with its parameters as rows: w[n][m] is row n, column m.
type Net struct {
	c          Config
	embedding  [][]float64 // E
	blocks     []block
	headWeight [][]float64 // W_out
	headBias   []float64   // b_out
}

type block struct {
	drive          [][]float64   // U, nil in block 0
	theta, gamma   [][]float64   // W_θ, W_γ
	thetaH         [][]float64   // W_θh, nil where theta is token
	thetaHB        []float64     // b_θh, nil unless theta is product
	thetaB, gammaB []float64     // b_θ, b_γ
	input          [][]float64   // W_B
	deltaH, deltaU [][]float64   // W_δh, W_δu
	deltaB         []float64     // b_δ
	factor         [][][]float64 // Λ by head, before the softplus on its diagonal
	rho            []float64     // r
	fusion         [][]float64   // B
	gate           []float64     // a, nil without a skip path
	phase          []float64     // ψ, nil without a memory
	recall         [][]float64   // ζ
	omega          []float64     // ω
}

// outputs is C, the number of logits.
func (c Config) outputs() int { return cmp.Or(c.Classes, c.Vocab) }

// Load takes the parameters that the configuration has a use for.
func Load(c Config, params map[string]Tensor) *Net {
	for _, key := range []struct {
		name  string
		value *string
		known []string // the first is the default
	}{
		{"model", &c.Model, []string{"mha-csp", "mha-csp-2", "mha-csp-s", "mha-csp-m", "csp"}},
		{"rotate", &c.Rotate, []string{"state", "input", "mixed"}},
		{"theta", &c.Theta, []string{"token", "state", "product"}},
		{"fusion", &c.Fusion, []string{"mesh", "pooled", "mean"}},
		{"supervision", &c.Supervision, []string{"final", "prefix"}},
		{"ablation", &c.Ablation, []string{"none", "no-tree", "no-lse", "no-B", "no-norm", "no-omega", "random-omega",
			"learned-omega", "no-pi", "fixed-psi", "no-zeta", "norm-memory"}},
	} {
		*key.value = cmp.Or(*key.value, key.known[0])
		if !slices.Contains(key.known, *key.value) {
			panic(fmt.Sprintf("oracle: %s %q, want one of %q", key.name, *key.value, key.known))
		}
	}
	r := reader(params)
	N, H, V, core := c.Width, c.Heads, c.Vocab, c.core()
	m := &Net{c: c}
	m.embedding = r.matrix("embedding.weight", V, N)
	for l := range c.Layers {
		name := func(part string) string { return fmt.Sprintf("blocks.%d.%s", l, part) }
		var b block
		if l >= 1 {
			b.drive = r.matrix(name("drive.weight"), N, 2*N)
		}
		b.theta, b.thetaB = r.matrix(name("theta.weight"), N, N), r.vector(name("theta.bias"), N)
		if c.Theta != "token" {
			rows := core
			if c.Memory > 0 { // of the units that turn alone
				rows = int(math.Floor(c.RotateShare * float64(core)))
			}
			b.thetaH = r.matrix(name("theta_h.weight"), rows, 2*core)
			if c.Theta == "product" {
				b.thetaHB = r.vector(name("theta_h.bias"), rows)
			}
		}
		b.gamma, b.gammaB = r.matrix(name("gamma.weight"), N, N), r.vector(name("gamma.bias"), N)
		b.input = r.matrix(name("input.weight"), N, N)
		b.deltaH = r.matrix(name("delta_h.weight"), core, 2*core)
		b.deltaU = r.matrix(name("delta_u.weight"), core, N)
		b.deltaB = r.vector(name("delta.bias"), core)
		if c.Model != "csp" {
			d := core / H
			b.factor = slices.Collect(slices.Chunk(r.rows(name("metric.factor"), H*d, d, H, d, d), d))
			b.rho = r.vector(name("metric.rho"), H)
			b.fusion = r.matrix(name("fusion.weight"), H, H)
			if c.Skip && l < c.Layers-1 {
				b.gate = r.vector(name("skip.gate"), N)
			}
		}
		if c.Memory > 0 {
			b.omega = omega(c)
			if c.Ablation == "learned-omega" {
				b.omega = r.vector(name("memory.rate"), c.Memory)
			}
			if c.Ablation == "fixed-psi" {
				for _, rate := range b.omega {
					b.phase = append(b.phase, math.Pi+2*rate)
				}
			} else {
				b.phase = r.vector(name("memory.phase"), c.Memory)
			}
			if c.Ablation == "no-zeta" {
				b.recall = slices.Repeat([][]float64{slices.Repeat([]float64{1}, c.Memory)}, V)
			} else {
				b.recall = r.matrix(name("memory.gate"), V, c.Memory)
			}
		}
		m.blocks = append(m.blocks, b)
	}
	m.headWeight, m.headBias = r.matrix("head.weight", c.outputs(), 2*N), r.vector("head.bias", c.outputs())
	return m
}

// omega is ω of SPEC §2, memory, where it is not learned, and of §10.
func omega(c Config) []float64 {
	period := cmp.Or(c.MemoryPeriod, c.Memory)
	rates := make([]float64, c.Memory)
	x := uint64(period) // x_{−1} of `random-omega`
	for j := range rates {
		x = (1664525*x + 1013904223) % 4294967296
		switch c.Ablation {
		case "no-omega":
		case "random-omega":
			rates[j] = 2 * math.Pi * float64(x) / 4294967296
		default:
			rates[j] = 2 * math.Pi * float64(j) / float64(period)
		}
	}
	return rates
}

// reader takes parameters by name.
type reader map[string]Tensor

func (r reader) vector(name string, n int) []float64 { return r.rows(name, 1, n, n)[0] }

func (r reader) matrix(name string, rows, columns int) [][]float64 {
	return r.rows(name, rows, columns, rows, columns)
}

// rows cuts the parameter, whose shape must be the given one, into n rows.
func (r reader) rows(name string, n, columns int, shape ...int) [][]float64 {
	t := r[name]
	if !slices.Equal(t.Shape, shape) {
		panic(fmt.Sprintf("oracle: parameter %q has shape %v, want %v", name, t.Shape, shape))
	}
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = t.Data[i*columns : (i+1)*columns]
	}
	return rows
}
