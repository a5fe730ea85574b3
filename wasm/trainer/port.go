//go:build js

package main

import (
	"syscall/js"

	"mhacsp/wasm/protocol"
	"mhacsp/wasm/session"
)

// port is the Worker's end of the channel to the page.
type port struct {
	self  js.Value // the Worker's global scope
	json  js.Value
	bytes js.Value      // Uint8Array
	ping  js.Value      // one end of a MessageChannel; what is posted there comes after the messages that wait
	pong  chan struct{} // it came
}

func newPort() *port {
	g := js.Global()
	p := &port{self: g, json: g.Get("JSON"), bytes: g.Get("Uint8Array"), pong: make(chan struct{}, 1)}
	channel := g.Get("MessageChannel").New()
	p.ping = channel.Get("port1")
	channel.Get("port2").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		p.pong <- struct{}{}
		return nil
	}))
	return p
}

// pass returns when the browser has delivered the messages that were waiting.
func (p *port) pass() {
	p.ping.Call("postMessage", js.Null())
	<-p.pong
}

// listen hands the page's messages to the session, those that came before the program ran first.
func (p *port) listen(s *session.Session) {
	take := func(data js.Value) {
		c, err := p.command(data)
		if err == nil {
			s.Send(c)
			return
		}
		p.emit(protocol.Refused(err), c.ID)
	}
	p.self.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		take(args[0].Get("data"))
		return nil
	}))
	if early := p.self.Get("early"); early.Truthy() {
		for i := range early.Length() {
			take(early.Index(i))
		}
		p.self.Delete("early")
	}
}

// command reads a message of the page.
func (p *port) command(data js.Value) (protocol.Command, error) {
	if data.Type() != js.TypeObject {
		return protocol.Command{}, &protocol.Error{Text: "a message is no object; send one with a type", At: -1}
	}
	plain := js.Global().Get("Object").Call("assign", js.Global().Get("Object").New(), data)
	buffers := map[string][]byte{}
	for _, name := range []string{"checkpoint", "state", "train", "validation", "test"} { // sent as ArrayBuffers
		v := plain.Get(name)
		plain.Delete(name)
		if v.InstanceOf(js.Global().Get("ArrayBuffer")) {
			v = p.bytes.New(v)
		}
		if v.InstanceOf(p.bytes) {
			buffers[name] = make([]byte, v.Length())
			js.CopyBytesToGo(buffers[name], v)
		}
	}
	c, err := protocol.ParseCommand([]byte(p.json.Call("stringify", plain).String()))
	if err != nil {
		return c, err
	}
	return c, c.Attach(buffers)
}

func (p *port) emit(e protocol.Event, id int) {
	text, err := protocol.Encode(e, id)
	if err != nil {
		text, _ = protocol.Encode(&protocol.Error{Text: err.Error(), At: -1}, id) // a plain text can always be written
	}
	message := p.json.Call("parse", string(text))
	transfer := js.Global().Get("Array").New()
	if saved, ok := e.(protocol.Saved); ok {
		for name, data := range saved.Files() {
			v := p.bytes.New(len(data))
			js.CopyBytesToJS(v, data)
			message.Set(name, v.Get("buffer"))
			transfer.Call("push", v.Get("buffer"))
		}
	}
	p.self.Call("postMessage", message, transfer)
}
