//go:build !js

package native

import (
	"bufio"
	"fmt"
	"image/gif"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mhacsp/native/cli"
	"mhacsp/native/nativetest"
	"mhacsp/site/displaytest"
	"mhacsp/tasks/assert"
)

// desktop builds the program with the window, once.
var desktop = sync.OnceValues(func() (string, error) {
	path := filepath.Join(nativetest.Programs, "desktop.exe")
	c := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-w", "-tags", "desktop", "-o", path, "./mhacsp")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s%w", out, err)
	}
	return path, nil
})

// screens are where windows of the tests open: the user's display, or one without a screen.
type screens struct {
	place
	program string
}

// newScreens skips a test where no window can open. The test is parallel.
func newScreens(t *testing.T) screens {
	t.Helper()
	s := screens{parallelPlace(t).with("LIBGL_ALWAYS_SOFTWARE=1"), assert.Must(desktop())(t)}
	if os.Getenv("DISPLAY") != "" {
		return s
	}
	display, stop, err := displaytest.Start()
	if err != nil {
		displaytest.Missing(t, err)
	}
	t.Cleanup(stop)
	s.place = s.with("DISPLAY=" + display)
	return s
}

func (s screens) command(args ...string) *exec.Cmd {
	c := s.Command(args...)
	c.Path = s.program
	return c
}

// view runs the view command to its end and returns its exit code and what it printed.
func (s screens) view(args ...string) (int, string) {
	s.Helper()
	c := s.command(append([]string{"view"}, args...)...)
	timer := time.AfterFunc(2*time.Minute, func() { c.Process.Kill() })
	defer timer.Stop()
	out, _ := c.CombinedOutput()
	return c.ProcessState.ExitCode(), string(out)
}

func (s screens) viewOK(args ...string) string {
	s.Helper()
	code, out := s.view(args...)
	assert.Need(s, code == 0, "mhacsp view %s: exit code %d\n%s", strings.Join(args, " "), code, out)
	return out
}

// viewed are a small run's flags without the command.
func viewed(more ...string) []string { return nativetest.SmallRun(more...)[1:] }

// TestViewElsewhere: a build without the window, and a machine without a display,
// say so and what to do, and make nothing.
func TestViewElsewhere(t *testing.T) {
	p := parallelPlace(t)
	p.refused(`no window: "make desktop"`, "view")
	if runtime.GOOS == "linux" {
		program := assert.Must(desktop())(t)
		for display, want := range map[string]string{
			"": "DISPLAY is not set", ":9999": `display ":9999" cannot be opened`,
		} {
			s := screens{p.with("DISPLAY="+display, "WAYLAND_DISPLAY="), program}
			code, out := s.view(viewed("--out", "run")...)
			assert.True(t, code == cli.CodeUser && strings.Contains(out, want) && strings.Count(out, "\n") == 1,
				"display %q: exit code %d, %q", display, code, out)
			p.Absent("run")
			output(t, s.command("version"))
		}
	}
}

// TestViewMistakes: every mistake gets one clear line and exit code 2, and no run is begun.
func TestViewMistakes(t *testing.T) {
	s := newScreens(t)
	s.OK(nativetest.SmallRun("--out", "done")...)
	s.Write("text", "hello")
	s.Write("taken.gif", "")
	for _, c := range []struct{ args, want string }{
		{"--size 10x10", `--size is "10x10"`}, {"--size big", "as in 1280x800"}, {"--size 800x600x2", "as in 1280x800"},
		{"--theme blue", "auto, light, dark"}, {"--run nowhere", "nowhere does not exist"}, {"--run text", "text"},
		{"--run done --steps 5", "--steps cannot be given with --run"},
		{"--run done --resume done", "exclude each other"}, {"--resume done", " view --run done"}, {"--resume nowhere", "nowhere does not exist"},
		{"--resume done --lr 1", "--lr cannot be given with --resume"}, {"--run done --mirror", "--mirror"}, {"--run done --out x", "--out"},
		{"--run done --record taken.gif", "exists already"}, {"--run done --record text/frames", "--record: "}, {"--out done", "holds a run already"},
		{"--width 7 --out new", "width"}, {"3+4", "takes no arguments"}, {"--clas", "did you mean --class?"},
	} {
		code, out := s.view(strings.Fields(c.args)...)
		assert.True(t, code == cli.CodeUser && strings.Contains(out, c.want) &&
			strings.Count(strings.TrimRight(out, "\n"), "\n") == 0, "view %s: exit code %d, %q; want %q", c.args, code,
			out, c.want)
	}
	for _, args := range [][]string{{"--run", "done", "--ask", "3 + x"}, viewed("--out", "new", "--ask", "3 + x")} {
		code, out := s.view(args...)
		assert.True(t, code == cli.CodeUser && strings.Contains(out, "mhacsp: --ask: column 5: found \"x\"") &&
			strings.Contains(out, "\n      ^"), "view %s: exit code %d, %q", args, code, out)
	}
	s.Absent("new")
}

