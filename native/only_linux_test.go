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
	open := func(name string) (f *os.File, fd int) {
		f, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOCTTY, 0)
		if err != nil {
			t.Skipf("no terminals here: %v", err)
		}
		t.Cleanup(func() { f.Close() })
		return f, int(f.Fd())
	}
	_, control := open("/dev/ptmx")
	assert.NoError(t, unix.IoctlSetPointerInt(control, unix.TIOCSPTLCK, 0))
	number := assert.Must(unix.IoctlGetInt(control, unix.TIOCGPTN))(t)
	terminal, fd := open(fmt.Sprintf("/dev/pts/%d", number))
	assert.NoError(t, unix.IoctlSetInt(fd, unix.TCXONC, unix.TCOOFF))
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

func init() { // what is known on Linux alone
	peak = func(s *os.ProcessState) int64 { return s.SysUsage().(*syscall.Rusage).Maxrss << 10 }
}
