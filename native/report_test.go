//go:build !js

package native

import (
	"slices"
	"strings"
	"testing"

	"mhacsp/native/cli"
	"mhacsp/native/cmd/report"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// TestReportCPU: without a GPU the report says so, with a remedy, and has the CPU's figures.
func TestReportCPU(t *testing.T) {
	p := parallelPlace(t)
	p.OK("report", "--backend", "cpu", "--budget", "10s", "--model", "csp", "--batch", "2,4", "--out", "r.md")
	text := string(p.Read("r.md"))
	assert.Says(t, text, "### mhacsp report: no GPU", "(--backend cpu)", "**right** kernels against",
		"#### Training steps")
	list := nativetest.Tables(t, text)
	head := []string{"ms a step (sequences/s)", "CPU, batch 2", "CPU, batch 4"}
	assert.Need(t, len(list) == 2 && slices.Equal(list[1][0], head), "the tables are %q", list)
	row := list[1][2]
	assert.True(t, row[0] == "`csp`" && strings.Contains(row[1], "("), "the row is %q", row)
	var m report.Report
	p.JSON(&m, "report", "--backend", "cpu", "--budget", "10s", "--model", "csp", "--batch", "2", "--json")
	if len(m.Timings) != 1 || m.Timings[0].MeanMs <= 0 || m.Timings[0].Sequences <= 0 || m.Timings[0].Steps < 1 ||
		len(m.Checks) != 1 || m.System == "" || m.Processor == "" || m.Seconds <= 0 {
		t.Errorf("%+v", m)
	}
}

// TestReportMistakes: what makes no sense is reported before anything is measured.
func TestReportMistakes(t *testing.T) {
	p := newPlace(t)
	p.here()
	for want, args := range map[string][]string{
		"--budget is 1s; choose":              {"--budget", "1s"},
		"--batch is 0":                        {"--batch", "0"},
		"--model is \"x\"":                    {"--model", "x"},
		"--backend is cpu; leave one of them": {"--backend", "cpu", "--adapter", "x"},
		"--out is \"\"":                       {"--out", ""},
		"create the folder first":             {"--out", "nowhere/r.md"},
		".: not written: what stands there":   {"--out", "."},
		"choose one of auto, cpu, gpu":        {"--backend", "cpu64"},
	} {
		code, out, errs := p.mistake(append([]string{"report"}, args...)...)
		assert.True(t, code == cli.CodeUser && out == "" && strings.Contains(errs, want),
			"%v: exit code %d, %q, %q does not say %q", args, code, out, errs, want)
	}
	p.refused("--seconds is -1", "check", "--seconds", "-1")
}
