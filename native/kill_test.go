//go:build !js

package native

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"mhacsp/native/cli"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
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
// again. From here on the program is there: no run that is timed waits for its compiler.
func moments(t *testing.T) *rand.Rand {
	nativetest.Binary()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("MHACSP_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		assert.Need(t, err == nil, "MHACSP_SEED: %v", err)
	}
	t.Logf("MHACSP_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestKill: however often a run is killed, and wherever, it ends in the same bytes.
func TestKill(t *testing.T) {
	p, random := parallelPlace(t), moments(t)
	more := []string{"--threads", "2", "--curriculum", "--patience", "2",
		"--steps", "400"} // several times as long as it takes to start
	begin := time.Now()
	p.OK(killRun("whole", more...)...)
	p.OK(p.killedOften(8, time.Since(begin)/3, random, killRun("killed", more...))...)
	p.sameRun("whole", "killed")
	assert.Says(t, p.OK("train", "--resume", "killed"), "finished")
}

// TestStopAt: a run stops after the validation of a step, and goes on to the bytes of one that did not.
func TestStopAt(t *testing.T) {
	p := parallelPlace(t)
	p.OK(killRun("whole", "--steps", "60", "--eval-every", "20")...)
	code, _, errs := p.Try(killRun("half", "--steps", "60", "--eval-every", "20", "--stop-at", "25")...)
	n := nativetest.Steps(p.Read("half/metrics.jsonl"))
	assert.True(t, code == cli.CodePreempted && n >= 40 && n <= 42 &&
		strings.Contains(errs, "stopped by --stop-at 25 at step"), "exit code %d after %d steps: %s", code, n, errs)
	p.OK("train", "--resume", "half", "--backend", "cpu", "--stop-at", "60")
	p.sameRun("whole", "half")
}

// killedOften kills a run into the folder killed up to that many times, each time after less than within, and returns
// the command that goes on. A machine that is suddenly faster lets the run come to its end before it was killed once;
// then it is begun again and killed sooner.
func (p place) killedOften(most int, within time.Duration, random *rand.Rand, run []string) (goOn []string) {
	p.Helper()
	for kills := 0; kills == 0; within /= 2 {
		assert.NoError(p, os.RemoveAll(p.Path("killed")))
		goOn = run
		for range most {
			after := time.Duration(random.Float64() * float64(within))
			killed := p.kill(after, goOn...)
			if _, err := os.Stat(p.Path("killed/config.json")); err == nil {
				goOn = []string{"train", "--resume", "killed", "--backend", "cpu"}
			}
			if !killed { // it came to its end
				break
			}
			p.Logf("killed after %v", after)
			kills++
		}
	}
	return goOn
}

// kill starts a command, kills it after a while, and reports whether it was still running.
func (p place) kill(after time.Duration, args ...string) bool {
	p.Helper()
	c := p.Command(args...)
	assert.NoError(p, c.Start())
	time.Sleep(after)
	c.Process.Kill()
	return c.Wait() != nil
}

// interrupt starts a training, sends Ctrl-C behind its first step and returns what it wrote to standard error.
func (p place) interrupt(args ...string) string {
	p.Helper()
	code, text, _ := p.stop(func(c *exec.Cmd, _ io.Closer) { c.Process.Signal(os.Interrupt) }, args...)
	assert.Is(p, code, cli.CodeInterrupted, "exit code")
	return text
}

// stop starts a training, stops it behind its first step and returns its exit code, what it wrote to standard error
// and how long it took to end.
func (p place) stop(by func(c *exec.Cmd, pipe io.Closer), args ...string) (int, string, time.Duration) {
	p.Helper()
	c := p.Command(args...)
	stderr := assert.Must(c.StderrPipe())(p)
	assert.NoError(p, c.Start())
	lines := bufio.NewReader(stderr)
	first, err := lines.ReadString('\n') // the line of step 1
	assert.NoError(p, err)
	by(c, stderr)
	begin := time.Now()
	rest, _ := io.ReadAll(lines)
	c.Wait()
	return c.ProcessState.ExitCode(), first + string(rest), time.Since(begin)
}

// TestInterrupt: Ctrl-C writes a checkpoint and says how to go on; going on ends in the same bytes.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot send an interrupt to one process")
	}
	p := newPlace(t)
	p.OK(killRun("whole", "--steps", "400", "--checkpoint-every", "1000")...)
	text := p.interrupt(killRun("stopped", "--steps", "400", "--checkpoint-every", "1000")...)
	assert.Says(t, text, "step 1/400", "Ctrl-C again", "checkpoint written", " train --resume stopped\n")
	done := nativetest.Steps(p.Read("stopped/metrics.jsonl"))
	out := p.OK("train", "--resume", "stopped", "--backend", "cpu", "--threads", "1")
	assert.True(t, strings.Contains(out, "resumed at step") && done != 0 && done != 400,
		"stopped after %d steps; resuming prints\n%s", done, out)
	p.Same("whole/model.safetensors", "stopped/model.safetensors")
}

// TestClosedPipe: where nobody reads any more the run ends with a checkpoint.
func TestClosedPipe(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signal")
	}
	p := newPlace(t)
	c := p.Command(killRun("run", "--steps", "3000", "--eval-every", "1", "--eval-samples", "2")...)
	out := assert.Must(c.StdoutPipe())(t)
	assert.NoError(t, c.Start())
	assert.Must(bufio.NewReader(out).ReadString('\n'))(t)
	out.Close()
	begin := time.Now()
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != cli.CodePreempted || time.Since(begin) > 5*time.Second {
		t.Errorf("exit code %d after %v", code, time.Since(begin))
	}
	done := nativetest.Steps(p.Read("run/metrics.jsonl"))
	assert.True(t, done != 3000 && p.Tensors("run/optimizer.safetensors") != nil, "stopped after %d steps", done)
	p.onlyRunFiles("run")
}

// sameRun: two folders hold the same run and nothing else.
func (p place) sameRun(a, b string) {
	p.Helper()
	p.sameCourse(a, b)
	p.onlyRunFiles(b)
}

// sameCourse: two runs have the same bytes, and every step and every evaluation once.
func (p place) sameCourse(a, b string) {
	p.Helper()
	for _, name := range []string{"/model.safetensors", "/optimizer.safetensors"} {
		p.Same(a+name, b+name)
	}
	x, y := courseOf(p.Read(a+"/metrics.jsonl")), courseOf(p.Read(b+"/metrics.jsonl"))
	assert.True(p, x == y, "the log of %s has\n%s, of %s\n%s", a, x, b, y)
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
