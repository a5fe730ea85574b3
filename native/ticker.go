//go:build !js

package main

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
	lives bool // a terminal
	told  time.Time
	shown int // characters of the line on the terminal
}

const (
	tickLive  = 100 * time.Millisecond
	tickPlain = 3 * time.Second
)

func newTicker(w io.Writer) *ticker { return &ticker{w: w, lives: isTerminal(w)} }

// say shows a line, unless another one was shown a moment ago.
func (t *ticker) say(line string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	now, pause := time.Now(), tickPlain
	if t.lives {
		pause = tickLive
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
	go func() {
		for beat := time.NewTicker(time.Second); ; {
			t.say(line())
			select {
			case <-beat.C:
			case <-ended:
				beat.Stop()
				return
			}
		}
	}()
	return sync.OnceFunc(func() { close(ended) })
}

// end takes the line off the terminal.
func (t *ticker) end() {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.shown > 0 {
		fmt.Fprintf(t.w, "\r%*s\r", t.shown, "")
		t.shown = 0
	}
	t.told = time.Time{}
}
