package baseline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
)

// Gated is the configuration of the families lstm and gru (SPEC §13): layers of one width, one above the other, with
// the head on the top one.
type Gated struct{ common }

func gatedPresets() []sequence.Preset {
	return []sequence.Preset{preset(Gated{sized("gru", 2, 98)}), preset(Gated{sized("lstm", 2, 84)})}
}

// Validate implements sequence.Config.
func (c *Gated) Validate() error { return c.validate(gatedPresets()) }

// Parameters implements sequence.Config.
func (c *Gated) Parameters() (*param.Set, error) { return parameters(c) }

// Open implements sequence.Config.
func (c *Gated) Open(b backend.Backend) (sequence.Network, error) { return open(c, b) }

// declare implements family. An LSTM's gates are i, f, g and o, and f starts open; a GRU's are r, z and n, and z
// starts open: so the state stays.
func (c *Gated) declare(b layer.Baseline) sequence.Design {
	gates := 4
	if c.Model == "gru" {
		gates = 3
	}
	weight := param.Uniform(1 / math.Sqrt(float64(c.Width)))
	embedding := c.embedding(b.P, 1).Weight
	var layers []layer.Gated
	for l := range c.Layers {
		name := func(s string) string { return fmt.Sprintf("layers.%d.%s", l, s) }
		layers = append(layers, layer.Gated{
			Input:  b.P.Add(name("input.weight"), weight, gates*c.Width, c.Width),
			Hidden: b.P.Add(name("state.weight"), weight, gates*c.Width, c.Width),
			Bias:   b.P.Add(name("bias"), raised(gates), gates*c.Width),
			N:      c.Width, Reset: gates == 3,
		})
	}
	return sequence.Design{
		Head: c.head(b.P, weight), After: true, Joined: true, Rows: true, Core: func() sequence.Core {
			pick := layer.Pick{N: c.Width}
			return &gated{context: b, vocab: c.Vocab, embedding: embedding, layers: slices.Clone(layers),
				picks: slices.Repeat([]layer.Pick{pick}, c.Layers), top: pick, anyWindow: b.B.Info().AnyWindow}
		},
	}
}

// raised fills the second gate's part of a layer's bias with 1; the others stay 0.
func raised(gates int) param.Init {
	return func(_ *rand.Rand, dst []float32, _ []int) {
		n := len(dst) / gates
		for i := range n {
			dst[n+i] = 1
		}
	}
}

// gated is the sequence.Core of an LSTM or a GRU.
type gated struct {
	joined
	context   layer.Baseline
	vocab     int
	embedding param.ID
	layers    []layer.Gated
	picks     []layer.Pick // of layers ≥ 1: the states that the layer below leaves, by step, where they are copied
	top       layer.Pick
	anyWindow bool // of the device: a layer can read the states of the one below where they are, one row on
	inPlace   bool // and does so

	bufDX layer.Floats
}

// Forward implements sequence.Core. The first layer's inputs are the table of tokens.
func (g *gated) Forward(a *sequence.Arena) backend.Vec {
	c, rows := g.context, a.Rows()
	x, m, at := c.P.Value(g.embedding), g.vocab, a.At
	g.inPlace = g.anyWindow && rows > 1
	for l := range g.layers {
		switch {
		case l == 0:
		case g.inPlace:
			x, m, at = g.after(g.layers[l-1].State, l, rows), rows-1, a.Step
		default:
			g.picks[l].Forward(c, g.layers[l-1].State, a.After, rows)
			x, m, at = g.picks[l].Y, rows, a.Step
		}
		g.layers[l].Forward(c, x, m, a.Prompts(), at)
	}
	g.top.Forward(c, g.layers[len(g.layers)-1].State, a.Wanted, a.Reads)
	return g.top.Y
}

// BackwardStart implements sequence.Core.
func (g *gated) BackwardStart(*sequence.Arena) {
	for l := range g.layers {
		g.layers[l].BackwardStart(g.context, l == 0, g.inPlace && l < len(g.layers)-1)
	}
}

// Backward implements sequence.Core.
func (g *gated) Backward(a *sequence.Arena, dRows backend.Vec) {
	c, rows, last := g.context, a.Rows(), len(g.layers)-1
	g.top.Backward(c, g.layers[last].DState, dRows, a.Wanted, a.Reads)
	for l := last; l > 0; l-- {
		if g.inPlace {
			g.layers[l].Backward(c, g.after(g.layers[l-1].DState, l, rows))
			continue
		}
		dx := g.bufDX.Get(c.B, rows*g.layers[l].N)
		g.layers[l].Backward(c, dx)
		g.picks[l].Backward(c, g.layers[l-1].DState, dx, a.After, rows)
	}
	g.layers[0].Backward(c, c.P.Grad(g.embedding)) // nobody else reads the table
}

// after is the rows behind the first of what belongs to the states below layer l: in the place of a step's row lies
// that of the state after the step. The arena's last row belongs to no step.
func (g *gated) after(x backend.Vec, l, rows int) backend.Vec {
	n := g.layers[l-1].N
	return x.Slice(n, (rows-1)*n)
}
