// Package vec holds the float32 inner loops of the CPU backend: products by a repacked matrix, elementwise functions,
// sums, the Adam update, the recurrence cell of one row, and attention's loops over one row.
//
// # Levels
//
// Built with GOEXPERIMENT=simd for amd64 the loops use AVX-512, or AVX2 with FMA, whichever the processor has.
// Otherwise they are plain Go. In a browser, products and the loops of a Queue have WebAssembly's vectors of four,
// with the bits of plain Go. Features says which. All levels use the same polynomials, so they differ only by the
// rounding that a fused multiply-add saves, by the order of sums, and in the gates of LSTM and GRU by the estimate
// that an inverse starts from.
//
// # Guarantees
//
//   - The same input gives the same bits on the same machine and level.
//   - Nothing is allocated (a Panel or scratch grows on first use only), nothing is kept, and calls on distinct data
//     may run at the same time.
//   - dst sets the length; an input shorter than that panics. dst may be the very slice that is an input; other
//     overlaps are not allowed. Spans, Frames and Heads have rules of their own.
//   - Values beyond the length are neither read into the result nor written.
//   - A NaN input value gives NaN at its place in elementwise functions.
//
// # Where a loop is
//
// A caller meets the exported functions. They check lengths and call a function of the same name in lower case, which
// chooses by level: expV16 for AVX-512, expV8 for AVX2, expGo for plain Go. The files are, * marking generated ones:
//
//	every build            vec.go, cell.go, drive.go, unit.go    elementwise functions, sums, Adam, the cell
//	                       gated.go                              the cells of LSTM and GRU
//	                       conv.go, matrix.go                    convolutions; small matrices, row by row
//	                       span.go, frame.go, heads.go           attention, one row, some rows, one row of every head
//	                       delta.go                              the gated delta rule, some steps of a head
//	                       panel.go                              products
//	                       portable.go, portable_mul.go          the plain loops; consts.go, what the polynomials share
//	amd64 with SIMD        simd.go                               the level, masks, the constants
//	                       kernels_simd.go*                      elementwise loops and sums, and the products with AVX2
//	                       simd_mul.go, tile_amd64.s*            products tile by tile, and their kernels with AVX-512
//	                       ahead.go                              the memory that they ask for meanwhile
//	                       span_simd.go, heads_simd.go           attention with AVX-512, by hand
//	                       delta_simd.go, delta_amd64.s*         the gated delta rule with AVX-512
//	without SIMD           dispatch_portable.go, kernels_portable.go*   the names, which pass on to the plain loops
//	every build            queue.go, wide.go*                    loops that are put off, and their numbers
//	js/wasm                wide_js.go, wide.wasm*                loops in WebAssembly, which a Queue calls
//	other than js/wasm     wide_none.go                          their absence
//	amd64 and the others   prefetch_amd64.go and .s, prefetch_other.go
//
// # What is generated, and why
//
// Package gen makes the files with a star: go generate ./model/backend/cpu/vec. It needs nothing but Go. Its test
// fails where a kept file is not the one that it makes, byte for byte.
//
//   - Elementwise loops and sums, from the tables in gen/loops.go. A loop is wanted four times, for 16 lanes and 8,
//     each for whole vectors and, masked, for the last ones. Go has no generic code that compiles to vector
//     instructions, and the compiler inlines functions of vectors up to a size that a tanh exceeds. So the loops are
//     short texts, and exp, sine and the like are macros in them.
//   - Products. Their kernels differ in the number of rows and columns alone. With AVX-512 they are assembly
//     (gen/assembly.go): the compiler uses fifteen of the thirty-two vector registers, and assembly ran 1.5 times as
//     fast. With AVX2 they are Go (gen/tiles.go).
//   - The gated delta rule with AVX-512 (gen/delta.go): assembly for the same reason.
//   - The module for WebAssembly, because Go has no vectors there. gen/wasm.go writes its products; gen/compile.go
//     makes the other loops of portable.go's text, each operation on four lanes. So the bits are the same, and a loop
//     is written once. A call from Go takes a microsecond, as long as a row: a Queue makes one of hundreds.
//   - The table of constants, and the names for builds without SIMD, so that a new loop is one entry.
//
// Attention's loops over several heads were generated too. Plain Go with inlined functions took their place; it is as
// fast, and MixSoftmax takes three quarters of the time.
//
// Two ways to have the body of an elementwise loop once were measured and are not used. The figures are times in
// multiples of the present ones, on an AMD EPYC with AVX-512, least of 9 runs in turns, for 1056 values, or a cell of
// 132 units:
//
//	                                           Axpy          Adam          Exp           cell, forward and backward
//	                                           AVX2 AVX-512  AVX2 AVX-512  AVX2 AVX-512  AVX2       AVX-512
//	every vector masked                        11.8 1.9      5.3  1.1      1.8  1.0      2.4 to 4.1 1.0 to 1.3
//	a branch at each load and store            2.4  1.4      1.6  1.0      1.3  1.2      1.1 to 1.2 1.0 to 1.1
//
// # How to add a loop
//
// As an example, Lerp: dst_j = a_j + f·(b_j − a_j).
//
// First, add an entry to ops in gen/loops.go. The values of in are loaded under their names; the text makes name_ for
// each name of out. fV is the number f in every lane, K.one would be a constant of the table above, § is the number of
// lanes:
//
//	{name: "lerp", scalars: []string{"f"}, in: []string{"a", "b"}, out: []string{"dst"}, body: `
//	dst_ := b.Sub(a).MulAdd(fV, a)`},
//
// Second, run go generate ./model/backend/cpu/vec. It makes lerp(n, dst, a, b, f) for both kinds of build.
//
// Third, write the plain loop in portable.go. Its parameters are n, the slices of out, the others of in, the numbers.
// Round each product before it is added, so that no compiler fuses them:
//
//	func lerpGo(n int, dst, a, b []float32, f float32) {
//		for i := range n {
//			dst[i] = a[i] + float32(f*(b[i]-a[i]))
//		}
//	}
//
// Fourth, write the exported function with its contract and its checks, in vec.go or a file of its subject:
//
//	// Lerp sets dst_j = a_j + f·(b_j − a_j).
//	func Lerp(dst, a, b []float32, f float32) {
//		need(len(dst), len(a))
//		need(len(dst), len(b))
//		lerp(len(dst), dst, a, b, f)
//	}
//
// For the browser, name the loop in wideLoops of gen/wasm.go and give Queue a method. The compiler knows what
// portable.go needs, and refuses the rest.
//
// Fifth, add a row to TestLengths in vec_test.go, which tries every length at every level against float64, and one to
// BenchmarkElementwise. Then run go test ./model/backend/cpu/vec/..., and once more with GOEXPERIMENT= set to nothing.
//
// A sum is an entry in reductions instead. A name that ends in I, J or K is the second, third or fourth n values
// of a slice: the imaginary half of a complex one, [Re(n) ; Im(n)], or a gate's part.
//
// # What is tested where
//
// Every test of the package runs at each level that the build and the processor have. With GOEXPERIMENT= set to
// nothing it tries the builds without SIMD.
//
//	vec_test.go, cell_test.go, drive_test.go, unit_test.go    elementwise functions and sums against float64
//	gated_test.go                                             the cells of LSTM and GRU, their gradients by differences
//	conv_test.go, matrix_test.go                              convolutions and small matrices against float64
//	delta_test.go                                             the gated delta rule against float64
//	panel_test.go                                             products: sizes, single rows, splits, goroutines
//	span_test.go, frame_test.go, heads_test.go                attention's loops against float64
//	wide_js_test.go                                           in the browser: wide.wasm has the plain loops' bits
//	gen/gen_test.go                                           the generated files are the generator's
//
// Benchmarks stand beside the tests: go test ./model/backend/cpu/vec -bench . runs them at every level.
package vec

//go:generate go run ./gen .
