//go:build !js

package vec

func features() string { return active.String() }

// queued reports whether a Queue may put loops off. Here it does not, and the compiler drops what would.
const queued = false

type queue struct{}

// Run ends with all loops carried out.
func (*queue) Run() {}

func (*queue) ready() bool                                                                  { return false }
func (*queue) rows(int32, int, int, []int, []float32, ...*float32) bool                     { return false }
func (*queue) product(int32, *Panel, []float32, rows, []float32, rows, int, int, int, bool) {}

func atOnce(int32, int, int, []int, []float32, ...*float32) bool { return false }

func packWide(_, _ []float32, _, _, _ int) bool { return false }

func (p *Panel) mulWide(int32, []float32, rows, []float32, rows, int, int, int, bool) bool {
	return false
}
