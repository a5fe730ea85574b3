//go:build !js

package hardware

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"mhacsp/model/train"
	"mhacsp/native/words"
)

// Bytes that a parameter takes in memory: value, gradient and a copy to write; in training the optimizer's two means
// and a checkpoint of all in the making too.
const (
	BytesBuilt   = 12
	BytesTrained = 28
)

// Fits refuses a model of that many parameters that the machine has no memory for. What a batch takes is not counted.
func Fits(parameters, each int) error {
	free, known := freeMemory()
	if need := int64(parameters) * int64(each); known && need > free {
		return fmt.Errorf("the model has %s parameters, which take %s of memory, and %s are free; "+
			"lower width or layers", words.Number(parameters), sizeText(need), sizeText(free))
	}
	return nil
}

// freeMemory is what this process may still take, by the machine and by its control groups. It is known on Linux
// alone.
func freeMemory() (int64, bool) {
	text, _ := os.ReadFile("/proc/meminfo")
	_, rest, _ := strings.Cut(string(text), "MemAvailable:")
	var kib int64
	if n, _ := fmt.Sscan(rest, &kib); n == 0 {
		return 0, false
	}
	free := kib << 10
	self, _ := os.ReadFile("/proc/self/cgroup")
	if left, bounded := groupMemory("/sys/fs/cgroup", self); bounded {
		free = min(free, left)
	}
	return free, true
}

// groupMemory is what this process's control group and those around it leave, where any has a bound. root is where the
// files of cgroup v2 are, self what /proc/self/cgroup says. In a container that may be a path of the host: what is not
// there is passed over, and the root is the container's own group.
func groupMemory(root string, self []byte) (free int64, bounded bool) {
	dir := "/"
	for line := range strings.Lines(string(self)) {
		if own, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			dir = path.Clean("/" + own)
		}
	}
	for ; ; dir = path.Dir(dir) {
		if left, ok := groupLeft(filepath.Join(root, dir)); ok && (!bounded || left < free) {
			free, bounded = left, true
		}
		if dir == "/" {
			return free, bounded
		}
	}
}

// groupLeft is what one control group leaves. memory.current counts files that are only kept at hand: they go when
// memory is asked for.
func groupLeft(dir string) (int64, bool) {
	read := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(dir, name))
		return string(text)
	}
	var most, used int64
	if n, _ := fmt.Sscan(read("memory.max")+" "+read("memory.current"), &most, &used); n < 2 { // "max" is no number
		return 0, false
	}
	for line := range strings.Lines(read("memory.stat")) {
		var key string
		var n int64
		fmt.Sscan(line, &key, &n)
		if key == "active_file" || key == "inactive_file" {
			used -= n
		}
	}
	return max(0, most-max(0, used)), true
}

// DiskHolds refuses a folder whose disk cannot hold a run of that many parameters.
func DiskHolds(dir string, r train.Run, parameters int) error {
	for ; ; dir = filepath.Dir(dir) { // the folder itself is not there yet
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
	}
	if free, known := freeDisk(dir); known {
		return diskFits(r, parameters, free, dir)
	}
	return nil
}

// diskFits refuses a run of that many parameters in a folder whose disk has that many bytes free.
func diskFits(r train.Run, parameters int, free int64, dir string) error {
	need := diskNeed(r, parameters)
	if need <= free {
		return nil
	}
	model, state := checkpointBytes(r, parameters)
	return fmt.Errorf("the run takes up to %s of disk (a checkpoint %s), and %s has %s free; "+
		"free space or choose another --out", sizeText(need), sizeText(model+state), dir, sizeText(free))
}

// diskNeed is what a run takes of a disk: its checkpoints, a second one while it is written, those that are kept, and
// the log.
func diskNeed(r train.Run, parameters int) int64 {
	const line = 250 // of the log
	model, state := checkpointBytes(r, parameters)
	steps := r.Training.Steps
	kept := min(r.Training.KeepCheckpoints, steps/r.Training.CheckpointEvery+1)
	return model*int64(1+kept) + 2*state + line*int64(steps) + 1<<16
}

// checkpointBytes are those of a run's model file and of its optimizer file.
func checkpointBytes(r train.Run, parameters int) (model, state int64) {
	model = 4 * int64(parameters)
	state = 3 * model
	if r.Training.Patience > 0 {
		state += model
	}
	return model, state
}

func sizeText(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
