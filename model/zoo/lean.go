//go:build js && !families

package zoo

import (
	"mhacsp/model"
	"mhacsp/model/sequence"
)

// families are those of the page's first program (package backend, lean.go).
func families() [][]sequence.Preset { return [][]sequence.Preset{model.Presets()} }
