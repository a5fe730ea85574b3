package backend

import (
	"cmp"
	"maps"
	"slices"
)

// StepTime is what a training step took.
type StepTime struct {
	// Seconds from the end of the step before it; 0 where that was not under way any more when this one began, for
	// then they say more of the host than of the device.
	Seconds float64
	Tokens  int // of all sequences of the batch
	Longest int // tokens of the longest
}

// KernelTime is what one kernel took in all.
type KernelTime struct {
	Name    string  `json:"name"`
	Calls   int     `json:"calls"`
	Seconds float64 `json:"seconds"`
	Flops   float64 `json:"flops"` // multiplications and additions of its products; 0 for kernels without
}

// Times are what kernels took, by name.
type Times map[string]KernelTime

// Add counts a call.
func (t Times) Add(name string, seconds, flops float64) {
	k := t[name]
	t[name] = KernelTime{name, k.Calls + 1, k.Seconds + seconds, k.Flops + flops}
}

// List has the most expensive first.
func (t Times) List() []KernelTime {
	return slices.SortedFunc(maps.Values(t), func(a, b KernelTime) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Name, b.Name))
	})
}

// Profiler is a backend whose device takes the time of each kernel itself.
type Profiler interface {
	// Profile forgets what was measured and measures from now on, or no longer. Kernels then run one after another,
	// with a wait for each submission. The error says that the device has no clock.
	Profile(on bool) error
	KernelTimes() ([]KernelTime, error) // the most expensive first; names are those of the shaders
}

// Timed measures every kernel of a backend, which it wraps. Each call waits for the device, so a step through it
// takes longer than without where the device runs behind the host.
type Timed struct {
	Around
	device Backend
	times  Times
	ints   map[Index][]int32 // what was uploaded: the recurrence's work depends on its sequences' lengths
}

// NewTimed wraps b.
func NewTimed(b Backend) *Timed {
	t := &Timed{device: b, ints: map[Index][]int32{}}
	t.Around = Around{Memory: b, Do: t.call}
	t.Reset()
	return t
}

// Reset forgets what was measured.
func (t *Timed) Reset() { t.times = Times{} }

// Kernels lists what was measured, the most expensive first.
func (t *Timed) Kernels() []KernelTime { return t.times.List() }

// UploadInts keeps a copy of what it passes on.
func (t *Timed) UploadInts(dst Index, src []int32) {
	t.ints[dst] = append(t.ints[dst][:0], src...)
	t.device.UploadInts(dst, src)
}

// steps counts the steps of the sequences that a call covers.
func (t *Timed) steps(seq Sequences) int {
	start, end, n := t.ints[seq.Start], t.ints[seq.End], 0
	for s := seq.Lo; s < min(seq.Hi, len(start), len(end)); s++ {
		n += int(end[s] - start[s])
	}
	return n
}

// work is a call that counts its multiplications and additions; steps is how many steps sequences have.
type work interface {
	flops(steps func(Sequences) int) float64
}

func (t *Timed) call(c Call) {
	var flops float64
	if w, ok := c.(work); ok {
		flops = w.flops(t.steps)
	}
	t.run(Name(c), flops, func() { c.On(t.device) })
}

func (t *Timed) run(name string, flops float64, f func()) {
	begin := Now()
	f()
	_ = t.device.Sync() // the error is sticky: the caller's own Sync returns it
	t.times.Add(name, Now().Sub(begin).Seconds(), flops)
}

// Zero is the wrapped backend's, measured.
func (t *Timed) Zero(v Vec) { t.run("Zero", 0, func() { t.device.Zero(v) }) }

// Copy is the wrapped backend's, measured.
func (t *Timed) Copy(dst, src Vec) { t.run("Copy", 0, func() { t.device.Copy(dst, src) }) }

// product counts the operations of an m×k times k×n product.
func product(m, k, n int) float64 { return 2 * float64(m) * float64(k) * float64(n) }
