//go:build !js || families

package zoo

import (
	"mhacsp/model"
	"mhacsp/model/baseline"
	"mhacsp/model/sequence"
)

// families are the presets of every family.
func families() [][]sequence.Preset { return [][]sequence.Preset{model.Presets(), baseline.Presets()} }
