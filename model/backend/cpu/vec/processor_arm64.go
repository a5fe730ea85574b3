package vec

import "unsafe"

const without = "" // every arm64 has vectors

// levels are those that the processor has, the best one last.
func levels() []level { return []level{levelPortable, levelNEON} }

//go:noescape
func runTileNEON(t *tile, form int)

// runTile runs a kernel, by its form. NEON has no masks: a panel that is not full is computed apart and copied.
//
//go:nocheckptr
func (level) runTile(t *tile, form, rows, columns int, full bool) {
	if full {
		runTileNEON(t, form)
		return
	}
	var sums [4][16]float32
	var bias [16]float32
	apart := *t
	if t.add == addBias {
		copy(bias[:], unsafe.Slice((*float32)(t.bias), columns))
		apart.bias = unsafe.Pointer(&bias)
	}
	for r := range rows {
		copy(sums[r][:], unsafe.Slice((*float32)(t.c[r]), columns))
		apart.c[r] = unsafe.Pointer(&sums[r])
	}
	runTileNEON(&apart, form)
	for r := range rows {
		copy(unsafe.Slice((*float32)(t.c[r]), columns), sums[r][:])
	}
}
