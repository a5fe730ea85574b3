//go:build !js

package native

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
)

// markdownTables reads the tables of a Markdown text: each by its rows, the head first. Rows of a table must have the
// same number of cells.
func markdownTables(t *testing.T, text string) (list [][][]string) {
	t.Helper()
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		if !strings.HasSuffix(line, "|") {
			t.Errorf("a row does not end: %q", line)
		}
		var row []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
			row = append(row, strings.TrimSpace(cell))
		}
		if !inside {
			list = append(list, nil)
		}
		inside = true
		x := &list[len(list)-1]
		if len(*x) > 0 && len((*x)[0]) != len(row) {
			t.Errorf("%d cells under %d: %q", len(row), len((*x)[0]), line)
		}
		*x = append(*x, row)
	}
	return list
}

// TestReportCPU: without a GPU the report says so, with a remedy, and has the CPU's figures.
func TestReportCPU(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("report", "--backend", "cpu", "--budget", "10s", "--model", "csp", "--batch", "2,4", "--out", "r.md")
	text := string(p.read("r.md"))
	for _, want := range []string{
		"### mhacsp report: no GPU", "(--backend cpu)", "**right** kernels against", "#### Training steps",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	list := markdownTables(t, text)
	head := []string{"ms a step (sequences/s)", "CPU, batch 2", "CPU, batch 4"}
	if len(list) != 2 || !slices.Equal(list[1][0], head) {
		t.Fatalf("the tables are %q", list)
	}
	if row := list[1][2]; row[0] != "`csp`" || !strings.Contains(row[1], "(") {
		t.Errorf("the row is %q", row)
	}
	var m machineReport
	p.json(&m, "report", "--backend", "cpu", "--budget", "10s", "--model", "csp", "--batch", "2", "--json")
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
		if code != codeUser || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%v: exit code %d, %q, %q does not say %q", args, code, out, errs, want)
		}
	}
	code, _, errs := p.try("check", "--seconds", "-1")
	if code != codeUser || !strings.Contains(errs, "--seconds is -1") {
		t.Errorf("check: exit code %d, %q", code, errs)
	}
}

// TestReportUnwritten: a report whose file cannot be written is printed.
func TestReportUnwritten(t *testing.T) {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	path := filepath.Join(t.TempDir(), "gone", "r.md")
	err := full().write(w, machineFlags{out: path})
	w.Flush()
	if exitCode(err) != codeUser || !strings.Contains(err.Error(), path+": not written: ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("the command ends with %v", err)
	}
	if !strings.Contains(out.String(), "#### Training steps") {
		t.Errorf("it prints %q", out.String())
	}
}

// TestReportChecks: however large the budget, check takes the time that it is given.
func TestReportChecks(t *testing.T) {
	for _, budget := range []time.Duration{leastBudget, 3 * time.Minute, 8 * time.Hour, mostBudget} {
		for _, adapter := range []string{"", "a card"} {
			m := &machine{machineReport: machineReport{facts: facts{Adapter: adapter}, Budget: budget.Seconds()}}
			for _, backend := range []string{"gpu", "cpu"} {
				if x := m.checkSeconds(backend); x <= 0 || x > maxBenchSeconds || x > 0.15*m.Budget {
					t.Errorf("of %v check gets %v s on %s", budget, x, backend)
				}
			}
		}
	}
}

// bent is a device whose Adam is a little wrong.
func bent() backend.Backend {
	device := cpu.NewReference[float32]()
	return backend.Around{Memory: device, Do: func(c backend.Call) {
		if a, ok := c.(backend.Adam); ok {
			a.Rate *= 1.01
			c = a
		}
		c.On(device)
	}}
}

// TestReportWrong: a device that computes wrong is reported by the kernel's name, and the command fails.
func TestReportWrong(t *testing.T) {
	x := newExamination(bent(), 2, io.Discard)
	if err := x.kernels(); err != nil {
		t.Fatal(err)
	}
	if x.Right() || x.Parts[0].Wrong < 1 || !strings.HasPrefix(x.Parts[0].Failed[0], "Adam/") {
		t.Fatalf("%+v", x.Parts)
	}
	x.Device = "gpu: bent"
	m := &machine{machineReport: machineReport{Checks: []examined{x.examined}, Batches: []int{128}}}
	text := m.markdown()
	if !strings.Contains(text, "**WRONG** kernels") || !strings.Contains(text, "  * Adam/") {
		t.Errorf("the report is\n%s", text)
	}
	if err := m.verdict(); exitCode(err) != codeInternal || !strings.Contains(err.Error(), "computes wrong") {
		t.Errorf("the command ends with %v", err)
	}
}

