package baseline

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/tasks/strict"
)

// GDN is the configuration of the family gdn, Gated DeltaNet (SPEC §13).
type GDN struct {
	common
	Heads     int     `json:"heads"`      // H; divides Width: keys have Width/Heads numbers, values twice as many
	BetaRange float64 `json:"beta_range"` // s, the greatest β: from above 1 on a head can turn a state's sign
}

func gdnPresets() []sequence.Preset {
	return []sequence.Preset{
		preset(GDN{common: sized("gdn", 2, 64), Heads: 4, BetaRange: 1}),
		preset(GDN{common: sized("gdn-neg", 2, 64), Heads: 4, BetaRange: 2}),
	}
}

// Keys implements sequence.Config.
func (c *GDN) Keys() []sequence.Key {
	return append(c.common.Keys(),
		sequence.Key{Name: "heads", Usage: "`heads` of the delta rule, H; divide the width", Value: &c.Heads},
		sequence.Key{Name: "beta_range", Value: &c.BetaRange,
			Usage: "greatest `β`, 1: no negative eigenvalues, 2: all (default: the model's)"})
}

// Validate implements sequence.Config.
func (c *GDN) Validate() error {
	if err := cmp.Or(c.validate(gdnPresets()), strict.Within("heads", c.Heads, 1, c.Width)); err != nil {
		return err
	}
	least := (valuesPerKey*c.Width + backend.DeltaWidest - 1) / backend.DeltaWidest
	switch {
	case c.Width%c.Heads != 0:
		return strict.Unfit("width", c.Width, ", no multiple of $heads (%d); choose %d or %d",
			c.Heads, c.Width/c.Heads*c.Heads, (c.Width/c.Heads+1)*c.Heads)
	case c.Heads < least:
		return strict.Unfit("heads", c.Heads, ", too few for $width %d: a head's values have at most %d numbers; "+
			"choose at least %d heads", c.Width, backend.DeltaWidest, least)
	case !(c.BetaRange > 0 && c.BetaRange <= 2):
		return strict.Unfit("beta_range", c.BetaRange, "; choose a number above 0, up to 2")
	}
	return nil
}

// Parameters implements sequence.Config.
func (c *GDN) Parameters() (*param.Set, error) { return parameters(c) }

// Open implements sequence.Config.
func (c *GDN) Open(b backend.Backend) (sequence.Network, error) { return open(c, b) }

// A head's value has twice as many numbers as its key, an MLP twice as many as the stream.
const valuesPerKey, hiddenPerWidth = 2, 2

func (c *GDN) declare(b layer.Baseline) sequence.Design {
	p, n := b.P, c.Width
	keys, values, hidden := n, valuesPerKey*n, hiddenPerWidth*n
	norm := func(name string, n int) layer.Norm {
		return layer.Norm{Gain: p.Add(name, param.Constant(1), n), Bias: param.None}
	}
	embedding := c.embedding(p, embeddingStd)
	var blocks []gdnBlock
	for l := range c.Layers {
		name := func(s string) string { return fmt.Sprintf("blocks.%d.%s", l, s) }
		linear := func(s string, out, in int) layer.Linear {
			return layer.Linear{Weight: p.Add(name(s+".weight"), param.Xavier, out, in), Bias: param.None}
		}
		x := gdnBlock{norm1: norm(name("norm1.weight"), n), norm2: norm(name("norm2.weight"), n)}
		m := layer.Delta{Heads: c.Heads, Keys: keys / c.Heads, Values: values / c.Heads, Range: float32(c.BetaRange)}
		for i, s := range []string{"query", "key", "value"} {
			channels := []int{keys, keys, values}[i]
			m.Project[i] = linear(s, channels, n)
			m.Convolution[i] = p.Add(name(s+".convolution"), param.Uniform(1/math.Sqrt(backend.ConvTaps)),
				channels, backend.ConvTaps)
		}
		m.Beta, m.Decay = linear("beta", c.Heads, n), linear("decay", c.Heads, n)
		m.Decay.Bias = p.Add(name("decay.bias"), decayBias, c.Heads)
		m.Rate = p.Add(name("decay.log"), decayLog, c.Heads)
		m.Gate = linear("gate", values, n)
		m.Norm = norm(name("output_norm.weight"), m.Values)
		m.Output = linear("output", n, values)
		x.mixer = m
		x.mlp = layer.SwiGLU{Up: linear("up", hidden, n), Gate: linear("gate_up", hidden, n),
			Down: linear("down", n, hidden)}
		blocks = append(blocks, x)
	}
	last := norm("norm.weight", n)
	return sequence.Design{
		Head: c.head(p, param.Xavier), Joined: true, Core: func() sequence.Core {
			g := &gdn{context: b, n: n, embedding: embedding, norm: last}
			g.stream.N, g.mixed.N = n, n
			g.blocks = append(g.blocks, blocks...)
			mixer, mlp := &layer.DeltaBack{}, &layer.SwiGLUBack{}
			for l := range g.blocks {
				g.blocks[l].mixer.Back, g.blocks[l].mlp.Back = mixer, mlp
			}
			return g
		},
	}
}

