//go:build !js

package native

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// ticker shows where a command is that has no number of steps: one line that changes on a terminal, and elsewhere a
// line now and then. Any goroutine may use it.
type ticker struct {
	lock  sync.Mutex
	w     io.Writer
	lives bool          // a terminal
	plain time.Duration // from line to line elsewhere
	told  time.Time
	shown int // characters of the line on the terminal
}

func newTicker(w io.Writer) *ticker {
	return &ticker{w: w, lives: isTerminal(w), plain: 3 * time.Second}
}

// say shows a line, unless another one was shown a moment ago.
func (t *ticker) say(line string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	now, pause := time.Now(), t.plain
	if t.lives {
		pause = 100 * time.Millisecond
	}
	if now.Sub(t.told) < pause {
		return
	}
	t.told = now
	if !t.lives {
		fmt.Fprintln(t.w, line)
		return
	}
	const width = 79 // a line that a terminal breaks cannot be written over
	text := []rune(line)
	text = text[:min(len(text), width)]
	fmt.Fprintf(t.w, "\r%-*s", t.shown, string(text))
	t.shown = len(text)
}

// every says what line returns, each second until stop is called.
func (t *ticker) every(line func() string) (stop func()) {
	ended := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		beat := time.NewTicker(time.Second)
		defer beat.Stop()
		for {
			t.say(line())
			select {
			case <-beat.C:
			case <-ended:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		all.Wait()
	})
}

// note prints a line that stays.
func (t *ticker) note(line string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.clear()
	fmt.Fprintln(t.w, line)
}

// end takes the line off the terminal.
func (t *ticker) end() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.clear()
	t.told = time.Time{}
}

func (t *ticker) clear() {
	if t.shown > 0 {
		fmt.Fprintf(t.w, "\r%*s\r", t.shown, "")
		t.shown = 0
	}
}
