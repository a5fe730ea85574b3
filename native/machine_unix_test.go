//go:build unix && !js

package native

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mhacsp/native/cli"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// TestReportStopped: Ctrl-C prints what there is, and says what is missing.
func TestReportStopped(t *testing.T) {
	t.Parallel()
	c := exec.Command(nativetest.Binary(), "report", "--backend", "cpu", "--budget", "10m", "--model", "csp")
	var out bytes.Buffer
	c.Stdout = &out
	errs := assert.Must(c.StderrPipe())(t)
	assert.NoError(t, c.Start())
	lines := bufio.NewScanner(errs)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "report, ") {
	}
	assert.NoError(t, c.Process.Signal(os.Interrupt))
	for lines.Scan() {
	}
	_ = c.Wait()
	code := c.ProcessState.ExitCode()
	assert.True(t, code == cli.CodeInterrupted && strings.Contains(out.String(), "stopped before the end") &&
		strings.Contains(out.String(), ": it was stopped"), "exit code %d\n%s", code, out.String())
}
