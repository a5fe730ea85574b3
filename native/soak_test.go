//go:build !js

package native

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mhacsp/native/cli"
	"mhacsp/tasks/assert"
)

// soakLimits is how long the soak starts, kills and resumes, and how many commands; MHACSP_SOAK=1h goes on that long.
func soakLimits(t *testing.T) (long time.Duration, commands int) {
	text := os.Getenv("MHACSP_SOAK")
	if text == "" {
		return 10 * time.Second, 24
	}
	d, err := time.ParseDuration(text)
	assert.Need(t, err == nil, "MHACSP_SOAK: %v", err)
	return d, math.MaxInt
}

// TestSoak starts, kills, preempts and resumes random commands on a few folders, several at once, for a while. Then it
// lets every run come to its end. Each has the bytes of an uninterrupted run, every step and every evaluation once,
// and no other file; no command has said what it may not say.
func TestSoak(t *testing.T) {
	p, random := unixPlace(t, "such signals"), moments(t)
	kinds := [][]string{
		nil, {"--curriculum"}, words("--patience 2 --eval-every 10"), words("--threads 2 --keep-checkpoints 3"),
	}
	whole := func(k int) string { return fmt.Sprintf("whole%d", k) }
	broken := func(k, turn int) string { return fmt.Sprintf("broken%d-%d", k, turn) }
	longer := words("--steps 200 --batch 16 --test-samples 2000")
	begin := time.Now()
	for k, more := range kinds {
		p.OK(killRun(whole(k), append(more, longer...)...)...)
	}
	long := 2 * time.Since(begin) / time.Duration(len(kinds)) // three run at once
	var all sync.WaitGroup
	var mutex sync.Mutex
	ends, turns := map[string]int{}, make([]int, len(kinds))
	most, commands := soakLimits(t)
	end := time.Now().Add(most)
	for worker := range 3 {
		own := rand.New(rand.NewPCG(random.Uint64(), uint64(worker)))
		all.Go(func() {
			for time.Now().Before(end) {
				k := own.IntN(len(kinds))
				mutex.Lock()
				turn := turns[k]
				commands--
				enough := commands < 0
				mutex.Unlock()
				if enough {
					return
				}
				how, code, text := p.disturb(own, long, broken(k, turn), append(kinds[k], longer...))
				mutex.Lock()
				ends[fmt.Sprintf("%s %d", how, code)]++
				if code == cli.CodeOK && turns[k] == turn { // at its end: the next run
					turns[k]++
				}
				mutex.Unlock()
				assert.Is(t, soakFault(how, code, text), "", "%s, exit code %d, %s", how, code, text)
			}
		})
	}
	all.Wait()
	t.Logf("commands by what was done to them and their exit code: %v; runs of each kind: %v", ends, turns)
	for k, more := range kinds {
		for turn := range turns[k] + 1 {
			p.OK(killRun(broken(k, turn), append(more, longer...)...)...)
			p.unharmed(whole(k), broken(k, turn))
		}
	}
}

// unharmed compares the folder of a run that was left alone with that of one that was not.
func (p place) unharmed(whole, broken string) {
	p.Helper()
	p.sameCourse(whole, broken)
	kept := len(p.Files(whole + "/checkpoints/*"))
	assert.Is(p, len(p.Files(broken+"/checkpoints/*")), kept, "checkpoints that %s keeps", broken)
	assert.NoError(p, filepath.WalkDir(p.Path(broken), func(path string, _ os.DirEntry, err error) error {
		assert.True(p, !strings.HasSuffix(path, ".tmp") && filepath.Base(path) != "lock", "%s is left", path)
		return err
	}))
}

// disturb starts a command on a folder, new, resumed or both at once, and stops it in some way before long.
func (p place) disturb(random *rand.Rand, long time.Duration, dir string, more []string) (
	how string, code int, text string) {
	args := killRun(dir, more...)
	if _, err := os.Stat(p.Path(dir + "/config.json")); err == nil && random.IntN(2) == 0 {
		args = []string{"train", "--resume", dir, "--backend", "cpu"}
	}
	stops := append(cli.StopSignals(), os.Kill, nil)
	stop, how := stops[random.IntN(len(stops))], "limit"
	if stop != nil {
		how = cli.SignalName(stop)
	}
	after := time.Duration(random.Float64() * float64(long))
	if stop == nil {
		args = append(args, "--time-limit", fmt.Sprint(after+time.Millisecond))
	}
	c := p.Command(args...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		return how, -2, err.Error()
	}
	if stop != nil {
		time.Sleep(after)
		c.Process.Signal(stop)
	}
	c.Wait()
	return how, c.ProcessState.ExitCode(), out.String()
}

// soakFault says what a command did that it may not; else it is empty.
func soakFault(how string, code int, text string) string {
	want := cli.CodePreempted
	switch how {
	case "SIGINT":
		want = cli.CodeInterrupted
	case "SIGKILL":
		want = -1
	}
	early := code == -1 && text == "" // the signal came before the program listened
	switch {
	case strings.Contains(text, "goroutine ") || strings.Contains(text, "internal error"):
		return "a panic"
	case code != cli.CodeOK && code != want && code != cli.CodeBusy && !early:
		return "not what is permitted"
	}
	return ""
}
