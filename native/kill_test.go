//go:build !js

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// killRun is a run whose every checkpoint may be its last. One thread does its work in a third of the processor's time
// that two take, which wait for each other; resumed runs, and runs of TestKill and TestSoak, have more.
func killRun(out string, more ...string) []string {
	return append([]string{"train", "--task", "parity", "--model", "csp",
		"--width", "8", "--steps", "60", "--checkpoint-every", "5",
		"--batch", "64", "--curriculum=false", "--eval-every", "20",
		"--eval-samples", "64", "--test-samples", "64", "--backend", "cpu", "--threads", "1", "--out", out}, more...)
}

// moments draws when to kill. Its seed is printed where the test fails; MHACSP_SEED sets it, to see the same kills
// again.
func moments(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("MHACSP_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("MHACSP_SEED: %v", err)
		}
	}
	t.Logf("MHACSP_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestKill: however often a run is killed, and wherever, it ends in the same bytes.
func TestKill(t *testing.T) {
	for name, more := range map[string][]string{
		"threads": {"--threads", "2"}, "curriculum": {"--curriculum"}, "patience": {"--patience", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			p, random := newPlace(t), moments(t)
			begin := time.Now()
			p.ok(killRun("whole", more...)...)
			whole := time.Since(begin)

			args, kills := killRun("killed", more...), 0
			for range 12 {
				after := time.Duration(random.Float64() * float64(whole) / 3)
				killed := p.kill(after, args...)
				if _, err := os.Stat(p.path("killed/config.json")); err == nil {
					args = []string{"train", "--resume", "killed", "--backend", "cpu"}
				}
				if !killed { // it came to its end, on a machine that is suddenly faster
					break
				}
				t.Logf("killed after %v", after)
				kills++
			}
			p.ok(args...)
			if kills == 0 {
				t.Error("the run ended before it was killed once")
			}
			if !bytes.Equal(p.read("whole/model.safetensors"), p.read("killed/model.safetensors")) {
				t.Error("the killed run ends in another model")
			}
			if a, b := stepsOf(p.read("whole/metrics.jsonl")), stepsOf(p.read("killed/metrics.jsonl")); a != b {
				t.Errorf("the log has %d steps, that of the killed run %d", a, b)
			}
			if out := p.ok("train", "--resume", "killed"); !strings.Contains(out, "finished") {
				t.Errorf("resuming a finished run prints %q", out)
			}
			p.onlyRunFiles("killed")
		})
	}
}

// kill starts a command, kills it after a while, and tells whether it was still running.
func (p place) kill(after time.Duration, args ...string) bool {
	p.Helper()
	c := exec.Command(binary(), args...)
	c.Dir = p.dir
	if err := c.Start(); err != nil {
		p.Fatal(err)
	}
	time.Sleep(after)
	c.Process.Kill()
	return c.Wait() != nil
}

func stepsOf(metrics []byte) int { return bytes.Count(metrics, []byte(`"event":"step"`)) }

// interrupt starts a training, sends Ctrl-C behind its first step and returns what it wrote to standard error.
func (p place) interrupt(args ...string) string {
	p.Helper()
	code, text, _ := p.stop(func(c *exec.Cmd, _ io.Closer) { c.Process.Signal(os.Interrupt) }, args...)
	if code != codeInterrupted {
		p.Errorf("exit code %d, want %d", code, codeInterrupted)
	}
	return text
}