// unsteady is a device whose gradients are another in every run.
func unsteady() backend.Backend {
	device := cpu.NewReference[float32]()
	calls := float32(0)
	return backend.Around{Memory: device, Do: func(c backend.Call) {
		if a, ok := c.(backend.Adam); ok {
			calls++
			a.Rate *= 1 + calls/1e4
			c = a
		}
		c.On(device)
	}}
}

// TestReportBits: a device that gives other bits in a second run is reported.
func TestReportBits(t *testing.T) {
	x := newExamination(unsteady(), 0, io.Discard)
	if err := x.bits(); err != nil || x.Right() {
		t.Errorf("training: %v, %+v", err, x.Parts)
	}
	if err := x.steps([]string{"csp"}); err != nil || x.Parts[1].Wrong != 1 ||
		!strings.Contains(x.Parts[1].Failed[0], "csp: element ") {
		t.Errorf("first step: %v, %+v", err, x.Parts)
	}
}

// formed is a device that computes wrong in one of two forms.
type formed struct {
	backend.Backend
	form string
}

func (d *formed) EachForm(try func(string) error) error {
	for _, d.form = range []string{"forward half", "attention 128"} {
		if err := try(d.form); err != nil {
			return err
		}
	}
	d.form = ""
	return nil
}

// TestReportForms: a form of the kernels whose bits are others is reported by its name.
func TestReportForms(t *testing.T) {
	device := cpu.NewReference[float32]()
	d := &formed{}
	d.Backend = backend.Around{Memory: device, Do: func(c backend.Call) {
		if a, ok := c.(backend.Adam); ok && d.form == "attention 128" {
			a.Rate *= 1.01
			c = a
		}
		c.On(device)
	}}
	x := newExamination(d, 0, io.Discard)
	if err := errors.Join(x.steps([]string{"csp"}), x.forms()); err != nil {
		t.Fatal(err)
	}
	if p := x.Parts[1]; p.Done != 2 || p.Wrong != 1 || !strings.HasPrefix(p.Failed[0], "csp, attention 128: ") {
		t.Errorf("%+v", p)
	}
}

// full is a report with all that there may be.
func full() *machine {
	timing := func(backend string, batch int, ms float64, shaders []kernel) machineTiming {
		return machineTiming{backend, benchmark{Model: leadModel, Batch: batch, MeanMs: ms,
			Sequences: 1000 * float64(batch) / ms, Task: "arithmetic", Shaders: shaders}}
	}
	m := &machine{machineReport: machineReport{
		facts: facts{Adapter: "Card | 3090", Driver: "Maker, 1.2"}, Models: []string{leadModel, "csp"},
		Batches: []int{128, 1024},
		Timings: []machineTiming{
			timing("gpu", 128, 1.25, []kernel{{Name: "adam", Calls: 1, Ms: 0.25, Share: 0.2}}),
			timing("gpu", 1024, 4, nil), timing("cpu", 128, 80, nil),
		},
		Missing: []missingMeasure{{"csp, batch 128, GPU", "late"}, {"csp, batch 128, CPU", "late"}, {"CPU, x", "late"}},
	}}
	return m
}

// TestReportText: targets are judged, what is missing is a dash and counted, names cannot break a table.
func TestReportText(t *testing.T) {
	m := full()
	text := m.markdown()
	list := markdownTables(t, text)
	if len(list) != 4 {
		t.Fatalf("%d tables in\n%s", len(list), text)
	}
	want := []string{"600 steps/s, mha-csp at batch 128", "800.0 steps/s", "met"}
	if got := list[1][2]; !slices.Equal(got, want) {
		t.Errorf("target %q, want %q", got, want)
	}
	want = []string{"`mha-csp`", "1.25 (102 400)", "4.00 (256 000)", "80.0 (1 600)", "–"}
	if got := list[2][2]; !slices.Equal(got, want) {
		t.Errorf("row %q, want %q", got, want)
	}
	if !strings.Contains(text, "* CPU, x; 2 timings (– in the table): late") {
		t.Errorf("what is missing is not told in\n%s", text)
	}
	m.Software = true
	if got := markdownTables(t, m.markdown())[1][2][2]; got != "set for real GPUs" {
		t.Errorf("on a software adapter the target is %q", got)
	}
}

// TestTicker: where no terminal is, a line comes now and then, not each time.
func TestTicker(t *testing.T) {
	var b bytes.Buffer
	x := newTicker(&b)
	x.say("one")
	x.say("two")
	x.end()
	x.say("three")
	if b.String() != "one\nthree\n" {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	x = &ticker{w: &b, lives: true}
	x.say("a line")
	x.end()
	if b.String() != "\ra line\r      \r" {
		t.Errorf("on a terminal %q", b.String())
	}
}
