//go:build unix

package native

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// fullPipe is a pipe that nobody has read for long: it takes nothing more.
func fullPipe(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	assert.NoError(t, err)
	t.Cleanup(func() {
		read.Close()
		write.Close()
	})
	assert.NoError(t, write.SetWriteDeadline(time.Now().Add(time.Second)))
	n, err := write.Write(make([]byte, 4<<20))
	assert.Need(t, err != nil, "a pipe takes %d bytes", n)
	return read, write
}

// unread starts a command whose output nobody reads.
func (p place) unread(stdout, stderr io.Writer, args ...string) (c *exec.Cmd, ended chan struct{}) {
	p.Helper()
	c = p.Command(args...)
	c.Stdout, c.Stderr = stdout, stderr
	assert.NoError(p, c.Start())
	ended = make(chan struct{})
	go func() {
		c.Wait()
		close(ended)
	}()
	p.Cleanup(func() {
		c.Process.Kill()
		<-ended
	})
	return c, ended
}

// steps is how many a run's log has, 0 without one.
func (p place) steps(dir string) int { return nativetest.Steps(p.log(dir)) }

// stops: a run comes to its end with a checkpoint of all of its steps.
func (p place) stops(dir string, c *exec.Cmd, ended chan struct{}, want int) {
	p.Helper()
	begin := time.Now()
	p.until("the end of the run", over(ended))
	p.Logf("ended after %v, with %d steps", time.Since(begin), p.steps(dir))
	assert.Is(p, c.ProcessState.ExitCode(), want, "exit code")
	assert.True(p, p.steps(dir) != 0, "no step was made")
	p.allSaved(dir)
	p.onlyRunFiles(dir)
}

// allSaved: a run's checkpoint is of its last step.
func (p place) allSaved(dir string) {
	p.Helper()
	progress := p.Tensors(dir + "/optimizer.safetensors").Metadata["progress"]
	assert.Says(p, progress, fmt.Sprintf(`"step":%d,`, p.steps(dir)))
}

func over(ended chan struct{}) func() bool {
	return func() bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}
}

// TestUnread: a run whose output nobody reads trains on, and what stops it still does, with a checkpoint.
func TestUnread(t *testing.T) {
	p := parallelPlace(t)
	for _, x := range []struct {
		name   string
		signal os.Signal
		more   []string
		code   int
	}{
		{"SIGTERM", syscall.SIGTERM, nil, cli.CodePreempted}, {"Ctrl-C", os.Interrupt, nil, cli.CodeInterrupted},
		{"limit", nil, []string{"--time-limit", "2s"}, cli.CodePreempted},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := p.in(t)
			_, pipe := fullPipe(t)
			run := killRun(x.name, "--steps", "1000000", "--checkpoint-every", "1000000")
			c, ended := p.unread(pipe, pipe, append(run, x.more...)...)
			if x.signal != nil {
				p.until("a training step", func() bool { return p.steps(x.name) > 100 })
				c.Process.Signal(x.signal)
			}
			p.stops(x.name, c, ended, x.code)
		})
	}
}

// finishedUnread is a run that came to its end, let its folder go and waits for its reader.
func (p place) finishedUnread(dir string) (read, pipe *os.File, c *exec.Cmd, ended chan struct{}) {
	p.Helper()
	read, pipe = fullPipe(p.T)
	c, ended = p.unread(pipe, pipe, killRun(dir)...)
	p.until("the end of the run", func() bool {
		_, err := os.Stat(p.Path(dir + "/" + train.LockFile))
		return os.IsNotExist(err) && bytes.Contains(p.log(dir), []byte(`"event":"done"`))
	})
	assert.Need(p, !over(ended)(), "it did not wait for its reader")
	return read, pipe, c, ended
}

// TestUnreadEnds: a run that has come to its end waits for its reader, who gets the results. A signal ends the
// waiting, and is no failure.
func TestUnreadEnds(t *testing.T) {
	p := parallelPlace(t)
	_, _, c, ended := p.finishedUnread("told")
	c.Process.Signal(syscall.SIGTERM)
	p.until("the end of the program", over(ended))
	assert.Is(t, c.ProcessState.ExitCode(), cli.CodeOK, "exit code … after a signal")
	read, pipe, c, ended := p.finishedUnread("run")
	pipe.Close()
	out := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(read)
		out <- strings.TrimLeft(string(text), "\x00")
	}()
	p.until("the end of the program", over(ended))
	assert.Says(t, <-out, "device   ", "step 60/60", "test at step 60", "finished at step 60", " ask --run ")
	assert.Is(t, c.ProcessState.ExitCode(), cli.CodeOK, "exit code")
}

func (p place) log(dir string) []byte {
	text, _ := os.ReadFile(filepath.Join(p.Dir, dir, train.MetricsFile))
	return text
}

// TestUnreadTables: a study whose output nobody reads trains its cells, and a signal stops them with checkpoints.
func TestUnreadTables(t *testing.T) {
	p := parallelPlace(t)
	names := p.TinyPlan(1000000)
	_, pipe := fullPipe(t)
	c, ended := p.unread(pipe, pipe, words("tables --backend cpu --plan plan.json --jobs 1 --out study")...)
	const cells = "study/cells/"
	at := ""
	p.until("a training step of a cell", func() bool {
		for _, name := range names {
			if p.steps(cells+name) > 50 {
				at = cells + name
			}
		}
		return at != ""
	})
	c.Process.Signal(syscall.SIGTERM)
	p.until("the end of the study", over(ended))
	assert.Is(t, c.ProcessState.ExitCode(), cli.CodePreempted, "exit code")
	p.allSaved(at)
}
