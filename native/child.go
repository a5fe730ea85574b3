//go:build !js

package native

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"time"
)

// child is another program, or this one again, run next to this process: what ends it does not end us.
type child struct {
	program string
	args    []string
	input   []byte            // for its standard input
	heard   func(line string) // gets the lines of its standard error; nil: nobody does
	grace   time.Duration     // from the end of the context until it is killed
}

// run is told to stop when ctx ends. last is the last line of its standard error, without our name before it. Of a
// child that never started or that another killed the code is codeInternal, of one that we ended it is below 0.
func (c child) run(ctx context.Context) (code int, out []byte, last string) {
	x := exec.CommandContext(ctx, c.program, c.args...)
	gentle(x)
	x.WaitDelay = c.grace
	x.Stdin = bytes.NewReader(c.input)
	var stdout bytes.Buffer
	x.Stdout = &stdout
	x.Stderr = &lineWriter{heard: func(line string) {
		last = strings.TrimPrefix(line, "mhacsp: ")
		if c.heard != nil {
			c.heard(line)
		}
	}}
	err := x.Run()
	if x.ProcessState == nil || x.ProcessState.ExitCode() < 0 && ctx.Err() == nil {
		return codeInternal, nil, err.Error()
	}
	return x.ProcessState.ExitCode(), stdout.Bytes(), last
}

// lineWriter cuts what is written to it into lines.
type lineWriter struct {
	rest  []byte
	heard func(string)
}

func (l *lineWriter) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		l.rest = rest
		l.heard(string(line))
	}
}
