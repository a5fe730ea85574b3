package cpu

import "runtime"

// flushing are the bits of the processor's MXCSR that make denormal numbers 0: those read, and those written.
const flushing = 1<<6 | 1<<15

func readMode() uint32
func writeMode(mode uint32)

// floatMode is how a thread computed before.
type floatMode uint32

// flushDenormals makes the calling thread take numbers below the least normal one (1.2e-38) for 0, until restore. An
// instruction that meets one takes some 150 cycles in place of 4, and a model that has learnt its task has many:
// weight decay halves what nothing holds on to again and again, and gates fade gradients out. A step of gdn-neg on
// parity took eleven times as long (.github/benchmarks/cpu.md). GPUs do the same.
//
// The mode is the thread's, not the goroutine's, so the goroutine keeps its thread meanwhile, and no other runs there.
func flushDenormals() floatMode {
	runtime.LockOSThread()
	mode := readMode()
	writeMode(mode | flushing)
	return floatMode(mode)
}

func (m floatMode) restore() {
	writeMode(uint32(m))
	runtime.UnlockOSThread()
}
