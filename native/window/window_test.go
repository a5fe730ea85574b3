package window

import (
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"mhacsp/site/circle"
	"mhacsp/site/displaytest"
	"mhacsp/tasks/assert"
)

func TestMain(m *testing.M) { os.Exit(displaytest.Main(m)) }

// snapshot draws a screen as a window of its size does, with scale pixels to the device-independent pixel.
func snapshot(t *testing.T, s *Screen, scale float64) *image.RGBA {
	t.Helper()
	w := assert.Must(New(s, "", nil))(t)
	w.scale = scale
	return displaytest.Picture(t, int(s.width*scale), int(s.height*scale), func(target *ebiten.Image) {
		s.View.Redraw()
		w.paint(target)
	})
}

// count is how many pixels of an area are close to a colour.
func count(m *image.RGBA, r rect, scale float64, c color.NRGBA) int {
	area := image.Rect(int(r.X*scale), int(r.Y*scale), int(r.Right()*scale), int(r.Bottom()*scale))
	n, _, _ := displaytest.Spot(m, area, c)
	return n
}

// TestPicture: in light and dark, small, dense and for a class each part has its own colours where the layout has it,
// and the circle is what package circle draws.
func TestPicture(t *testing.T) {
	for _, c := range []struct {
		w, h        float64
		scale       float64
		dark, class bool
	}{
		{1280, 800, 1, false, false}, {1280, 800, 2, true, false},
		{640, 1000, 1, true, false}, {900, 560, 1, false, true}, {320, 300, 1, false, false},
	} {
		s, _ := screen(t, Options{Example: "1+2", Dark: c.dark, Class: c.class})
		s.SetSize(c.w, c.h)
		s.Press("e")
		m := snapshot(t, s, c.scale)
		l, p := s.arrange(), circle.Colours(c.dark)
		area := func(r rect) int { return int(r.W * r.H * c.scale * c.scale) }
		n := count(m, l.field, c.scale, p.Raised)
		assert.True(t, n >= area(l.field)/2, "%+v: the line has %d pixels of its ground", c, n)
		assert.True(t, count(m, l.field, c.scale, p.Turning) >= 20, "%+v: no caret", c)
		for name, part := range map[string]struct {
			rect
			ink  color.NRGBA
			most float64 // share of the area
		}{
			"foot": {l.foot, p.Muted, 0.4}, "numbers": {l.numbers, p.Text, 0.4}, "loss": {l.loss, p.Turning, 0.2},
			"shares": {l.shares, p.Answer, 0.2}, "samples": {l.samples, p.Right, 0.3},
			"rule": {l.rule, p.Text, 0.4}, "slider": {l.slider, p.Text, 0.3},
		} {
			if part.rect.Empty() {
				continue
			}
			n := count(m, part.rect, c.scale, part.ink)
			assert.True(t, n >= 8 && float64(n) <= part.most*float64(area(part.rect)),
				"%+v: %s has %d pixels of its colour in %d", c, name, n, area(part.rect))
		}
		whole := rect{W: c.w, H: c.h}
		n = count(m, whole, c.scale, p.Ground)
		assert.True(t, n >= area(whole)/3, "%+v: only %d pixels are ground", c, n)
		// The circle alone, drawn by its own package.
		size, canvas := picturePixels(l.circle, c.scale), assert.Must(circle.NewCanvas())(t)
		alone := displaytest.Picture(t, size.X, size.Y, func(target *ebiten.Image) {
			canvas.Draw(s.View, target, c.scale*s.zoom(l.circle))
		})
		n = size.X*size.Y - count(alone, rect{W: float64(size.X), H: float64(size.Y)}, 1, p.Ground)
		assert.True(t, n >= 500, "%+v: the circle alone has %d pixels", c, n)
		at := image.Pt(int(l.circle.X*c.scale), int(l.circle.Y*c.scale))
		different := 0
		for y := range size.Y {
			for x := range size.X {
				a, b := m.RGBAAt(at.X+x, at.Y+y), alone.RGBAAt(x, y)
				far := func(x, y uint8) bool { return max(x, y)-min(x, y) > 24 }
				if far(a.R, b.R) || far(a.G, b.G) || far(a.B, b.B) {
					different++
				}
			}
		}
		// A line's end between two pixels may fall to the other elsewhere in a texture.
		assert.True(t, different <= 10, "%+v: %d pixels of the circle differ from its own picture", c, different)
		keysOf(s, "Escape ?")
		assert.True(t, count(snapshot(t, s, c.scale), whole, c.scale, p.Raised) >= area(whole)/8,
			"%+v: no help is seen", c)
	}
}

