//go:build !js

package report

import (
	"bufio"
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"mhacsp/native/cli"
	"mhacsp/native/cmd/bench"
	"mhacsp/native/cmd/check"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// TestReportUnwritten: a report whose file cannot be written is printed.
func TestReportUnwritten(t *testing.T) {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	path := filepath.Join(t.TempDir(), "gone", "r.md")
	err := full().write(w, machineFlags{out: path})
	w.Flush()
	assert.Is(t, cli.ExitCode(err), cli.CodeUser, "exit code")
	assert.OneLine(t, "the command", err, path+": not written: ")
	assert.Says(t, out.String(), "#### Training steps")
}

// TestReportChecks: however large the budget, check takes the time that it is given.
func TestReportChecks(t *testing.T) {
	for _, budget := range []time.Duration{leastBudget, 3 * time.Minute, 8 * time.Hour, mostBudget} {
		for _, adapter := range []string{"", "a card"} {
			m := &machine{Report: Report{facts: facts{Adapter: adapter}, Budget: budget.Seconds()}}
			for _, backend := range []string{"gpu", "cpu"} {
				x := m.checkSeconds(backend)
				assert.True(t, x > 0 && x <= bench.MaxSeconds && x <= 0.15*m.Budget,
					"of %v check gets %v s on %s", budget, x, backend)
			}
		}
	}
}

// full is a report with all that there may be.
func full() *machine {
	timing := func(backend string, batch int, ms float64, shaders []bench.Kernel) machineTiming {
		return machineTiming{backend, bench.Result{Model: leadModel, Batch: batch, MeanMs: ms,
			Sequences: 1000 * float64(batch) / ms, Task: "arithmetic", Shaders: shaders}}
	}
	return &machine{Report: Report{
		facts: facts{Adapter: "Card | 3090", Driver: "Maker, 1.2"}, Models: []string{leadModel, "csp"},
		Batches: []int{128, 1024},
		Timings: []machineTiming{
			timing("gpu", 128, 1.25, []bench.Kernel{{Name: "adam", Calls: 1, Ms: 0.25, Share: 0.2}}),
			timing("gpu", 1024, 4, nil), timing("cpu", 128, 80, nil),
		},
		Missing: []missingMeasure{{"csp, batch 128, GPU", "late"}, {"csp, batch 128, CPU", "late"}, {"CPU, x", "late"}},
	}}
}

// TestReportText: targets are judged, what is missing is a dash and counted, names cannot break a table.
func TestReportText(t *testing.T) {
	m := full()
	text := m.markdown()
	list := nativetest.Tables(t, text)
	assert.Need(t, len(list) == 4, "%d tables in\n%s", len(list), text)
	assert.Is(t, list[1][2], []string{"600 steps/s, mha-csp at batch 128", "800.0 steps/s", "met"}, "target")
	assert.Is(t, list[2][2], []string{"`mha-csp`", "1.25 (102 400)", "4 (256 000)", "80 (1 600)", "–"}, "row")
	assert.Says(t, text, "* CPU, x; 2 timings (– in the table): late")
	m.Software = true
	got := nativetest.Tables(t, m.markdown())[1][2][2]
	assert.Is(t, got, "set for real GPUs", "on a software adapter the target is")
}

// TestReportWrong: of a device that computes wrong the report names the kernel, and the command fails.
func TestReportWrong(t *testing.T) {
	parts := []check.Part{{Name: "kernels", Done: 9, Wrong: 1, Failed: []string{"Adam/1"}}}
	wrong := check.Result{Device: "gpu: bent", Parts: parts}
	m := &machine{Report: Report{Checks: []check.Result{wrong}, Batches: []int{128}}}
	assert.Says(t, m.markdown(), "**WRONG** kernels", "  * Adam/")
	err := m.verdict()
	assert.Is(t, cli.ExitCode(err), cli.CodeInternal, "exit code")
	assert.Says(t, err.Error(), "computes wrong")
}
