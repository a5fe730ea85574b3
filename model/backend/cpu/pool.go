package cpu

import (
	"runtime"
	"sync/atomic"
	"time"

	"mhacsp/model/backend"
)

// job is work in pieces; pieces may run in any order and on any worker. To a piece denormal numbers are 0.
type job interface{ piece(worker, i int) }

// idle is how long a worker without work looks for the next job before it goes to sleep: longer than any time between
// two kernels of a training run, the drawing of a batch among them. Waking a sleeping thread costs as much as a small
// kernel, and one that slept between kernels made a step a tenth longer.
const idle = time.Millisecond

// spins is how often a worker looks before it looks at the clock, and lets others run: some microseconds.
const spins = 5000

// pool runs jobs on a fixed set of goroutines, the caller's own (worker 0) among them.
type pool struct {
	workers int
	helpers []*helper
	job     job
	pieces  int
	next    atomic.Int64
	// turn is the number of the job, shifted, and how many helpers may join in, none once it is done: one word, so
	// that a helper that is not asked for never looks at the rest.
	turn   atomic.Uint64
	joined atomic.Int64 // helpers at work
}

const helperBits = 16

// helper is one of the pool's goroutines.
type helper struct {
	asleep atomic.Bool
	wake   chan bool // false: end
}

func (p *pool) start(workers int) {
	p.workers = min(workers, 1<<helperBits)
	for w := 1; w < p.workers; w++ {
		h := &helper{wake: make(chan bool, 1)}
		p.helpers = append(p.helpers, h)
		go p.serve(h, w)
	}
}

// stop ends the helpers; the pool goes on with the caller alone.
func (p *pool) stop() {
	for _, h := range p.helpers {
		for !h.asleep.CompareAndSwap(true, false) {
			runtime.Gosched()
		}
		h.wake <- false
	}
	p.helpers, p.workers = nil, 1
}

// serve waits for jobs, first spinning, then asleep.
func (p *pool) serve(h *helper, worker int) {
	var seen uint64
	for {
		turn := p.turn.Load()
		for start := backend.Now(); turn == seen && backend.Now().Sub(start) < idle; {
			for i := 0; turn == seen && i < spins; i++ {
				turn = p.turn.Load()
			}
			if turn == seen {
				yield()
			}
		}
		if turn == seen {
			h.asleep.Store(true)
			// A job that came before asleep was seen sends no signal: look once more.
			if p.turn.Load() == seen || !h.asleep.CompareAndSwap(true, false) {
				if !<-h.wake {
					return
				}
			}
			continue
		}
		seen = turn
		if worker <= int(turn&(1<<helperBits-1)) {
			if p.joined.Add(1); p.turn.Load() == turn { // else it was too late
				p.work(worker)
			}
			p.joined.Add(-1)
		}
	}
}

// run returns when all pieces are done. It does not wait for helpers that have none: on a busy machine they may not
// run for milliseconds.
func (p *pool) run(j job, pieces int) {
	p.job, p.pieces = j, pieces
	p.next.Store(0)
	helpers := min(len(p.helpers), pieces-1)
	if helpers <= 0 {
		p.work(0)
		return
	}
	p.ask(helpers)
	p.work(0)
	p.turn.Store(p.turn.Load() >> helperBits << helperBits)
	for i := 1; p.joined.Load() > 0; i++ {
		if i%spins == 0 {
			runtime.Gosched()
			yield()
		}
	}
}

// ask lets the first helpers work, and wakes those that sleep.
func (p *pool) ask(helpers int) {
	p.turn.Store((p.turn.Load()>>helperBits+1)<<helperBits | uint64(helpers))
	for _, h := range p.helpers[:helpers] {
		if h.asleep.CompareAndSwap(true, false) {
			h.wake <- true
		}
	}
}

func (p *pool) work(worker int) {
	defer flushDenormals().restore()
	for {
		i := int(p.next.Add(1)) - 1
		if i >= p.pieces {
			return
		}
		p.job.piece(worker, i)
	}
}
