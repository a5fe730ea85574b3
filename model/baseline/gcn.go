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

// GCN is a graph convolution over the causal graph of a stream (SPEC §13): h ← h + ReLU(Â h Wᵀ + b), layer by layer.
// Its links are this project's own: nobody has published a chain with brackets.
type GCN struct {
	common
	Links string `json:"links"` // brackets or chain
}

var gcnLinks = []string{"brackets", "chain"}

func gcnPresets() []sequence.Preset {
	return []sequence.Preset{preset(GCN{common: sized("gcn", 28, 64), Links: "brackets"})}
}

// Shape implements sequence.Config.
func (c *GCN) Shape() sequence.Shape { return c.shape(true) }

// Keys implements sequence.Config.
func (c *GCN) Keys() []sequence.Key {
	return append(c.common.Keys(), sequence.Key{
		Name: "links", Usage: "what a position is linked with besides its predecessor", Choices: gcnLinks,
		Value: &c.Links,
	})
}

// Validate implements sequence.Config.
func (c *GCN) Validate() error {
	return cmp.Or(c.validate(gcnPresets()), strict.OneOf("links", c.Links, gcnLinks))
}

// Parameters implements sequence.Config.
func (c *GCN) Parameters() (*param.Set, error) { return parameters(c) }

// Open implements sequence.Config.
func (c *GCN) Open(b backend.Backend) (sequence.Network, error) { return open(c, b) }

// Glorot's start is for a layer that stands in for what it reads; here each of L layers adds to the stream.
func (c *GCN) glorot(r *rand.Rand, dst []float32, shape []int) {
	param.Xavier(r, dst, shape)
	for i := range dst {
		dst[i] /= float32(math.Sqrt(float64(c.Layers)))
	}
}

func (c *GCN) declare(x layer.Baseline) sequence.Design {
	g := gcn{
		c: x, graph: graph{brackets: c.Links == "brackets"}, embedding: c.embedding(x.P, 1),
		pick: layer.Pick{N: c.Width},
	}
	for l := range c.Layers {
		name := fmt.Sprintf("layers.%d", l)
		g.layers = append(g.layers, convolution{Linear: layer.NewLinear(x.P, name, c.glorot, c.Width, c.Width)})
	}
	return sequence.Design{
		Head: c.head(x.P, param.Xavier), Core: func() sequence.Core {
			core := g
			core.layers = append([]convolution(nil), g.layers...)
			return &core
		},
	}
}

// gcn is the core: one stream h, which every layer adds to in place.
type gcn struct {
	joined
	c         layer.Baseline
	graph     graph
	embedding layer.Embedding
	layers    []convolution
	pick      layer.Pick

	bufDH layer.Floats
}

// Forward implements sequence.Core.
func (g *gcn) Forward(a *sequence.Arena) backend.Vec {
	g.graph.Lay(g.c, a.Tokens())
	g.embedding.Forward(g.c, a.At, a.Rows())
	for l := range g.layers {
		g.layers[l].Forward(g.c, &g.graph, g.embedding.Y)
	}
	g.pick.Forward(g.c, g.embedding.Y, a.Wanted, a.Reads)
	return g.pick.Y
}

// BackwardStart implements sequence.Core.
func (g *gcn) BackwardStart(a *sequence.Arena) { g.c.B.Zero(g.dh(a)) }

func (g *gcn) dh(a *sequence.Arena) backend.Vec { return g.bufDH.Get(g.c.B, a.Rows()*g.pick.N) }

// Backward implements sequence.Core.
func (g *gcn) Backward(a *sequence.Arena, dRows backend.Vec) {
	dh := g.dh(a)
	g.pick.Backward(g.c, dh, dRows, a.Wanted, a.Reads)
	for l := len(g.layers) - 1; l >= 0; l-- {
		g.layers[l].Backward(g.c, &g.graph, dh)
	}
	g.embedding.Backward(g.c, dh, a.At, a.Rows())
}
