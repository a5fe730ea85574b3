//go:build !js

package native

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// killRun is a run whose every checkpoint may be its last. One thread does its work in a third of the processor's time
// that two take, which wait for each other; resumed runs, and runs of TestKill and TestSoak, have more.
func killRun(out string, more ...string) []string {
	return append(words("train --task parity --model csp --width 8 --steps 60 --checkpoint-every 5 --batch 64 "+
		"--curriculum=false --eval-every 20 --eval-samples 64 --test-samples 64 --backend cpu --threads 1 --out", out),
		more...)
}

// moments draws when to kill. Its seed is printed where the test fails; MHACSP_SEED sets it, to see the same kills
// again. From here on the program is there: no run that is timed waits for its compiler.
func moments(t *testing.T) *rand.Rand {
	nativetest.Binary()
	text := cmp.Or(os.Getenv("MHACSP_SEED"), fmt.Sprint(time.Now().UnixNano()))
	seed, err := strconv.ParseUint(text, 10, 64)
	assert.Need(t, err == nil, "MHACSP_SEED: %v", err)
	t.Logf("MHACSP_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestKill: however often a run is killed, and wherever, it ends in the same bytes.
func TestKill(t *testing.T) {
	p, random := parallelPlace(t), moments(t)
	more := words("--threads 2 --curriculum --patience 2 --steps 400") // several times as long as it takes to start
	begin := time.Now()
	p.OK(killRun("whole", more...)...)
	p.OK(p.killedOften(8, time.Since(begin)/3, random, killRun("killed", more...))...)
	p.sameRun("whole", "killed")
	assert.Says(t, p.OK("train", "--resume", "killed"), "finished")
}

// TestStopAt: a run stops after the validation of a step, and goes on to the bytes of one that did not.
func TestStopAt(t *testing.T) {
	p := parallelPlace(t)
	p.OK(killRun("whole")...)
	p.ends(cli.CodePreempted, "stopped by --stop-at 25 at step", killRun("half", "--stop-at", "25")...)
	n := nativetest.Steps(p.Read("half/metrics.jsonl"))
	assert.True(t, n >= 40 && n <= 42, "it stopped after %d steps", n)
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

// stop starts a training, stops it behind its first step and returns its exit code, what it wrote to standard error
// and how long it took to end.
func (p place) stop(by func(*exec.Cmd), args ...string) (int, string, time.Duration) {
	p.Helper()
	c := p.Command(args...)
	stderr := assert.Must(c.StderrPipe())(p)
	assert.NoError(p, c.Start())
	lines := bufio.NewReader(stderr)
	first := assert.Must(lines.ReadString('\n'))(p) // the line of step 1
	by(c)
	begin := time.Now()
	rest, _ := io.ReadAll(lines)
	c.Wait()
	return c.ProcessState.ExitCode(), first + string(rest), time.Since(begin)
}

// TestClosedPipe: where nobody reads any more the run ends with a checkpoint.
func TestClosedPipe(t *testing.T) {
	p := unixPlace(t, "such signal")
	c := p.Command(killRun("run", "--steps", "3000", "--eval-every", "1", "--eval-samples", "2")...)
	out := assert.Must(c.StdoutPipe())(t)
	assert.NoError(t, c.Start())
	assert.Must(bufio.NewReader(out).ReadString('\n'))(t)
	out.Close()
	begin := time.Now()
	c.Wait()
	code, took := c.ProcessState.ExitCode(), time.Since(begin)
	assert.True(t, code == cli.CodePreempted && took <= 5*time.Second, "exit code %d after %v", code, took)
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
	want := courseOf(p.Read(a + "/metrics.jsonl"))
	assert.Is(p, courseOf(p.Read(b+"/metrics.jsonl")), want, "the log of %s has, by the side of %s", b, a)
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

// until waits for what is bound to come, a minute at most.
func (p place) until(what string, come func() bool) {
	p.Helper()
	for end := time.Now().Add(time.Minute); !come(); time.Sleep(10 * time.Millisecond) {
		assert.Need(p, !time.Now().After(end), "a minute went by without %s", what)
	}
}

// TestOneProcess: while a run is trained no other process starts, resumes, replaces or clears anything in its folder;
// when the process was killed the next one goes on at once.
func TestOneProcess(t *testing.T) {
	p := parallelPlace(t)
	long := killRun("run", words("--steps 100000 --test-samples 0 --eval-every 0")...)
	c := p.Command(long...)
	assert.NoError(t, c.Start())
	defer c.Process.Kill()
	p.until("a checkpoint", func() bool { return len(p.Files("run/optimizer.safetensors")) == 1 })
	half := filepath.Join("run", train.ModelFile+".0123abcd.tmp")
	p.Write(half, "what it is writing")
	var all sync.WaitGroup
	for _, args := range [][]string{words("train --resume run --backend cpu"), long, append(long, "--overwrite")} {
		// Each first waits for a while, whether the run comes to its end.
		all.Go(func() { p.refusedAs(cli.CodeBusy, "run is in use: process ", args...) })
	}
	all.Wait()
	p.Read(half)
	assert.Need(t, c.ProcessState == nil, "the run ended")
	c.Process.Kill()
	c.Wait()
	p.Read("run/lock")
	begin := time.Now()
	assert.Says(t, p.OK(killRun("run", "--overwrite")...), "has ended without a word")
	t.Logf("a new run took %v", time.Since(begin))
	p.onlyRunFiles("run")
}
