//go:build !js

package native

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/tasks/assert"
)

// diskRun is a run of a few seconds whose optimizer file has nearly 200 KB, with a log of some 60 KB.
func diskRun(out string, more ...string) []string {
	return append(words("train --backend cpu --task parity --model csp --width 48 --steps 300 --checkpoint-every 100 "+
		"--batch 4 --max-length 6 --curriculum=false --eval-every 0 --eval-samples 8 --test-samples 8 --threads 1 "+
		"--out", out), more...)
}

// TestDiskFillsUp: where a checkpoint or the log finds no more space, the run ends with one line that names the file
// and how to go on; the old checkpoint is whole; and with space again the run goes on to the same bytes.
func TestDiskFillsUp(t *testing.T) {
	p := unixPlace(t, "shell with ulimit")
	p.OK(diskRun("whole")...)
	n := len(p.Read("whole/optimizer.safetensors"))
	assert.Need(t, n >= 150<<10, "the optimizer file has %d bytes; more are needed to tell it from the log", n)
	small := []string{"--width", "8"} // its checkpoints fit where the log of its steps does not
	p.OK(diskRun("small", small...)...)
	// What stands on the disk before it is full.
	code, _, _ := p.stop(func(c *exec.Cmd) { c.Process.Signal(os.Interrupt) }, diskRun("checkpoint")...)
	assert.Is(t, code, cli.CodeInterrupted, "exit code")
	for _, x := range []struct {
		name   string
		blocks int
		args   []string
		whole  string
		says   []string
	}{
		{"checkpoint", 128, words("train --resume checkpoint"), "whole", []string{" train --resume checkpoint",
			"checkpoint/optimizer.safetensors: not written: ", "last good checkpoint: step "}},
		{"first", 128, diskRun("first"), "whole", []string{"first/optimizer.safetensors: not written: "}},
		{"log", 24, diskRun("log", small...), "small", []string{"log/metrics.jsonl: not written: ", "ulimit -f",
			"; last good checkpoint: step 0 in log; go on with: ", " train --resume log"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := p.in(t)
			old := p.Files(x.name + "/*.safetensors")
			code, errs := p.Limited(x.blocks, x.args...)
			assert.Need(t, code == cli.CodeInternal, "exit code %d, want %d\n%s", code, cli.CodeInternal, errs)
			last := errs[strings.LastIndex(strings.TrimSpace(errs), "\n")+1:]
			assert.Says(t, last, append(x.says, "mhacsp: ", "file too large")...)
			assert.True(t, !strings.Contains(errs, ".tmp") && !strings.Contains(errs, "goroutine "),
				"what is ours alone stands in\n%s", errs)
			for name, text := range old {
				assert.Is(t, p.Read(name), text, "%s is not what it was", name)
			}
			p.OK("train", "--resume", x.name)
			p.sameRun(x.whole, x.name)
		})
	}
}

// TestDiskFull: a disk that another program has filled when a run goes on. The run ends with one line, its last
// checkpoint is whole, and once there is space the same command goes on to the same bytes.
func TestDiskFull(t *testing.T) {
	p := parallelPlace(t)
	p.mount("disk", "3m")
	long := words("--steps 600 --checkpoint-every 400 --eval-every 100")
	p.OK(diskRun("whole", long...)...)
	for _, x := range []struct {
		name string
		left int    // bytes that the other program leaves after step 100
		file string // that there is no space for
	}{
		// Until the next checkpoint, which has nearly 200 KB, the log grows from some 20 to 80.
		{"log", 40 << 10, train.MetricsFile}, {"checkpoint", 120 << 10, train.OptimizerFile},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := p.in(t)
			dir := "disk/" + x.name
			p.ends(cli.CodePreempted, "", diskRun(dir, append(long, "--stop-at", "1")...)...)
			p.fill("disk/filler", x.left)
			_, errs := p.ends(cli.CodeInternal, "mhacsp: ", diskRun(dir, long...)...)
			last := errs[strings.LastIndex(strings.TrimSpace(errs), "\n")+1:]
			assert.Says(t, last, "mhacsp: ", x.file, "no space left on device", "free space",
				"last good checkpoint: step 100 in ", " train --resume "+dir)
			assert.True(t, strings.Count(errs, "mhacsp: ") == 1 && !strings.Contains(errs, ".tmp"), "%s", errs)
			p.onlyRunFiles(dir)
			p.OK("describe", "--run", dir)
			_, errs = p.ends(cli.CodeInternal, "mhacsp: ", diskRun(dir, long...)...)
			// Where there is no byte the lock may be the first to find none.
			named := strings.Contains(errs, x.file) || strings.Contains(errs, dir+"/"+train.LockFile)
			assert.True(t, strings.Count(errs, "mhacsp: ") == 1 && named, "again on the full disk: %s", errs)
			assert.NoError(t, os.Remove(p.Path("disk/filler")))
			p.OK(diskRun(dir, long...)...)
			p.sameRun("whole", dir)
		})
	}
}

// mount makes a folder a disk of its own, in memory.
func (p place) mount(dir, size string) {
	p.Helper()
	assert.NoError(p, os.Mkdir(p.Path(dir), 0o755))
	c := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", p.Path(dir))
	if out, err := c.CombinedOutput(); err != nil {
		p.Skipf("a disk cannot be mounted here (%v: %s); TestDiskFillsUp limits the size of files instead", err, out)
	}
	p.Cleanup(func() { output(p, exec.Command("umount", p.Path(dir))) })
}

// fill writes a file that leaves that many bytes of the disk. Where it leaves any it never takes more, not for a
// moment: else another file than the test wants could be the first to find no space.
func (p place) fill(name string, left int) {
	size := 4 << 20 // more than there is
	if left > 0 {
		out := assert.Must(exec.Command("df", "-Pk", filepath.Dir(p.Path(name))).Output())(p)
		free, err := strconv.Atoi(strings.Fields(string(out))[10]) // the fourth figure behind seven words
		assert.NoError(p, err)
		size = free<<10 - left
	}
	err := os.WriteFile(p.Path(name), make([]byte, size), 0o644)
	assert.True(p, (left == 0) == errors.Is(err, syscall.ENOSPC), "%v", err)
}

// TestOutFirst: no command computes for an --out that cannot be written.
func TestOutFirst(t *testing.T) {
	p := parallelPlace(t)
	p.Write("file", "")
	needs := map[string]string{
		"figures": "--run none", "forward": "--checkpoint none --batch none", "grad": "--checkpoint none --batch none",
		"init": "--config none", "sweep": "--vary none=1,2", "tables": "--only none",
	}
	for _, c := range newRoot(bufio.NewWriter(io.Discard), io.Discard).Commands() {
		name := c.Name()
		if c.Flags().Lookup("out") == nil || name == "train" || name == "view" { // they begin with the folder
			continue
		}
		out, errs := p.ends(cli.CodeUser, "", words(name+" --out file/x "+needs[name])...)
		told := strings.Contains(errs, "file/x: not written: ") || strings.Contains(errs, "file is a file; ")
		assert.True(t, out == "" && told, "%s:\n%s%s", name, out, errs)
	}
}
