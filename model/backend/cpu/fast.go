package cpu

import (
	"fmt"
	"runtime"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// Fast is the float32 backend for use: vectorised, blocked, on all cores. What takes no time it inherits from the
// reference. However a kernel's work is cut into pieces, no element's sum depends on the cut, so a result has the same
// bits on 1, 2 or 8 threads.
type Fast struct {
	memory[float32]
	pool pool

	// One job of each kind, kept so that a call allocates nothing.
	product  productJob
	weight   weightJob
	reduce   reduceJob
	forward  recurrenceForwardJob
	backward recurrenceBackwardJob
	project  projectJob
	attend   attendJob
	unattend unattendJob
	output   outputJob
	unoutput unoutputJob
	entropy  entropyJob
	squares  squaresJob
	adam     adamJob
	zero     zeroJob
	driven   drivenJob
	undriven undrivenJob
	columns  columnsJob
	slots    slotsForwardJob
	unslots  slotsBackwardJob
	deal     dealJob
	turn     turnJob
	unturn   unturnJob
	recall   recallJob
	unrecall unrecallJob

	others any // *baselineJobs, where a kernel of Baseline was called
}

// baselineJobs are the jobs of the kernels of Baseline. They are apart from Fast, and known to it as any: so a program
// that calls none of these kernels, like the page's first, is linked without their loops.
type baselineJobs struct {
	rows       rowsJob
	unrows     unrowsJob
	rowsum     rowSumJob
	norm       normJob
	unnorm     unnormJob
	activate   activateJob
	unactivate unactivateJob
	softmax    softmaxJob
	unsoftmax  unsoftmaxJob
	conv       convJob
	unconv     unconvJob
	delta      deltaJob
	undelta    undeltaJob
	average    averageJob
	lstm       lstmJob
	unlstm     unlstmJob
	gru        gruJob
	ungru      ungruJob
}

func (f *Fast) baseline() *baselineJobs {
	if f.others == nil {
		f.others = &baselineJobs{}
	}
	return f.others.(*baselineJobs)
}

var _ backend.Backend = (*Fast)(nil)

// New returns the fast backend on GOMAXPROCS threads.
func New() *Fast {
	f := &Fast{}
	f.pool.start(runtime.GOMAXPROCS(0))
	return f
}

// Info names the processor features in use.
func (f *Fast) Info() backend.Info {
	return backend.Info{
		Name: "cpu", Adapter: fmt.Sprintf("%s, %d threads", vec.Features(), f.pool.workers), Bits: 32,
		Threads: f.pool.workers, Slow: vec.Why(), AnyWindow: true,
	}
}

// Close ends the threads.
func (f *Fast) Close() { f.pool.stop() }

// spread cuts n into parts pieces as even as can be and returns piece i.
func spread(n, parts, i int) (from, to int) { return n * i / parts, n * (i + 1) / parts }
