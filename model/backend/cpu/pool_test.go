package cpu

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"mhacsp/tasks/assert"
)

type countJob struct {
	done  []atomic.Int32
	pause time.Duration
}

func (j *countJob) piece(_, i int) {
	j.done[i].Add(1)
	time.Sleep(j.pause)
}

// TestPool: every piece runs exactly once, whether the helpers spin, sleep or never come, and stop ends them.
func TestPool(t *testing.T) {
	busy := pool{workers: 2, helpers: []*helper{{}}} // a helper that other programs keep from running
	busy.run(&countJob{done: make([]atomic.Int32, 3)}, 3)
	for _, workers := range []int{1, 2, 5, 16} {
		before := helpers() // of backends that other tests left open
		var p pool
		p.start(workers)
		for round := range 300 {
			j := &countJob{done: make([]atomic.Int32, 1+round%23)}
			if round%50 == 49 {
				time.Sleep(2 * time.Millisecond) // the helpers fall asleep
				j.pause = time.Microsecond
			}
			p.run(j, len(j.done))
			for i := range j.done {
				n := j.done[i].Load()
				assert.Need(t, n == 1, "%d workers, round %d: piece %d ran %d times", workers, round, i, n)
			}
		}
		p.stop()
		j := &countJob{done: make([]atomic.Int32, 3)}
		p.run(j, 3) // alone
		end := time.Now().Add(10 * time.Second)
		for helpers() > before && time.Now().Before(end) {
			time.Sleep(time.Millisecond)
		}
		n := helpers() - before
		assert.True(t, n <= 0, "%d workers: %d helpers did not end", workers, n)
	}
}

// helpers counts the goroutines that serve a pool. NumGoroutine would count the runtime's own, of timers in a browser.
func helpers() int {
	stacks := make([]byte, 1<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("(*pool).serve("))
}
