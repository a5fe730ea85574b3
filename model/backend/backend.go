// Package backend is the narrow waist between the models and the hardware.
//
// # Kernels
//
// A kernel is one piece of a training step that a device does in one go: a linear layer, the time loop of all
// sequences, the whole attention, an optimiser's step. A forward pass and its backward pass are two kernels. The
// arguments of a kernel are a struct with named fields, each with its shape and with what the kernel does to it: reads
// it where nothing is said, overwrites it or adds to it. The shapes are checked before anything runs, by code that is
// made of these remarks (generated.go, by package gen).
//
// The files of a kernel share one stem. For the recurrence, from this folder:
//
//	recurrence.go                   argument structs, the operations that they count
//	reference/recurrence.go         the reference: the equations as plain loops, in float32 or float64
//	cpu/recurrence.go               the fast path of the CPU
//	webgpu/recurrence.go            what is dispatched on a GPU
//	../../shaders/recurrence*.wgsl  the shaders
//	backendtest/recurrence.go       the contract: every backend against the reference in float64
//
// The stems are matmul, drive, recurrence, factor, project, attention, output, columns, slots, turn, recall,
// crossentropy, sumsquares and adam; and of the baselines rows, rowsum, lstm, gru, norm, activate, softmax, conv,
// delta and average. Three parts of the attention have files of their own in reference, cpu and shaders/shared:
// distance, tree and fusion. TestStems holds all this, but for the list above.
//
// # Groups
//
// Base is what every model needs; CSP is what complex state propagation needs in addition, Baseline what the families
// of SPEC §13 do; Backend is all of it. A family of models asks for Base and for its own group, so that a device
// without the other groups can run it. A new family adds its kernels to one of these groups. The compiler, and the
// tests of this package, then name what is missing: the methods of each backend, the contract, the files of the stem.
//
// # Calls
//
// A call enqueues work and returns nothing; work is done in the order of the calls. Misuse (a wrong shape) panics
// with a message that starts with "backend:", before anything runs. What the environment can cause (a lost device, no
// memory) is kept as an error that Sync and Download return from then on. One goroutine owns a backend.
//
// Around puts a function of yours around every call. Mirror, which compares two devices kernel by kernel, and Timed,
// which measures each kernel, are made of it.
//
// # The row arena
//
// Sequences of different lengths lie one after another without padding. A sequence of T steps owns T+1 rows: row
// Start[s] holds the state before its first step, row Start[s]+t the state after t steps. What belongs to step t (its
// token, gates, gradients; 1 ≤ t ≤ T) is stored in row Start[s]+t−1, the row of the state that the step reads. So a
// weight gradient is one plain product over all rows. The last row of a sequence has no step: its token is −1 and
// every gradient of a step is zero there.
//
// A complex vector of width N is stored as 2N reals, real plane first.
package backend

import "errors"

//go:generate go run ./gen

// Buffer is device memory for floating-point numbers; Index is device memory for int32 numbers.
type (
	Buffer interface {
		Len() int // elements
		Release()
	}
	Index interface{ Buffer }
)

// Align is what the start of a kernel's window must be a multiple of, in elements: 256 bytes, WebGPU's binding
// alignment. Memory calls take any window; Info.AnyWindow tells of a device whose kernels do, too.
const Align = 64

// Vec is a window of Len elements of a buffer, from Off. The zero Vec means "not given".
//
// Windows are not compared with ==. That keeps out of the page the functions that the compiler makes for comparing any
// two kernels' arguments and any two layers.
type Vec struct {
	_   [0]func()
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

// Given reports whether the window was set.
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
	API      string `json:",omitempty"` // what a native GPU is reached by, as in "vulkan"
	Software bool   // true where a GPU interface runs on the CPU
	Bits     int    // floating-point width: 32 or 64
	Threads  int    // CPU threads used, 0 on a GPU

	// Slow is why a CPU computes without vectors, about ten times slower; empty where it has them.
	Slow string `json:",omitempty"`

	AnyWindow bool `json:"-"` // a kernel's window may start anywhere, not at multiples of Align alone
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

// Base is what every model needs of a device: memory, linear layers, copies of columns, the loss and the optimiser.
type Base interface {
	Memory

	MatMul(MatMul)
	MatMulInput(MatMulInput)
	MatMulWeight(MatMulWeight)
	Columns(Columns)

	CrossEntropy(CrossEntropy)
	SumSquares(SumSquares)
	Adam(Adam)
}

// CSP is what complex state propagation and its attention need besides (SPEC §§2–6).
type CSP interface {
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
	SlotsForward(SlotsForward)
	SlotsBackward(SlotsBackward)
	TurnForward(TurnForward)
	TurnBackward(TurnBackward)
	RecallForward(RecallForward)
	RecallBackward(RecallBackward)
}

// Baseline is what the families need that the model is compared with (SPEC §13).
type Baseline interface {
	RowsForward(RowsForward)
	RowsBackward(RowsBackward)
	RowSum(RowSum)
	NormForward(NormForward)
	NormBackward(NormBackward)
	ActivateForward(ActivateForward)
	ActivateBackward(ActivateBackward)
	LSTMForward(LSTMForward)
	LSTMBackward(LSTMBackward)
	GRUForward(GRUForward)
	GRUBackward(GRUBackward)
	SoftmaxForward(SoftmaxForward)
	SoftmaxBackward(SoftmaxBackward)
	SoftmaxMatrices(SoftmaxMatrices)
	ConvForward(ConvForward)
	ConvBackward(ConvBackward)
	DeltaForward(DeltaForward)
	DeltaBackward(DeltaBackward)
	Average(Average)
}
