//go:build !js

package native

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mhacsp/native/words"
)

// Targets of the GPU, for leadModel: what the project sets itself, printed beside what was measured.
const (
	targetBatch    = 128
	targetSteps    = 600 // a second
	targetEager    = 30  // times PyTorch's speed
	targetCompiled = 5
	shownKernels   = 12 // of a table
)

// target is one of them.
type target struct {
	what, measured string
	met            string
}

// markdown is the report as one block for an issue.
func (m *machine) markdown() string {
	var s strings.Builder
	name := m.Adapter
	if name == "" {
		name = "no GPU, " + m.Processor
	}
	fmt.Fprintf(&s, "### mhacsp report: %s\n\n", cellText(name))
	m.writeFacts(&s)
	m.writeTargets(&s)
	m.writeChecks(&s)
	m.writeTimings(&s)
	m.writeForms(&s)
	m.writePeer(&s)
	m.writeKernels(&s)
	if len(m.Missing) > 0 {
		s.WriteString("#### Not measured\n\n")
		for _, x := range m.grouped() {
			fmt.Fprintf(&s, "* %s: %s\n", x.What, x.Why)
		}
	}
	return strings.TrimRight(s.String(), "\n") + "\n"
}

// cellText keeps a text from ending a table's cell or its row.
func cellText(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "|", "¦")), " ")
}

// table writes rows, the first of which is the head; all columns but the first stand to the right.
func table(s *strings.Builder, rows [][]string) {
	for i, r := range rows {
		for k := range r {
			r[k] = cellText(r[k])
		}
		fmt.Fprintf(s, "| %s |\n", strings.Join(r, " | "))
		if i == 0 {
			s.WriteString("|---|" + strings.Repeat("--:|", len(r)-1) + "\n")
		}
	}
	s.WriteString("\n")
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
	if m.stopped {
		took += ", stopped before the end"
	}
	s.WriteString("| | |\n|---|---|\n")
	for _, r := range [][2]string{
		{"GPU", gpu}, {"interface", m.API}, {"driver", m.Driver}, {"processor", m.Processor}, {"system", m.System},
		{"mhacsp", m.Version + ", commit " + m.Commit + ", " + m.Go}, {"measured", took},
	} {
		if r[1] != "" {
			fmt.Fprintf(s, "| %s | %s |\n", r[0], cellText(r[1]))
		}
	}
	s.WriteString("\n")
	if m.Lost != "" {
		fmt.Fprintf(s, "**The GPU was lost**, or its driver hung, at: %s.\n\n", m.Lost)
	}
}

// targets of the batch that they are set for, or of the first that was measured.
func (m *machine) targets() []target {
	batch := m.Batches[0]
	if slices.Contains(m.Batches, targetBatch) {
		batch = targetBatch
	}
	at := fmt.Sprintf("%s at batch %s", leadModel, group(batch))
	gpu := m.find(leadModel, "gpu", batch)
	verdict := func(value, least float64) string {
		switch {
		case m.Software:
			return "set for real GPUs"
		case value >= least:
			return "met"
		}
		return "not met"
	}
	first := target{fmt.Sprintf("%d steps/s, %s", targetSteps, at), "not measured", ""}
	if gpu != nil {
		first.measured = fmt.Sprintf("%.1f steps/s", 1000/gpu.MeanMs)
		first.met = verdict(1000/gpu.MeanMs, targetSteps)
	}
	list := []target{first}
	for _, x := range []struct {
		form  string
		times float64
	}{{"eager", targetEager}, {"compiled", targetCompiled}} {
		words := fmt.Sprintf("%.0f times PyTorch's %s speed on the GPU, %s", x.times, x.form, at)
		t := target{words, "not measured", ""}
		if peer := m.PyTorch.find(x.form, batch); peer != nil && gpu != nil && m.PyTorch.Device == "cuda" {
			ratio := peer.MeanMs / gpu.MeanMs
			t.measured, t.met = fmt.Sprintf("%.1f times", ratio), verdict(ratio, x.times)
		}
		list = append(list, t)
	}
	return list
}

func (m *machine) writeTargets(s *strings.Builder) {
	if m.Adapter == "" {
		return
	}
	rows := [][]string{{"target", "measured", ""}}
	for _, t := range m.targets() {
		rows = append(rows, []string{t.what, t.measured, t.met})
	}
	table(s, rows)
}

