//go:build !js

package native

import (
	"slices"
	"strings"
	"testing"
	"time"

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
	assert.Need(t, len(m.Timings) == 1, "%+v", m)
	x := m.Timings[0]
	assert.True(t, x.MeanMs > 0 && x.Sequences > 0 && x.Steps >= 1 && len(m.Checks) == 1 && m.System != "" &&
		m.Processor != "" && m.Seconds > 0, "%+v", m)
}

// reported is a report that says all this. On a busy machine its budget may be spent before all is measured, which it
// says: then it gets three times as much.
func (p place) reported(code int, errs string, flags []string, want ...string) string {
	p.Helper()
	for budget := 20 * time.Second; ; budget *= 3 {
		out, _ := p.ends(code, errs, words("report --budget "+budget.String(), flags...)...)
		lacks := slices.ContainsFunc(want, func(s string) bool { return !strings.Contains(out, s) })
		if !lacks || budget > 2*time.Minute || !strings.Contains(out, "the budget was spent") {
			assert.Says(p, out, want...)
			return out
		}
	}
}

// TestReportMistakes: what makes no sense is reported before anything is measured.
func TestReportMistakes(t *testing.T) {
	p := newPlace(t)
	p.here()
	for _, c := range []struct{ args, want string }{
		{"report --budget 1s", "--budget is 1s; choose a time from 5s to 24h"}, {"report --batch 0", "--batch is 0"},
		{"report --model x", `--model is "x"`}, {"report --out=", `--out is ""`},
		{"report --backend cpu --adapter x", "--backend is cpu; leave one of them"},
		{"report --out nowhere/r.md", "create the folder first"},
		{"report --out .", ".: not written: what stands there"},
		{"report --backend cpu64", "choose one of auto, cpu, gpu"}, {"check --seconds -1", "--seconds is -1"},
	} {
		p.mistaken(c.want, strings.Fields(c.args)...)
	}
}