// stop starts a training, stops it behind its first step and returns its exit code, what it wrote to standard error
// and how long it took to end.
func (p place) stop(by func(c *exec.Cmd, pipe io.Closer), args ...string) (int, string, time.Duration) {
	p.Helper()
	c := exec.Command(binary(), args...)
	c.Dir = p.dir
	stderr, err := c.StderrPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := c.Start(); err != nil {
		p.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	first, err := lines.ReadString('\n') // the line of step 1
	if err != nil {
		p.Fatal(err)
	}
	by(c, stderr)
	begin := time.Now()
	rest, _ := io.ReadAll(lines)
	c.Wait()
	return c.ProcessState.ExitCode(), first + string(rest), time.Since(begin)
}

// TestInterrupt: Ctrl-C writes a checkpoint and says how to go on; going on ends in the same bytes.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot send an interrupt to one process")
	}
	p := newPlace(t)
	p.ok(killRun("whole", "--steps", "400", "--checkpoint-every", "1000")...)
	text := p.interrupt(killRun("stopped", "--steps", "400", "--checkpoint-every", "1000")...)
	for _, want := range []string{
		"step 1/400", "Ctrl-C again", "checkpoint written", "mhacsp train --resume stopped\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	done := stepsOf(p.read("stopped/metrics.jsonl"))
	out := p.ok("train", "--resume", "stopped", "--backend", "cpu", "--threads", "1")
	if !strings.Contains(out, "resumed at step") || done == 0 || done == 400 {
		t.Errorf("stopped after %d steps; resuming prints\n%s", done, out)
	}
	if !bytes.Equal(p.read("whole/model.safetensors"), p.read("stopped/model.safetensors")) {
		t.Error("the interrupted run ends in another model")
	}
}

// evaluating is a run of which nearly all time goes into evaluations, each in one batch.
func evaluating(out string) []string {
	return killRun(out, "--steps", "4", "--eval-every", "2", "--eval-samples", "20000", "--eval-batch", "20000",
		"--test-samples", "20000", "--max-length", "40", "--batch", "4", "--threads", "2")
}

// TestSignals: whatever stops a run, in the middle of an evaluation too, it ends within two seconds with a checkpoint
// and its exit code, and the same command goes on to the same bytes.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signals")
	}
	// Under nohup this test ignores SIGHUP, which a child inherits. A signal that is caught is not inherited.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	p, random := newPlace(t), moments(t)
	begin := time.Now()
	p.ok(evaluating("whole")...)
	late := min(time.Since(begin)/2, 300*time.Millisecond) // the run goes on for longer than that
	begin = time.Now()
	p.ok("version")
	most := 2*time.Second + 10*time.Since(begin) // on a machine that does nothing else some tenths of a second more
	t.Logf("at most %v to end", most)
	limit := late.Round(time.Millisecond).String()
	sent := func(s os.Signal) func(*exec.Cmd, io.Closer) {
		return func(c *exec.Cmd, _ io.Closer) {
			time.Sleep(time.Duration(random.Float64() * float64(late)))
			c.Process.Signal(s)
		}
	}
	for _, x := range []struct {
		name string
		by   func(*exec.Cmd, io.Closer)
		more []string
		code int
		word string
	}{
		{"SIGTERM", sent(syscall.SIGTERM), nil, codePreempted, "stopped by SIGTERM at step "},
		{"SIGHUP", sent(syscall.SIGHUP), nil, codePreempted, "stopped by SIGHUP"},
		{"SIGUSR1", sent(syscall.SIGUSR1), nil, codePreempted, "stopped by SIGUSR1"},
		{"SIGINT", sent(os.Interrupt), nil, codeInterrupted, "interrupted at step "},
		{"twice", func(c *exec.Cmd, _ io.Closer) {
			c.Process.Signal(syscall.SIGTERM)
			c.Process.Signal(syscall.SIGTERM)
		}, nil, codePreempted, "stopped by SIGTERM"},
		{"limit", func(*exec.Cmd, io.Closer) {}, []string{"--time-limit", limit}, codePreempted, "stopped by --time-limit " + limit},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := place{t, p.dir}
			code, text, took := p.stop(x.by, append(evaluating(x.name), x.more...)...)
			t.Logf("ended after %v", took)
			if code != x.code || !strings.Contains(text, x.word) || !strings.Contains(text, "checkpoint written") {
				t.Errorf("exit code %d, want %d; %q is not in\n%s", code, x.code, x.word, text)
			}
			if took > most {
				t.Errorf("it took %v to end", took)
			}
			p.ok(evaluating(x.name)...)
			p.sameRun("whole", x.name)
		})
	}
}

