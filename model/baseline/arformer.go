package baseline

import (
	"cmp"
	"fmt"
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/tasks/strict"
)

// ARFormer is the configuration of the family arformer: a decoder-only Transformer (SPEC §13).
type ARFormer struct {
	common
	Heads     int    `json:"heads"`
	Positions string `json:"positions"` // one of positions
	Context   int    `json:"context"`   // positions that are learned
}

// The values of the key positions.
const learned, rotary, noPositions = "learned", "rotary", "none"

// GPT-2's start values and sizes.
const (
	formerStd     = 0.02
	formerSpread  = 4     // width of the MLP, in widths
	rotaryBase    = 10000 // of the rates at which rotary positions turn
	formerContext = 256
	maxContext    = 1 << 16
)

func formerPresets() []sequence.Preset {
	return []sequence.Preset{
		preset(ARFormer{common: sized("arformer", 2, 64), Heads: 4, Positions: learned, Context: formerContext}),
	}
}

// Shape implements sequence.Config.
func (c *ARFormer) Shape() sequence.Shape {
	s := c.shape(true)
	if c.Positions == learned {
		s.Longest = c.Context
	}
	return s
}

// Traits implements sequence.Config.
func (c *ARFormer) Traits() sequence.Traits {
	return sequence.Traits{Blocks: c.Layers, Weights: c.Heads}
}

// Keys implements sequence.Config.
func (c *ARFormer) Keys() []sequence.Key {
	return append(c.common.Keys(),
		sequence.Key{Name: "heads", Usage: "attention `heads`, H; divide the width", Value: &c.Heads},
		sequence.Key{Name: "positions", Usage: "how positions are told apart",
			Choices: []string{learned, rotary, noPositions}, Value: &c.Positions},
		sequence.Key{Name: "context", Usage: "`tokens` of prompt and answer that learned positions reach",
			Value: &c.Context})
}

// Validate implements sequence.Config.
func (c *ARFormer) Validate() error {
	if err := cmp.Or(
		c.validate(formerPresets()), strict.Within("heads", c.Heads, 1, c.Width),
		strict.OneOf("positions", c.Positions, []string{learned, rotary, noPositions}),
		strict.Within("context", c.Context, 1, maxContext),
	); err != nil {
		return err
	}
	d := c.Width / c.Heads
	switch {
	case c.Width%c.Heads != 0:
		return strict.Unfit("width", c.Width, ", no multiple of $heads (%d); choose %d or %d", c.Heads, d*c.Heads,
			(d+1)*c.Heads)
	case d > backend.SoftmaxWidest:
		return strict.Unfit("heads", c.Heads, ", which makes a head %d numbers wide; "+
			"choose %d or more, so that it has %d at most",
			d, (c.Width+backend.SoftmaxWidest-1)/backend.SoftmaxWidest, backend.SoftmaxWidest)
	case c.Positions == rotary && d%2 != 0:
		return strict.Unfit("width", c.Width, ", which makes a head of %d heads %d numbers wide; "+
			"rotary positions turn pairs: choose $width %d, or $positions %q", c.Heads, d, c.Width+c.Heads, learned)
	}
	return nil
}

// Parameters implements sequence.Config.
func (c *ARFormer) Parameters() (*param.Set, error) { return parameters(c) }

// Open implements sequence.Config.
func (c *ARFormer) Open(b backend.Backend) (sequence.Network, error) { return open(c, b) }

