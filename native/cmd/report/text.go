//go:build !js

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mhacsp/native/cli"
	"mhacsp/native/words"
)

// Target of a GPU, for leadModel: what the project sets itself, printed next to what was measured.
const (
	targetBatch  = 128
	targetSteps  = 600 // a second
	shownKernels = 12  // of a table
)

// markdown is the report as one block for an issue.
func (m *machine) markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "### mhacsp report: %s\n\n", cli.CellText(cmp.Or(m.Adapter, "no GPU, "+m.Processor)))
	m.writeFacts(&s)
	m.writeTarget(&s)
	m.writeChecks(&s)
	m.writeTimings(&s)
	m.writeForms(&s)
	m.writeKernels(&s)
	if len(m.Missing) > 0 {
		s.WriteString("#### Not measured\n\n")
		for _, x := range m.grouped() {
			fmt.Fprintf(&s, "* %s: %s\n", x.What, x.Why)
		}
	}
	return strings.TrimRight(s.String(), "\n") + "\n"
}

func (m *machine) writeFacts(s *strings.Builder) {
	gpu := m.Adapter
	switch {
	case gpu == "":
		gpu = "none: " + m.NoGPU
	case m.Software:
		gpu += ", a software adapter: it computes on the CPU, slowly"
	}
	took := fmt.Sprintf("%s UTC, %.0f s of %v", m.Began.Format("2006-01-02 15:04"), m.Seconds,
		time.Duration(m.Budget*float64(time.Second)))
	if m.stopped != nil {
		took += ", stopped before the end"
	}
	s.WriteString("| | |\n|---|---|\n")
	for _, r := range [][2]string{
		{"GPU", gpu}, {"interface", m.API}, {"driver", m.Driver}, {"processor", m.Processor}, {"system", m.System},
		{"mhacsp", m.Version + ", commit " + m.Commit + ", " + m.Go}, {"measured", took},
	} {
		if r[1] != "" {
			fmt.Fprintf(s, "| %s | %s |\n", r[0], cli.CellText(r[1]))
		}
	}
	s.WriteString("\n")
	if m.Lost != "" {
		fmt.Fprintf(s, "**The GPU was lost**, or its driver hung, at: %s.\n\n", m.Lost)
	}
}

// writeTarget compares the speed with what the project sets itself, at the batch that it is set for, or at the first
// that was measured.
func (m *machine) writeTarget(s *strings.Builder) {
	if m.Adapter == "" {
		return
	}
	batch := m.Batches[0]
	if slices.Contains(m.Batches, targetBatch) {
		batch = targetBatch
	}
	measured, met := "not measured", ""
	if gpu := m.find(leadModel, "gpu", batch); gpu != nil {
		rate := 1000 / gpu.MeanMs
		measured, met = fmt.Sprintf("%.1f steps/s", rate), "not met"
		switch {
		case m.Software:
			met = "set for real GPUs"
		case rate >= targetSteps:
			met = "met"
		}
	}
	what := fmt.Sprintf("%d steps/s, %s at batch %s", targetSteps, leadModel, words.Number(batch))
	cli.Table(s, [][]string{{"target", "measured", ""}, {what, measured, met}})
}

func (m *machine) writeChecks(s *strings.Builder) {
	if len(m.Checks) == 0 {
		return
	}
	s.WriteString("#### Checks\n\n")
	for _, e := range m.Checks {
		fmt.Fprintf(s, "%s\n\n", cli.CellText(e.Device))
		for _, p := range e.Parts {
			fmt.Fprintf(s, "* **%s** %s\n", strings.TrimSpace(p.Verdict()), p.Text())
			for _, f := range p.Failed {
				fmt.Fprintf(s, "  * %s\n", cli.CellText(f))
			}
		}
		s.WriteString("\n")
	}
}

// backends are those that have timings, the GPU first.
func (m *machine) backends() (list []string) {
	for _, b := range []string{"gpu", "cpu"} {
		if slices.ContainsFunc(m.Timings, func(t machineTiming) bool { return t.Backend == b }) {
			list = append(list, b)
		}
	}
	return list
}

