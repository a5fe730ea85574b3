//go:build cgo || js

package webgpu

import (
	"mhacsp/model/backend"
	"mhacsp/shaders"
)

// The kernels of the recurrence's time loop, and their workgroup.
const (
	loopKernel     = "recurrence_forward"
	loopBackKernel = "recurrence_backward"
	loopWorkgroup  = 256
)

// heldMost is how many numbers an invocation may hold: all that a GPU with 255 registers has room for.
const heldMost = 192

// slicing is how the invocations of a workgroup share a product of the time loop: each has a quad of that many, and
// one of the slices of the terms. The order of a sum is that of the slices, so that it depends on the width alone.
type slicing struct{ quads, terms, slices, each int }

// loopSlices is that of a width: a quad of units and the state forward; a quad of the state and the units backward.
func loopSlices(n int, back bool) slicing {
	s := slicing{quads: n / 4, terms: 2 * n}
	if back {
		s.quads, s.terms = n/2, n
	}
	s.each = groupOf(s.terms, max(1, loopWorkgroup/s.quads))
	s.slices = groupOf(s.terms, s.each)
	return s
}

// room is the elements of a matrix with the zeros that fill up the last slice.
func (s slicing) room() int { return s.slices * s.each * 4 * s.quads }

// loopMemory is the workgroup memory that WebGPU promises, in numbers.
const loopMemory = 16 << 10 / 4

// layOut is the fours of quads that a time loop's kernel holds in registers. fits reports whether a GPU has those, and
// the workgroup memory that the kernel needs.
func (key pipelineKey) layOut() (fours int, fits bool) {
	back := key.kernel == loopBackKernel
	s := loopSlices(key.width, back)
	fours = groupOf(s.each, 4)
	products, terms, sums := 1, 4*fours*s.slices, 4*s.quads*s.slices
	if key.theta > 0 {
		products = 2
	}
	memory := terms + products*sums
	if back {
		memory = products*terms + sums
	}
	return fours, memory <= loopMemory && (!key.held || 4*s.each <= heldMost)
}

// loop gives a time loop's kernel the constants of its key.
func (key pipelineKey) loop(k shaders.Kernel) shaders.Kernel {
	held := 0
	if key.held {
		held, _ = key.layOut()
	}
	slices := loopSlices(key.width, key.kernel == loopBackKernel).slices
	return k.Set("N", key.width).Set("SLICES", slices).Set("HELD", held)
}

// reform is the key of the same kernel in other forms, or in the default form where that does not fit; the key itself
// where the kernel has but one.
func reform(key pipelineKey, f Forms) pipelineKey {
	name := f[0]
	switch key.kernel {
	case loopBackKernel:
		name = f[1]
	case loopKernel:
	default:
		return key
	}
	key.held = name == registers
	_, fits := key.layOut()
	key.held = key.held && fits
	return key
}

// loopKey is the key of a time loop's kernel.
func (b *Backend) loopKey(kernel string, c backend.Cell) pipelineKey {
	return reform(pipelineKey{kernel: kernel, width: c.N, theta: thetaOf(c)}, b.Forms())
}
