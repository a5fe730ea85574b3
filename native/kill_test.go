//go:build !js

package main

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// killRun is a run whose every checkpoint may be its last.
func killRun(out string, more ...string) []string {
	return append([]string{"train", "--task", "parity", "--model", "csp",
		"--width", "8", "--steps", "60", "--checkpoint-every", "5",
		"--batch", "64", "--curriculum=false", "--eval-every", "20",
		"--eval-samples", "64", "--test-samples", "64", "--out", out}, more...)
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
		"plain": nil, "curriculum": {"--curriculum"}, "patience": {"--patience", "2"},
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
					args = []string{"train", "--resume", "killed"}
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
	if err := c.Process.Signal(os.Interrupt); err != nil {
		p.Fatal(err)
	}
	rest, _ := io.ReadAll(lines)
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != codeInterrupted {
		p.Errorf("exit code %d, want %d", code, codeInterrupted)
	}
	return first + string(rest)
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
	out := p.ok("train", "--resume", "stopped", "--backend", "cpu")
	if !strings.Contains(out, "resumed at step") || done == 0 || done == 400 {
		t.Errorf("stopped after %d steps; resuming prints\n%s", done, out)
	}
	if !bytes.Equal(p.read("whole/model.safetensors"), p.read("stopped/model.safetensors")) {
		t.Error("the interrupted run ends in another model")
	}
}
