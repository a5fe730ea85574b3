package native

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mhacsp/native/cli"
	"mhacsp/tasks/assert"
)

// frozenTerminal is a terminal that shows nothing more: its output is stopped, as Ctrl-S does it.
func frozenTerminal(t *testing.T) *os.File {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { control.Close() })
	raw := assert.Must(control.SyscallConn())(t)
	var number int
	var failed error
	if err := raw.Control(func(fd uintptr) {
		if failed = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); failed == nil {
			number, failed = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { terminal.Close() })
	assert.NoError(t, unix.IoctlSetInt(int(terminal.Fd()), unix.TCXONC, unix.TCOOFF))
	return terminal
}

// TestFrozenTerminal: a run with its progress bar on a terminal that shows nothing more trains on, and a signal still
// stops it, with a checkpoint.
func TestFrozenTerminal(t *testing.T) {
	p := parallelPlace(t)
	terminal := frozenTerminal(t)
	c, ended := p.unread(terminal, terminal, killRun("run", "--steps", "1000000", "--checkpoint-every", "1000000")...)
	p.until("training steps", func() bool { return p.steps("run") > 100 })
	c.Process.Signal(syscall.SIGTERM)
	p.stops("run", c, ended, cli.CodePreempted)
}
