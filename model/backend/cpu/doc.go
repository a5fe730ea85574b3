// Package cpu runs the kernels on the processor, in two ways.
//
// Reference is plain: one loop nest an equation, in float32 or float64. In float64 it is the reference that every
// other backend is held against, this package's Fast among them. Its own gradients are checked by central differences
// (model/gradient_test.go; for the memory of positions positions_test.go too, kernel by kernel).
//
// Fast is for use: float32, vectorised by package vec, blocked, on all cores. A result has the same bits on 1, 2 or 8
// threads. Denormal numbers are 0 to it where the processor can do that (denormal_amd64.go); in WebAssembly it cannot,
// and steps of a model that has long learnt its task may be slower there.
//
// A kernel's reference stands in the file of its stem (recurrence.go), its fast path next to it (recurrence_fast.go).
// The two share small functions of one number and nothing else, but for two kernels that need no speed: Fast takes
// the reference's factors and the matrices that `forward` writes. The attention is spread over more files:
// distance.go, tree.go and fusion.go hold its parts, attention.go puts them together. delta_block_fast.go takes a head
// of the delta rule along some steps.
package cpu
