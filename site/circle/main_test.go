package circle

import (
	"image"
	"os"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"

	"mhacsp/site/displaytest"
)

func TestMain(m *testing.M) { os.Exit(displaytest.Main(m)) }

// snapshot draws a view of a size in device-independent pixels.
func snapshot(t *testing.T, v *View, w, h int, scale float64) *image.RGBA {
	t.Helper()
	displaytest.Need(t)
	m := image.NewRGBA(image.Rect(0, 0, int(float64(w)*scale), int(float64(h)*scale)))
	displaytest.Do(func(*ebiten.Image) {
		c, err := NewCanvas()
		if err != nil {
			t.Error(err)
			return
		}
		target := ebiten.NewImage(m.Rect.Dx(), m.Rect.Dy())
		defer target.Deallocate()
		v.SetSize(float64(w), float64(h))
		c.Draw(v, target, scale)
		target.ReadPixels(m.Pix)
	})
	return m
}
