//go:build !js

package circle

import (
	"image"
	"image/color"
)

// letters is false: no fonts are known but our own.
func letters() bool { return false }

func letteredWidth(string, bool) float64 { return 0 }

func letter(string, bool, int, color.NRGBA) (image.Image, image.Point, bool) {
	return nil, image.Point{}, false
}
