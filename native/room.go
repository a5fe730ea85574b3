//go:build !js

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mhacsp/model/train"
)

// Bytes that a parameter takes in memory: value, gradient and a copy to write; in training the optimizer's two means
// and a checkpoint of all in the making too.
const (
	bytesBuilt   = 12
	bytesTrained = 28
)

// fits refuses a model of so many parameters that the machine has no memory for. What a batch takes is not counted.
func fits(parameters, each int) error {
	free, known := freeMemory()
	if need := int64(parameters) * int64(each); known && need > free {
		return fmt.Errorf("the model has %s parameters, which take %s of memory, and %s are free; "+
			"lower width or layers", group(parameters), sizeText(need), sizeText(free))
	}
	return nil
}

// freeMemory is what this process may still take, by the machine and by its control group. It is known on Linux alone.
func freeMemory() (int64, bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	_, rest, ok := bytes.Cut(text, []byte("MemAvailable:"))
	fields := bytes.Fields(rest)
	if !ok || len(fields) == 0 {
		return 0, false
	}
	kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0, false
	}
	free := kib << 10
	number := func(name string) (int64, bool) {
		text, err := os.ReadFile("/sys/fs/cgroup/" + name)
		n, wrong := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		return n, err == nil && wrong == nil // "max" is no number
	}
	most, bounded := number("memory.max")
	if used, ok := number("memory.current"); bounded && ok {
		free = min(free, max(0, most-used))
	}
	return free, true
}

// room refuses a folder whose disk cannot hold the run: its checkpoints, a second one while it is written, those that
// are kept, and the log.
func (t *training) room(dir string, r train.Run) error {
	for ; ; dir = filepath.Dir(dir) { // the folder itself is not there yet
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
	}
	free, known := freeDisk(dir)
	model := 4 * int64(t.net.Params().Count())
	state := 3 * model
	if r.Training.Patience > 0 {
		state += model
	}
	const line = 250 // of the log
	steps := r.Training.Steps
	kept := min(r.Training.KeepCheckpoints, steps/r.Training.CheckpointEvery+1)
	need := model*int64(1+kept) + 2*state + line*int64(steps) + 1<<16
	if known && need > free {
		return fmt.Errorf("the run takes up to %s of disk (a checkpoint %s), and %s has %s free; "+
			"free space or choose another --out", sizeText(need), sizeText(model+state), dir, sizeText(free))
	}
	return nil
}

func sizeText(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
