package circle

import (
	"sync"
	"time"
	"unicode"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"
)

// Game runs a View in ebiten's loop: time, keys, pointer, and stillness. While nothing moves ebiten neither updates
// nor draws until there is input or Do is called.
type Game struct {
	view   *View
	canvas *Canvas
	last   time.Time
	idle   bool
	scale  float64
	drawn  int

	mu    sync.Mutex
	tasks []func(*View)
}

// longestFrame bounds the time that one frame lets pass: after a stop nothing leaps.
const longestFrame = 0.25

// NewGame makes the loop of a view. Hand it to ebiten.RunGame after Prepare.
func NewGame(v *View) (*Game, error) {
	c, err := NewCanvas()
	if err != nil {
		return nil, err
	}
	return &Game{view: v, canvas: c, scale: 1}, nil
}

// Prepare sets what a Game needs of ebiten: a screen that keeps its picture, and one update a frame.
func (*Game) Prepare() {
	ebiten.SetScreenClearedEveryFrame(false)
	ebiten.SetTPS(ebiten.SyncWithFPS)
}

// Do calls f with the view in the loop, soon. It may be called from any goroutine and does not wait.
func (g *Game) Do(f func(*View)) {
	g.mu.Lock()
	g.tasks = append(g.tasks, f)
	g.mu.Unlock()
	ebiten.ScheduleFrame()
}

// Frames is how many frames were drawn, of use in tests and measurements. Call it in the loop (Do).
func (g *Game) Frames() int { return g.drawn }

// Update implements ebiten.Game.
func (g *Game) Update() error {
	g.mu.Lock()
	tasks := g.tasks
	g.tasks = nil
	g.mu.Unlock()
	for _, f := range tasks {
		f(g.view)
	}
	g.input()
	now := time.Now()
	dt := min(now.Sub(g.last).Seconds(), longestFrame)
	if g.last.IsZero() || g.idle {
		dt = 0
	}
	g.last = now
	g.view.Update(dt)
	g.rest(!g.view.NeedsTime())
	return nil
}

// rest stops ebiten's loop or lets it run. ebiten calls this mode deprecated in favour of skipping Draw, but that
// alone goes on updating at the display's rate; the mode is the only thing that stops the loop.
func (g *Game) rest(idle bool) {
	if idle == g.idle {
		return
	}
	g.idle = idle
	if idle {
		ebiten.SetFPSMode(ebiten.FPSModeVsyncOffMinimum)
		return
	}
	ebiten.SetFPSMode(ebiten.FPSModeVsyncOn)
	ebiten.ScheduleFrame()
}

// Draw implements ebiten.Game. What is on the screen stays where nothing changed.
func (g *Game) Draw(screen *ebiten.Image) {
	if !g.view.NeedsDraw() {
		return
	}
	g.canvas.Draw(g.view, screen, g.scale)
	g.drawn++
}

// Layout implements ebiten.Game.
func (g *Game) Layout(w, h int) (int, int) {
	x, y := g.LayoutF(float64(w), float64(h))
	return int(x), int(y)
}

// LayoutF implements ebiten.LayoutFer: one screen pixel per device pixel. A view smaller than Smallest is scaled down.
func (g *Game) LayoutF(w, h float64) (float64, float64) {
	device := 1.0
	if m := ebiten.Monitor(); m != nil {
		device = m.DeviceScaleFactor()
	}
	w, h = max(w, 1), max(h, 1)
	shrink := min(1, w/Smallest, h/Smallest)
	if scale := device * shrink; scale != g.scale {
		g.scale = scale
		g.view.Redraw()
	}
	g.view.SetSize(w/shrink, h/shrink)
	return w * device, h * device
}

// input passes keys and pointer on.
func (g *Game) input() {
	for _, k := range inpututil.AppendJustPressedKeys(nil) {
		g.view.Press(Key(k.String()))
	}
	for _, r := range ebiten.AppendInputChars(nil) {
		g.view.Press(Key(unicode.ToLower(r)))
	}
	x, y := ebiten.CursorPosition()
	at := Point{float64(x) / g.scale, float64(y) / g.scale}
	switch {
	case inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft):
		g.view.PointerDown(at)
	case inpututil.IsMouseButtonJustReleased(ebiten.MouseButtonLeft):
		g.view.PointerUp()
	case ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft):
		g.view.PointerMove(at)
	}
	shape := ebiten.CursorShapeDefault
	if g.view.Clickable(at) {
		shape = ebiten.CursorShapePointer
	}
	ebiten.SetCursorShape(shape)
}
