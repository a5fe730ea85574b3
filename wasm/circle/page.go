//go:build js

package main

import (
	"syscall/js"

	"mhacsp/site/circle"
)

// page is the page around the frame, and the frame's own document.
type page struct {
	window, document js.Value
	status           js.Value // words for those who do not see the picture
	said             string
}

func newPage() *page {
	w := js.Global()
	d := w.Get("document")
	return &page{window: w, document: d, status: d.Call("getElementById", "status")}
}

// framed tells whether there is a page around the frame.
func (p *page) framed() bool { return !p.window.Get("parent").Equal(p.window.Get("self")) }

// post sends a message to the page around the frame, if it is of the same origin.
func (p *page) post(kind string, fields map[string]any) {
	if !p.framed() {
		return
	}
	m := map[string]any{"mhacsp": "circle", "type": kind}
	for k, v := range fields {
		m[k] = v
	}
	p.window.Get("parent").Call("postMessage", m, p.origin())
}

// origin is where messages go. Pages opened from files have the origin "null", which cannot be named as a target.
func (p *page) origin() string {
	if o := p.window.Get("location").Get("origin").String(); o != "null" {
		return o
	}
	return "*"
}

// listen hands on every message of the page around the frame that is meant for the circle.
func (p *page) listen(hear func(message)) {
	p.on(p.window, "message", func(e js.Value) {
		sameOrigin := e.Get("origin").Equal(p.window.Get("location").Get("origin"))
		fromParent := e.Get("source").Equal(p.window.Get("parent"))
		data := e.Get("data")
		if !sameOrigin || !fromParent || !p.framed() || data.Type() != js.TypeObject {
			return
		}
		if m := (message{data}); m.text("mhacsp") == "circle" {
			hear(m)
		}
	})
}

// on listens for an event before any listener of the elements inside.
func (p *page) on(at js.Value, event string, f func(e js.Value)) {
	at.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	}), true)
}

// filterInput keeps from ebiten what the circle does not use, since ebiten suppresses the browser's own action for all
// that it gets: keys (Tab must leave the frame), the wheel and touches (the page must scroll; a tap still arrives as a
// click).
func (p *page) filterInput(keys []circle.Key) {
	known := map[string]bool{}
	for _, k := range keys {
		known[string(k)] = true
	}
	for _, event := range []string{"keydown", "keyup"} {
		p.on(p.window, event, func(e js.Value) {
			chord := e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool() || e.Get("altKey").Bool()
			code, key := e.Get("code"), e.Get("key") // undefined where a form is filled in by the browser
			ours := code.Type() == js.TypeString && known[code.String()] || key.Type() == js.TypeString && (known[key.String()] || key.String() == "H")
			if chord || !ours {
				e.Call("stopImmediatePropagation")
			}
		})
	}
	for _, event := range []string{"wheel", "touchstart", "touchmove", "touchend", "contextmenu", "dragover", "drop"} {
		p.on(p.window, event, func(e js.Value) { e.Call("stopImmediatePropagation") })
	}
}

// touches lets a finger scrub on the track. It comes as a touch only here: a tap still arrives as a click, and the page
// scrolls by what is not sideways (touch-action in frame.html).
func (p *page) touches(game *circle.Game) {
	for event, f := range map[string]func(v *circle.View, x, y float64){
		"touchstart": (*circle.View).TouchDown, "touchmove": (*circle.View).TouchMove,
		"touchend":    func(v *circle.View, _, _ float64) { v.PointerUp() },
		"touchcancel": func(v *circle.View, _, _ float64) { v.PointerUp() },
	} {
		p.on(p.window, event, func(e js.Value) {
			t := e.Get("changedTouches").Index(0)
			x, y := t.Get("clientX").Float()/p.window.Get("innerWidth").Float(), t.Get("clientY").Float()/p.window.Get("innerHeight").Float()
			game.Do(func(v *circle.View) { f(v, x, y) })
		})
	}
}

// canvasReady names ebiten's canvas for assistive technology and gives it its place in the order of focus.
func (p *page) canvasReady() {
	c := p.document.Call("querySelector", "canvas")
	if !c.Truthy() {
		return
	}
	c.Call("setAttribute", "tabindex", "0")
	c.Call("setAttribute", "role", "application")
	c.Call("setAttribute", "aria-label", "Phase circle. Space plays, arrow keys step, 1 to 5 choose the layer, H the head.")
	c.Call("setAttribute", "aria-describedby", "status")
	c.Get("style").Call("removeProperty", "outline")
}

// describe puts the picture into words when it rests.
func (p *page) describe(v *circle.View) {
	if !p.status.Truthy() || !v.Resting() {
		return
	}
	if s := v.Describe(); s != p.said {
		p.said = s
		p.status.Set("textContent", s)
	}
}
