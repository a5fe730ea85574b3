package vec

import (
	_ "embed"
	"os"
	"sync"
	"syscall/js"
	"unsafe"
)

//go:embed wide.wasm
var plainProgram []byte

//go:embed wide_fma.wasm
var fusedProgram []byte

// wideLoops are the loops that package gen writes, bound to this program's memory; run is undefined where the engine
// has no vectors or the memory is not to be had.
type wideLoops struct {
	run   js.Value
	fused bool
	calls Queue // of loops that are not put off: one goroutine runs at a time, and none is left in the midst of a call
}

func (w *wideLoops) there() bool { return !w.run.IsUndefined() }

// wide are the loops in use.
func wide() *wideLoops {
	if fused {
		return fusedLoops()
	}
	return plainLoops()
}

var fused = os.Getenv("MHACSP_SIMD") == "relaxed"

// Fuse chooses, between two steps, whether a product and a sum may be one operation, which is faster. Its bits are
// those of an engine on a processor; unfused they are the same everywhere. Where the engine has no such operation, and
// outside a browser, it changes nothing.
func Fuse(on bool) { fused = on }

// Fused is what Fuse has chosen.
func Fused() bool { return fused }

var plainLoops = sync.OnceValue(func() *wideLoops { return bind(plainProgram) })

var fusedLoops = sync.OnceValue(func() *wideLoops {
	w := bind(fusedProgram)
	if !w.there() { // the engine knows no relaxed vectors
		return plainLoops()
	}
	w.fused = true
	return w
})

func bind(code []byte) (w *wideLoops) {
	w = &wideLoops{}
	defer func() { _ = recover() }()   // the engine may refuse it
	program := js.Global().Get("wasm") // set by the script that started this program
	if !program.Truthy() || os.Getenv("MHACSP_SIMD") == levelPortable.String() {
		return w
	}
	memory := program.Get("instance").Get("exports").Get("mem")
	bytes := js.Global().Get("Uint8Array").New(len(code))
	js.CopyBytesToJS(bytes, code)
	assembly := js.Global().Get("WebAssembly")
	imports := map[string]any{"go": map[string]any{"mem": memory}}
	instance := assembly.Get("Instance").New(assembly.Get("Module").New(bytes), imports)
	w.run = instance.Get("exports").Get("run")
	return w
}

func features() string {
	switch w := wide(); {
	case w.fused:
		return "WebAssembly relaxed simd"
	case w.there():
		return "WebAssembly simd128"
	}
	return active.String()
}

// least is how much work makes the call, a microsecond, worth it. Fused loops have other bits than plain ones, which
// shall not hang on how much there is to do: a sample comes to the same alone and in a batch.
func (w *wideLoops) least(work int) int {
	if w.fused {
		return 1
	}
	return work
}

// mulWide is mulGo by vectors of four: the same sums in the same order, so the same bits. It is false where the engine
// has none or they are not worth it. For wideProductColumns A is transposed: its rows stand in the place of columns.
func (p *Panel) mulWide(loop int32, c []float32, cr rows, a []float32, ar rows, m, k, n int, add bool) bool {
	w := wide()
	if m*k*n < w.least(1<<12) || !w.calls.ready() {
		return false
	}
	w.calls.product(loop, p, c, cr, a, ar, m, k, n, add)
	w.calls.Run()
	return true
}

// packWide is copyPanels by vectors, false where they are not worth it.
func packWide(dst, src []float32, lds, k, panels int) bool {
	w := wide()
	if k*panels < 128 || !w.calls.ready() {
		return false
	}
	_, _ = dst[4*k*panels-1], src[(k-1)*lds+4*panels-1]
	x := w.calls.command(widePack, 7)
	x[2], x[3], x[4], x[5], x[6] = address(&dst[0]), address(&src[0]), int32(4*lds), int32(k), int32(panels)
	w.calls.Run()
	return true
}

// atOnce carries out rows where the call is worth it.
func atOnce(loop int32, n, count int, steps []int, numbers []float32, at ...*float32) bool {
	w := wide()
	if n*count < w.least(1024) || !w.calls.rows(loop, n, count, steps, numbers, at...) {
		return false
	}
	w.calls.Run()
	return true
}

// queued reports whether a Queue may put loops off; see ready.
const queued = true

// queue holds commands of wide.wasm, which are addresses: callers keep what lies there. Go's collector moves nothing.
type queue struct {
	words []int32
	used  int
}

// queueWords is the size of a queue: some hundred rows.
const queueWords = 1 << 13

// Run ends with all loops carried out.
func (q *queue) Run() {
	if q.used == 0 {
		return
	}
	from := int(address(&q.words[0]))
	to := from + 4*q.used
	q.used = 0
	wide().run.Invoke(from, to)
}

// ready reports whether loops can be put off.
func (q *queue) ready() bool {
	if q.words == nil && wide().there() {
		q.words = make([]int32, queueWords)
	}
	return q.words != nil
}

// command makes room for a command of that many words.
func (q *queue) command(loop int32, words int) []int32 {
	if q.used+words > queueWords {
		q.Run()
	}
	x := q.words[q.used:][:words:words]
	q.used += words
	x[0], x[1] = loop, int32(words)
	return x
}

// rows puts off a loop over count rows of n elements of some slices, given by where they begin; each goes on by a step
// of its own. A loop's numbers are the same for all rows, or its last slice.
func (q *queue) rows(loop int32, n, count int, steps []int, numbers []float32, at ...*float32) bool {
	if !q.ready() {
		return false
	}
	if n == 0 || count == 0 {
		return true
	}
	const head = 4 // and for each slice a pointer and the distance of the next row
	pointers := len(at) + min(len(numbers), 1)
	x := q.command(loop, head+2*pointers+len(numbers))
	x[2], x[3] = int32(n), int32(count)
	for i, p := range at {
		x[head+i] = address(p)
	}
	for i, step := range steps {
		x[head+pointers+i] = int32(4 * step)
	}
	if len(numbers) > 0 {
		to := x[head+2*pointers:]
		x[head+len(at)] = address(&to[0])
		copy(to, unsafe.Slice((*int32)(unsafe.Pointer(&numbers[0])), len(numbers)))
	}
	return true
}

// product puts off Panel.mul; lists of rows are kept next to the command.
func (q *queue) product(loop int32, p *Panel, c []float32, cr rows, a []float32, ar rows, m, k, n int, add bool) {
	if m == 0 || n == 0 {
		return
	}
	const head = 15
	if lists := len(cr.at) + len(ar.at); head+lists > queueWords {
		q.Run()
		p.mulGo(c, cr, a, ar, m, k, n, add)
		return
	}
	w := q.command(loop, head+len(cr.at)+len(ar.at))
	list := func(at int, rows []int32) int32 {
		if rows == nil {
			return 0
		}
		copy(w[at:], rows)
		return address(&w[at])
	}
	copy(w[2:], []int32{address(unsafe.SliceData(c)), list(head, cr.at), int32(4 * cr.step),
		address(unsafe.SliceData(a)), list(head+len(cr.at), ar.at), int32(4 * ar.step),
		address(unsafe.SliceData(p.data)), int32(k), int32(m), int32(n / 4), 0, int32(p.K), int32(n % 4)})
	if add {
		w[12] = 1
	}
}

// address is where x lies in the program's memory.
func address[T any](x *T) int32 { return int32(uintptr(unsafe.Pointer(x))) }
