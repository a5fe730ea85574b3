package vec

import "os"

// level is a set of instructions.
type level uint8

const (
	levelPortable level = iota // plain Go, in a browser with WebAssembly's vectors
	levelNEON
	levelAVX2 // and FMA
	levelAVX512
)

func (l level) String() string { return [...]string{"portable", "neon", "avx2", "avx512"}[l] }

// active is the level in use. Only tests assign it.
var active = lowered(levels())

// lowered is the best of the levels that are there, or the one of them that MHACSP_SIMD asks for.
func lowered(there []level) level {
	for _, l := range there {
		if os.Getenv("MHACSP_SIMD") == l.String() {
			return l
		}
	}
	return there[len(there)-1]
}

// Features says which loops are in use: "avx512", "avx2", "neon" or "portable", or "WebAssembly simd128" in a browser,
// where products and the loops of a Queue have vectors, and "WebAssembly relaxed simd" where Fuse has chosen those.
// The environment variable MHACSP_SIMD, set to one of the first four when the program starts, chooses a level that the
// processor has; in a browser "relaxed" is Fuse(true). Other values are ignored.
func Features() string { return features() }

// Why says why the loops in use have no vectors, which costs about nine tenths of the speed. It is empty where they
// have.
func Why() string {
	switch {
	case features() != levelPortable.String():
		return ""
	case os.Getenv("MHACSP_SIMD") == levelPortable.String():
		return "MHACSP_SIMD asks for it"
	}
	return without
}
