//go:build !js

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mhacsp/native/words"
	"mhacsp/tasks/assert"
)

// reader takes a write each time that it is told to; its channel closed, it takes all.
type reader struct {
	bytes.Buffer
	takes chan struct{}
}

func (r *reader) Write(p []byte) (int, error) {
	<-r.takes
	return r.Buffer.Write(p)
}

// TestOutlet: writes do not wait for a reader who takes nothing. Of too much the oldest is left out, which is said;
// the last waits for the reader. After hurry it does so for a moment only.
func TestOutlet(t *testing.T) {
	r := &reader{takes: make(chan struct{})}
	to := NewConsole(new(bytes.Buffer), r)
	const lines = 4000
	begin := time.Now()
	line := strings.Repeat("x", 1020)
	for i := range lines {
		assert.Must(fmt.Fprintf(to.Err, "%04d%s\n", i, line))(t)
	}
	took := time.Since(begin)
	assert.True(t, took <= 20*time.Second, "%d writes took %v", lines, took) // each of them waiting would take 1000
	drained := make(chan error)
	go func() { drained <- to.Err.Drain() }()
	select {
	case <-drained:
		t.Fatal("drain did not wait for the reader")
	case <-time.After(100 * time.Millisecond):
	}
	close(r.takes)
	assert.NoError(t, <-drained)
	text := r.String()
	assert.True(t, len(text) <= outletMost+1<<13 && len(text) >= outletMost/2, "%d bytes were kept", len(text))
	first, rest, _ := strings.Cut(text, "\n")
	left := words.Plural(lines-strings.Count(rest, line)-1, "message")
	assert.True(t, strings.HasPrefix(first, "0000") && strings.HasPrefix(rest, "("+left+" left out: "),
		"it begins with %.60q", rest)
	assert.True(t, strings.Contains(text, fmt.Sprintf("%04d%s\n", lines-1, line)), "the last line is missing")

	r = &reader{takes: make(chan struct{})}
	to = NewConsole(r, new(bytes.Buffer))
	to.Out.Leave()
	fmt.Fprintln(to.Out, "result")
	to.Hurry()
	begin = time.Now()
	to.Out.Drain()
	took = time.Since(begin)
	assert.True(t, took <= 30*outletLast, "after hurry %v were waited", took)
	close(r.takes)
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// TestOutletFails: what cannot be written is an error, apart or not, and told once all is drained.
func TestOutletFails(t *testing.T) {
	failed := errors.New("no room")
	for _, apart := range []bool{false, true} {
		to := NewConsole(failing{failed}, new(bytes.Buffer))
		if apart {
			to.Out.Leave()
		}
		_, err := fmt.Fprintln(to.Out, "result")
		drained := to.Out.Drain()
		assert.True(t, errors.Is(errors.Join(err, drained), failed), "apart %t: %v, %v", apart, err, drained)
	}
}
