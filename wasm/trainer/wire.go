//go:build js

package main

import (
	"syscall/js"
	"unsafe"

	"mhacsp/wasm/pool"
)

// wire carries a pool's messages to another Worker and back. The script that started the program copies the numbers.
type wire struct {
	far  js.Value     // where messages are posted: a Worker, or a Worker's own scope
	here pool.Message // memory of what comes
}

// send posts a message; its numbers are copied.
func (w *wire) send(m pool.Message) {
	js.Global().Call("poolSend", w.far, address(m.Ints), len(m.Ints), address(m.Floats), len(m.Floats))
}

// receive is the message in what was posted, or an empty one. It lies where the last one lay.
func (w *wire) receive(data js.Value) (m pool.Message) {
	n := data.Get("ints")
	if n.Type() != js.TypeNumber {
		return m
	}
	m.Ints, m.Floats = room(&w.here.Ints, n.Int()), room(&w.here.Floats, data.Get("floats").Int())
	js.Global().Call("poolTake", w.far, data, address(m.Ints), address(m.Floats))
	return m
}

// room makes a list long enough and returns its first n elements.
func room[T int32 | float32](list *[]T, n int) []T {
	if len(*list) < n {
		*list = make([]T, n+n/4)
	}
	return (*list)[:n]
}

// address is where a list lies in the program's memory; Go's collector moves nothing.
func address[T int32 | float32](list []T) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(list))))
}
