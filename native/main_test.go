//go:build !js

package native

import (
	"bytes"
	"os"
	"os/signal"
	"strings"
	"testing"

	"mhacsp/native/cli"
	"mhacsp/native/nativetest"
)

const smallModel = `{"model": "mha-csp-2", "width": 8, "heads": 2}`

func TestMain(m *testing.M) { os.Exit(nativetest.Main(m)) }

// place is a folder that commands run in.
type place struct{ nativetest.Place }

func newPlace(t *testing.T) place { return place{nativetest.New(t)} }

func parallelPlace(t *testing.T) place { return place{nativetest.Parallel(t)} }

// in is the place in a subtest.
func (p place) in(t *testing.T) place { return place{p.In(t)} }

// with is the place with more environment variables, as NAME=value.
func (p place) with(variables ...string) place { return place{p.With(variables...)} }

// refused runs a command line that must end as a mistake of the user's: with that exit code, no output, and one line.
func (p place) refused(want string, args ...string) {
	p.Helper()
	p.refusedAs(cli.CodeUser, want, args...)
}

// refusedAs is refused with another exit code.
func (p place) refusedAs(end int, want string, args ...string) {
	p.Helper()
	code, out, errs := p.Try(args...)
	if code != end || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
		p.Errorf("mhacsp %s: exit code %d\n%s%swant %d and one line that says %q", strings.Join(args, " "), code, out,
			errs, end, want)
	}
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
