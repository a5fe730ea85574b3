// Package vec holds the float32 inner loops of the CPU backend: products by a repacked matrix, elementwise functions,
// sums, the Adam update, and what a step of a recurrence, of an attention or of a delta rule does with a row.
//
// # Levels
//
// The loops use AVX-512, AVX2 with FMA, or NEON, whichever the processor has; elsewhere they are plain Go. In a
// browser, products and the loops of a Queue have WebAssembly's vectors of four. Features says which. No build tag,
// environment variable or Go release is needed. All levels use the same polynomials, so they differ only by the
// rounding that a fused multiply-add saves, by the order of sums, and in some gates by the estimate that an inverse
// starts from. Plain WebAssembly has the bits of plain Go, but for what a Span adds up over rows, in another order.
//
// # Guarantees
//
//   - The same input gives the same bits on the same machine and level.
//   - Nothing is allocated (a Panel or scratch grows on first use only), nothing is kept, and calls on distinct data
//     may run at the same time.
//   - dst sets the length; an input shorter than that panics. dst may be the very slice that is an input; other
//     overlaps are not allowed. Spans and Frames have rules of their own.
//   - Values beyond the length are neither read into the result nor written.
//   - A NaN input value gives NaN at its place in elementwise functions.
//
// # Where a loop is
//
// The plain Go loop is the definition: expGo, in a file loops*.go. Package gen reads these files into a list of
// operations that each element goes through, gives them registers in the order of the text, and prints assembly for
// each level and a function that chooses among them: Exp, which checks lengths, where the loop is documented under a
// name for callers. A product and the sum that alone reads it become one instruction. The last elements of a row go by
// a mask, or one at a time on arm64 and in WebAssembly. Products are tiles, not loops, and have printers of their own.
// Files with a star are generated; the generator's test fails where one of them is not what it makes, byte for byte.
//
//	loops*.go, consts.go, vec.go        the plain loops; what their polynomials share; functions made of several
//	loops_amd64.*, _arm64.*, _other.go  * the loops as assembly, and what chooses
//	span.go, frame.go                   the vectors of attention, one row and all, and some rows and all
//	panel.go, portable_mul.go, tile*    products; * tile_*.s, tile2x4.go: their kernels
//	ahead.go, prefetch*, processor*     what brings memory near; what each processor has
//	queue.go, queued.go, wide*          loops that are put off in a browser; * all but queue.go and wide_*.go
//
// # How to add a loop
//
// As an example, Lerp. First, write the plain loop and its contract into loops.go. Its parameters are n, the slices
// that it writes, those that it reads, and numbers. Round each product before it is added, so that no compiler fuses
// them. The order of the statements is that of the assembly: read a value where it is first needed.
//
//	// Lerp sets dst_j = a_j + f·(b_j − a_j).
//	func lerpGo(n int, dst, a, b []float32, f float32) {
//		for i := range n {
//			dst[i] = a[i] + float32(f*(b[i]-a[i]))
//		}
//	}
//
// A sum is a result of the function. What the generator knows is what the other loops use: arithmetic, min and max,
// conversions to bits, if, calls of small functions, x[i] and x[n+i], or x[m+i] where m is a parameter too. The rest
// it refuses, by the loop's name.
//
// Second, run go generate ./model/backend/cpu/vec, which needs nothing but Go. It makes Lerp(dst, a, b, f), where the
// first slice says how many elements there are; a function some of whose slices have several parts, like x[n+i], takes
// n first. A line "//wide:queue" under the contract makes a method of Queue too, which is WebAssembly in a browser.
// TestLevels finds the loop by itself; what it computes is for the contract of package cpu to say, against float64, or
// for a test here.
//
// # Tests
//
// TestLevels compares every loop, at each level that the processor has, with the plain one; in a browser
// wide_js_test.go does: wide.wasm has the plain loops' bits, wide_fma.wasm comes close. Benchmarks time every level.
package vec

//go:generate go run ./gen .