func (c *ARFormer) declare(b layer.Baseline) sequence.Design {
	w, weight := c.Width, param.Normal(formerStd)
	residual := param.Normal(formerStd / math.Sqrt(float64(2*c.Layers)))
	f := former{config: c, context: b, embedding: c.embedding(b.P, formerStd), table: param.None}
	if c.Positions == learned {
		f.table = b.P.Add("position.weight", weight, c.Context, w)
	}
	linear := func(name string, init param.Init, out, in int) layer.Linear {
		return layer.NewLinear(b.P, name, init, out, in)
	}
	norm := func(name string) layer.Norm {
		return layer.Norm{Gain: b.P.Add(name+".weight", param.Constant(1), w),
			Bias: b.P.Add(name+".bias", param.Constant(0), w)}
	}
	for l := range c.Layers {
		name := func(part string) string { return fmt.Sprintf("blocks.%d.%s", l, part) }
		f.blocks = append(f.blocks, formerBlock{
			norm1: norm(name("norm1")), norm2: norm(name("norm2")),
			query: linear(name("query"), weight, w, w), key: linear(name("key"), weight, w, w),
			value: linear(name("value"), weight, w, w), attention: layer.Softmax{N: w, Heads: c.Heads},
			out:  linear(name("output"), residual, w, w),
			up:   linear(name("up"), weight, formerSpread*w, w),
			down: linear(name("down"), residual, w, formerSpread*w),
		})
	}
	f.norm = norm("norm")
	f.stream, f.mixed = layer.Pick{N: w}, layer.Pick{N: w}
	return sequence.Design{
		Head: c.head(b.P, weight), Core: func() sequence.Core {
			own := f
			own.blocks = append([]formerBlock(nil), f.blocks...)
			return &own
		},
	}
}

// formerBlock is x + W_o·attention(norm x), then x + MLP(norm x). What a half adds to the stream is added by the
// norm behind it.
type formerBlock struct {
	norm1, norm2                     layer.Norm
	query, key, value, out, up, down layer.Linear
	attention                        layer.Softmax

	act    backend.Vec // [rows, 4W]: GELU of up
	bufAct layer.Floats
}

// former is the sequence.Core of an ARFormer.
type former struct {
	joined
	config    *ARFormer
	context   layer.Baseline
	embedding layer.Embedding
	table     param.ID // of learned positions, or None
	blocks    []formerBlock
	norm      layer.Norm

	// Behind the last block's attention only the rows that the head reads go on.
	stream, mixed layer.Pick

	host      []int32
	positions backend.Index // [rows] of each step, −1 where there is none
	turned    int           // positions that turn holds
	turn      backend.Vec

	dStream, dMixed backend.Vec // [rows, W]: of the stream, and of what the heads of the last block give
	bufPositions    layer.Ints

	bufTurn, bufDStream, bufDMixed, bufDRead, bufNarrow, bufDAct, bufDUp layer.Floats
}

// place numbers the steps of each sequence.
func (f *former) place(a *sequence.Arena) {
	switch f.config.Positions {
	case learned:
		f.host = f.host[:0]
		t := int32(0)
		for _, id := range a.Tokens() {
			if id < 0 {
				f.host, t = append(f.host, -1), 0
				continue
			}
			f.host, t = append(f.host, t), t+1
		}
		f.positions = f.bufPositions.Put(f.context.B, f.host)
		f.context.K.RowsForward(backend.RowsForward{Y: f.embedding.Y, X: f.context.P.Value(f.table), Row: f.positions,
			P: a.Rows(), N: f.config.Width, Add: true})
	case rotary:
		if f.turned < a.MaxSteps {
			f.turned = a.MaxSteps + a.MaxSteps/4
			angles := rotaryTurns(f.turned, f.config.Width/f.config.Heads)
			f.turn = f.bufTurn.Get(f.context.B, len(angles))
			f.context.B.Upload(f.turn, angles)
		}
		for l := range f.blocks {
			f.blocks[l].attention.Turn = f.turn
		}
	}
}

// rotaryTurns are the cosines and sines of the angles t·base^(−2c/d), c < d/2, of each position t.
func rotaryTurns(positions, d int) []float32 {
	x := make([]float32, positions*d)
	for t := range positions {
		for c := range d / 2 {
			sin, cos := math.Sincos(float64(t) * math.Pow(rotaryBase, -2*float64(c)/float64(d)))
			x[t*d+c], x[t*d+d/2+c] = float32(cos), float32(sin)
		}
	}
	return x
}