func (m *machine) writeTimings(s *strings.Builder) {
	if len(m.Timings) == 0 {
		return
	}
	head := []string{"ms a step (sequences/s)"}
	for _, backend := range m.backends() {
		for _, batch := range m.Batches {
			head = append(head, fmt.Sprintf("%s, batch %s", strings.ToUpper(backend), words.Number(batch)))
		}
	}
	rows := [][]string{head}
	for _, model := range m.Models {
		row := []string{"`" + model + "`"}
		for _, backend := range m.backends() {
			for _, batch := range m.Batches {
				if t := m.find(model, backend, batch); t != nil {
					row = append(row, words.Three(t.MeanMs)+" ("+words.Number(int(t.Sequences))+")")
				} else {
					row = append(row, "–")
				}
			}
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(s, "#### Training steps\n\nTask %s; the mean of steps in a row, each on samples of its own.\n\n",
		m.Timings[0].Task)
	cli.Table(s, rows)
}

// writeForms lists what was tried of the forms of kernels.
func (m *machine) writeForms(s *strings.Builder) {
	rows := [][]string{{"forms of kernels", "chosen", "ms a step with each"}}
	var notes []string
	for _, t := range m.Timings {
		if t.Forms == nil {
			continue
		}
		at := fmt.Sprintf("`%s`, batch %s", t.Model, words.Number(t.Batch))
		for _, c := range t.Forms.Choices {
			var times []string
			for _, x := range c.Times {
				if x.Ms > 0 {
					times = append(times, x.Value+" "+words.Three(x.Ms))
				}
			}
			rows = append(rows, []string{at + ": " + c.Knob, c.Value, strings.Join(times, ", ")})
		}
		for _, n := range t.Forms.Notes {
			notes = append(notes, fmt.Sprintf("* %s: %s\n", at, cli.CellText(n)))
		}
	}
	if len(rows)+len(notes) == 1 {
		return
	}
	s.WriteString("<details><summary>Forms of the GPU's kernels, chosen as training does</summary>\n\n")
	if len(rows) > 1 {
		cli.Table(s, rows)
	}
	if len(notes) > 0 {
		s.WriteString(strings.Join(notes, "") + "\n")
	}
	s.WriteString("</details>\n\n")
}

func (m *machine) writeKernels(s *strings.Builder) {
	for _, t := range m.Timings {
		list, clock := t.Shaders, "the device's clock"
		if len(list) == 0 {
			list, clock = t.Kernels, "the host's clock, with a wait after each call"
		}
		if len(list) == 0 {
			continue
		}
		rows := [][]string{{"kernel", "calls", "ms", "share"}}
		for _, k := range list[:min(len(list), shownKernels)] {
			rows = append(rows, []string{"`" + k.Name + "`", fmt.Sprint(k.Calls), fmt.Sprintf("%.3f", k.Ms),
				fmt.Sprintf("%.1f %%", 100*k.Share)})
		}
		if rest := list[min(len(list), shownKernels):]; len(rest) > 0 {
			var ms, share float64
			for _, k := range rest {
				ms, share = ms+k.Ms, share+k.Share
			}
			rows = append(rows, []string{fmt.Sprintf("%d others", len(rest)), "", fmt.Sprintf("%.3f", ms),
				fmt.Sprintf("%.1f %%", 100*share)})
		}
		fmt.Fprintf(s, "<details><summary>Kernels of a step: %s, batch %s, %s, by %s</summary>\n\n", t.Model,
			words.Number(t.Batch), strings.ToUpper(t.Backend), clock)
		cli.Table(s, rows)
		s.WriteString("</details>\n\n")
	}
}

// grouped puts what is missing for the same reason together, and counts timings, whose places in the table are open.
func (m *machine) grouped() (list []missingMeasure) {
	timings := map[string]int{}
	var whys []string
	what := map[string][]string{}
	for _, x := range m.Missing {
		if !slices.Contains(whys, x.Why) {
			whys = append(whys, x.Why)
		}
		if strings.Contains(x.What, ", batch ") && len(m.Timings) > 0 {
			timings[x.Why]++
		} else {
			what[x.Why] = append(what[x.Why], x.What)
		}
	}
	for _, why := range whys {
		if n := timings[why]; n > 0 {
			what[why] = append(what[why], words.Plural(n, "timing")+" (– in the table)")
		}
		list = append(list, missingMeasure{strings.Join(what[why], "; "), why})
	}
	return list
}
