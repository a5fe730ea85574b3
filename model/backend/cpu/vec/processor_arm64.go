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
	apart := *t
	apart.add = 0
	for r := range apart.c[:4] {
		apart.c[r] = unsafe.Pointer(&sums[r])
	}
	runTileNEON(&apart, form)
	for r := range rows {
		c := unsafe.Slice((*float32)(t.c[r]), columns)
		for j, x := range sums[r][:columns] {
			switch t.add {
			case 0:
				c[j] = x
			case addC:
				c[j] += x
			case addBias:
				c[j] = x + *(*float32)(unsafe.Add(t.bias, 4*j))
			}
		}
	}
}
