package circle

import (
	"image"
	"image/color"
	"math"
	"os"
	"runtime"
	"testing"
	"time"

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

// count is how many pixels in an area are close to a colour.
func count(m *image.RGBA, area image.Rectangle, c color.NRGBA) int {
	n, _, _ := displaytest.Spot(m, area, c)
	return n
}

func pixels(r Rect, scale float64) image.Rectangle {
	return image.Rect(int(r.X*scale), int(r.Y*scale),
		int(math.Ceil(r.Right()*scale)), int(math.Ceil(r.Bottom()*scale)))
}

// TestPicture draws with ebiten and asks which colours stand where.
func TestPicture(t *testing.T) {
	const units = 9
	reading := sample(sum, 2*units, units, 2, 9)
	for t := range reading.State { // turning unit u stands at (u + ½)·40°, holding ones between
		for u := range 2 * units {
			s, c := math.Sincos(2 * math.Pi * (float64(u%units) + 0.5*float64(1-u/units)) / units)
			reading.State[t][u], reading.State[t][2*units+u] = float32(c), float32(s)
		}
	}
	const slots = 5
	slot := func(j int) (length, phase float64) {
		return 0.7 + 0.3*float64(j)/(slots-1), (30 + 72*float64(j)) * math.Pi / 180
	}
	for range reading.State {
		row := make([]float32, 2*slots)
		for j := range slots {
			length, phase := slot(j)
			s, c := math.Sincos(phase)
			row[j], row[slots+j] = float32(length*c), float32(length*s)
		}
		reading.Memory = append(reading.Memory, row)
	}
	for _, c := range []struct {
		w, h  int
		scale float64
		dark  bool
	}{{1280, 720, 1, false}, {1280, 720, 1, true}, {390, 844, 2, true}, {280, 280, 1, false}, {1920, 1080, 2, false}} {
		v := shown(t, reading, float64(c.w), float64(c.h))
		v.SetTheme(c.dark)
		m := snapshot(t, v, c.w, c.h, c.scale)
		l, p := v.arrange(), &v.theme
		around := func(at Point, r float64) image.Rectangle {
			return pixels(Rect{at.X - r, at.Y - r, 2 * r, 2 * r}, c.scale)
		}
		mark := func(what string, u int, radius, phase, size, share float64, ink color.NRGBA) {
			t.Helper()
			at, px := OnCircle(l.Center, radius, phase), size*c.scale
			n, x, y := displaytest.Spot(m, around(at, 2*size), ink)
			least, most := 0.6*share*(px-1)*(px-1), 1.2*share*(px+0.5)*(px+0.5)
			assert.True(t, float64(n) >= least && float64(n) <= most,
				"%+v: %s unit %d has %d pixels at its phase, want %.0f to %.0f", c, what, u, n, least, most)
			d := math.Hypot(x-at.X*c.scale, y-at.Y*c.scale)
			assert.True(t, n == 0 || d <= 0.8, "%+v: %s unit %d stands %.1f pixels from its phase", c, what, u, d)
		}
		dot := l.dotRadius(units)
		for u := range units {
			mark("turning", u, l.Radius, 2*math.Pi*(float64(u)+0.5)/units, dot, math.Pi, p.Turning)
			mark("holding", u, l.Radius*holdRing, 2*math.Pi*float64(u)/units, 1.2*dot, 2, p.Holding)
		}
		for j := range slots {
			length, phase := slot(j)
			size := max(0.55*l.dotRadius(slots), 1.6)
			mark("memory", j, l.Radius*answerRing*math.Sqrt(length), phase, size, math.Pi, p.Memory)
		}
		got := count(m, m.Rect, p.Ground)
		assert.True(t, got >= m.Rect.Dx()*m.Rect.Dy()/3, "%+v: only %d pixels are of the ground's colour", c, got)
		assert.True(t, displaytest.Alike(m.RGBAAt(0, 0), p.Ground), "%+v: the corner is %v", c, m.RGBAAt(0, 0))
		sum := reading.Sum(v.player.at)
		phase := math.Atan2(imag(sum), real(sum))
		for _, share := range []float64{0.2, 0.4} { // along the arrow, whose length is 0.77 here
			at := OnCircle(l.Center, share*l.Radius*answerRing, phase)
			assert.True(t, count(m, around(at, 1), p.Answer) != 0, "%+v: no arrow at %v of its circle", c, share)
			opposite := OnCircle(l.Center, share*l.Radius*answerRing, phase+math.Pi)
			assert.Is(t, count(m, around(opposite, 1), p.Answer), 0, "%+v: the arrow also points the other way", c)
		}
		got = count(m, pixels(l.Bars, c.scale), p.Answer)
		assert.True(t, got >= 100 || l.Bars.Empty(), "%+v: the answer's bar has %d pixels", c, got)
		assert.True(t, count(m, pixels(l.Tokens, c.scale), p.Text) >= 50, "%+v: no text in the line of tokens", c)
	}
}

// TestLegendStandsInside draws the legend at sizes whose type is no whole number of pixels: it keeps to the width it
// was measured with, and nothing of it is drawn in the margin.
func TestLegendStandsInside(t *testing.T) {
	reading := sample(sum, 116, 58, 4, 9)
	seen := 0
	for w := 420; w <= 700; w += 14 {
		for _, scale := range []float64{1, 0.75, 1.25} {
			v := shown(t, reading, float64(w), 420)
			l := v.arrange()
			if l.Legend.Empty() {
				continue
			}
			seen++
			m := snapshot(t, v, w, 420, scale)
			margin := pixels(Rect{l.Legend.Right(), l.Legend.Y, float64(w) - l.Legend.Right(), l.Legend.H}, scale)
			margin.Min.X += 2 // a glyph may end a pixel beyond its place
			all := margin.Intersect(m.Rect)
			assert.Is(t, count(m, margin, v.theme.Ground), all.Dx()*all.Dy(),
				"%d×420, scale %v: pixels of the margin next to the legend that are not drawn on", w, scale)
		}
	}
	assert.Need(t, seen != 0, "no size has a legend")
}

// TestMatrixPicture draws a layer and asks for its colours cell by cell.
func TestMatrixPicture(t *testing.T) {
	reading := sample(sum, 12, 6, 2, 9)
	n := len(sum)
	for i := range n {
		for j := range i + 1 {
			reading.Attention[0][i][j] = 0
			if (i+j)%2 == 0 {
				reading.Attention[0][i][j] = 0.5
			}
		}
	}
	v := shown(t, reading, 1280, 720)
	v.SetLayer(Attention, 0)
	v.Seek(10)
	m := snapshot(t, v, 1280, 720, 1)
	l := v.arrange()
	g := arrangePanel(l.Panel, l.Em, Attention, 2)
	cell := g.matrix.W / float64(n)
	for i := range n {
		for j := range n {
			x, y := g.matrix.X+(float64(j)+0.5)*cell, g.matrix.Y+(float64(i)+0.5)*cell
			want := v.theme.Raised // not read yet, or after the row's token
			if j <= i && i <= 10 {
				want = v.theme.heat[2*(1-(i+j)%2)]
			}
			got := m.RGBAAt(int(x), int(y))
			assert.Need(t, displaytest.Alike(got, want), "cell %d, %d is %v, want %v", i, j, got, want)
		}
	}
	v.SetLayer(Attention, 1)
	assert.True(t, string(snapshot(t, v, 1280, 720, 1).Pix) != string(m.Pix), "two heads look the same")
}

// TestMatricesOfViews: views that one canvas draws have each its own matrix, which is kept while another is drawn and
// goes with its reading or its view.
func TestMatricesOfViews(t *testing.T) {
	const w, h = 1280, 720
	view := func(i int) *View {
		reading := sample(sum, 12, 6, 2, 9)
		for _, row := range reading.Attention[0] {
			clear(row)
		}
		reading.Attention[0][len(sum)-1][i] = 1
		v := shown(t, reading, w, h)
		assert.NoError(t, v.SetLayer(Attention, 0))
		return v
	}
	a, b := view(0), view(8)
	want := snapshot(t, b, w, h, 1)
	got := image.NewRGBA(want.Rect)
	drawn(t, w, h, func(c *Canvas, target *ebiten.Image) {
		kept := func(what string, n int) { assert.Is(t, len(c.matrices), n, "%s: matrices are kept", what) }
		c.Draw(a, target, 1)
		c.Draw(b, target, 1)
		target.ReadPixels(got.Pix)
		kept("two views", 2)
		assert.NoError(t, a.SetReading(sample(sum, 12, 6, 2, 9)))
		c.Draw(a, target, 1)
		kept("a new reading", 2)
		a = nil
		runtime.GC()
		c.Draw(b, target, 1)
		kept("a view that is gone", 1)
	})
	assert.Is(t, differences(got, want), 0, "values of the second view that differ from those of a canvas of its own")
}

// TestFullAtlas makes one canvas draw so many sizes of text that its texture fills again and again: the last picture
// is as from a new one.
func TestFullAtlas(t *testing.T) {
	v := shown(t, sample(sum, 40, 20, 2, 9), 640, 360)
	want := snapshot(t, v, 640, 360, 1)
	grown := 0
	got := drawn(t, 640, 360, func(c *Canvas, target *ebiten.Image) {
		c.atlas = newAtlas(256)
		for i := range 60 {
			c.Draw(v, target, 1+0.05*float64(i))
			grown = max(grown, c.atlas.image.Bounds().Dx())
		}
		c.Draw(v, target, 1)
	})
	assert.Need(t, grown > 256, "the atlas never filled: the test tests nothing")
	assert.Is(t, differences(got, want), 0, "values that differ from a new canvas's")
}

// TestRoundedRect: a rectangle fills its area but for its corners.
func TestRoundedRect(t *testing.T) {
	ink, ground := rgb(0xff0000), rgb(0xffffff)
	m := drawn(t, 60, 40, func(c *Canvas, target *ebiten.Image) {
		c.Paint(target, 1, ground, func(p Pen) { p.Rect(Rect{5, 5, 50, 30}, 10, ink) })
	})
	for want, places := range map[color.NRGBA][]image.Point{
		ink:    {{6, 20}, {53, 20}, {30, 6}, {30, 33}, {9, 9}, {50, 9}, {9, 30}, {50, 30}},
		ground: {{3, 20}, {57, 20}, {30, 3}, {30, 37}, {6, 6}, {53, 6}, {6, 33}, {53, 33}},
	} {
		for _, at := range places {
			got := m.RGBAAt(at.X, at.Y)
			assert.True(t, displaytest.Alike(got, want), "%v has the colour %v, want %v", at, got, want)
		}
	}
}

// TestZigzag: a line has its whole width between two sharp bends too.
func TestZigzag(t *testing.T) {
	ink := rgb(0xff0000)
	ps := []Point{{10, 90}, {16, 10}, {22, 90}, {28, 10}, {34, 90}}
	m := drawn(t, 50, 100, func(c *Canvas, target *ebiten.Image) {
		c.Paint(target, 1, rgb(0xffffff), func(p Pen) { p.Line(ps, 3, ink) })
	})
	for y := 20; y < 80; y++ {
		n := count(m, image.Rect(0, y, 50, y+1), ink)
		assert.True(t, n >= 8, "four strokes have %d pixels at height %d", n, y)
	}
}

// differences is how many values differ by more than their place in a texture may change them.
func differences(a, b *image.RGBA) (n int) {
	for i := range a.Pix {
		if max(a.Pix[i], b.Pix[i])-min(a.Pix[i], b.Pix[i]) > 2 {
			n++
		}
	}
	return n
}

// TestIdle runs the loop of the program: it draws while something moves and stands still afterwards.
func TestIdle(t *testing.T) {
	displaytest.Need(t)
	v := NewView()
	g := assert.Must(NewGame(v))(t)
	defer displaytest.Play(g)()
	read := func() (frames, loops int) {
		done := make(chan struct{})
		g.Do(func(*View) { frames, loops = g.drawn, displaytest.Loops(); done <- struct{}{} })
		select {
		case <-done:
		case <-time.After(60 * time.Second):
			t.Fatal("the loop does not wake up")
		}
		return
	}
	do := func(f func(*View)) { g.Do(f); read() }
	still := func(what string) {
		t.Helper()
		deadline := time.Now().Add(60 * time.Second)
		for { // until what was under way is over
			a, _ := read()
			time.Sleep(300 * time.Millisecond)
			if b, _ := read(); a == b {
				break
			}
			assert.Need(t, !time.Now().After(deadline), "%s: it never stops drawing", what)
		}
		frames, loops := read()
		time.Sleep(time.Second)
		after, loopsAfter := read() // read wakes it
		assert.True(t, after == frames && loopsAfter-loops <= 5,
			"%s: %d frames, %d updates in a second of rest", what, after-frames, loopsAfter-loops)
	}
	still("empty")
	for _, r := range []*Reading{nil, sample(sum, 116, 58, 4, 9)} {
		do(func(v *View) { assert.Is(t, v.SetReading(r), nil, "a reading") })
	}
	still("a reading at rest")

	before, _ := read()
	do(func(v *View) { v.SetSpeed(5); v.Play() })
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if during, _ := read(); during-before >= 3 { // of a play of three seconds, on however slow a machine
			break
		}
		assert.Need(t, !time.Now().After(deadline), "play is not drawn")
	}
	still("after play")

	do(func(v *View) { v.SetSpeed(1); v.Play(); v.SetVisible(false) })
	still("hidden while playing")
	hidden, _ := read()
	do(func(v *View) { v.SetVisible(true); v.Pause() })
	still("seen again and paused")
	seen, _ := read()
	assert.True(t, seen != hidden, "nothing was drawn when it was seen again")
}

// BenchmarkFrame is what a frame in motion with all its trails takes before ebiten gets it.
func BenchmarkFrame(b *testing.B) {
	displaytest.Need(b)
	v, c := NewView(), assert.Must(NewCanvas())(b)
	v.SetSize(1280, 720)
	assert.NoError(b, v.SetReading(sample(sum, 116, 58, 4, 9)))
	v.player.from, v.player.moved = 3, 0.5
	displaytest.Do(func(*ebiten.Image) {
		c.atlas, c.scale = newAtlas(firstAtlas), 1
		for b.Loop() {
			v.paint(c)
			b.ReportMetric(float64(len(c.vertices)), "vertices")
			c.vertices, c.indices = c.vertices[:0], c.indices[:0]
		}
	})
}
