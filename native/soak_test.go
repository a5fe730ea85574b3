//go:build !js

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// soakTime is how long the soak starts, kills and resumes; MHACSP_SOAK=1h makes it longer.
func soakTime(t *testing.T) time.Duration {
	text := os.Getenv("MHACSP_SOAK")
	if text == "" {
		return 40 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("MHACSP_SOAK: %v", err)
	}
	return d
}

// TestSoak starts, kills, preempts and resumes random commands on a few folders, several at once, for a while. Then it
// lets every run come to its end. Each has the bytes of an uninterrupted run, every step and every evaluation once,
// and no other file; no command has said what it may not say.
func TestSoak(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signals")
	}
	p, random := newPlace(t), moments(t)
	kinds := [][]string{
		nil, {"--curriculum"}, {"--patience", "2", "--eval-every", "10"},
		{"--threads", "2", "--keep-checkpoints", "3"},
	}
	whole := func(k int) string { return fmt.Sprintf("whole%d", k) }
	broken := func(k int) string { return fmt.Sprintf("broken%d", k) }
	longer := []string{"--steps", "200", "--test-samples", "2000"}
	for k, more := range kinds {
		p.ok(killRun(whole(k), append(more, longer...)...)...)
	}
	var all sync.WaitGroup
	var mutex sync.Mutex
	ends := map[string]int{}
	end := time.Now().Add(soakTime(t))
	for worker := range 3 {
		own := rand.New(rand.NewPCG(random.Uint64(), uint64(worker)))
		all.Go(func() {
			for time.Now().Before(end) {
				k := own.IntN(len(kinds))
				how, code, text := p.disturb(own, broken(k), append(kinds[k], longer...))
				mutex.Lock()
				ends[fmt.Sprintf("%s %d", how, code)]++
				mutex.Unlock()
				if fault := soakFault(how, code, text); fault != "" {
					t.Errorf("%s, exit code %d: %s:\n%s", how, code, fault, text)
				}
			}
		})
	}
	all.Wait()
	t.Logf("commands by what was done to them and their exit code: %v", ends)
	for k, more := range kinds {
		p.ok(killRun(broken(k), append(more, longer...)...)...)
		for _, name := range []string{"/model.safetensors", "/optimizer.safetensors"} {
			if !bytes.Equal(p.read(whole(k)+name), p.read(broken(k)+name)) {
				t.Errorf("%v: %s is not that of an uninterrupted run", more, name)
			}
		}
		a, b := courseOf(p.read(whole(k)+"/metrics.jsonl")), courseOf(p.read(broken(k)+"/metrics.jsonl"))
		if a != b {
			t.Errorf("%v: the log has\n%s\nan uninterrupted run's\n%s", more, b, a)
		}
		kept := p.files(whole(k) + "/checkpoints/*")
		if n := len(p.files(broken(k) + "/checkpoints/*")); n != len(kept) {
			t.Errorf("%v: %d checkpoints are kept, %d by an uninterrupted run", more, n, len(kept))
		}
		var left []string
		filepath.WalkDir(p.path(broken(k)), func(path string, d os.DirEntry, err error) error {
			if strings.HasSuffix(path, ".tmp") || filepath.Base(path) == "lock" {
				left = append(left, path)
			}
			return err
		})
		if len(left) > 0 {
			t.Errorf("%v: %v are left", more, left)
		}
	}
}

// disturb starts a command on a folder, new, resumed or both at once, and stops it in some way after a while.
func (p place) disturb(random *rand.Rand, dir string, more []string) (how string, code int, text string) {
	args := killRun(dir, more...)
	if _, err := os.Stat(p.path(dir + "/config.json")); err == nil && random.IntN(2) == 0 {
		args = []string{"train", "--resume", dir}
	}
	stops := []struct {
		name string
		sig  os.Signal
	}{
		{"SIGKILL", os.Kill}, {"SIGTERM", syscall.SIGTERM}, {"SIGINT", os.Interrupt}, {"SIGHUP", syscall.SIGHUP},
		{"limit", nil},
	}
	for _, s := range stopSignals() {
		if signalName(s) == "SIGUSR1" {
			stops = append(stops, struct {
				name string
				sig  os.Signal
			}{"SIGUSR1", s})
		}
	}
	stop := stops[random.IntN(len(stops))]
	after := time.Duration(random.Float64() * 1.5 * float64(time.Second))
	if stop.sig == nil {
		args = append(args, "--time-limit", fmt.Sprint(after+time.Millisecond))
	}
	c := exec.Command(binary(), args...)
	c.Dir = p.dir
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		return stop.name, -2, err.Error()
	}
	if stop.sig != nil {
		time.Sleep(after)
		c.Process.Signal(stop.sig)
	}
	c.Wait()
	return stop.name, c.ProcessState.ExitCode(), out.String()
}

// soakFault says what a command did that it may not; else it is empty.
func soakFault(how string, code int, text string) string {
	want := map[string]int{"SIGTERM": codePreempted, "SIGHUP": codePreempted, "SIGUSR1": codePreempted,
		"limit": codePreempted, "SIGINT": codeInterrupted, "SIGKILL": -1}[how]
	switch {
	case strings.Contains(text, "goroutine ") || strings.Contains(text, "internal error"):
		return "a panic"
	case code == codeOK || code == want:
		return ""
	case code == -1 && text == "": // the signal came before the program listened
		return ""
	case code == codeUser && strings.Contains(text, "is in use"):
		return ""
	}
	return "not what is permitted"
}