// Forward implements sequence.Core.
func (f *former) Forward(a *sequence.Arena) backend.Vec {
	c, rows := f.context, a.Rows()
	f.embedding.Forward(c, a.At, rows)
	f.place(a)
	x, plus := f.embedding.Y, backend.Vec{}
	for l := range f.blocks {
		b := &f.blocks[l]
		b.norm1.Forward(c, x, plus, rows)
		for _, part := range []*layer.Linear{&b.query, &b.key, &b.value} {
			part.Forward(c.Context, b.norm1.Y, rows)
		}
		b.attention.Forward(c, a.Prompts(), b.query.Y, b.key.Y, b.value.Y)
		stream, mixed := b.norm1.X, b.attention.O
		if l == len(f.blocks)-1 {
			rows = a.Reads
			f.stream.Forward(c, stream, a.Wanted, rows)
			f.mixed.Forward(c, mixed, a.Wanted, rows)
			stream, mixed = f.stream.Y, f.mixed.Y
		}
		b.out.Forward(c.Context, mixed, rows)
		b.norm2.Forward(c, stream, b.out.Y, rows)
		b.up.Forward(c.Context, b.norm2.Y, rows)
		b.act = b.bufAct.Get(c.B, b.up.Y.Len)
		c.K.ActivateForward(backend.ActivateForward{Y: b.act, X: b.up.Y, P: 1, N: b.act.Len, F: backend.GELU})
		b.down.Forward(c.Context, b.act, rows)
		x, plus = b.norm2.X, b.down.Y
	}
	f.norm.Forward(c, x, plus, rows)
	return f.norm.Y
}

// BackwardStart implements sequence.Core.
func (f *former) BackwardStart(a *sequence.Arena) {
	n := a.Rows() * f.config.Width
	f.dStream, f.dMixed = f.bufDStream.Get(f.context.B, n), f.bufDMixed.Get(f.context.B, n)
	f.context.B.Zero(f.dStream)
	f.context.B.Zero(f.dMixed)
}

// Backward implements sequence.Core. dx is the gradient of the stream, dmixed that of what the heads give.
func (f *former) Backward(a *sequence.Arena, dRows backend.Vec) {
	c, rows, w := f.context, a.Rows(), f.config.Width
	narrow := f.bufNarrow.Get(c.B, rows*w)
	dact, dup := f.bufDAct.Get(c.B, rows*formerSpread*w), f.bufDUp.Get(c.B, rows*formerSpread*w)
	dx, dmixed := f.bufDRead.Get(c.B, a.Reads*w), narrow
	f.norm.Backward(c, dx, dRows, false)
	for l := len(f.blocks) - 1; l >= 0; l-- {
		b := &f.blocks[l]
		b.down.Backward(c.Context, dact, dx)
		c.K.ActivateBackward(backend.ActivateBackward{
			DX: dup, DY: dact, X: b.up.Y, P: 1, N: b.act.Len, F: backend.GELU,
		})
		b.up.Backward(c.Context, dmixed, dup)
		b.norm2.Backward(c, dx, dmixed, true)
		b.out.Backward(c.Context, dmixed, dx)
		if l == len(f.blocks)-1 {
			f.stream.Backward(c, f.dStream, dx, a.Wanted, a.Reads)
			f.mixed.Backward(c, f.dMixed, dmixed, a.Wanted, a.Reads)
			dx, dmixed = f.dStream, f.dMixed
		}
		b.attention.Backward(c, dmixed)
		b.query.Backward(c.Context, narrow, b.attention.DQ)
		b.key.BackwardAdd(c.Context, narrow, b.attention.DK)
		b.value.BackwardAdd(c.Context, narrow, b.attention.DV)
		b.norm1.Backward(c, dx, narrow, true)
	}
	f.embedding.Backward(c, dx, a.At, rows)
	if f.table != param.None {
		c.K.RowSum(backend.RowSum{
			Dst: c.P.Grad(f.table), Src: dx, At: f.positions, P: rows, N: w, M: f.config.Context,
		})
	}
}

// Dump implements sequence.Core: the weights of each block's attention.
func (f *former) Dump(a *sequence.Arena, matrices bool) ([]sequence.Tensor, error) {
	if !matrices {
		return nil, nil
	}
	f.Forward(a)
	var out []sequence.Tensor
	for l := range f.blocks {
		t := a.MaxSteps
		w := f.blocks[l].attention.Matrices(f.context, t)
		x := sequence.Tensor{Name: fmt.Sprintf("blocks.%d.attention", l), Shape: []int{a.B, f.config.Heads, t, t},
			Data: make([]float32, w.Len)}
		if err := f.context.B.Download(x.Data, w); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}
