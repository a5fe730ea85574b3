package circle

import (
	"sync"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"
)

// Pointed is what a pointer, a mouse's, acts on.
type Pointed interface {
	PointerOver(Point)
	PointerDown(Point)
	PointerMove(Point)
	PointerUp()
}

// Loop is what a program that draws a V in ebiten's loop is made on: tasks from other goroutines, time, the pointer,
// and stillness. While nothing moves ebiten neither updates nor draws until there is input or Do is called.
type Loop[V Pointed] struct {
	last    time.Time
	idle    bool
	pointer Point // where it was last

	mu    sync.Mutex
	tasks []func(V)
}

// longestFrame bounds the time that one frame lets pass, in seconds: after a stop nothing leaps.
const longestFrame = 0.25

// Prepare sets what the loop needs of ebiten: a screen that keeps its picture, and one update a frame.
func (*Loop[V]) Prepare() {
	ebiten.SetScreenClearedEveryFrame(false)
	ebiten.SetTPS(ebiten.SyncWithFPS)
}

// Do calls f in the loop, soon. It may be called from any goroutine and does not wait.
func (l *Loop[V]) Do(f func(V)) {
	l.mu.Lock()
	l.tasks = append(l.tasks, f)
	l.mu.Unlock()
	ebiten.ScheduleFrame()
}

// RunTasks calls what Do was given, in its order; an update begins with it.
func (l *Loop[V]) RunTasks(v V) {
	l.mu.Lock()
	tasks := l.tasks
	l.tasks = nil
	l.mu.Unlock()
	for _, f := range tasks {
		f(v)
	}
}

// Point passes the pointer on, scale screen pixels to the pixel, and tells where it is.
func (l *Loop[V]) Point(v V, scale float64) Point {
	x, y := ebiten.CursorPosition()
	at := Point{float64(x) / scale, float64(y) / scale}
	if at != l.pointer {
		l.pointer = at
		v.PointerOver(at)
	}
	switch {
	case inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft):
		v.PointerDown(at)
	case inpututil.IsMouseButtonJustReleased(ebiten.MouseButtonLeft):
		v.PointerUp()
	case ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft):
		v.PointerMove(at)
	}
	return at
}

// DeviceScale is how many screen pixels a device-independent pixel has.
func (*Loop[V]) DeviceScale() float64 {
	if m := ebiten.Monitor(); m != nil {
		return m.DeviceScaleFactor()
	}
	return 1
}

// Layout implements ebiten.Game; ebiten asks LayoutF in its place.
func (*Loop[V]) Layout(w, h int) (int, int) { return w, h }

// Idle reports whether the loop is at rest.
func (l *Loop[V]) Idle() bool { return l.idle }

// Tick is the time since the last update, 0 after a rest, and the seconds of it that what is drawn moves on by.
func (l *Loop[V]) Tick() (since time.Duration, dt float64) {
	now := time.Now()
	if !l.last.IsZero() && !l.idle {
		since = now.Sub(l.last)
	}
	l.last = now
	return since, min(since.Seconds(), longestFrame)
}

// Rest stops ebiten's loop or lets it run. ebiten calls this mode deprecated in favour of skipping Draw, but that
// alone goes on updating at the display's rate; the mode is the only thing that stops the loop.
func (l *Loop[V]) Rest(idle bool) {
	if idle == l.idle {
		return
	}
	l.idle = idle
	if idle {
		ebiten.SetFPSMode(ebiten.FPSModeVsyncOffMinimum)
		return
	}
	ebiten.SetFPSMode(ebiten.FPSModeVsyncOn)
	ebiten.ScheduleFrame()
}
