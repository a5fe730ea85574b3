//go:build !js

package native

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/tasks/assert"
)

// start begins a command and returns when a file stands that the command makes.
func (p place) start(file string, args ...string) *exec.Cmd {
	p.Helper()
	c := p.Command(args...)
	assert.NoError(p, c.Start())
	for range 3000 {
		if _, err := os.Stat(p.Path(file)); err == nil {
			return c
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.Process.Kill()
	p.Fatalf("%s does not make %s", strings.Join(args, " "), file)
	return nil
}

// TestOneProcess: while a run is trained no other process starts, resumes, replaces or clears anything in its folder;
// when the process was killed the next one goes on at once.
func TestOneProcess(t *testing.T) {
	p := parallelPlace(t)
	long := killRun("run", "--steps", "100000", "--test-samples", "0", "--eval-every", "0")
	c := p.start("run/optimizer.safetensors", long...)
	half := filepath.Join("run", train.ModelFile+".0123abcd.tmp")
	p.Write(half, "what it is writing")
	var all sync.WaitGroup
	for _, args := range [][]string{
		{"train", "--resume", "run", "--backend", "cpu"}, long, append(long, "--overwrite"),
	} {
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
	out := p.OK(killRun("run", "--overwrite")...)
	assert.Says(t, out, "has ended without a word")
	t.Logf("a new run took %v", time.Since(begin))
	p.onlyRunFiles("run")
}
