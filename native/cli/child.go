//go:build !js

package cli

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"time"
)

// Child is another program, or this one again, run next to this process: what ends it does not end us.
type Child struct {
	Program string
	Args    []string
	Input   []byte            // for its standard input
	Heard   func(line string) // gets the lines of its standard error; nil: nobody does
	Grace   time.Duration     // from the end of the context until it is killed
}

// Run is told to stop when ctx ends. last is the last line of its standard error, without our name before it. Of a
// child that never started, that crashed or that another killed the code is CodeInternal, of one that we ended it is
// below 0.
func (c Child) Run(ctx context.Context) (code int, out []byte, last string) {
	x := exec.CommandContext(ctx, c.Program, c.Args...)
	gentle(x)
	x.WaitDelay = c.Grace
	x.Stdin = bytes.NewReader(c.Input)
	var stdout bytes.Buffer
	x.Stdout = &stdout
	ours := false // the last line is an error of this program
	x.Stderr = &lineWriter{heard: func(line string) {
		last, ours = strings.CutPrefix(line, "mhacsp: ")
		if c.Heard != nil {
			c.Heard(line)
		}
	}}
	err := x.Run()
	if x.ProcessState == nil || x.ProcessState.ExitCode() < 0 && ctx.Err() == nil {
		return CodeInternal, nil, err.Error()
	}
	code = x.ProcessState.ExitCode()
	// Go ends a program that crashes with CodeUser.
	if code > CodeInternal && code != CodePreempted && code != CodeInterrupted && !ours {
		return CodeInternal, nil, "it crashed: " + err.Error()
	}
	return code, stdout.Bytes(), last
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
