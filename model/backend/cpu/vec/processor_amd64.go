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

// Prefetch asks for slices. It pays where rows of many sequences are walked in turn, which the processor's own
// prefetching does not follow.
func Prefetch(list ...[]float32) {
	for _, x := range list {
		prefetch(unsafe.Pointer(unsafe.SliceData(x)), 4*len(x))
	}
}

//go:noescape
func prefetch(p unsafe.Pointer, bytes int)
