//go:build desktop && !js

package view

import "sync"

// inbox holds what the window asks for until the goroutine that owns the device does it: between the steps of
// training, or in serve.
type inbox struct {
	mu    sync.Mutex
	queue []func()
	wake  chan struct{} // holds a token while the queue may have something
}

// do has f run by the owner, soon. Any goroutine may call it.
func (b *inbox) do(f func()) {
	b.mu.Lock()
	b.queue = append(b.queue, f)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *inbox) waiting() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue) > 0
}

// answer does all that waits. Nobody else takes anything out of the queue.
func (b *inbox) answer() {
	for b.waiting() {
		b.mu.Lock()
		f := b.queue[0]
		b.queue = b.queue[1:]
		b.mu.Unlock()
		f()
	}
}

// serve answers until the window is closed.
func (b *inbox) serve(closed <-chan struct{}) {
	for {
		b.answer()
		select {
		case <-b.wake:
		case <-closed:
			return
		}
	}
}
