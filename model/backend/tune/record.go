package tune

import (
	"hash/fnv"
	"math/bits"
	"strconv"
)

// Key is what a record holds for.
type Key struct {
	Adapter string `json:"adapter"`          // its name
	Driver  string `json:"driver,omitempty"` // its version, or what stands for it; empty where nothing does
	Kernels string `json:"kernels"`          // Hash of their texts
	Width   int    `json:"width"`            // units of the recurrence
	Angle   string `json:"angle"`            // what steers it: token, state or product
	Batch   int    `json:"batch"`            // BatchClass
}

// BatchClass is the least power of two that is no less than n: what was measured of one holds for all of a class.
func BatchClass(n int) int { return 1 << bits.Len(uint(max(1, n)-1)) }

// Hash is a short name for texts, FNV-1a of 64 bits. It is no defence against anybody.
func Hash(texts ...string) string {
	h := fnv.New64a()
	for _, t := range texts {
		h.Write(append([]byte(t), 0)) // a byte 0 between two texts
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// Time is what a step took with one knob at a value and those before it at their best.
type Time struct {
	Value string  `json:"value"`
	Ms    float64 `json:"ms"` // a step at its median; 0: it was not measured
}

// Choice is what was found for a knob.
type Choice struct {
	Knob  string `json:"knob"`
	Value string `json:"value"`
	Times []Time `json:"times"` // the default first
}

// Record is what was found.
type Record struct {
	Key
	Choices []Choice `json:"choices,omitempty"` // none: the measurement did not come to its end
	Tries   int      `json:"tries,omitempty"`   // measurements that began and neither ended nor were put off
	Notes   []string `json:"notes,omitempty"`   // what went wrong, a sentence each
}

// Tries is how many measurements may begin and not come to their end until none is begun any more: one of the forms
// may be what ends the program.
const Tries = 3
