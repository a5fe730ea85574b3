//go:build !js

package cli

import (
	"context"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"mhacsp/native/words"

	"golang.org/x/term"
)

// console is what a command writes to.
type console struct {
	Out, Err *Outlet
	// Hurry lets what still waits to be written hold up the program's end for a moment only, if nobody reads it.
	Hurry func()
}

// NewConsole is the console over a program's two outputs.
func NewConsole(stdout, stderr io.Writer) *console {
	hurried := make(chan struct{})
	out, errs := &Outlet{to: stdout, hurried: hurried}, &Outlet{to: stderr, hurried: hurried, apart: true}
	return &console{out, errs, sync.OnceFunc(func() { close(hurried) })}
}

// ConsoleKey is where a command's context has its console.
type ConsoleKey struct{}

// ConsoleOf is the console of a command's context.
func ConsoleOf(ctx context.Context) *console { return ctx.Value(ConsoleKey{}).(*console) }

// Outlet writes to a file, in a goroutine of its own where it is apart: who computes then never stands still because
// nobody reads a pipe, or a terminal is frozen. Usually a write returns when it is done, so that nothing changes
// order. One that takes longer than outletPatience is left behind, and so are all until the reader has caught up. At
// most outletMost bytes are kept for it. The oldest are left out then, and that is said: the last ones, a command's
// results, wait for the reader. Any goroutine may write.
type Outlet struct {
	to      io.Writer
	hurried <-chan struct{} // closed when nobody shall wait for a reader any more

	mutex sync.Mutex
	apart bool
	queue []*written // the first one is being written
	size  int        // bytes of the queue
	left  int        // writes that were left out
	late  bool
	moved time.Time // when the reader last took something, or was first offered something
	err   error     // the first
}

// written is a text that waits to be written.
type written struct {
	text []byte
	done chan struct{}
}

const (
	outletPatience = 250 * time.Millisecond
	outletMost     = 1 << 20
	outletPiece    = 4 << 10 // that a reader takes at once
	outletLast     = time.Second
)

// Leave sets the outlet apart: no write waits for the reader from here on.
func (o *Outlet) Leave() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.apart = true
}

// Write never fails for a reader that is late. A failure is reported by a later call at the latest.
func (o *Outlet) Write(p []byte) (int, error) {
	o.mutex.Lock()
	if err := o.err; err != nil {
		o.mutex.Unlock()
		return 0, err
	}
	if !o.apart {
		o.mutex.Unlock()
		return o.to.Write(p)
	}
	w := &written{slices.Clone(p), make(chan struct{})}
	o.queue = append(o.queue, w)
	o.size += len(p)
	for o.size > outletMost && len(o.queue) > 2 {
		o.size -= len(o.queue[1].text)
		o.queue = slices.Delete(o.queue, 1, 2)
		o.left++
	}
	if len(o.queue) == 1 {
		o.moved = time.Now()
		go o.work()
	}
	late := o.late
	o.mutex.Unlock()
	if late {
		return len(p), nil
	}
	patience := time.NewTimer(outletPatience)
	defer patience.Stop()
	select {
	case <-w.done:
	case <-patience.C:
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	o.late = len(o.queue) > 0
	return len(p), nil
}

// work writes until nothing waits.
func (o *Outlet) work() {
	for {
		o.mutex.Lock()
		w, left := o.queue[0], o.left
		o.left = 0
		o.mutex.Unlock()
		text := w.text
		if left > 0 {
			text = append([]byte("("+words.Plural(left, "message")+" left out: nobody read them)\n"), text...)
		}
		var err error
		for piece := range slices.Chunk(text, outletPiece) {
			if _, err = o.to.Write(piece); err != nil {
				break
			}
			o.mutex.Lock()
			o.moved = time.Now()
			o.mutex.Unlock()
		}
		o.mutex.Lock()
		close(w.done)
		o.size -= len(w.text)
		o.queue = o.queue[1:]
		if err != nil {
			o.err, o.queue, o.size = err, nil, 0
		}
		if len(o.queue) == 0 {
			o.late = false
			o.mutex.Unlock()
			return
		}
		o.mutex.Unlock()
	}
}

// Finish waits for do, which writes to the reader; after hurry for a moment only.
func (o *Outlet) Finish(do func()) {
	done := make(chan struct{})
	go func() {
		do()
		close(done)
	}()
	select {
	case <-done:
		return
	case <-o.hurried:
	}
	select {
	case <-done:
	case <-time.After(outletLast):
	}
}

// Drain returns when all is written, or after hurry when the reader takes no more of it. The error is the first of all
// writes.
func (o *Outlet) Drain() error {
	for ; ; time.Sleep(2 * time.Millisecond) {
		o.mutex.Lock()
		empty, err, still := len(o.queue) == 0, o.err, time.Since(o.moved)
		o.mutex.Unlock()
		select {
		case <-o.hurried:
			if still > outletLast {
				return err
			}
		default:
		}
		if empty {
			return err
		}
	}
}

// Above is an outlet to w, which writes to the same reader.
func (o *Outlet) Above(w io.Writer) *Outlet { return &Outlet{to: w, hurried: o.hurried, apart: true} }

// TerminalOf is the terminal that w writes to, nil where that is something else.
func TerminalOf(w io.Writer) *os.File {
	if o, ok := w.(*Outlet); ok {
		w = o.to
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// Size is how many columns and rows the terminal has that w writes to; none above 0 where it is none or does not tell.
func Size(w io.Writer) (columns, rows int) {
	columns, rows, _ = term.GetSize(int(TerminalOf(w).Fd()))
	return columns, rows
}

// IsTerminal reports whether w writes to a terminal.
func IsTerminal(w io.Writer) bool { return TerminalOf(w) != nil }
