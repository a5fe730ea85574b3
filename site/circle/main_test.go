package circle

import (
	"image"
	"os"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"

	"mhacsp/site/displaytest"
	"mhacsp/tasks/assert"
)

func TestMain(m *testing.M) { os.Exit(displaytest.Main(m)) }

// drawn is an image of a size in pixels into which f draws with a new canvas.
func drawn(t *testing.T, w, h int, f func(c *Canvas, target *ebiten.Image)) *image.RGBA {
	t.Helper()
	c := assert.Must(NewCanvas())(t)
	return displaytest.Picture(t, w, h, func(target *ebiten.Image) { f(c, target) })
}

// snapshot draws a view of a size in device-independent pixels.
func snapshot(t *testing.T, v *View, w, h int, scale float64) *image.RGBA {
	t.Helper()
	return drawn(t, int(float64(w)*scale), int(float64(h)*scale), func(c *Canvas, target *ebiten.Image) {
		v.SetSize(float64(w), float64(h))
		c.Draw(v, target, scale)
	})
}
