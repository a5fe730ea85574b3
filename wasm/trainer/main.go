//go:build js

// Command trainer is the browser's trainer, for a Web Worker: package session behind the Worker's messages. In
// a Worker named helper it computes parts of another one's training steps.
package main

import (
	"syscall/js"

	"mhacsp/model/backend/cpu/vec"
	"mhacsp/wasm/protocol"
	"mhacsp/wasm/session"
)

func main() {
	if self := js.Global(); self.Get("name").String() == "helper" {
		help(self)
	}
	p := newPort()
	vec.Fuse(true) // for measurements before anything is open
	s := session.New(session.Host{Emit: p.emit, Open: p.open, Fuse: vec.Fuse, Pass: p.pass})
	p.listen(s)
	p.emit(protocol.Ready{Version: version, WebGPU: js.Global().Get("navigator").Get("gpu").Truthy()}, 0)
	s.Run(make(chan struct{})) // until the Worker is ended
}

// version is the commit that was built; the build writes it here.
var version = "unknown"
