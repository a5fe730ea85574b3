//go:build js

// Command clocks is the program in a Worker that looks for the clocks of a model: package hands behind messages.
package main

import (
	"encoding/json"
	"syscall/js"

	"mhacsp/wasm/hands"
)

func main() {
	g := js.Global()
	text := g.Get("JSON")
	var h hands.Hands
	post := func(kind string, id int, reply any) {
		out, err := hands.Encode(kind, id, reply)
		if err != nil {
			out, _ = hands.Encode("error", id, hands.Mistake{Text: err.Error(), At: -1})
		}
		g.Call("postMessage", text.Call("parse", string(out)))
	}
	take := func(data js.Value) {
		var c hands.Command
		plain := g.Get("Object").Call("assign", g.Get("Object").New(), data)
		file := plain.Get("checkpoint")
		plain.Delete("checkpoint")
		if err := json.Unmarshal([]byte(text.Call("stringify", plain).String()), &c); err != nil {
			post("error", c.ID, hands.Mistake{Text: "the message cannot be read: " + err.Error(), At: -1})
			return
		}
		if file.InstanceOf(g.Get("ArrayBuffer")) {
			bytes := g.Get("Uint8Array").New(file)
			c.Checkpoint = make([]byte, bytes.Length())
			js.CopyBytesToGo(c.Checkpoint, bytes)
		}
		kind, reply := h.Do(c)
		post(kind, c.ID, reply)
	}
	queue := make(chan js.Value, 1000)
	g.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		queue <- args[0].Get("data")
		return nil
	}))
	early := g.Get("early") // what came before the program ran
	for i := range early.Length() {
		take(early.Index(i))
	}
	for data := range queue {
		take(data)
	}
}