func (m *machine) writeChecks(s *strings.Builder) {
	if len(m.Checks) == 0 {
		return
	}
	s.WriteString("#### Checks\n\n")
	for _, e := range m.Checks {
		fmt.Fprintf(s, "%s\n\n", cellText(e.Device))
		for _, p := range e.Parts {
			fmt.Fprintf(s, "* **%s** %s\n", strings.TrimSpace(p.verdict()), p.text())
			for _, f := range p.Failed {
				fmt.Fprintf(s, "  * %s\n", cellText(f))
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
			head = append(head, fmt.Sprintf("%s, batch %s", deviceName(backend), group(batch)))
		}
	}
	rows := [][]string{head}
	for _, model := range m.Models {
		row := []string{"`" + model + "`"}
		for _, backend := range m.backends() {
			for _, batch := range m.Batches {
				if t := m.find(model, backend, batch); t != nil {
					row = append(row, stepCell(t.MeanMs, t.Sequences))
				} else {
					row = append(row, "–")
				}
			}
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(s, "#### Training steps\n\nTask %s; the mean of steps in a row, each on samples of its own.\n\n",
		m.Timings[0].Task)
	table(s, rows)
}

// stepCell is a time and a rate, with three digits or so.
func stepCell(ms, sequences float64) string {
	digits := 0
	switch {
	case ms < 10:
		digits = 2
	case ms < 100:
		digits = 1
	}
	return fmt.Sprintf("%.*f (%s)", digits, ms, group(int(sequences)))
}

// find is a timing of PyTorch, nil where there is none.
func (p *pytorch) find(form string, batch int) *peerTiming {
	if p != nil {
		for i := range p.Timings {
			if t := &p.Timings[i]; t.Form == form && t.Batch == batch {
				return t
			}
		}
	}
	return nil
}

func (m *machine) writePeer(s *strings.Builder) {
	if m.PyTorch == nil || len(m.PyTorch.Timings)+len(m.PyTorch.Notes) == 0 {
		return
	}
	backend := map[string]string{"cuda": "gpu", "cpu": "cpu"}[m.PyTorch.Device]
	rows := [][]string{{leadModel + ", ms a step (sequences/s)"}}
	for _, b := range m.Batches {
		rows[0] = append(rows[0], "batch "+group(b))
	}
	for _, form := range []string{"eager", "compiled"} {
		row, times, any := []string{"PyTorch, " + form}, []string{"we are faster by"}, false
		for _, b := range m.Batches {
			own, peer := m.find(leadModel, backend, b), m.PyTorch.find(form, b)
			cells := [2]string{"–", "–"}
			if peer != nil {
				cells[0], any = stepCell(peer.MeanMs, peer.Sequences), true
			}
			if peer != nil && own != nil {
				cells[1] = fmt.Sprintf("%.1f times", peer.MeanMs/own.MeanMs)
			}
			row, times = append(row, cells[0]), append(times, cells[1])
		}
		if any {
			rows = append(rows, row, times)
		}
	}
	fmt.Fprintf(s, "#### PyTorch\n\nPyTorch %s on %s (%s), beside our %s.\n\n", m.PyTorch.Version, m.PyTorch.Device,
		m.PyTorch.Name, deviceName(backend))
	table(s, rows)
	for _, n := range m.PyTorch.Notes {
		fmt.Fprintf(s, "* %s\n", n)
	}
	if len(m.PyTorch.Notes) > 0 {
		s.WriteString("\n")
	}
}

// writeForms lists what was tried of the forms of kernels.
func (m *machine) writeForms(s *strings.Builder) {
	rows := [][]string{{"forms of kernels", "chosen", "ms a step with each"}}
	var notes []string
	for _, t := range m.Timings {
		if t.Forms == nil {
			continue
		}
		at := fmt.Sprintf("`%s`, batch %s", t.Model, group(t.Batch))
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
			notes = append(notes, fmt.Sprintf("* %s: %s\n", at, cellText(n)))
		}
	}
	if len(rows)+len(notes) == 1 {
		return
	}
	s.WriteString("<details><summary>Forms of the GPU's kernels, chosen as training does</summary>\n\n")
	if len(rows) > 1 {
		table(s, rows)
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
			group(t.Batch), deviceName(t.Backend), clock)
		table(s, rows)
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
			what[why] = append(what[why], plural(n, "timing")+" (– in the table)")
		}
		list = append(list, missingMeasure{strings.Join(what[why], "; "), why})
	}
	return list
}
