package cli

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// StopSignals end a run with a checkpoint: Ctrl-C, and a console that closes.
func StopSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// SignalName is a signal for a reader.
func SignalName(s os.Signal) string { return s.String() }

// Unread reports whether an error of the output is that nobody reads it any more: no signal tells so here.
func Unread(err error) bool {
	return errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, windows.ERROR_BROKEN_PIPE)
}

// gentle lets a child be told to stop by its context alone, with a checkpoint: a console's Ctrl-C does not reach it.
// Without a console it is ended, and goes on from its last checkpoint.
func gentle(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	c.Cancel = func() error {
		if windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.Process.Pid)) == nil {
			return nil
		}
		return c.Process.Kill()
	}
}
