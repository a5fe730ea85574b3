//go:build unix && !js

package cli

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// StopSignals end a run with a checkpoint: Ctrl-C, what schedulers send, and a terminal or a pipe that closes.
func StopSignals() []os.Signal {
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGPIPE}
}

// SignalName is a signal for a reader.
func SignalName(s os.Signal) string {
	switch s {
	case syscall.SIGPIPE:
		return "a closed pipe"
	case syscall.SIGHUP:
		return "SIGHUP (a closed terminal)"
	}
	return unix.SignalName(s.(syscall.Signal))
}

// Unread is for systems without SIGPIPE.
func Unread(error) bool { return false }

// gentle lets a child be told to stop by its context alone, with a checkpoint: a terminal's Ctrl-C does not reach it.
func gentle(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
}