// loop is a window in the loop of the tests.
type loop struct {
	*testing.T
	*Window
}

// look runs f in the loop and waits for it.
func (l loop) look(f func(*Screen)) {
	l.Helper()
	done := make(chan struct{})
	l.Do(func(s *Screen) { f(s); close(done) })
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		l.Fatal("the loop does not wake up")
	}
}

func (l loop) counts() (frames, loops int) {
	l.look(func(*Screen) { frames, loops = l.drawn, displaytest.Loops() })
	return
}

// still waits until nothing moves and all is drawn.
func (l loop) still(what string) {
	l.Helper()
	for begin := time.Now(); time.Since(begin) < 60*time.Second; time.Sleep(50 * time.Millisecond) {
		rests := false
		l.look(func(s *Screen) { rests = s.Resting() && !s.NeedsDraw() && !l.owed && l.Idle() })
		if rests {
			return
		}
	}
	l.Fatalf("%s: it never comes to rest", what)
}

// TestWindow: it draws what comes, stands still in between however long it trains, moves in play, and is recorded.
func TestWindow(t *testing.T) {
	displaytest.Need(t)
	s, _ := screen(t, Options{Example: "1+2"})
	dir := filepath.Join(t.TempDir(), "frames")
	recorder := assert.Must(Record(dir))(t)
	w := assert.Must(New(s, "test", recorder))(t)
	defer displaytest.Play(w)()
	l := loop{t, w}
	l.still("at first")
	s.state = Training
	frames, loops := l.counts()
	time.Sleep(500 * time.Millisecond)
	after, loopsAfter := l.counts()
	assert.True(t, after == frames && loopsAfter-loops <= 6,
		"at rest: %d frames, %d updates in half a second", after-frames, loopsAfter-loops)
	for i := range 3 {
		before, _ := l.counts()
		c := content()
		c.Step = i
		l.look(func(s *Screen) { s.SetContent(c) })
		l.still("new numbers")
		after, _ := l.counts()
		assert.True(t, after != before, "new numbers are not drawn")
	}
	before, _ := l.counts()
	l.look(func(s *Screen) { s.View.SetSpeed(2); s.View.Play() })
	l.still("playing")
	after, _ = l.counts() // of two seconds, on however slow a machine
	assert.True(t, after-before >= 2, "%d frames while four tokens were read", after-before)
	l.look(func(*Screen) { // the test's loop goes on without it
		assert.True(t, s.Resting() && s.View.Where().At == 3, "it does not rest at the end of the text")
	})
	n, err := recorder.Close()
	assert.True(t, err == nil && n >= 3, "%d frames recorded, %v", n, err)
}

// TestResize: at every size the circle has a picture of just its place, and is drawn again.
func TestResize(t *testing.T) {
	displaytest.Need(t)
	s, _ := screen(t, Options{})
	w := assert.Must(New(s, "", nil))(t)
	displaytest.Do(func(*ebiten.Image) {
		for _, size := range [][2]int{{1280, 800}, {640, 1000}, {300, 260}, {1280, 800}} {
			s.SetSize(float64(size[0]), float64(size[1]))
			assert.True(t, s.NeedsDraw(), "%v: a new size needs no drawing", size)
			target := ebiten.NewImage(size[0], size[1])
			w.paint(target)
			target.Deallocate()
			got, want := w.picture.Bounds().Size(), picturePixels(s.arrange().circle, 1)
			assert.Is(t, got, want, "%v: the circle's picture has", size)
			assert.True(t, !s.NeedsDraw(), "%v: once drawn it needs drawing", size)
		}
	})
}
