package circle

import (
	"unicode"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"
)

// Game runs a View in ebiten's loop: time, keys, pointer, and stillness. While nothing moves ebiten neither updates
// nor draws until there is input or Do is called.
type Game struct {
	Loop[*View]
	After func() // where set, is called in the loop after every update

	view   *View
	canvas *Canvas
	scale  float64
	drawn  int // frames, for tests
}

// NewGame makes the loop of a view. Hand it to ebiten.RunGame after Prepare.
func NewGame(v *View) (*Game, error) {
	c, err := NewCanvas()
	if err != nil {
		return nil, err
	}
	return &Game{view: v, canvas: c, scale: 1}, nil
}

// Update implements ebiten.Game.
func (g *Game) Update() error {
	g.RunTasks(g.view)
	g.input()
	_, dt := g.Tick()
	g.view.Update(dt)
	g.Rest(!g.view.NeedsTime())
	if g.After != nil {
		g.After()
	}
	return nil
}

// Draw implements ebiten.Game. What is on the screen stays where nothing changed.
func (g *Game) Draw(screen *ebiten.Image) {
	if !g.view.NeedsDraw() {
		return
	}
	g.canvas.Draw(g.view, screen, g.scale)
	g.drawn++
}

// LayoutF implements ebiten.LayoutFer: one screen pixel per device pixel. A view smaller than Smallest is scaled down.
func (g *Game) LayoutF(w, h float64) (float64, float64) {
	device := g.DeviceScale()
	w, h = max(w, 1), max(h, 1)
	shrink := min(1, w/Smallest, h/Smallest)
	if scale := device * shrink; scale != g.scale {
		g.scale = scale
		g.view.Redraw()
	}
	g.view.SetSize(w/shrink, h/shrink)
	return w * device, h * device
}

func (g *Game) input() {
	for _, k := range inpututil.AppendJustPressedKeys(nil) {
		g.view.Press(Key(k.String()))
	}
	for _, r := range ebiten.AppendInputChars(nil) {
		g.view.Press(Key(unicode.ToLower(r)))
	}
	at := g.Point(g.view, g.scale)
	shape := ebiten.CursorShapeDefault
	if g.view.Clickable(at) {
		shape = ebiten.CursorShapePointer
	}
	ebiten.SetCursorShape(shape)
}