// embeddingStd is above the authors' 0.02: there the first steps, which are long compared with such embeddings, depend
// on the rounding.
const embeddingStd = 1

// decayLog starts A at the logarithm of a number drawn from 1 to 16, decayBias b so that softplus(b) is drawn from
// 0.001 to 0.1, its logarithm uniformly: heads that forget at very different rates.
func decayLog(r *rand.Rand, dst []float32, _ []int) {
	for i := range dst {
		dst[i] = float32(math.Log(1 + 15*r.Float64()))
	}
}

func decayBias(r *rand.Rand, dst []float32, _ []int) {
	for i := range dst {
		rate := 0.001 * math.Pow(100, r.Float64())
		dst[i] = float32(math.Log(math.Expm1(rate))) // softplus⁻¹
	}
}

// gdnBlock is x + Delta(norm x), x + SwiGLU(norm x).
type gdnBlock struct {
	norm1, norm2 layer.Norm
	mixer        layer.Delta
	mlp          layer.SwiGLU
}

// gdn is the sequence.Core of a GDN. Behind the last block's mixer only the rows that the head reads go on.
type gdn struct {
	joined
	context       layer.Baseline
	n             int
	embedding     layer.Embedding
	blocks        []gdnBlock
	norm          layer.Norm
	stream, mixed layer.Pick // the rows that the head reads, of the last block's input and of its mixer's output

	bufGrad, bufInner, bufLast layer.Floats
}

// Forward implements sequence.Core. A norm adds up what the layer before it adds to the stream.
func (g *gdn) Forward(a *sequence.Arena) backend.Vec {
	c, rows := g.context, a.Rows()
	g.embedding.Forward(c, a.At, rows)
	x, plus := g.embedding.Y, backend.Vec{}
	for l := range g.blocks {
		b := &g.blocks[l]
		b.norm1.Forward(c, x, plus, rows)
		b.mixer.Forward(c, b.norm1.Y, a.Prompts())
		x, plus = b.norm1.X, b.mixer.Output.Y
		if l == len(g.blocks)-1 {
			rows = a.Reads
			g.stream.Forward(c, x, a.Wanted, rows)
			g.mixed.Forward(c, plus, a.Wanted, rows)
			x, plus = g.stream.Y, g.mixed.Y
		}
		b.norm2.Forward(c, x, plus, rows)
		b.mlp.Forward(c, b.norm2.Y, rows)
		x, plus = b.norm2.X, b.mlp.Down.Y
	}
	g.norm.Forward(c, x, plus, rows)
	return g.norm.Y
}

// BackwardStart implements sequence.Core: the gradient of the stream at the last block's mixer, of which only some
// rows gain.
func (g *gdn) BackwardStart(a *sequence.Arena) {
	g.context.B.Zero(g.bufGrad.Get(g.context.B, a.Rows()*g.n))
}

// Backward implements sequence.Core. grad is the gradient of the stream, and of what a layer adds to it.
func (g *gdn) Backward(a *sequence.Arena, dRows backend.Vec) {
	c, rows, all := g.context, a.Reads, a.Rows()*g.n
	grad, inner := g.bufLast.Get(c.B, rows*g.n), g.bufInner.Get(c.B, all)
	g.norm.Backward(c, grad, dRows, false)
	for l := len(g.blocks) - 1; l >= 0; l-- {
		b := &g.blocks[l]
		b.mlp.Backward(c, inner, grad)
		b.norm2.Backward(c, grad, inner, true)
		if l == len(g.blocks)-1 {
			picked := grad
			grad, rows = g.bufGrad.Get(c.B, all), a.Rows()
			g.stream.Backward(c, grad, picked, a.Wanted, a.Reads)
		}
		b.mixer.Backward(c, inner, grad)
		b.norm1.Backward(c, grad, inner, true)
	}
	g.embedding.Backward(c, grad, a.At, rows)
}