// TestSignalWhileSaving: a signal that comes while a checkpoint is half written lets it be written, and then the run
// ends. Nothing is left half written, and the same command goes on to the same bytes.
func TestSignalWhileSaving(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signals")
	}
	p := newPlace(t)
	run := func(out string) []string { // writes some MB a step
		return killRun(out, "--width", "256", "--steps", "8", "--checkpoint-every", "1", "--batch", "1",
			"--eval-every", "0", "--max-length", "6")
	}
	p.ok(run("whole")...)
	var took []time.Duration
	for {
		code, after := p.whileSaving("stopped", run("stopped")...)
		if code == codeOK {
			break
		}
		took = append(took, after)
		if code != codePreempted {
			t.Fatalf("exit code %d", code)
		}
		p.onlyRunFiles("stopped")
		p.ok("describe", "--run", "stopped")
	}
	t.Logf("ended after %v", took)
	if len(took) < 3 {
		t.Errorf("only %d signals came while a checkpoint was written", len(took))
	}
	p.sameRun("whole", "stopped")
}

// whileSaving starts a training, sends SIGTERM while a checkpoint of it is half written, and returns its exit code and
// how long it then took to end. The program stands still until it is sure that the file is there.
func (p place) whileSaving(dir string, args ...string) (code int, took time.Duration) {
	p.Helper()
	c := exec.Command(binary(), args...)
	c.Dir = p.dir
	if err := c.Start(); err != nil {
		p.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		c.Wait()
		close(ended)
	}()
	half := func() bool {
		found, err := filepath.Glob(p.path(dir + "/*.safetensors.*.tmp"))
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

// TestClosedPipe: where nobody reads any more the run ends with a checkpoint.
func TestClosedPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signal")
	}
	p := newPlace(t)
	short := killRun("run", "--steps", "3000", "--eval-every", "1", "--eval-samples", "2")
	c := exec.Command(binary(), short...)
	c.Dir = p.dir
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	out.Close()
	begin := time.Now()
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != codePreempted || time.Since(begin) > 5*time.Second {
		t.Errorf("exit code %d after %v", code, time.Since(begin))
	}
	done := stepsOf(p.read("run/metrics.jsonl"))
	if done == 3000 || p.tensors("run/optimizer.safetensors") == nil {
		t.Errorf("stopped after %d steps", done)
	}
	p.onlyRunFiles("run")
}

// sameRun: two folders hold the same run, every step and every evaluation once.
func (p place) sameRun(a, b string) {
	p.Helper()
	for _, name := range []string{"/model.safetensors", "/optimizer.safetensors"} {
		if !bytes.Equal(p.read(a+name), p.read(b+name)) {
			p.Errorf("%s%s is not that of %s", b, name, a)
		}
	}
	if x, y := courseOf(p.read(a+"/metrics.jsonl")), courseOf(p.read(b+"/metrics.jsonl")); x != y {
		p.Errorf("the log of %s has\n%s, of %s\n%s", a, x, b, y)
	}
	p.onlyRunFiles(b)
}

// courseOf lists the steps and evaluations of a log, in their order.
func courseOf(metrics []byte) string {
	var list []string
	for line := range bytes.Lines(metrics) {
		var e struct {
			Event, Role, Reason string
			Step                int
			Loss                float64
			Report              struct{ Loss float64 }
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return err.Error()
		}
		if e.Event == "step" || e.Event == "eval" || e.Event == "done" && e.Reason != "interrupted" {
			list = append(list, fmt.Sprint(e.Event, e.Role, e.Step, " ", e.Loss, e.Report.Loss))
		}
	}
	return strings.Join(list, "\n")
}
