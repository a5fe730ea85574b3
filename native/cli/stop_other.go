//go:build !unix && !js

package cli

import (
	"os"
	"os/exec"
	"syscall"
)

// StopSignals end a run with a checkpoint: Ctrl-C, and a console that closes.
func StopSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// SignalName is a signal for a reader.
func SignalName(s os.Signal) string { return s.String() }

// gentle does nothing here: a child is ended at once, and goes on from its last checkpoint.
func gentle(*exec.Cmd) {}
