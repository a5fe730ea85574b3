// Package cpu runs the kernels on the processor, for use: float32, vectorised by package vec, blocked, on all cores. A
// result has the same bits on 1, 2 or 8 threads. Denormal numbers are 0 to it where the processor can do that
// (denormal_amd64.go); in WebAssembly it cannot, and steps of a model that has long learnt its task may be slower
// there.
//
// With package reference it shares small functions, memory, and four kernels that need no speed: the factors and the
// matrices that `forward` writes. delta_block.go takes a head of the delta rule along some steps.
package cpu
