package own

import (
	"math/bits"

	"mhacsp/tasks"
)

// orderKey numbers the permutation that a draw takes in an epoch.
func orderKey(d tasks.Draw, epoch uint64) uint64 {
	return tasks.Mix(tasks.Mix(tasks.Mix(d.Seed)^uint64(d.Role)) ^ epoch)
}

// number is that of the sample in the file that a draw has at index.
func (f *file) number(d tasks.Draw, index uint64) int {
	n := uint64(f.samples)
	return int(place(orderKey(d, index/n), n, index%n))
}

// place is where permutation number key of 0 … n−1 puts x. It needs no memory: a Feistel network of eight rounds
// permutes the smallest square of a power of two that holds n, fewer than 4n numbers, and what falls outside goes
// through it again (cycle walking; Black and Rogaway, Ciphers with arbitrary finite domains, 2002).
func place(key, n, x uint64) uint64 {
	half := (bits.Len64(n-1) + 1) / 2
	mask := uint64(1)<<half - 1
	for {
		left, right := x>>half, x&mask
		for round := range uint64(8) {
			left, right = right, left^tasks.Mix(key^tasks.Mix(round<<32^right))&mask
		}
		if x = left<<half | right; x < n {
			return x
		}
	}
}
