package cpu

import (
	"sync"
	"sync/atomic"
)

// job is work in pieces; pieces may run in any order and on any worker.
type job interface{ piece(worker, i int) }

// pool runs jobs on a fixed set of goroutines, the caller's own among them.
type pool struct {
	workers int
	wake    []chan struct{}
	done    sync.WaitGroup
	job     job
	pieces  int
	next    atomic.Int64
}

func (p *pool) start(workers int) {
	p.workers = workers
	for w := 1; w < workers; w++ {
		wake := make(chan struct{}, 1)
		p.wake = append(p.wake, wake)
		go func() {
			for range wake {
				p.work(w)
				p.done.Done()
			}
		}()
	}
}

func (p *pool) stop() {
	for _, wake := range p.wake {
		close(wake)
	}
	p.wake, p.workers = nil, 1
}

// run returns when all pieces are done.
func (p *pool) run(j job, pieces int) {
	helpers := min(len(p.wake), pieces-1)
	if helpers <= 0 {
		for i := range pieces {
			j.piece(0, i)
		}
		return
	}
	p.job, p.pieces = j, pieces
	p.next.Store(0)
	p.done.Add(helpers)
	for _, wake := range p.wake[:helpers] {
		wake <- struct{}{}
	}
	p.work(0)
	p.done.Wait()
}

func (p *pool) work(worker int) {
	for {
		i := int(p.next.Add(1)) - 1
		if i >= p.pieces {
			return
		}
		p.job.piece(worker, i)
	}
}
