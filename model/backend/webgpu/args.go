//go:build cgo || js

package webgpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"mhacsp/model/backend"
	"mhacsp/shaders"
)

// A dispatch names what it gives a kernel as the shader does, in the shader's order: args are the fields of the
// uniform block, on the storage bindings. Both are compared with the shader's text at every dispatch (with their
// writing 7 µs a training step): a missing, additional, misplaced, misnamed or wrongly typed one is a panic that names
// the kernel and the field.
//
// What is written out at a call stays on the stack: neither names nor values may be kept; errors have copies.

// args are a kernel's parameters.
type args []arg

// arg is an int or a bool (0, 1) for an integer field, a float32 for f32, or a []int for an array, whose rest is 0.
type arg struct {
	name  string
	value any
}

// on are the buffers that a kernel works on.
type on []bound

// bound is a window of a buffer, or the zero Vec for a binding that the call has no use for.
type bound struct {
	name string
	backend.Vec
}

// indexed stands for the binding of the index memory.
var indexed = backend.Vec{}

// append writes the parameters of one dispatch to the end of the ring's next contents.
func (given args) append(ring []byte, k *shaders.Kernel) []byte {
	begin := len(ring)
	ring = append(ring, make([]byte, slot)...)
	at := ring[begin:]
	for i := range max(len(given), len(k.Params)) {
		switch {
		case i == len(given):
			disagree(k, "parameter", i, k.Params[i].Name, "")
		case i == len(k.Params):
			disagree(k, "parameter", i, "", given[i].name)
		case k.Params[i].Name != given[i].name:
			disagree(k, "parameter", i, k.Params[i].Name, given[i].name)
		}
		a, p := &given[i], &k.Params[i]
		kind, word := "u32", uint32(0)
		switch v := a.value.(type) {
		case int:
			word = uint32(v)
		case bool:
			if v {
				word = 1
			}
		case float32:
			kind, word = "f32", math.Float32bits(v)
		case []int:
			kind = "an array"
			if p.Words > 1 {
				fill(at[4*p.At:], v, k, p)
				continue
			}
		default:
			kind = "neither int, bool, float32 nor []int"
		}
		if want := p.Type; p.Words > 1 || kind != want && (kind != "u32" || want != "i32") {
			if p.Words > 1 {
				want = "an array of " + want
			}
			panic(fmt.Sprintf("webgpu: kernel %s: parameter %s is %s in the shader, %s in the dispatch",
				k.Name, p.Name, want, kind))
		}
		binary.LittleEndian.PutUint32(at[4*p.At:], word)
	}
	return ring
}

// fill writes an array, which may be shorter than the kernel's.
func fill(at []byte, v []int, k *shaders.Kernel, p *shaders.Param) {
	if len(v) > p.Words {
		panic(fmt.Sprintf("webgpu: kernel %s: parameter %s holds %d numbers, %d are given",
			k.Name, p.Name, p.Words, len(v)))
	}
	for i, x := range v {
		binary.LittleEndian.PutUint32(at[4*i:], uint32(x))
	}
}

// agree compares a call's buffers with the kernel's bindings.
func (given on) agree(k *shaders.Kernel) {
	for i := range max(len(given), len(k.Storage)) {
		switch {
		case i == len(given):
			disagree(k, "binding", i, k.Storage[i].Name, "")
		case i == len(k.Storage):
			disagree(k, "binding", i, "", given[i].name)
		case k.Storage[i].Name != given[i].name:
			disagree(k, "binding", i, k.Storage[i].Name, given[i].name)
		}
	}
}

// disagree panics about the i-th of what a shader and a dispatch name differently; "" stands for none.
func disagree(k *shaders.Kernel, what string, i int, shader, given string) {
	dispatch := strings.Clone(given)
	switch {
	case dispatch == "":
		panic(fmt.Sprintf("webgpu: kernel %s: %s %s is not given", k.Name, what, shader))
	case shader == "":
		panic(fmt.Sprintf("webgpu: kernel %s: the shader has no %s %s", k.Name, what, dispatch))
	}
	panic(fmt.Sprintf("webgpu: kernel %s: %s %d is %s in the shader, %s in the dispatch",
		k.Name, what, i, shader, dispatch))
}
