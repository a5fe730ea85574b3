package tasks

import (
	"hash/fnv"
	"math/bits"
)

// splitOf finds the split that an expression belongs to (SPEC §9), the same
// in every preset and format, for every seed, on every machine and release.
// It overwrites text, which is the expression as Expression prints it.
//
// The key is the structure for three or more operands and the text for two. Its FNV-1a 64-bit hash goes through the
// splitmix64 finaliser (FNV's high bits alone vary too little on short keys), and the result's tenth decides: the
// lowest eight are Train, the ninth is Validation, the last is Test. One number is always Train.
func splitOf(operands int, text []byte) Role {
	if operands < 2 {
		return Train
	}
	for i, c := range text {
		if operands >= 3 && c >= '0' && c <= '9' {
			text[i] = '#' // stands for any digit in a structure
		}
	}
	switch tenth, _ := bits.Mul64(Mix(hashed(text)), 10); tenth {
	case 8:
		return Validation
	case 9:
		return Test
	}
	return Train
}

// hashed is the FNV-1a hash of a text, 64 bits.
func hashed[T string | []byte](text T) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
