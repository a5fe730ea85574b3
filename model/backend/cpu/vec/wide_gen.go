//go:build ignore

// Command wide_gen writes wide.wasm, the product loop of wide_js.go: WebAssembly's vectors of four, which Go does not
// compile to. Run it by go generate.
package main

import (
	"log"
	"os"
)

func main() {
	if err := os.WriteFile("wide.wasm", module(), 0o644); err != nil {
		log.Fatal(err)
	}
}

// module has one function mul(args i32) that works in the memory it imports. args points at twelve int32: c, cAt, cStep, a,
// aAt, aStep, b, k, m, panels, add, depth. Row i of C starts at c + 4·cAt[i], or at c + i·cStep where cAt is 0; A likewise. b are
// panels of four columns, depth rows each, of which the first k count. It computes C += A·B or, without add, C = A·B, every element's sum in the order of k.
func module() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, body []byte) { out = append(append(append(out, id), leb(len(body))...), body...) }
	section(1, []byte{1, 0x60, 1, i32, 0})                                                // type 0: (i32) → ()
	section(2, append(append([]byte{1}, text("go")...), append(text("mem"), 2, 0, 0)...)) // a memory of any size
	section(3, []byte{1, 0})
	section(7, append(append([]byte{1}, text("mul")...), 0, 0))
	body := function()
	section(10, append([]byte{1}, append(leb(len(body)), body...)...))
	return out
}

const i32, v128 = 0x7f, 0x7b

func text(s string) []byte { return append(leb(len(s)), s...) }

func leb(n int) (out []byte) {
	for n >= 128 {
		out = append(out, byte(n)|128)
		n >>= 7
	}
	return append(out, byte(n))
}

// Locals. The first is the parameter.
const (
	args = iota
	c
	cAt
	cStep
	a
	aAt
	aStep
	b
	k
	m
	panels
	add
	depth
	i
	size // bytes of a panel
	count
	w0 // where the panels are read
	w1
	rowA              // of four rows of A
	rowC  = rowA + 4  // and C
	ints  = rowC + 4  // so many i32, the parameter among them
	sum   = ints      // eight sums: row·2 + panel
	right = sum + 8   // of B, for each panel
	left  = right + 2 // of A, in all lanes
	total = left + 1
)

type code []byte

func (x *code) op(b ...byte)    { *x = append(*x, b...) }
func (x *code) get(n int)       { x.op(append([]byte{0x20}, leb(n)...)...) }
func (x *code) set(n int)       { x.op(append([]byte{0x21}, leb(n)...)...) }
func (x *code) vector(n int)    { x.op(append([]byte{0xfd}, leb(n)...)...) }
func (x *code) at(align, n int) { x.op(append(leb(align), leb(n)...)...) }

// number pushes a small constant; LEB128 is signed here.
func (x *code) number(n int) {
	if n >= 64 {
		x.op(0x41, byte(n)|128, byte(n>>7))
		return
	}
	x.op(0x41, byte(n)&127) // down to −64
}

const (
	plus, minus, times, and, shift = 0x6a, 0x6b, 0x6c, 0x71, 0x76
	atLeast, isZero                = 0x4f, 0x45
)

// move adds a constant to a local.
func (x *code) move(local, n int) {
	x.get(local)
	x.number(n)
	x.op(plus)
	x.set(local)
}

// repeat runs body while the local is not 0.
func (x *code) repeat(local int, body func()) {
	x.op(0x02, 0x40, 0x03, 0x40) // block, loop
	x.get(local)
	x.op(isZero, 0x0d, 1) // leave the block
	body()
	x.op(0x0c, 0, 0x0b, 0x0b)
}

// either runs one of two bodies, by the condition on the stack.
func (x *code) either(yes, no func()) {
	x.op(0x04, 0x40)
	yes()
	x.op(0x05)
	no()
	x.op(0x0b)
}

