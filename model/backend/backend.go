// Package backend is the narrow waist between the model and the hardware: a set of fused kernels with named
// arguments, grouped as memory, dense, csp and train. A backend enqueues each call in order; calls return
// nothing. Misuse (a wrong shape) panics with a "backend:" message before anything runs; whatever the
// environment can cause (a lost device, no memory) is kept as a sticky error that Sync and Download return.
// One goroutine owns a backend.
//
// # The row arena
//
// Sequences of different lengths lie one after another without padding. A sequence of T steps owns T+1 rows:
// row Start[s] holds the state before its first step, row Start[s]+t the state after t steps. What belongs to
// step t (1 ≤ t ≤ T: its token, gates, gradients) is stored in row Start[s]+t−1, the row of the state that the
// step reads, so that a weight gradient is one plain product over all rows. The last row of a sequence has no
// step: its token is −1 and every per-step gradient there is zero.
//
// A complex vector of width N is stored as 2N reals, real plane first.
package backend

import "errors"

// Buffer is device memory for floating-point numbers; Index is device memory for int32 numbers.
type (
	Buffer interface {
		Len() int // elements
		Release()
	}
	Index interface {
		Len() int // elements
		Release()
	}
)

// Align is what the start of a kernel's window must be a multiple of, in elements: 256 bytes, WebGPU's binding
// alignment. Memory calls take any window.
const Align = 64

// Vec is a window of Len elements of a buffer, from Off. The zero Vec means "not given".
type Vec struct {
	Buf Buffer
	Off int
	Len int
}

// All is the window that covers the whole buffer.
func All(b Buffer) Vec { return Vec{Buf: b, Len: b.Len()} }

// Slice is the window [from, from+n) of v.
func (v Vec) Slice(from, n int) Vec {
	if from < 0 || n < 0 || from+n > v.Len {
		panic("backend: Vec.Slice out of range")
	}
	return Vec{Buf: v.Buf, Off: v.Off + from, Len: n}
}

// Given tells whether the window was set.
func (v Vec) Given() bool { return v.Buf != nil }

// ErrOutOfMemory is wrapped by the sticky error of a backend whose device cannot hold a buffer.
var ErrOutOfMemory = errors.New("out of device memory")

// ErrDeviceLost is wrapped by the sticky error of a backend whose device is gone: unplugged, reset or given up by its
// driver. What lay on it is lost; a new backend may be opened.
var ErrDeviceLost = errors.New("the device was lost")

// Info describes the device for logs and reports.
type Info struct {
	Name     string // "cpu", "cpu64", …
	Adapter  string // what computes: processor features or the GPU's name
	Software bool   // true where a GPU interface runs on the CPU
	Bits     int    // floating-point width: 32 or 64
	Threads  int    // CPU threads used, 0 on a GPU
}

// Meter is a backend that counts the device memory that it has allocated.
type Meter interface {
	Allocated() (now, most int64) // bytes at present, and the most at any time
}

// Fetch brings numbers to the host without holding up what is enqueued behind them. It keeps one piece of host memory,
// which grows to the longest that was fetched.
type Fetch interface {
	// Start enqueues a copy of src, as it is once all that was enqueued before is done, and returns at once. What an
	// earlier Start brought is forgotten.
	Start(src Vec)
	// Wait returns when the copy is there, whatever was enqueued since, with its first len(dst) numbers.
	Wait(dst []float32) error
	Release()
}

// Memory moves numbers between host and device.
type Memory interface {
	Info() Info
	Floats(n int) Buffer // n zeros
	Ints(n int) Index    // n zeros
	// Upload copies src to the start of dst. Host numbers are float32 on every backend.
	Upload(dst Vec, src []float32)
	UploadInts(dst Index, src []int32)
	// Download waits for all that was enqueued and copies src to dst.
	Download(dst []float32, src Vec) error
	NewFetch() Fetch
	Zero(v Vec)
	Copy(dst, src Vec)
	// Sync waits for all that was enqueued and returns the sticky error.
	Sync() error
	Close()
}

// Backend is everything a model needs of a device.
type Backend interface {
	Memory

	MatMul(MatMul)
	MatMulInput(MatMulInput)
	MatMulWeight(MatMulWeight)

	DriveForward(DriveForward)
	DriveBackward(DriveBackward)
	RecurrenceForward(RecurrenceForward)
	RecurrenceBackward(RecurrenceBackward)
	FactorForward(FactorForward)
	FactorBackward(FactorBackward)
	ProjectForward(ProjectForward)
	ProjectBackward(ProjectBackward)
	AttentionForward(AttentionForward)
	AttentionBackward(AttentionBackward)
	AttentionMatrices(AttentionMatrices)
	OutputForward(OutputForward)
	OutputBackward(OutputBackward)

	CrossEntropy(CrossEntropy)
	SumSquares(SumSquares)
	Adam(Adam)
}
