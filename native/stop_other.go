//go:build !unix && !js

package main

import (
	"os"
	"syscall"
)

// stopSignals end a run with a checkpoint: Ctrl-C, and a console that closes.
func stopSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

func signalName(s os.Signal) string { return s.String() }
