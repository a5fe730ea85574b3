package vec

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

const without = "this processor has no AVX2 with FMA"

// levels are those that the processor has, the best one last.
func levels() []level {
	l, x := []level{levelPortable}, &cpu.X86
	if !x.HasAVX2 || !x.HasFMA || !x.HasBMI2 {
		return l
	}
	l = append(l, levelAVX2)
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
		l = append(l, levelAVX512)
	}
	return l
}

//go:noescape
func runTileAVX512(t *tile, form int)

//go:noescape
func runTileAVX2(t *tile, form int)

func (l level) runTile(t *tile, form, _, _ int, _ bool) {
	if l == levelAVX512 {
		runTileAVX512(t, form)
	} else {
		runTileAVX2(t, form)
	}
}

// transpose8 is transpose of eight rows, four columns at a time: n is a multiple of four.
//
//go:noescape
func transpose8(dst, src unsafe.Pointer, ldd, lds, n int)

// transpose sets dst[j·ldd+i] = src[i·lds+j] for i < m and j < n.
func transpose(dst []float32, ldd int, src []float32, lds, m, n int) {
	i, whole := 0, n&^3
	for ; active != levelPortable && i+8 <= m && whole > 0; i += 8 {
		transpose8(at(dst, i), at(src, i*lds), 4*ldd, 4*lds, whole)
		if whole < n {
			transposeGo(dst[whole*ldd+i:], ldd, src[i*lds+whole:], lds, 8, n-whole)
		}
	}
	if i < m {
		transposeGo(dst[i:], ldd, src[i*lds:], lds, m-i, n)
	}
}

//go:noescape
func prefetch2(p unsafe.Pointer, bytes int)

//go:noescape
func prefetch(p unsafe.Pointer, bytes int)

// Prefetch asks for slices in the first-level cache. It pays where rows of many sequences are walked in turn, which
// the processor's own prefetching does not follow.
func Prefetch(list ...[]float32) {
	for _, x := range list {
		prefetch(unsafe.Pointer(unsafe.SliceData(x)), 4*len(x))
	}
}

// prefetchFar asks for x in the second-level cache.
func prefetchFar(x []float32) { prefetch2(unsafe.Pointer(unsafe.SliceData(x)), 4*len(x)) }
