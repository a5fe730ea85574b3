//go:build !js

package hardware

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mhacsp/model/train"
	"mhacsp/tasks/assert"
)

// TestGroupMemory: what a control group leaves is reported by the group that the process is in and by those around it,
// and what only keeps files at hand is free.
func TestGroupMemory(t *testing.T) {
	root := t.TempDir()
	group := func(name string, most string, current, active, inactive int) {
		t.Helper()
		dir := filepath.Join(root, name)
		assert.NoError(t, os.MkdirAll(dir, 0o755))
		for file, text := range map[string]string{
			"memory.max": most + "\n", "memory.current": fmt.Sprintln(current),
			"memory.stat": fmt.Sprintf("anon 7\nfile 999\ninactive_file %d\nactive_file %d\n", inactive, active),
		} {
			assert.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
		}
	}
	check := func(what, self string, want int64, bounded bool) {
		t.Helper()
		free, ok := groupMemory(root, []byte(self))
		assert.True(t, free == want && ok == bounded,
			"%s: %d bytes are free, bounded: %t; want %d, %t", what, free, ok, want, bounded)
	}
	check("no files", "0::/\n", 0, false)
	group("", "1000", 900, 500, 200)
	check("a container full of files", "0::/\n", 800, true)
	check("a path of the host", "1:name=systemd:/x\n0::/docker/0123\n", 800, true)
	check("a path above the namespace", "0::/../../a\n", 800, true)
	check("no such controller", "4:memory:/a\n", 800, true)
	group("", "max", 900, 500, 200)
	check("no bound", "0::/\n", 0, false)
	group("user/job", "600", 500, 100, 0)
	check("a job", "0::/user/job\n", 200, true)
	group("user", "5000", 4950, 0, 50)
	check("those around it", "0::/user/job\n", 100, true)
	group("user", "5000", 6000, 0, 50)
	check("nothing left", "0::/user/job\n", 0, true)
	assert.NoError(t, os.Remove(filepath.Join(root, "user/job/memory.stat")))
	group("user", "max", 900, 0, 0)
	check("no memory.stat", "0::/user/job\n", 100, true)
}

// TestDiskFits: a run's checkpoints, its log and what it keeps are counted.
func TestDiskFits(t *testing.T) {
	r := assert.Must(train.Default("parity"))(t)
	r.Training.Steps, r.Training.CheckpointEvery = 1000, 100
	const parameters = 1 << 20
	plain := diskNeed(r, parameters)
	assert.True(t, plain >= 7*4*parameters && plain <= 8*4*parameters,
		"a run takes %d bytes, a checkpoint of its model %d", plain, 4*parameters)
	r.Training.KeepCheckpoints = 5
	assert.Is(t, diskNeed(r, parameters), plain+5*4*parameters, "with five kept checkpoints it takes")
	r.Training.KeepCheckpoints = 10000
	assert.Is(t, diskNeed(r, parameters), plain+11*4*parameters, "with all checkpoints kept it takes")
	r.Training.Steps = 1 << 30
	assert.True(t, diskNeed(r, parameters) >= 250<<30, "a long log takes %d", diskNeed(r, parameters))
	err := diskFits(r, parameters, plain, "here")
	assert.OneLine(t, "a disk too small", err, "of disk (a checkpoint 16.0 MiB), and here has ")
	assert.NoError(t, diskFits(r, parameters, 1<<60, "here"))
}

// TestFits: what the machine has no memory for is refused.
func TestFits(t *testing.T) {
	t.Parallel()
	if free, known := freeMemory(); known {
		err := Fits(int(free/BytesTrained)+1<<20, BytesTrained)
		assert.True(t, err != nil && Fits(1000, BytesTrained) == nil, "%d bytes are free: %v", free, err)
	}
	r := assert.Must(train.Default("arithmetic"))(t)
	assert.Must(r.Fit())(t)
	assert.Is(t, BatchFits(r), nil, "the recommended run")
	for flag, edit := range map[string]*int{"--batch": &r.Training.Batch, "--eval-batch": &r.Training.EvalBatch} {
		old := *edit
		*edit = 1 << 20
		assert.OneLine(t, flag, BatchFits(r), flag+" is 1048576: such a batch ")
		*edit = old
	}
}
