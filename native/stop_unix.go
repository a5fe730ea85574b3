//go:build unix && !js

package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// stopSignals end a run with a checkpoint: Ctrl-C, what schedulers send, and a terminal or a pipe that closes.
func stopSignals() []os.Signal {
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGPIPE}
}

func signalName(s os.Signal) string {
	switch s {
	case syscall.SIGPIPE:
		return "a closed pipe"
	case syscall.SIGHUP:
		return "SIGHUP (a closed terminal)"
	}
	return unix.SignalName(s.(syscall.Signal))
}
