//go:build js

package main

import (
	"maps"
	"syscall/js"

	"mhacsp/site/circle"
)

// page is what the program has of the page around its frame. The frame's scripts (site/circle/start.js, worker.js)
// give it as the global object "circle", on the thread that the program runs on.
type page struct {
	frame      js.Value
	said, text string // the words, and the reading that they are of
}

// post sends a message to the page around the frame.
func (p *page) post(kind string, fields map[string]any) {
	m := map[string]any{"type": kind}
	maps.Copy(m, fields)
	p.frame.Call("post", m)
}

// listen hands on every message that is meant for the circle.
func (p *page) listen(hear func(message)) {
	p.frame.Set("hear", js.FuncOf(func(_ js.Value, args []js.Value) any {
		hear(message{args[0]})
		return nil
	}))
}

// keys tells the frame which keys the circle uses; it passes no others on.
func (p *page) keys(all []circle.Key) {
	list := make([]any, len(all))
	for i, k := range all {
		list[i] = string(k)
	}
	p.frame.Call("keys", list)
}

// describe puts the picture into words when it rests, and when it is of another text.
func (p *page) describe(v *circle.View) {
	if v.Resting() || v.Text() != p.text {
		if s := v.Describe(); s != p.said {
			p.said, p.text = s, v.Text()
			p.frame.Call("say", s)
		}
	}
}
