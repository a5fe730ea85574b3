//go:build unix

package native

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mhacsp/native/cli"
	"mhacsp/tasks/assert"
)

// evaluating is a run of which nearly all time goes into evaluations, each in one batch.
func evaluating(out string) []string {
	return killRun(out, words("--steps 4 --eval-every 2 --eval-samples 20000 --eval-batch 20000 --test-samples 20000 "+
		"--max-length 40 --batch 4 --threads 2")...)
}

// TestSignals: whatever stops a run, in the middle of an evaluation too, it ends within two seconds with a checkpoint
// and its exit code, says how to go on, and that or the same command goes on to the same bytes.
func TestSignals(t *testing.T) {
	// Under nohup this test ignores SIGHUP, which a child inherits. A signal that is caught is not inherited.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	p, random := newPlace(t), moments(t)
	begin := time.Now()
	p.OK(evaluating("whole")...)
	late := min(time.Since(begin)/2, 300*time.Millisecond) // the run goes on for longer than that
	begin = time.Now()
	p.OK("version")
	most := 2*time.Second + 10*time.Since(begin) // on a machine that does nothing else some tenths of a second more
	t.Logf("at most %v to end", most)
	limit := late.Round(time.Millisecond).String()
	sent := func(s os.Signal) func(*exec.Cmd) {
		return func(c *exec.Cmd) {
			time.Sleep(time.Duration(random.Float64() * float64(late)))
			c.Process.Signal(s)
		}
	}
	for _, x := range []struct {
		name string
		by   func(*exec.Cmd)
		more []string
		code int
		word string
	}{
		{"SIGTERM", sent(syscall.SIGTERM), nil, cli.CodePreempted, "stopped by SIGTERM at step "},
		{"SIGHUP", sent(syscall.SIGHUP), nil, cli.CodePreempted, "stopped by SIGHUP"},
		{"SIGUSR1", sent(syscall.SIGUSR1), nil, cli.CodePreempted, "stopped by SIGUSR1"},
		{"SIGINT", sent(os.Interrupt), nil, cli.CodeInterrupted, "interrupted at step "},
		{"twice", func(c *exec.Cmd) {
			c.Process.Signal(syscall.SIGTERM)
			c.Process.Signal(syscall.SIGTERM)
		}, nil, cli.CodePreempted, "stopped by SIGTERM"},
		{"limit", func(*exec.Cmd) {}, []string{"--time-limit", limit}, cli.CodePreempted, "stopped by --time-limit " + limit},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := p.in(t)
			code, text, took := p.stop(x.by, append(evaluating(x.name), x.more...)...)
			t.Logf("ended after %v", took)
			assert.Is(t, code, x.code, "exit code")
			assert.Says(t, text, x.word, "step 1/4", "checkpoint written", " train --resume "+x.name+"\n")
			assert.True(t, took <= most, "it took %v to end", took)
			switch x.name { // behind the signal all go one way
			case "SIGTERM", "limit":
				p.OK(evaluating(x.name)...)
				p.sameRun("whole", x.name)
			case "SIGINT":
				assert.Says(t, text, "Ctrl-C again")
				assert.Says(t, p.OK("train", "--resume", x.name, "--backend", "cpu"), "resumed at step")
				p.sameRun("whole", x.name)
			}
		})
	}
}

// TestSignalWhileSaving: a signal that comes while a checkpoint is half written lets it be written, and then the run
// ends. Nothing is left half written, and the same command goes on to the same bytes.
func TestSignalWhileSaving(t *testing.T) {
	p := parallelPlace(t)
	run := func(out string) []string { // writes some MB a step
		return killRun(out, words("--width 256 --steps 8 --checkpoint-every 1 --batch 1 --eval-every 0 "+
			"--max-length 6")...)
	}
	p.OK(run("whole")...)
	var took []time.Duration
	for tries := 1; ; tries++ {
		code, after := p.whileSaving("stopped", run("stopped")...)
		if code == cli.CodeOK && (len(took) >= 2 || tries >= 20) {
			break
		}
		if code == cli.CodeOK { // on a busy machine this process saw too little: once more
			assert.NoError(t, os.RemoveAll(p.Path("stopped")))
			continue
		}
		took = append(took, after)
		assert.Need(t, code == cli.CodePreempted, "exit code %d", code)
		p.onlyRunFiles("stopped")
		p.OK("describe", "--run", "stopped")
	}
	t.Logf("ended after %v", took)
	assert.True(t, len(took) >= 2, "only %d signals came while a checkpoint was written", len(took))
	p.sameRun("whole", "stopped")
}

// whileSaving starts a training, sends SIGTERM while a checkpoint of it is half written, and returns its exit code and
// how long it then took to end. The program stands still until it is sure that the file is there.
func (p place) whileSaving(dir string, args ...string) (code int, took time.Duration) {
	p.Helper()
	c, ended := p.unread(nil, nil, args...)
	half := func() bool {
		found, err := filepath.Glob(p.Path(dir + "/*.safetensors.*.tmp"))
		return err == nil && len(found) > 0
	}
	var begin time.Time
	for begin.IsZero() {
		select {
		case <-ended:
			return c.ProcessState.ExitCode(), 0
		default:
		}
		if !half() {
			continue
		}
		c.Process.Signal(syscall.SIGSTOP)
		if half() {
			c.Process.Signal(syscall.SIGTERM)
			begin = time.Now()
		}
		c.Process.Signal(syscall.SIGCONT)
	}
	<-ended
	return c.ProcessState.ExitCode(), time.Since(begin)
}

// TestReportStopped: a signal prints what there is, and says what is missing.
func TestReportStopped(t *testing.T) {
	p := parallelPlace(t)
	for s, want := range map[os.Signal]int{os.Interrupt: cli.CodeInterrupted, syscall.SIGTERM: cli.CodePreempted} {
		c := p.Command(words("report --backend cpu --budget 10m --model csp")...)
		var out bytes.Buffer
		c.Stdout = &out
		errs := assert.Must(c.StderrPipe())(t)
		assert.NoError(t, c.Start())
		lines := bufio.NewScanner(errs)
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "report, ") {
		}
		assert.NoError(t, c.Process.Signal(s))
		for lines.Scan() {
		}
		_ = c.Wait()
		code := c.ProcessState.ExitCode()
		assert.True(t, code == want && strings.Contains(out.String(), "stopped before the end") &&
			strings.Contains(out.String(), ": it was stopped"), "after %v: exit code %d\n%s", s, code, out.String())
	}
}

// TestSamplesStopped: a signal in the middle of writing samples leaves no file.
func TestSamplesStopped(t *testing.T) {
	p := parallelPlace(t)
	c, ended := p.unread(nil, nil, words("data --n 1000000000 --out samples")...)
	p.until("samples", func() bool {
		half, _ := filepath.Glob(p.Path("samples.*.tmp"))
		return half != nil
	})
	c.Process.Signal(syscall.SIGTERM)
	p.until("the end", over(ended))
	assert.Is(t, c.ProcessState.ExitCode(), cli.CodePreempted, "exit code")
	assert.Is(t, len(assert.Must(os.ReadDir(p.Dir))(t)), 0, "files that are left")
}
