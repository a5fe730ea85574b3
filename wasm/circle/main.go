//go:build js

// Command circle is the phase circle behind an iframe's canvas: site/circle's frame.html loads it, the
// page that holds the frame commands it by messages of the form {mhacsp: "circle", type: …}. It runs in a
// Worker of the frame, or in the frame where the browser cannot draw in a Worker; the frame's scripts hand
// it only what the page around the frame says.
//
// It hears
//
//	reading  {reading}                 what to draw, package circle's Reading; null: nothing
//	dials    {dials}                   its clocks, the message dials of package hands; or {none}: lines of text; null: none yet
//	view     {name}                    clocks or units: what is shown
//	play, pause
//	step     {by}                      tokens, back where negative
//	seek     {at}                      index of a token
//	speed    {charactersPerSecond}
//	layer    {name, head}              none, distance, tree, fusion, attention; heads count from 0
//	theme    {dark}
//	motion   {reduced}
//	visible  {visible}                 false stops all drawing and time
//	touch    {phase, x, y}             a finger's down, move or up, x and y as shares of the frame; the frame sends it
//
// and posts
//
//	ready                              commands may come; also after a reload that a lost graphics context forces
//	position {at, playing, layer, head, charactersPerSecond}   whenever one of them changed; at is −1 without a reading
//	unit     {unit}                    the pointer rests on the dot or the dial of a unit with a phase; −1: it left
//	error    {text}                    a command that could not be followed, and why
package main

import (
	"cmp"
	"fmt"
	"syscall/js"

	"github.com/hajimehoshi/ebiten/v2"

	"mhacsp/site/circle"
)

func main() {
	page := &page{frame: js.Global().Get("circle")}
	if err := run(page); err != nil {
		page.post("error", map[string]any{
			"text": "The circle stopped: " + err.Error() + ". Reload the page to see it again.",
		})
	}
}

func run(page *page) error {
	view := circle.NewView()
	view.SetTheme(page.frame.Get("dark").Truthy()) // for the first picture
	game, err := circle.NewGame(view)
	if err != nil {
		return err
	}
	view.Position = func(p circle.Position) {
		page.post("position", map[string]any{
			"at": p.At, "playing": p.Playing, "layer": p.Layer.String(), "head": p.Head,
			"charactersPerSecond": p.Speed,
		})
	}
	view.Pointed = func(unit int) { page.post("unit", map[string]any{"unit": unit}) }
	game.Prepare()
	page.listen(func(m message) {
		command, err := parse(m)
		if err != nil {
			page.post("error", map[string]any{"text": err.Error()})
			return
		}
		game.Do(func(v *circle.View) {
			if err := command(v); err != nil {
				page.post("error", map[string]any{"text": err.Error()})
			}
		})
	})
	page.keys(circle.Keys())
	started := false
	game.After = func() {
		if !started {
			started = true
			page.frame.Call("ready") // ebiten's canvas is there
			page.post("ready", nil)
		}
		page.describe(view)
		page.frame.Call("rest", game.Idle()) // at rest the program waits for a message and needs no frames
	}
	return ebiten.RunGame(game)
}

// parse turns a message into what it does to the view.
func parse(m message) (func(*circle.View) error, error) {
	always := func(f func(*circle.View)) (func(*circle.View) error, error) {
		return func(v *circle.View) error { f(v); return nil }, nil
	}
	switch kind := m.text("type"); kind {
	case "reading":
		r, err := m.reading()
		return func(v *circle.View) error { return v.SetReading(r) }, err
	case "dials":
		d, err := m.dials()
		return func(v *circle.View) error { return v.SetDials(d) }, err
	case "view":
		name := m.text("name")
		if name != "clocks" && name != "units" {
			return nil, fmt.Errorf("view is %q: send clocks or units", name)
		}
		return always(func(v *circle.View) { v.SetClocks(name == "clocks") })
	case "play":
		return always((*circle.View).Play)
	case "pause":
		return always((*circle.View).Pause)
	case "step":
		by, err := m.number("by")
		return func(v *circle.View) error { v.Step(int(by)); return nil }, err
	case "seek":
		at, err := m.number("at")
		return func(v *circle.View) error { v.Seek(int(at)); return nil }, err
	case "speed":
		speed, err := m.number("charactersPerSecond")
		return func(v *circle.View) error { return v.SetSpeed(speed) }, err
	case "layer":
		layer, err := circle.ParseLayer(m.text("name"))
		if err != nil {
			return nil, err
		}
		head := 0.0
		if m.has("head") {
			head, err = m.number("head")
		}
		return func(v *circle.View) error { return v.SetLayer(layer, int(head)) }, err
	case "theme":
		return always(func(v *circle.View) { v.SetTheme(m.truth("dark")) })
	case "motion":
		return always(func(v *circle.View) { v.SetReducedMotion(m.truth("reduced")) })
	case "visible":
		return always(func(v *circle.View) { v.SetVisible(m.truth("visible")) })
	case "touch":
		return touch(m)
	default:
		return nil, fmt.Errorf("message type %q is not known: "+
			"send reading, dials, view, play, pause, step, seek, speed, layer, theme, motion, visible or touch", kind)
	}
}

// touch lets a finger scrub on the track.
func touch(m message) (func(*circle.View) error, error) {
	x, err := m.number("x")
	y, failed := m.number("y")
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	switch phase := m.text("phase"); phase {
	case "down":
		return func(v *circle.View) error { v.TouchDown(x, y); return nil }, nil
	case "move":
		return func(v *circle.View) error { v.TouchMove(x, y); return nil }, nil
	case "up":
		return func(v *circle.View) error { v.PointerUp(); return nil }, nil
	default:
		return nil, fmt.Errorf("phase of a touch is %q: send down, move or up", phase)
	}
}
