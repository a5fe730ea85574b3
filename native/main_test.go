//go:build !js

package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mhacsp/model/checkpoint"
)

// binary builds the command line under test, once, and returns its path. MHACSP_PROGRAM is one that is built.
var binary = sync.OnceValue(func() string {
	if path := os.Getenv("MHACSP_PROGRAM"); path != "" {
		return path
	}
	path := filepath.Join(programs, "mhacsp.exe")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", path, "./mhacsp")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		os.Exit(1)
	}
	return path
})

// programs is a folder for what tests build.
var programs string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	var err error
	if programs, err = os.MkdirTemp("", "mhacsp"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(programs)
	return m.Run()
}

// place is a folder that commands run in, with these environment variables in addition to the test's own.
type place struct {
	*testing.T
	dir string
	env []string
}

func newPlace(t *testing.T) place { return place{T: t, dir: t.TempDir()} }

// in is the place in a subtest.
func (p place) in(t *testing.T) place {
	p.T = t
	return p
}

// with is the place with more environment variables, as NAME=value.
func (p place) with(variables ...string) place {
	p.env = append(slices.Clone(p.env), variables...)
	return p
}

func (p place) path(name string) string { return filepath.Join(p.dir, name) }

func (p place) write(name, text string) string {
	p.Helper()
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
	return name
}

func (p place) read(name string) []byte {
	p.Helper()
	text, err := os.ReadFile(p.path(name))
	if err != nil {
		p.Fatal(err)
	}
	return text
}

// try runs the command line and returns its exit code, standard output and standard error.
func (p place) try(args ...string) (code int, out, errs string) {
	p.Helper()
	c := exec.Command(binary(), args...)
	c.Dir, c.Env = p.dir, append(os.Environ(), p.env...)
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.Fatal(err)
	}
	return c.ProcessState.ExitCode(), o.String(), e.String()
}

// here makes the place the test's own folder, so that run may stand for another process, which takes ten times as
// long to start. Such a test is not parallel.
func (p place) here() {
	binary() // built where the test began
	p.Chdir(p.dir)
	p.Cleanup(func() { signal.Reset() })
}

// mistake is try in this process, after here: for what begins no work.
func (p place) mistake(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(args, &o, &e)
	return code, o.String(), e.String()
}

// ok runs a command line that must succeed.
func (p place) ok(args ...string) string {
	p.Helper()
	code, out, errs := p.try(args...)
	if code != 0 {
		p.Fatalf("mhacsp %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// json runs a command line whose output must be one JSON object.
func (p place) json(into any, args ...string) {
	p.Helper()
	out := p.ok(args...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		p.Fatalf("mhacsp %s: %v in\n%s", strings.Join(args, " "), err, out)
	}
}

func (p place) tensors(name string) *checkpoint.File {
	p.Helper()
	f, err := checkpoint.ReadFile(p.path(name))
	if err != nil {
		p.Fatal(err)
	}
	return f
}

func (p place) shape(f *checkpoint.File, name string, want ...int) []float32 {
	p.Helper()
	x, ok := f.Find(name)
	if !ok {
		p.Fatalf("no tensor %s", name)
	}
	if !slices.Equal(x.Shape, want) {
		p.Errorf("%s has shape %v, want %v", name, x.Shape, want)
	}
	return x.Data
}

const smallModel = `{"model": "mha-csp-2", "width": 8, "heads": 2}`

// smallRun are the flags of a run that takes a moment.
func smallRun(more ...string) []string {
	return append([]string{"train", "--model", "mha-csp-s", "--width", "8", "--heads", "2", "--steps", "4",
		"--batch", "4", "--warmup", "0", "--eval-every", "2", "--eval-samples", "8", "--test-samples", "16",
		"--eval-batch", "8", "--checkpoint-every", "2", "--backend", "cpu"}, more...)
}
