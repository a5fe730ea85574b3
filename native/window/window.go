package window

import (
	"image"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"mhacsp/site/circle"
)

// Window runs a Screen in ebiten's loop. While nothing changes ebiten neither updates nor draws until there is input
// or Do is called, so that a window at rest takes no time from training.
type Window struct {
	circle.Loop[*Screen]
	screen   *Screen
	canvas   *circle.Canvas
	picture  *ebiten.Image // of the circle
	recorder *Recorder
	title    string

	scale float64
	drawn int // frames, for tests

	drew  bool         // in the frame before
	frame atomic.Int64 // how long the last frame took that drew, in nanoseconds

	owed     bool      // something drawn is not recorded yet
	recorded time.Time // when the last frame was taken
}

// picturePixels is the size of the circle's picture.
func picturePixels(r rect, scale float64) image.Point {
	return image.Pt(max(int(r.W*scale), 1), max(int(r.H*scale), 1))
}

// New makes the window of a screen. recorder may be nil.
func New(s *Screen, title string, recorder *Recorder) (*Window, error) {
	c, err := circle.NewCanvas()
	if err != nil {
		return nil, err
	}
	return &Window{screen: s, canvas: c, scale: 1, title: title, recorder: recorder}, nil
}

// Run opens the window and returns when it is closed. Call it in the main goroutine.
func (w *Window) Run(width, height int, fullScreen bool) error {
	w.Prepare()
	ebiten.SetWindowSize(width, height)
	ebiten.SetWindowTitle(w.title)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	ebiten.SetWindowSizeLimits(circle.Smallest, circle.Smallest, -1, -1)
	w.screen.fullScreen = fullScreen
	ebiten.SetFullscreen(fullScreen)
	return ebiten.RunGame(w)
}

// Close ends Run, soon.
func (w *Window) Close() { w.Do(func(s *Screen) { s.closing = true }) }

// FrameTime is how long the last frame took that drew something, its way to the display included, or the display's
// own period where that is longer. It may be called from any goroutine.
func (w *Window) FrameTime() time.Duration { return time.Duration(w.frame.Load()) }

// Update implements ebiten.Game.
func (w *Window) Update() error {
	w.RunTasks(w.screen)
	full := w.screen.fullScreen
	w.input()
	if w.screen.fullScreen != full {
		ebiten.SetFullscreen(w.screen.fullScreen)
	}
	if w.screen.closing {
		return ebiten.Termination
	}
	if w.recorder != nil {
		if err := w.recorder.Err(); err != nil {
			return err
		}
	}
	since, dt := w.Tick()
	if w.drew && since > 0 { // ebiten updates again right after a frame, unless it waits for input
		w.frame.Store(int64(since))
	}
	w.drew = false
	w.screen.Update(dt)
	if w.screen.closesAtRest && w.screen.Resting() && !w.screen.NeedsDraw() && !w.owed {
		return ebiten.Termination
	}
	w.Rest(!w.screen.NeedsTime() && !w.owed)
	return nil
}

// Draw implements ebiten.Game. What is on the screen stays where nothing changed.
func (w *Window) Draw(screen *ebiten.Image) {
	if w.screen.NeedsDraw() {
		w.paint(screen)
		w.drawn++
		w.drew = true
		w.owed = w.recorder != nil
	}
	if w.owed && time.Since(w.recorded) >= w.recorder.Period() {
		w.owed, w.recorded = false, time.Now()
		frame := image.NewRGBA(screen.Bounds())
		screen.ReadPixels(frame.Pix)
		w.recorder.Add(frame, w.recorded)
	}
}

// paint draws all of the screen; a circle only where it changed.
func (w *Window) paint(screen *ebiten.Image) {
	s := w.screen
	l := s.arrange()
	shown := !s.adding.shown
	if shown {
		w.draw(l.circle)
	}
	colours := circle.Colours(s.dark)
	w.canvas.Paint(screen, w.scale, colours.Ground, func(p circle.Pen) { s.paint(p) })
	if shown {
		op := &ebiten.DrawImageOptions{}
		op.GeoM.Translate(float64(int(l.circle.X*w.scale)), float64(int(l.circle.Y*w.scale)))
		screen.DrawImage(w.picture, op)
	}
	if at := s.chartAt(&l); !at.Empty() {
		w.canvas.Over(screen, w.scale, func(p circle.Pen) { s.paintPointed(p, &l, at) })
	}
	if s.help {
		w.canvas.Over(screen, w.scale, func(p circle.Pen) { s.paintHelp(p) })
	}
	s.dirty = false
}

// draw brings the picture of the circle up to what it shows.
func (w *Window) draw(at rect) {
	view, size := w.screen.View, picturePixels(at, w.scale)
	if w.picture == nil || w.picture.Bounds().Size() != size {
		if w.picture != nil {
			w.picture.Deallocate()
		}
		w.picture = ebiten.NewImage(size.X, size.Y)
		view.Redraw()
	}
	if view.NeedsDraw() {
		w.canvas.Draw(view, w.picture, w.scale*w.screen.zoom(at))
	}
}

// LayoutF implements ebiten.LayoutFer: one screen pixel per device pixel.
func (w *Window) LayoutF(width, height float64) (float64, float64) {
	scale := w.DeviceScale()
	if scale != w.scale {
		w.scale = scale
		w.screen.dirty = true
		w.screen.View.Redraw()
	}
	width, height = max(width, 1), max(height, 1)
	w.screen.SetSize(width, height)
	return width * scale, height * scale
}

// named is what Press calls a key, with "Ctrl+" before a letter where held. Ebiten calls keys as a US keyboard does:
// which letter a key has on the user's keyboard comes from printed, "" where that is not known.
func named(k ebiten.Key, held bool, printed func(ebiten.Key) string) Key {
	name := k.String()
	if !held {
		return Key(name)
	}
	if x := printed(k); len(x) == 1 && (len(name) == 1 || unicode.IsLetter(rune(x[0]))) { // not ц: it has no name here
		name = strings.ToUpper(x)
	}
	if len(name) == 1 {
		name = "Ctrl+" + name
	}
	return Key(name)
}

// repeats are the keys that act again while held: after a while, then often.
var repeats = []ebiten.Key{
	ebiten.KeyBackspace, ebiten.KeyDelete, ebiten.KeyArrowLeft,
	ebiten.KeyArrowRight, ebiten.KeyPageUp, ebiten.KeyPageDown,
}

// input passes keys and pointer on. Characters go to the line while it is edited; elsewhere a letter is a key.
func (w *Window) input() {
	s := w.screen
	held := ebiten.IsKeyPressed(ebiten.KeyControl) || ebiten.IsKeyPressed(ebiten.KeyMeta)
	typing := s.typing
	for _, k := range inpututil.AppendJustPressedKeys(nil) {
		s.Press(named(k, held, ebiten.KeyName))
	}
	for _, k := range repeats {
		if d := inpututil.KeyPressDuration(k); d > 24 && d%3 == 0 {
			s.Press(Key(k.String()))
		}
	}
	if !held {
		for _, r := range ebiten.AppendInputChars(nil) {
			if typing != s.typing { // the letter that opened the line is not part of it
				continue
			}
			if !s.Type(r) {
				s.Press(Key(unicode.ToLower(r)))
			}
		}
	}
	at := w.Point(s, w.scale)
	ebiten.SetCursorShape([...]ebiten.CursorShapeType{
		Plain: ebiten.CursorShapeDefault, Hand: ebiten.CursorShapePointer, Text: ebiten.CursorShapeText,
	}[s.Pointing(at)])
}
