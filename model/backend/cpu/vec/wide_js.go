package vec

import (
	_ "embed"
	"sync"
	"syscall/js"
	"unsafe"
)

//go:embed wide.wasm
var wideProgram []byte

// wideLoop is the product loop that package gen writes, bound to this program's memory; undefined where the engine
// has no vectors or the memory is not to be had.
type wideLoop struct {
	mul  js.Value
	args *[12]int32 // of the call under way: one goroutine runs at a time, and none is left in the midst of a call
}

var wide = sync.OnceValue(func() (w wideLoop) {
	defer func() {
		if recover() != nil { // the engine refused it
			w = wideLoop{}
		}
	}()
	program := js.Global().Get("wasm") // set by the script that started this program
	if !program.Truthy() || lowered(levelAVX2) == levelPortable {
		return wideLoop{}
	}
	memory := program.Get("instance").Get("exports").Get("mem")
	bytes := js.Global().Get("Uint8Array").New(len(wideProgram))
	js.CopyBytesToJS(bytes, wideProgram)
	assembly := js.Global().Get("WebAssembly")
	imports := map[string]any{"go": map[string]any{"mem": memory}}
	instance := assembly.Get("Instance").New(assembly.Get("Module").New(bytes), imports)
	return wideLoop{mul: instance.Get("exports").Get("mul"), args: new([12]int32)}
})

func features() string {
	if wide().args != nil {
		return "WebAssembly simd128"
	}
	return active.String()
}

// wideLeast is how many multiplications make the call, a microsecond, worth it.
const wideLeast = 1 << 12

// mulPortable is mulGo by vectors of four where the engine has them: the same sums in the same order, so the same
// bits.
func (p *Panel) mulPortable(c []float32, cr rows, a []float32, ar rows, m, k, n int, add bool) {
	panels, w := n/4, wide()
	if w.args == nil || panels*m*k < wideLeast {
		p.mulGo(c, cr, a, ar, m, k, n, add, 0)
		return
	}
	// mulGo would find a row that does not fit; here the last of each is looked at first.
	for _, i := range []int{0, m - 1} {
		_, _ = c[cr.start(i):][:n], a[ar.start(i):][:k]
	}
	*w.args = [12]int32{
		address(unsafe.SliceData(c)), address(unsafe.SliceData(cr.at)), int32(4 * cr.step),
		address(unsafe.SliceData(a)), address(unsafe.SliceData(ar.at)), int32(4 * ar.step),
		address(unsafe.SliceData(p.data)), int32(k), int32(m), int32(panels), 0, int32(p.k),
	}
	if add {
		w.args[10] = 1
	}
	w.mul.Invoke(int(address(&w.args[0])))
	p.mulGo(c, cr, a, ar, m, k, n, add, 4*panels)
}

// address is where x lies in the program's memory; Go's collector moves nothing.
func address[T any](x *T) int32 { return int32(uintptr(unsafe.Pointer(x))) }
