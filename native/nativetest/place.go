//go:build !js

// Package nativetest runs the command line in folders of its own, for tests.
package nativetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mhacsp/model/checkpoint"
	"mhacsp/model/study"
	"mhacsp/tasks/assert"
)

// Binary builds the command line under test, once, and returns its path. MHACSP_PROGRAM is one that is built.
var Binary = sync.OnceValue(func() string {
	if path := os.Getenv("MHACSP_PROGRAM"); path != "" {
		return path
	}
	path := filepath.Join(Programs, "mhacsp.exe")
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-w", "-o", path, "mhacsp/native/mhacsp")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		os.Exit(1)
	}
	return path
})

// Programs is a folder for what tests build.
var Programs string

// Main runs the tests of a package, and removes what they built.
func Main(m *testing.M) int {
	var err error
	if Programs, err = os.MkdirTemp("", "mhacsp"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(Programs)
	return m.Run()
}

// Place is a folder that commands run in, with these environment variables in addition to the test's own.
type Place struct {
	*testing.T
	Dir string
	env []string
}

// New is an empty one.
func New(t *testing.T) Place { return Place{T: t, Dir: t.TempDir()} }

// Parallel is New for a test that runs next to others.
func Parallel(t *testing.T) Place {
	t.Parallel()
	return New(t)
}

// In is the place in a subtest.
func (p Place) In(t *testing.T) Place {
	p.T = t
	return p
}

// With is the place with more environment variables, as NAME=value.
func (p Place) With(variables ...string) Place {
	p.env = append(slices.Clone(p.env), variables...)
	return p
}

// Path is where a file of that name is.
func (p Place) Path(name string) string { return filepath.Join(p.Dir, name) }

// Write makes a file, and returns its name.
func (p Place) Write(name, text string) string {
	p.Helper()
	assert.NoError(p, os.MkdirAll(filepath.Dir(p.Path(name)), 0o777))
	assert.NoError(p, os.WriteFile(p.Path(name), []byte(text), 0o666))
	return name
}

// Read is a file's content.
func (p Place) Read(name string) []byte {
	p.Helper()
	return assert.Must(os.ReadFile(p.Path(name)))(p)
}

// Command is the command line, to be run in the place.
func (p Place) Command(args ...string) *exec.Cmd {
	c := exec.Command(Binary(), args...)
	c.Dir, c.Env = p.Dir, append(os.Environ(), p.env...)
	return c
}

// Try runs the command line and returns its exit code, standard output and standard error.
func (p Place) Try(args ...string) (code int, out, errs string) {
	p.Helper()
	return p.Finish(p.Command(args...))
}

// Finish is Try for a command that is made already.
func (p Place) Finish(c *exec.Cmd) (code int, out, errs string) {
	p.Helper()
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	err := c.Run()
	assert.Need(p, err == nil || errors.As(err, new(*exec.ExitError)), "%v", err)
	return c.ProcessState.ExitCode(), o.String(), e.String()
}

// OK runs a command line that must succeed.
func (p Place) OK(args ...string) string {
	p.Helper()
	code, out, errs := p.Try(args...)
	assert.Need(p, code == 0, "mhacsp %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
	return out
}

// JSON runs a command line whose output must be one JSON object.
func (p Place) JSON(into any, args ...string) {
	p.Helper()
	out := p.OK(args...)
	err := json.Unmarshal([]byte(out), into)
	assert.Need(p, err == nil, "mhacsp %s: %v in\n%s", strings.Join(args, " "), err, out)
}

// Absent holds that nothing stands under a name.
func (p Place) Absent(name string) {
	p.Helper()
	if _, err := os.Lstat(p.Path(name)); !errors.Is(err, fs.ErrNotExist) {
		p.Errorf("%s is not absent: %v", name, err) // nil where it stands there
	}
}

// Same holds a file to the bytes of another.
func (p Place) Same(want, got string) {
	p.Helper()
	assert.Is(p, p.Read(want), p.Read(got), "%s does not have the bytes of %s", got, want)
}

// Tensors reads a checkpoint.
func (p Place) Tensors(name string) *checkpoint.File {
	p.Helper()
	return assert.Must(checkpoint.ReadFile(p.Path(name)))(p)
}

// Shape is a tensor of a checkpoint, which must have that shape.
func (p Place) Shape(f *checkpoint.File, name string, want ...int) []float32 {
	p.Helper()
	x, ok := f.Find(name)
	assert.Need(p, ok, "no tensor %s", name)
	assert.Is(p, x.Shape, want, "%s has shape", name)
	return x.Data
}

// SmallRun are the flags of a run that takes a moment.
func SmallRun(more ...string) []string {
	return append(strings.Fields("train --model mha-csp-s --width 8 --heads 2 --steps 4 --batch 4 --warmup 0 "+
		"--eval-every 2 --eval-samples 8 --test-samples 16 --eval-batch 8 --checkpoint-every 2 --backend cpu"),
		more...)
}

// Files are those of a pattern, with their content.
func (p Place) Files(pattern string) map[string][]byte {
	p.Helper()
	paths := assert.Must(filepath.Glob(p.Path(pattern)))(p)
	list := map[string][]byte{}
	for _, path := range paths {
		name := assert.Must(filepath.Rel(p.Dir, path))(p)
		list[name] = p.Read(name)
	}
	return list
}

// Limited runs the command line where no file may grow beyond a size, in blocks of 512 bytes or, as some shells count,
// 1 024. To the program that is a write that fails midway, as on a full disk.
func (p Place) Limited(blocks int, args ...string) (code int, errs string) {
	p.Helper()
	script := fmt.Sprintf(`ulimit -f %d && exec "$@"`, blocks)
	c := exec.Command("sh", append([]string{"-c", script, "sh", Binary()}, args...)...)
	c.Dir = p.Dir
	code, _, errs = p.Finish(c)
	return code, errs
}

// TinyPlan writes a plan of four cells of no size, with that many steps, and returns its cells.
func (p Place) TinyPlan(steps int) []string {
	p.Helper()
	var plan study.Plan
	var names []string
	for _, x := range []struct{ column, model, more string }{
		{"parity", "csp", `"task":"parity","max_length":8`},
		{"parity", "mha-csp", `"task":"parity","max_length":8,"heads":2`},
		{"repeat", "mha-csp", `"task":"arithmetic","preset":"paper","heads":2`},
		{"mod3", "csp", `"task":"mod3","max_length":8`},
	} {
		name := x.column + "-" + x.model + "-1"
		keys := fmt.Sprintf(`{"model":%q,%s,"width":8,"batch":8,"seed":1,"steps":%d,"checkpoint_every":%d,`+
			`"eval_every":%d,"eval_samples":8,"test_samples":32}`, x.model, x.more, steps, max(5, steps/20),
			max(1, steps/4))
		plan.Cells = append(plan.Cells, study.Spec{
			Name: name, Column: x.column, Row: x.model, Tables: []int{1}, Keys: json.RawMessage(keys),
		})
		names = append(names, name)
	}
	p.Write("plan.json", string(plan.Text()))
	return names
}

// Reported is the report of a study in a folder.
func (p Place) Reported(dir string) study.Report {
	p.Helper()
	var r study.Report
	assert.NoError(p, json.Unmarshal(p.Read(filepath.Join(dir, "report.json")), &r))
	return r
}

// Steps counts those of a log.
func Steps(metrics []byte) int { return bytes.Count(metrics, []byte(`"event":"step"`)) }

// Tables reads the tables of a Markdown text: each by its rows, the head first. Rows of a table must have the
// same number of cells.
func Tables(t *testing.T, text string) (list [][][]string) {
	t.Helper()
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		assert.True(t, strings.HasSuffix(line, "|"), "a row does not end: %q", line)
		var row []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
			row = append(row, strings.TrimSpace(cell))
		}
		if !inside {
			list = append(list, nil)
		}
		inside = true
		x := &list[len(list)-1]
		*x = append(*x, row)
		assert.True(t, len(row) == len((*x)[0]), "%d cells under %d: %q", len(row), len((*x)[0]), line)
	}
	return list
}
