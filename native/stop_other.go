//go:build !unix && !js

package native

import (
	"os"
	"os/exec"
	"syscall"
)

// stopSignals end a run with a checkpoint: Ctrl-C, and a console that closes.
func stopSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

func signalName(s os.Signal) string { return s.String() }

// gentle does nothing here: a child is ended at once, and goes on from its last checkpoint.
func gentle(*exec.Cmd) {}
