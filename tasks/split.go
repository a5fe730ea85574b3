package tasks

import "math/bits"

// splitKey finds the split that an expression belongs to (SPEC §9), the same
// in every preset and format, for every seed, on every machine and release.
//
// The key is the structure for three or more operands and the text for two, both as Expression prints them, added byte
// by byte. Its FNV-1a 64-bit hash goes through the splitmix64 finaliser (FNV's high bits alone vary too little on
// short keys), and the result's tenth decides: the lowest eight are Train, the ninth is Validation, the last is Test.
// One number is always Train.
type splitKey struct {
	hash     uint64
	operands int
}

func newSplitKey(operands int) splitKey { return splitKey{hash: fnvOffset, operands: operands} }

func (k *splitKey) add(c byte) {
	if k.operands >= 3 && c >= '0' && c <= '9' {
		c = '#' // stands for any digit in a structure
	}
	k.hash = fnv(k.hash, c)
}

func (k *splitKey) role() Role {
	if k.operands < 2 {
		return Train
	}
	switch tenth, _ := bits.Mul64(Mix(k.hash), 10); tenth {
	case 8:
		return Validation
	case 9:
		return Test
	}
	return Train
}

const fnvOffset uint64 = 0xcbf29ce484222325

// fnv is one step of FNV-1a, 64 bits.
func fnv(hash uint64, c byte) uint64 { return (hash ^ uint64(c)) * 0x100000001b3 }

// fnvString hashes a whole string.
func fnvString(s string) uint64 {
	hash := fnvOffset
	for i := range len(s) {
		hash = fnv(hash, s[i])
	}
	return hash
}
