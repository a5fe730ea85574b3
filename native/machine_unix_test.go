//go:build unix && !js

package native

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// peerLines stands in for Python with PyTorch on a GPU.
const peerLines = `#!/bin/sh
if [ "$1" = -c ]; then echo cpu; exit; fi
echo '{"torch": "2.5.1", "device": "cpu", "name": "2 threads", "compiles": true}'
echo '{"model": "mha-csp", "parameters": 117653}'
echo '{"batch": 2, "logits_off": 0.01, "right": false}'
case "$*" in
*"--only eager"*) echo '{"batch": 2, "form": "eager", "mean_ms": 50.5, "sequences_per_second": 40}';;
*) echo '{"batch": 2, "form": "compiled", "mean_ms": 9.5, "sequences_per_second": 211, "first_s": 90}'
   echo boom >&2; exit 1;;
esac
`

// TestReportPeer: PyTorch is timed in both forms, its figures stand beside ours, and logits that differ are told.
func TestReportPeer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("python", peerLines)
	if err := os.Chmod(p.path("python"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := p.ok("report", "--backend", "cpu", "--budget", "15s", "--model", "mha-csp", "--batch", "2",
		"--python", p.path("python"))
	for _, want := range []string{
		"PyTorch 2.5.1 on cpu", "| PyTorch, eager | 50.5 (40) |", "| PyTorch, compiled | 9.50 (211) |",
		"| we are faster by | ", "* batch 2: its logits differ from ours by 1.0e-02",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	markdownTables(t, text)
}

// TestReportStopped: Ctrl-C prints what there is, and says what is missing.
func TestReportStopped(t *testing.T) {
	t.Parallel()
	c := exec.Command(binary(), "report", "--backend", "cpu", "--budget", "10m", "--python", "none", "--model", "csp")
	var out bytes.Buffer
	c.Stdout = &out
	errs, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "report, ") {
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	_ = c.Wait()
	code := c.ProcessState.ExitCode()
	if code != codeInterrupted || !strings.Contains(out.String(), "stopped before the end") ||
		!strings.Contains(out.String(), ": it was stopped") {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
}
