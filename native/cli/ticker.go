//go:build !js

package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Ticker shows where a command is that has no number of steps: one line that changes on a terminal, and elsewhere a
// line now and then. Any goroutine may use it.
type Ticker struct {
	lock  sync.Mutex
	w     io.Writer
	lives bool          // a terminal
	Plain time.Duration // from line to line elsewhere
	told  time.Time
	shown int // characters of the line on the terminal
}

// NewTicker shows lines on w, the standard error.
func NewTicker(w io.Writer) *Ticker {
	return &Ticker{w: w, lives: IsTerminal(w), Plain: 3 * time.Second}
}

// Say shows a line, unless another one was shown a moment ago.
func (t *Ticker) Say(line string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	now, pause := time.Now(), t.Plain
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
	width := 79 // a line that a terminal breaks cannot be written over
	if columns, _ := Size(t.w); columns > 0 {
		width = min(width, columns-1)
	}
	text := []rune(line)
	text = text[:min(len(text), width)]
	fmt.Fprintf(t.w, "\r%-*s", t.shown, string(text))
	t.shown = len(text)
}

// Every says what line returns, each second until stop is called.
func (t *Ticker) Every(line func() string) (stop func()) {
	ended := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		beat := time.NewTicker(time.Second)
		defer beat.Stop()
		for {
			t.Say(line())
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

// Note prints a line that stays.
func (t *Ticker) Note(line string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.clear()
	fmt.Fprintln(t.w, line)
}

// End takes the line off the terminal.
func (t *Ticker) End() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.clear()
	t.told = time.Time{}
}

func (t *Ticker) clear() {
	if t.shown > 0 {
		fmt.Fprintf(t.w, "\r%*s\r", t.shown, "")
		t.shown = 0
	}
}