// TestViewTrains: a run in the window has the folder of the terminal, bit for bit, and is recorded.
func TestViewTrains(t *testing.T) {
	s := newScreens(t)
	s.OK(nativetest.SmallRun("--out", "terminal")...)
	out := s.viewOK(viewed("--out", "window", "--close", "--record", "frames", "--size", "640x480")...)
	assert.Says(t, out, "finished at step 4", " ask --run window", "recorded")
	s.sameRun("terminal", "window")
	list := string(s.Read("frames/frames.ffconcat"))
	assert.True(t, strings.HasPrefix(list, "ffconcat version 1.0\nfile frame-000001.png\nduration "),
		"the list of frames is\n%s", list)
}

// TestViewStopped: Ctrl-C and SIGTERM write a checkpoint, a kill leaves the last one; either way the run goes on, in
// the window or in the terminal, and ends in the same bytes.
func TestViewStopped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot send an interrupt to one process")
	}
	s := newScreens(t)
	more := words("--steps 400 --checkpoint-every 20")
	s.OK(killRun("whole", more...)...)
	ends := map[string]os.Signal{"interrupted": os.Interrupt, "killed": os.Kill, "stopped": syscall.SIGTERM}
	codes := map[string]int{"interrupted": cli.CodeInterrupted, "stopped": cli.CodePreempted}
	for name, end := range ends {
		c := s.command(words("view --size 320x300", killRun(name, more...)[1:]...)...)
		stderr := assert.Must(c.StderrPipe())(t)
		assert.NoError(t, c.Start())
		lines := bufio.NewReader(stderr)
		first, err := lines.ReadString('\n')
		assert.Need(t, err == nil && strings.Contains(first, "step 1"),
			"%s: not the line of step 1: %q, %v", name, first, err)
		assert.NoError(t, c.Process.Signal(end))
		rest, _ := io.ReadAll(lines)
		c.Wait()
		advice := " train --resume " + name + "\n"
		code := c.ProcessState.ExitCode()
		assert.True(t, end == os.Kill || code == codes[name] && strings.Contains(string(rest), advice),
			"%s: exit code %d, %q", name, code, rest)
		assert.True(t, nativetest.Steps(s.Read(name+"/metrics.jsonl")) < 400, "%s: the run was over before", name)
	}
	s.OK("train", "--resume", "interrupted", "--backend", "cpu")
	s.viewOK("--resume", "killed", "--backend", "cpu", "--close", "--size", "320x300")
	s.OK("train", "--resume", "stopped", "--backend", "cpu")
	for name := range ends {
		s.Same("whole/model.safetensors", name+"/model.safetensors")
	}
}

// TestViewReplay: a run's kept checkpoints and its text are played through and recorded as a GIF whose pictures
// differ; a run with one checkpoint and a file are shown too.
func TestViewReplay(t *testing.T) {
	s := newScreens(t)
	s.OK(nativetest.SmallRun(words("--out run --format direct --checkpoint-every 1 --keep-checkpoints 5")...)...)
	assert.Is(t, len(s.Files("run/checkpoints/*")), 5, "kept")
	s.viewOK(words("--run run --ask 3 --play --close --record film.gif --size 480x400 --theme dark")...)
	f := assert.Must(os.Open(s.Path("film.gif")))(t)
	defer f.Close()
	g, err := gif.DecodeAll(f)
	assert.Need(t, err == nil && len(g.Image) >= 5 && g.Config.Width == 480 && g.Config.Height == 400,
		"%d pictures of %v, %v", len(g.Image), g.Config, err)
	seconds := 0.0
	for _, d := range g.Delay {
		seconds += float64(d) / 100
	}
	assert.True(t, seconds >= 4, "the film of five checkpoints and seven tokens takes %v s", seconds)
	for _, args := range []string{
		"--run run/model.safetensors", "--run run/checkpoints/step-000000002.safetensors --class",
		"--run run --ask 3+4 --theme light",
	} {
		s.viewOK(append(strings.Fields(args), "--close", "--size", "320x300")...)
	}
	s.OK(nativetest.SmallRun("--out", "run", "--overwrite")...)
	s.onlyRunFiles("run")
}
