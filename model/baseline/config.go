// Package baseline has the families that MHA-CSP is compared with (SPEC §13), most in a file each: its configuration,
// its parameters and what lies between the tokens and the head. Their layers are in package layer.
package baseline

import (
	"cmp"
	"slices"

	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/tasks/strict"
	"mhacsp/tasks/token"
)

// Presets are the named configurations of all families here, in alphabetical order.
func Presets() []sequence.Preset {
	return slices.Concat(formerPresets(), gcnPresets(), gdnPresets(), gatedPresets())
}

// common are the keys that every family here has.
type common struct {
	Model   string `json:"model"`   // the preset that it started from
	Layers  int    `json:"layers"`  // L
	Width   int    `json:"width"`   // W, numbers a token
	Vocab   int    `json:"vocab"`   // V
	Classes int    `json:"classes"` // 0: logits over the vocabulary
}

func sized(model string, layers, width int) common {
	return common{Model: model, Layers: layers, Width: width, Vocab: 21}
}

// Keys implements sequence.Config.
func (c *common) Keys() []sequence.Key {
	return []sequence.Key{
		{Name: "layers", Usage: "`blocks`, L", Value: &c.Layers},
		{Name: "width", Usage: "`numbers` that stand for a token, W", Value: &c.Width},
	}
}

// Shape implements sequence.Config, for a family whose one supervision is final.
func (c *common) Shape() sequence.Shape { return c.shape(false) }

// Traits implements sequence.Config.
func (c *common) Traits() sequence.Traits { return sequence.Traits{Blocks: c.Layers} }

// Name implements sequence.Config.
func (c *common) Name() string { return c.Model }

// Fit implements sequence.Config.
func (c *common) Fit(vocab, classes int) { c.Vocab, c.Classes = vocab, classes }

// Suit implements sequence.Config: labels and sequences start alike.
func (c *common) Suit(bool) {}

// Limits of a configuration, so that a typing error does not ask for all memory.
const maxLayers, maxWidth, maxVocab = 64, 4096, 1 << 16

// validate names the first key of all families that does not fit.
func (c *common) validate(presets []sequence.Preset) error {
	var names []string
	for _, p := range presets {
		names = append(names, p.Name)
	}
	return cmp.Or(
		strict.OneOf("model", c.Model, names), strict.Within("layers", c.Layers, 1, maxLayers),
		strict.Within("width", c.Width, 1, maxWidth), strict.Within("vocab", c.Vocab, int(token.PAD)+1, maxVocab),
		strict.Within("classes", c.Classes, 0, maxVocab),
	)
}

// shape is that of a family with one supervision: prefix, or final.
func (c *common) shape(prefix bool) sequence.Shape {
	return sequence.Shape{Vocab: c.Vocab, Classes: c.Classes, Prefix: prefix && c.Classes == 0}
}

// embedding declares the table of tokens.
func (c *common) embedding(p *param.Set, std float64) layer.Embedding {
	return layer.Embedding{Weight: p.Add("embedding.weight", param.Normal(std), c.Vocab, c.Width)}
}

// head declares the linear layer that makes logits.
func (c *common) head(p *param.Set, weight param.Init) layer.Linear {
	return layer.NewLinear(p, "head", weight, c.shape(false).Outputs(), c.Width)
}

// family is a configuration *C that can declare its network.
type family[C any] interface {
	*C
	sequence.Config
	// declare adds the parameters to c.P in the order of FORMATS.md and returns what a Net needs but Config and
	// Params; the cores work on c, whose device is missing where the parameters alone are asked for.
	declare(c layer.Baseline) sequence.Design
}

// preset is a named configuration.
func preset[C any, F family[C]](c C) sequence.Preset {
	return sequence.Preset{Name: F(&c).Name(), New: func() sequence.Config { own := c; return F(&own) }}
}

// parameters implements sequence.Config.Parameters.
func parameters[C any, F family[C]](f F) (*param.Set, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	p := &param.Set{}
	f.declare(layer.Baseline{Context: layer.Context{P: p}})
	return p, nil
}

// open implements sequence.Config.Open, of a copy that is the network's own.
func open[C any, F family[C]](config F, b backend.Backend) (sequence.Network, error) {
	own := *config
	f := F(&own)
	if err := f.Validate(); err != nil {
		return nil, err
	}
	c := layer.Baseline{Context: layer.Context{B: b, P: &param.Set{}}, K: b.(backend.Baseline)}
	d := f.declare(c)
	d.Config, d.Params = f, c.P
	n := &sequence.Net{}
	n.Start(d, b)
	return n, nil
}

// joined is what the cores here have in common: answers are written by reading the stream again, and forward writes no
// more of a baseline than logits and loss.
type joined struct{}

func (joined) Begin(*sequence.Arena, backend.Vec, int) { panic("baseline: Begin of a joined network") }

func (joined) Step(sequence.Window) backend.Vec { panic("baseline: Step of a joined network") }

// Dump implements sequence.Core.
func (joined) Dump(*sequence.Arena, bool) ([]sequence.Tensor, error) { return nil, nil }
