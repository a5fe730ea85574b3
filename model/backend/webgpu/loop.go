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

// loopForm is a form of a time loop.
type loopForm struct {
	sequences int  // that a workgroup owns
	held      bool // WDelta is kept in registers
}

// heldMost is how many numbers an invocation may hold: all that a GPU with 255 registers has room for.
const heldMost = 192

// loopForms are the names of all forms, the default first: weights are read in every step; or they stay in registers
// and serve two sequences; or they are read for four. Others took more instructions a step than one of these on every
// chip that was compiled for.
func loopForms() []string { return []string{streamed, "registers2", "streamed4"} }

func loopFormOf(name string) loopForm {
	switch name {
	case "registers2":
		return loopForm{sequences: 2, held: true}
	case "streamed4":
		return loopForm{sequences: 4}
	}
	return loopForm{sequences: 1}
}

// slicing is how the invocations of a workgroup share a product of the time loop: each has a quad of so many, and one
// of the slices of the terms. The order of a sum is that of the slices, so that it depends on the width alone.
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
func (s slicing) room(n int) int { return s.slices * s.each * 4 * s.quads }

// loopMemory is the workgroup memory that WebGPU promises, in numbers.
const loopMemory = 16 << 10 / 4

// layOut is what the kernel needs of a form: how many fours of quads are held, and the sequences for whose sums there
// is room. fits tells whether a GPU has as much.
func (f loopForm) layOut(n, theta int, back bool) (held, slots int, fits bool) {
	s := loopSlices(n, back)
	fours := groupOf(s.each, 4)
	if fits = true; f.held {
		held, fits = fours, 4*s.each <= heldMost
	}
	products, terms := 1, 4*fours*s.slices
	if theta > 0 {
		products = 2
	}
	sums := 4 * s.quads * s.slices
	if back {
		terms *= products
	} else {
		sums *= products
	}
	slots = 1
	if f.sequences > 1 && f.sequences*terms+2*sums <= loopMemory {
		slots = 2
	}
	return held, slots, fits && f.sequences*terms+slots*sums <= loopMemory
}

// set gives a time loop's kernel the constants of its key.
func (f loopForm) set(k shaders.Kernel, key pipelineKey) shaders.Kernel {
	back := key.kernel == loopBackKernel
	held, slots, _ := f.layOut(key.width, key.theta, back)
	return k.Set("N", key.width).Set("SLICES", loopSlices(key.width, back).slices).Set("HELD", held).
		Set("G", f.sequences).Set("SLOTS", slots)
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
	key.loop = loopFormOf(name)
	if _, _, fits := key.loop.layOut(key.width, key.theta, key.kernel == loopBackKernel); !fits {
		key.loop = loopFormOf(streamed)
	}
	return key
}

// loopKey is the key of a time loop's kernel for so many sequences: fewer than a workgroup of the form owns go one by
// one.
func (b *Backend) loopKey(kernel string, c backend.Cell) pipelineKey {
	key := reform(pipelineKey{kernel: kernel, width: c.N, theta: thetaOf(c)}, b.Forms())
	if c.Seq.Hi-c.Seq.Lo < key.loop.sequences {
		key.loop = loopFormOf(streamed)
	}
	return key
}

// alike lists the sequences for workgroups that own several, the longest first, so that those of one are alike.
func (b *Backend) alike(key pipelineKey, seq backend.Sequences) (place int) {
	if key.loop.sequences > 1 {
		place = b.order(seq)
	}
	return place
}
