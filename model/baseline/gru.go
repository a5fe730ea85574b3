package baseline

import (
	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
)

// GRU is the configuration of the family gru (SPEC §13).
type GRU struct{ common }

func gruPresets() []sequence.Preset {
	return []sequence.Preset{{Name: "gru", New: func() sequence.Config {
		return &GRU{common{Model: "gru", Layers: gatedLayers, Width: 98, Vocab: 21}}
	}}}
}

// Shape implements sequence.Config.
func (c *GRU) Shape() sequence.Shape { return c.shape(false) }

// Traits implements sequence.Config.
func (c *GRU) Traits() sequence.Traits { return sequence.Traits{Blocks: c.Layers} }

// Keys implements sequence.Config.
func (c *GRU) Keys() []sequence.Key { return c.keys() }

// Validate implements sequence.Config.
func (c *GRU) Validate() error { return c.validate(gruPresets()) }

// Parameters implements sequence.Config.
func (c *GRU) Parameters() (*param.Set, error) { return parameters(c) }

// Open implements sequence.Config.
func (c *GRU) Open(b backend.Backend) (sequence.Network, error) {
	own := *c
	return open(&own, b)
}

// declare implements family. The gates are r, z and n; z starts open, so that the state stays.
func (c *GRU) declare(b layer.Baseline) sequence.Design { return c.declareGated(b, 3, raised(1, 3)) }
