//go:build js

package main

import (
	"syscall/js"
	"unsafe"

	"mhacsp/wasm/crew"
)

// wire carries a crew's messages to another Worker and back, in a buffer that both have in turn: shared memory where
// the page is isolated from other origins, else memory that changes hands.
type wire struct {
	far js.Value // where messages are posted: a Worker, or a Worker's own scope
	// buffer is a Uint8Array of what came last. Who has answered or asked leaves it alone until the other has.
	buffer js.Value
	here   crew.Message // memory of what comes
}

// send posts a message; its numbers are copied.
func (w *wire) send(m crew.Message) {
	g := js.Global()
	ints, floats := bytesOf(m.Ints), bytesOf(m.Floats)
	shared := g.Get("crossOriginIsolated").Truthy()
	if n := len(ints) + len(floats); !w.buffer.Truthy() || w.buffer.Length() < n {
		kind := "ArrayBuffer"
		if shared {
			kind = "SharedArrayBuffer"
		}
		w.buffer = g.Get("Uint8Array").New(g.Get(kind).New(n))
	}
	js.CopyBytesToJS(w.buffer, ints)
	js.CopyBytesToJS(w.buffer.Call("subarray", len(ints)), floats)
	buffer := w.buffer.Get("buffer")
	letter := map[string]any{"buffer": buffer, "ints": len(m.Ints), "floats": len(m.Floats)}
	if shared {
		w.far.Call("postMessage", letter)
	} else {
		w.far.Call("postMessage", letter, []any{buffer})
		w.buffer = js.Undefined()
	}
}

// receive is the message in what was posted; ok is false where there is none. It lies where the last one lay.
func (w *wire) receive(data js.Value) (m crew.Message, ok bool) {
	buffer := data.Get("buffer")
	if !buffer.Truthy() {
		return m, false
	}
	w.buffer = js.Global().Get("Uint8Array").New(buffer)
	m.Ints = room(&w.here.Ints, data.Get("ints").Int())
	m.Floats = room(&w.here.Floats, data.Get("floats").Int())
	js.CopyBytesToGo(bytesOf(m.Ints), w.buffer)
	js.CopyBytesToGo(bytesOf(m.Floats), w.buffer.Call("subarray", 4*len(m.Ints)))
	return m, true
}

// room makes a list long enough and returns its first n elements.
func room[T any](list *[]T, n int) []T {
	if len(*list) < n {
		*list = make([]T, n+n/4)
	}
	return (*list)[:n]
}

// bytesOf is a list's memory. Both ends are the same program, so they agree on what it says.
func bytesOf[T int32 | float32](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), 4*len(list))
}
