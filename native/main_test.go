//go:build !js

package native

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"testing"

	"mhacsp/native/cli"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

const smallModel = `{"model": "mha-csp-2", "width": 8, "heads": 2}`

func TestMain(m *testing.M) { os.Exit(nativetest.Main(m)) }

// place is a folder that commands run in.
type place struct{ nativetest.Place }

func newPlace(t *testing.T) place { return place{nativetest.New(t)} }

func parallelPlace(t *testing.T) place { return place{nativetest.Parallel(t)} }

// unixPlace is parallelPlace where there is what Windows lacks.
func unixPlace(t *testing.T, lacks string) place {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no " + lacks)
	}
	return parallelPlace(t)
}

// output is what a command that must succeed wrote.
func output(t testing.TB, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	assert.Need(t, err == nil, "%s: %v\n%s", c, err, out)
	return string(out)
}

// in is the place in a subtest.
func (p place) in(t *testing.T) place { return place{p.In(t)} }

// with is the place with more environment variables, as NAME=value.
func (p place) with(variables ...string) place { return place{p.With(variables...)} }

// words are those of a command line, and more that may have spaces.
func words(line string, more ...string) []string { return append(strings.Fields(line), more...) }

// ends runs a command line that must end with that exit code and say what is wanted on standard error.
func (p place) ends(end int, want string, args ...string) (out, errs string) {
	p.Helper()
	code, out, errs := p.Try(args...)
	assert.True(p, code == end && strings.Contains(errs, want), "mhacsp %s: exit code %d\n%s%swant %d and %q",
		strings.Join(args, " "), code, out, errs, end, want)
	return out, errs
}

// refused runs a command line that must end as a mistake of the user's: with that exit code, no output, and one line.
func (p place) refused(want string, args ...string) {
	p.Helper()
	p.refusedAs(cli.CodeUser, want, args...)
}

// refusedAs is refused with another exit code.
func (p place) refusedAs(end int, want string, args ...string) {
	p.Helper()
	p.oneLine(end, want, args, p.Try)
}

// mistaken is refused in this process, after here: for what begins no work.
func (p place) mistaken(want string, args ...string) (errs string) {
	p.Helper()
	return p.oneLine(cli.CodeUser, want, args, p.mistake)
}

func (p place) oneLine(end int, want string, args []string, try func(...string) (int, string, string)) string {
	p.Helper()
	code, out, errs := try(args...)
	if code != end || out != "" || strings.Index(errs, "\n") != len(errs)-1 || len(errs) > 400 ||
		!strings.HasPrefix(errs, "mhacsp: ") || !strings.Contains(errs, want) {
		p.Errorf("mhacsp %.200s: exit code %d\n%s%swant %d and one line that says %q", strings.Join(args, " "), code,
			out, errs, end, want)
	}
	return errs
}

// here makes the place the test's own folder, so that run may stand for another process, which takes ten times as
// long to start. Such a test is not parallel.
func (p place) here() {
	nativetest.Binary() // built where the test began
	p.Chdir(p.Dir)
	p.Cleanup(func() { signal.Reset() })
}

// mistake is Try in this process, after here: for what begins no work.
func (p place) mistake(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(args, &o, &e)
	return code, o.String(), e.String()
}
