package backend

import (
	"sort"
	"time"
)

// KernelTime is what one kernel took in all.
type KernelTime struct {
	Name    string  `json:"name"`
	Calls   int     `json:"calls"`
	Seconds float64 `json:"seconds"`
	Flops   float64 `json:"flops"` // multiplications and additions of its products; 0 for kernels without
}

// Profiler is a backend whose device takes the time of each kernel itself.
type Profiler interface {
	// Profile forgets what was measured and measures from now on, or no longer. Kernels then run one after another, with
	// a wait for each submission. The error says that the device has no clock.
	Profile(on bool) error
	KernelTimes() ([]KernelTime, error) // the most expensive first; names are those of the shaders
}

// Timed measures every kernel of a backend, which it wraps. Each call waits for the device, so a step through it
// takes longer than without where the device runs behind the host.
type Timed struct {
	Backend
	times map[string]*KernelTime
	ints  map[Index][]int32 // what was uploaded: the recurrence's work depends on its sequences' lengths
}

// NewTimed wraps b.
func NewTimed(b Backend) *Timed {
	t := &Timed{Backend: b, ints: map[Index][]int32{}}
	t.Reset()
	return t
}

// Reset forgets what was measured.
func (t *Timed) Reset() { t.times = map[string]*KernelTime{} }

// Kernels lists what was measured, the most expensive first.
func (t *Timed) Kernels() []KernelTime {
	var list []KernelTime
	for _, k := range t.times {
		list = append(list, *k)
	}
	SortKernels(list)
	return list
}

// SortKernels puts the most expensive first.
func SortKernels(list []KernelTime) {
	sort.Slice(list, func(i, j int) bool {
		if list[i].Seconds != list[j].Seconds {
			return list[i].Seconds > list[j].Seconds
		}
		return list[i].Name < list[j].Name
	})
}

// UploadInts keeps a copy of what it passes on.
func (t *Timed) UploadInts(dst Index, src []int32) {
	t.ints[dst] = append(t.ints[dst][:0], src...)
	t.Backend.UploadInts(dst, src)
}

// steps counts the steps of the sequences that a call covers.
func (t *Timed) steps(seq Sequences) int {
	start, end, n := t.ints[seq.Start], t.ints[seq.End], 0
	for s := seq.Lo; s < min(seq.Hi, len(start), len(end)); s++ {
		n += int(end[s] - start[s])
	}
	return n
}

func (t *Timed) run(name string, flops float64, f func()) {
	begin := time.Now()
	f()
	_ = t.Backend.Sync() // the error is sticky: the caller's own Sync returns it
	k := t.times[name]
	if k == nil {
		k = &KernelTime{Name: name}
		t.times[name] = k
	}
	k.Calls++
	k.Seconds += time.Since(begin).Seconds()
	k.Flops += flops
}

func product(m, k, n int) float64 { return 2 * float64(m) * float64(k) * float64(n) }

// cell is the work of one direction of the recurrence: the products with W_δh and, for units that turn by the
// state, W_θh.
func (t *Timed) cell(c Cell) float64 {
	width := c.N
	if c.StateTheta() {
		width += c.Turn
	}
	return product(t.steps(c.Seq), 2*c.N, width)
}

// Zero, Copy and the kernels below are the wrapped backend's, measured.
func (t *Timed) Zero(v Vec)        { t.run("Zero", 0, func() { t.Backend.Zero(v) }) }
func (t *Timed) Copy(dst, src Vec) { t.run("Copy", 0, func() { t.Backend.Copy(dst, src) }) }

func (t *Timed) MatMul(a MatMul) {
	t.run("MatMul", product(a.M, a.K, a.N), func() { t.Backend.MatMul(a) })
}

func (t *Timed) MatMulInput(a MatMulInput) {
	t.run("MatMulInput", product(a.M, a.K, a.N), func() { t.Backend.MatMulInput(a) })
}

func (t *Timed) MatMulWeight(a MatMulWeight) {
	t.run("MatMulWeight", product(a.M, a.K, a.N), func() { t.Backend.MatMulWeight(a) })
}

func (t *Timed) DriveForward(a DriveForward) {
	t.run("DriveForward", 5*product(a.M, a.N, a.N), func() { t.Backend.DriveForward(a) })
}

func (t *Timed) DriveBackward(a DriveBackward) {
	t.run("DriveBackward", 10*product(a.M, a.N, a.N), func() { t.Backend.DriveBackward(a) })
}

func (t *Timed) RecurrenceForward(a RecurrenceForward) {
	t.run("RecurrenceForward", t.cell(a.Cell), func() { t.Backend.RecurrenceForward(a) })
}

func (t *Timed) RecurrenceBackward(a RecurrenceBackward) {
	t.run("RecurrenceBackward", t.cell(a.Cell), func() { t.Backend.RecurrenceBackward(a) })
}

func (t *Timed) FactorForward(a FactorForward) {
	t.run("FactorForward", 0, func() { t.Backend.FactorForward(a) })
}

func (t *Timed) FactorBackward(a FactorBackward) {
	t.run("FactorBackward", 0, func() { t.Backend.FactorBackward(a) })
}

func (t *Timed) ProjectForward(a ProjectForward) {
	t.run("ProjectForward", product(2*a.Rows, a.N, a.N/a.Head), func() { t.Backend.ProjectForward(a) })
}

func (t *Timed) ProjectBackward(a ProjectBackward) {
	t.run("ProjectBackward", 2*product(2*a.Rows, a.N, a.N/a.Head), func() { t.Backend.ProjectBackward(a) })
}

func (t *Timed) AttentionForward(a AttentionForward) {
	t.run("AttentionForward", 0, func() { t.Backend.AttentionForward(a) })
}

func (t *Timed) AttentionBackward(a AttentionBackward) {
	t.run("AttentionBackward", 0, func() { t.Backend.AttentionBackward(a) })
}

func (t *Timed) OutputForward(a OutputForward) {
	t.run("OutputForward", 0, func() { t.Backend.OutputForward(a) })
}

func (t *Timed) OutputBackward(a OutputBackward) {
	t.run("OutputBackward", 0, func() { t.Backend.OutputBackward(a) })
}

func (t *Timed) CrossEntropy(a CrossEntropy) {
	t.run("CrossEntropy", 0, func() { t.Backend.CrossEntropy(a) })
}

func (t *Timed) SumSquares(a SumSquares) { t.run("SumSquares", 0, func() { t.Backend.SumSquares(a) }) }
func (t *Timed) Adam(a Adam)             { t.run("Adam", 0, func() { t.Backend.Adam(a) }) }
