//go:build amd64

package cpu

import (
	"runtime"
	"sync/atomic"
	"testing"

	"mhacsp/tasks/assert"
)

// tiny is a normal number whose square is denormal.
var tiny float32 = 1e-20

type tinyJob struct{ squares []float32 }

func (j *tinyJob) piece(_, i int) {
	runtime.Gosched() // others run; they must not have this goroutine's mode
	j.squares[i] = tiny * tiny
}

// TestDenormal: denormal numbers are 0 within pieces, on every worker, and nowhere else.
func TestDenormal(t *testing.T) {
	var stop atomic.Bool
	ended := make(chan bool)
	for range 4 {
		go func() {
			kept := true
			for !stop.Load() {
				kept = kept && tiny*tiny > 0
				runtime.Gosched()
			}
			ended <- kept
		}()
	}
	for _, workers := range []int{1, 2, 4} {
		var p pool
		p.start(workers)
		for range 100 {
			j := &tinyJob{make([]float32, 9)}
			p.run(j, len(j.squares))
			for i, x := range j.squares {
				assert.Need(t, x == 0, "%d workers: piece %d has the denormal number %g", workers, i, x)
			}
			assert.Need(t, tiny*tiny != 0, "%d workers: the caller has no denormal numbers any more", workers)
		}
		p.stop()
	}
	stop.Store(true)
	for range 4 {
		assert.Need(t, <-ended, "another goroutine had the mode of a piece")
	}
}
