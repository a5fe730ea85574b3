//go:build goexperiment.simd && amd64

package vec

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// active is the level in use. Only tests assign it.
var active = lowered(available())

func available() level {
	x := archsimd.X86
	switch {
	case x.AVX512() && x.FMA():
		return levelAVX512
	case x.AVX2() && x.FMA():
		return levelAVX2
	}
	return levelPortable
}

type lane16 = [16]float32

// table holds each constant in every lane, so that it is read straight from
// memory as an operand. A broadcast in the loop would cost a shuffle each time,
// and a value held in a register one of the fifteen that the compiler has.
type table struct {
	one, two, half, nHalf, negInf                     lane16
	signBit, absBits, int1, int2                      lane16
	expLo, expHi, log2e, magic, nLn2Hi, nLn2Lo        lane16
	exp0, exp1, exp2, exp3, exp4, exp5                lane16
	trigLo, trigHi, twoOverPi, nPio2A, nPio2B, nPio2C lane16
	sin0, sin1, sin2, cos0, cos1, cos2                lane16
	tanhCut, tanh0, tanh1, tanh2, tanh3, tanh4, pi    lane16
	atanh0, atanh1, atanh2, atanh3, atanh4, atanh5    lane16
}

var consts = newTable()

func newTable() *table {
	const size = unsafe.Sizeof(table{}) / 4
	t := (*table)(unsafe.Pointer(unsafe.SliceData(align64(make([]float32, size+15)))))
	set := func(l *lane16, v float32) {
		for i := range l {
			l[i] = v
		}
	}
	bits := func(l *lane16, v uint32) { set(l, math.Float32frombits(v)) }
	set(&t.one, 1)
	set(&t.two, 2)
	set(&t.half, 0.5)
	set(&t.nHalf, -0.5)
	set(&t.negInf, float32(math.Inf(-1)))
	bits(&t.signBit, 1<<31)
	bits(&t.absBits, 1<<31-1)
	bits(&t.int1, 1)
	bits(&t.int2, 2)
	set(&t.expLo, expLo)
	set(&t.expHi, expHi)
	set(&t.log2e, log2e)
	set(&t.magic, magic)
	set(&t.nLn2Hi, -ln2Hi)
	set(&t.nLn2Lo, -ln2Lo)
	for i, v := range []float32{exp0, exp1, exp2, exp3, exp4, exp5} {
		set([]*lane16{&t.exp0, &t.exp1, &t.exp2, &t.exp3, &t.exp4, &t.exp5}[i], v)
	}
	set(&t.trigLo, -trigMax)
	set(&t.trigHi, trigMax)
	set(&t.twoOverPi, twoOverPi)
	set(&t.nPio2A, -pio2A)
	set(&t.nPio2B, -pio2B)
	set(&t.nPio2C, -pio2C)
	for i, v := range []float32{sin0, sin1, sin2, cos0, cos1, cos2} {
		set([]*lane16{&t.sin0, &t.sin1, &t.sin2, &t.cos0, &t.cos1, &t.cos2}[i], v)
	}
	set(&t.tanhCut, tanhCut)
	for i, v := range []float32{tanh0, tanh1, tanh2, tanh3, tanh4} {
		set([]*lane16{&t.tanh0, &t.tanh1, &t.tanh2, &t.tanh3, &t.tanh4}[i], v)
	}
	set(&t.pi, math.Pi)
	for i, v := range []float32{atanh0, atanh1, atanh2, atanh3, atanh4, atanh5} {
		set([]*lane16{&t.atanh0, &t.atanh1, &t.atanh2, &t.atanh3, &t.atanh4, &t.atanh5}[i], v)
	}
	return t
}

// maskSource has eight set lanes and eight clear ones.
var maskSource = [16]int32{-1, -1, -1, -1, -1, -1, -1, -1}

// tailMask16 has the first n lanes set, 0 < n < 16.
func tailMask16(n int) archsimd.Mask32x16 { return archsimd.Mask32x16FromBits(1<<uint(n) - 1) }

// first16 has the lanes below n set: none where n is negative, all from 16 on.
func first16(n int) archsimd.Mask32x16 {
	return archsimd.Mask32x16FromBits(uint16(uint32(1)<<uint(max(0, min(n, 16))) - 1))
}

// tailMask8 has the first n lanes set, 0 < n < 8.
func tailMask8(n int) archsimd.Mask32x8 {
	return archsimd.LoadInt32x8((*[8]int32)(maskSource[8-n:])).ToMask()
}
