package baseline

import (
	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
)

// LSTM is the configuration of the family lstm (SPEC §13).
type LSTM struct{ common }

func lstmPresets() []sequence.Preset {
	return []sequence.Preset{{Name: "lstm", New: func() sequence.Config {
		return &LSTM{common{Model: "lstm", Layers: gatedLayers, Width: 84, Vocab: 21}}
	}}}
}

// Shape implements sequence.Config.
func (c *LSTM) Shape() sequence.Shape { return c.shape(false) }

// Traits implements sequence.Config.
func (c *LSTM) Traits() sequence.Traits { return sequence.Traits{Blocks: c.Layers} }

// Keys implements sequence.Config.
func (c *LSTM) Keys() []sequence.Key { return c.keys() }

// Validate implements sequence.Config.
func (c *LSTM) Validate() error { return c.validate(lstmPresets()) }

// Parameters implements sequence.Config.
func (c *LSTM) Parameters() (*param.Set, error) { return parameters(c) }

// Open implements sequence.Config.
func (c *LSTM) Open(b backend.Backend) (sequence.Network, error) {
	own := *c
	return open(&own, b)
}

// declare implements family. The gates are i, f, g and o; f starts open.
func (c *LSTM) declare(b layer.Baseline) sequence.Design { return c.declareGated(b, 4, raised(1, 4)) }