func function() []byte {
	x := &code{}
	x.op(2)
	x.op(leb(ints - 1)...)
	x.op(i32)
	x.op(leb(total - ints)...)
	x.op(v128)
	for local := c; local <= depth; local++ {
		x.get(args)
		x.op(0x28)
		x.at(2, 4*(local-c))
		x.set(local)
	}
	x.get(depth)
	x.number(4)
	x.op(0x74) // shl
	x.set(size)
	x.repeat(panels, func() {
		x.get(panels)
		x.number(2)
		x.op(atLeast)
		x.either(func() { x.panel(2) }, func() { x.panel(1) })
	})
	x.op(0x0b)
	return *x
}

// panel multiplies all rows by n panels and goes on to the next.
func (x *code) panel(n int) {
	x.number(0)
	x.set(i)
	x.get(m)
	x.set(count) // rows left; tile uses w0 and w1 alone
	x.repeat(count, func() {
		x.get(count)
		x.number(4)
		x.op(atLeast)
		x.either(func() { x.tile(4, n) }, func() { x.tile(1, n) })
	})
	for range n {
		x.move(c, 16)
		x.get(b)
		x.get(size)
		x.op(plus)
		x.set(b)
		x.move(panels, -1)
	}
}

// row sets a local to where row i+r of a matrix starts.
func (x *code) row(to, r, base, at, step int) {
	x.get(base)
	x.get(at)
	x.either2(func() {
		x.get(at)
		x.get(i)
		x.number(2)
		x.op(0x74, plus)
		x.op(0x28)
		x.at(2, 4*r)
		x.number(2)
		x.op(0x74)
	}, func() {
		x.get(i)
		x.number(r)
		x.op(plus)
		x.get(step)
		x.op(times)
	})
	x.op(plus)
	x.set(to)
}

// either2 is either with an i32 as its result.
func (x *code) either2(yes, no func()) {
	x.op(0x04, i32)
	yes()
	x.op(0x05)
	no()
	x.op(0x0b)
}

// tile multiplies some rows by n panels.
func (x *code) tile(rows, n int) {
	for r := range rows {
		x.row(rowA+r, r, a, aAt, aStep)
		x.row(rowC+r, r, c, cAt, cStep)
	}
	x.get(add)
	x.either(func() {
		for r := range rows {
			for p := range n {
				x.get(rowC + r)
				x.vector(0) // v128.load
				x.at(2, 16*p)
				x.set(sum + 2*r + p)
			}
		}
	}, func() {
		for r := range rows {
			for p := range n {
				x.vector(12) // v128.const
				x.op(make([]byte, 16)...)
				x.set(sum + 2*r + p)
			}
		}
	})
	x.get(b)
	x.set(w0)
	x.get(b)
	x.get(size)
	x.op(plus)
	x.set(w1)
	// Four rows of B at a time, then what is left.
	x.get(k)
	x.number(2)
	x.op(shift)
	x.set(steps)
	x.repeat(steps, func() { x.products(rows, n, 4) })
	x.get(k)
	x.number(3)
	x.op(and)
	x.set(steps)
	x.repeat(steps, func() { x.products(rows, n, 1) })
	for r := range rows {
		for p := range n {
			x.get(rowC + r)
			x.get(sum + 2*r + p)
			x.vector(11) // v128.store
			x.at(2, 16*p)
		}
	}
	x.move(i, rows)
	x.move(count, -rows)
}

// steps is the loop count of products; k itself must stay.
const steps = args // the parameter is not needed once its twelve numbers are read

// products adds the products of the next n rows of B.
func (x *code) products(rows, n, deep int) {
	for d := range deep {
		for p := range n {
			x.get(w0 + p)
			x.vector(0)
			x.at(2, 16*d)
			x.set(right + p)
		}
		for r := range rows {
			x.get(rowA + r)
			x.vector(9) // v128.load32_splat
			x.at(2, 4*d)
			x.set(left)
			for p := range n {
				x.get(sum + 2*r + p)
				x.get(left)
				x.get(right + p)
				x.vector(230) // f32x4.mul
				x.vector(228) // f32x4.add
				x.set(sum + 2*r + p)
			}
		}
	}
	for r := range rows {
		x.move(rowA+r, 4*deep)
	}
	for p := range n {
		x.move(w0+p, 16*deep)
	}
	x.move(steps, -1)
}
