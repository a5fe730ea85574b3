//go:build goexperiment.simd && amd64 && !go1.27

package vec

import "simd/archsimd"

// built tells whether this build has vector loops.
const built = true

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

// consts is the generated table of constants: each stands there in every lane, so that it is read straight from
// memory as an operand. A broadcast in the loop would cost a shuffle each time, and a value held in a register one of
// the fifteen that the compiler has.
var consts = newTable()

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
