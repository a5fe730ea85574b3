//go:build !js

package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"mhacsp/model/metric"
	"mhacsp/model/study/curve"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/native/figure"
)

// byHand is a run of parity that a log would tell: its model, keys that are not the default, and its validations of
// 100 samples.
func byHand(t *testing.T, model, keys string, steps []int, exact []int) *source {
	t.Helper()
	r, err := train.Default("parity")
	if err == nil {
		r.Config, err = zoo.Preset(model)
	}
	if err == nil {
		err = r.Overlay([]byte(keys))
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &source{path: "by hand", run: r}
	s.take(train.Started{Origin: train.Origin{Version: "v1.2", Commit: "0123456789abcdef of 2026"}})
	for i, step := range steps {
		s.take(train.Step{Step: step, Loss: 1 / float64(step)})
		s.take(train.Evaluation{Step: step, Role: "validation", Report: metric.Report{
			Loss: 2 / float64(step), Tally: metric.Tally{Count: 100, Exact: exact[i]}, Majority: 0.5,
		}})
	}
	return s
}

// TestGroups: runs that differ in their seed, or in how they are measured, are one group; others are told apart by
// what differs.
func TestGroups(t *testing.T) {
	run := func(keys string) *source { return byHand(t, "csp", keys, nil, nil) }
	groups, err := groupsOf([]*source{
		run(`{"seed": 1}`), run(`{"width": 12}`), run(`{"seed": 2, "eval_every": 3}`),
		run(`{"width": 12, "lr": 0.5, "seed": 7}`), byHand(t, "mha-csp", `{}`, nil, nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	names := legend(groups)
	if len(names) != 4 || !strings.HasPrefix(names[0], "csp, ") || !strings.HasSuffix(names[0], " (2 seeds)") ||
		!strings.Contains(names[1], "width 12") || !strings.Contains(names[2], "lr 0.5") || names[3] != "mha-csp" {
		t.Errorf("the groups are %q", names)
	}
	about := strings.Join(provenance(groups[:1]), "\n")
	if !strings.Contains(about, "steps not known, seeds 1, 2; by hand, by hand.") ||
		!strings.Contains(about, "Trained by mhacsp v1.2, commit 0123456789 of 2026.") {
		t.Errorf("the provenance is %s", about)
	}
}

// TestLossAndAccuracy: means, ranges and the grokking interval of two seeds.
func TestLossAndAccuracy(t *testing.T) {
	steps := []int{10, 20, 30, 40, 50}
	groups := []runGroup{
		{"csp", []*source{
			byHand(t, "csp", `{}`, steps, []int{50, 50, 76, 96, 100}),
			byHand(t, "csp", `{}`, steps, []int{50, 80, 96, 100, 100}),
		}},
		{"other", []*source{byHand(t, "csp", `{}`, steps, []int{50, 51, 52, 53, 54})}},
	}
	page, loss, exact := lossAndAccuracy(groups)
	if len(loss.Series) != 4 || len(exact.Series) != 2 {
		t.Fatalf("%d curves of loss, %d of accuracy", len(loss.Series), len(exact.Series))
	}
	s := exact.Series[0]
	for i, want := range []struct{ mean, low, high float64 }{
		{0.5, 0.5, 0.5}, {0.65, 0.5, 0.8}, {0.86, 0.76, 0.96}, {0.98, 0.96, 1}, {1, 1, 1},
	} {
		if near := func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }; !near(s.Y[i], want.mean) ||
			!near(s.Low[i], want.low) || !near(s.High[i], want.high) {
			t.Errorf("step %v: %v from %v to %v, want %+v", s.X[i], s.Y[i], s.Low[i], s.High[i], want)
		}
	}
	// From a guess of 50 %: 75 % after 30 and 20 steps, 95 % after 40 and 30, 99.5 % after 50 and 40.
	if len(exact.Spans) != 1 || exact.Spans[0].From != 25 || exact.Spans[0].Mark != 35 || exact.Spans[0].To != 45 {
		t.Errorf("the bars are %+v", exact.Spans)
	}
	text := strings.Join(page.Caption, "\n")
	for _, want := range []string{
		"csp: 25, 35 and 45 steps", "other: no rise", "100 samples a validation", "curriculum",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the caption does not say %q: %s", want, text)
		}
	}
	if span, text := riseOf(3, []curve.Rise{{Half: 1, Most: 2, Nearly: 1300}}, 3); span[0].Group != 3 ||
		text != "1, 2 and 1 300 steps (1 of 3 seeds)" {
		t.Errorf("%+v, %s", span, text)
	}
}

// TestAccuracies: samples of a group's seeds are added up; a few are thin.
func TestAccuracies(t *testing.T) {
	report := func(depth map[int]metric.Tally) *metric.Report {
		return &metric.Report{ByDepth: depth, ByOperands: map[int]metric.Tally{3: {Count: 1}}}
	}
	list := accuraciesOf([][]*metric.Report{
		{report(map[int]metric.Tally{10: {Count: 5, Exact: 2}, 2: {Count: 40, Exact: 10}}),
			report(map[int]metric.Tally{2: {Count: 60, Exact: 40}})},
		{report(map[int]metric.Tally{3: {Count: 30, Exact: 30}})},
	})
	if len(list) != 1 || list[0].name != "depth" || !slices.Equal(list[0].classes, []string{"2", "3", "10"}) {
		t.Fatalf("%+v", list) // of operands there is one class: nothing to compare
	}
	g := sharesOf(list[0], 0)
	if len(g.Points) != 2 || g.Points[0].Count != 100 || g.Points[0].Y != 0.5 || g.Points[0].Thin ||
		g.Points[1].Class != 2 || !g.Points[1].Thin {
		t.Errorf("%+v", g)
	}
	if low, high := metric.Wilson(50, 100); g.Points[0].Low != low || g.Points[0].High != high {
		t.Errorf("the interval is %v to %v", g.Points[0].Low, g.Points[0].High)
	}
	if g := sharesOf(list[0], 1); len(g.Points) != 1 || g.Points[0].Thin || g.Group != 1 {
		t.Errorf("%+v", g)
	}
}

// svgTexts are the texts of an SVG, which must parse, and how often its paths have a style.
func (p place) svgTexts(name, style string) (texts string, paths int) {
	p.Helper()
	for d := xml.NewDecoder(strings.NewReader(string(p.read(name)))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts, paths
		}
		if err != nil {
			p.Fatalf("%s: %v", name, err)
		}
		switch x := token.(type) {
		case xml.CharData:
			if text := strings.TrimSpace(string(x)); text != "" {
				texts += strings.ReplaceAll(text, "\u00a0", " ") + "\n"
			}
		case xml.StartElement:
			for _, a := range x.Attr {
				if x.Name.Local == "path" && a.Name.Local == "style" && strings.Contains(a.Value, style) {
					paths++
				}
			}
		}
	}
}

// TestFigures draws every kind of figure of tiny runs.
func TestFigures(t *testing.T) {
	p := newPlace(t)
	for _, seed := range []string{"1", "2"} {
		p.ok(smallRun("--task", "mod3", "--max-length", "9", "--seed", seed, "--out", "s"+seed)...)
	}
	p.ok("train", "--task", "mod3", "--max-length", "9", "--model", "csp", "--width", "8", "--steps", "4",
		"--batch", "4", "--eval-every", "2", "--eval-samples", "8", "--test-samples", "16", "--out", "csp")
	runs := []string{"figures", "--run", "s1", "--run", "s2", "--run", "csp", "--out", "f", "--backend", "cpu"}
	out := p.ok(runs...)
	want := []string{
		"accuracy-mod3", "curves-mod3", "embedding-csp", "embedding-s1", "embedding-s2", "matrices-s1", "matrices-s2",
		"spectrum-mod3",
	}
	var got []string
	entries, err := os.ReadDir(p.path("f"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".svg"); ok {
			got = append(got, name)
		}
		if !strings.Contains(out, "f/"+e.Name()+"\n") {
			t.Errorf("%s is not named in\n%s", e.Name(), out)
		}
	}
	if !slices.Equal(got, want) || len(entries) != 2*len(want) {
		t.Fatalf("%d files, of which SVG %q, want %q", len(entries), got, want)
	}
	if !strings.Contains(out, "not drawn: matrices of csp: csp has no heads with matrices") {
		t.Errorf("what is missing is not told:\n%s", out)
	}
	seeds := "mha-csp-s: 4 steps, seeds 1, 2; s1, s2."
	for _, c := range []struct {
		name, style string
		paths       int // at least
		texts       []string
	}{
		{"curves-mod3", "stroke:#D55E00", 3, []string{"Training curves: mod3", "mha-csp-s (2 seeds)", "csp",
			"training steps", "cross-entropy (nats)", "right labels (%)", "a constant guess", seeds,
			"Trained by mhacsp"}},
		{"accuracy-mod3", "stroke-width:1.2", 2 * 3 * 3, []string{"Accuracy: mod3", "By length", "characters, up to",
			"n", "Wilson", seeds}},
		{"spectrum-mod3", "stroke:#0072B2", 3, []string{"paper: 8 components, 90 %", "principal components",
			"share of the variance (%)", seeds}},
		{"embedding-s1", "fill:#0072B2", 40, []string{"Embeddings by t-SNE", "Embeddings by PCA", "Learned angle θ",
			"10 points are few", "chance", "mha-csp-s: 4 steps, seed 1; s1."}},
		{"matrices-s2", "fill:#", 2*3*21 + 2*12*2, []string{"Distance, head 1", "Tree, head 2", "Fusion, head 1",
			"Attention, head 2", "S is the start", "is right", "seed 2; s2."}},
	} {
		texts, paths := p.svgTexts("f/"+c.name+".svg", c.style)
		for _, want := range c.texts {
			if !strings.Contains(texts, want) {
				t.Errorf("%s does not say %q:\n%s", c.name, want, texts)
			}
		}
		if paths < c.paths {
			t.Errorf("%s has %d paths with %s, want %d", c.name, paths, c.style, c.paths)
		}
	}

	// The same again is no other figure; another figure under the name is refused, and nothing is written.
	p.ok(append(runs, "--only", "curves,embedding")...)
	before := string(p.read("f/curves-mod3.svg"))
	p.write("f/spectrum-mod3.png", "a letter")
	other := []string{"figures", "--run", "s1", "--out", "f", "--backend", "cpu", "--only", "curves,spectrum"}
	code, _, errs := p.try(other...)
	if code != codeUser || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "holds another figure; choose") ||
		string(p.read("f/curves-mod3.svg")) != before || string(p.read("f/spectrum-mod3.png")) != "a letter" {
		t.Errorf("exit code %d, %s", code, errs)
	}
	p.ok(append(other, "--overwrite")...)
	if string(p.read("f/curves-mod3.svg")) == before {
		t.Error("--overwrite replaced nothing")
	}
}

// TestFiguresOfRecords: what eval --json prints is drawn; the same evaluation twice is refused. A checkpoint file has
// no curves; a given text is that of the matrices.
func TestFiguresOfRecords(t *testing.T) {
	p := newPlace(t)
	p.ok(smallRun("--format", "direct", "--out", "run")...)
	records := p.ok("eval", "--run", "run", "--n", "50", "--json") +
		p.ok("eval", "--run", "run", "--n", "70", "--seed", "9", "--json")
	p.write("r.jsonl", records)
	out := p.ok("figures", "--records", "r.jsonl", "--out", "f", "--format", "svg")
	if out != "f/accuracy-arithmetic-author-direct.svg\n" {
		t.Errorf("%s", out)
	}
	texts, _ := p.svgTexts("f/accuracy-arithmetic-author-direct.svg", "")
	for _, want := range []string{
		"numbers in the expression", "depth of the brackets", "samples of seed 9: 70 samples", "r.jsonl",
	} {
		if !strings.Contains(texts, want) {
			t.Errorf("no %q in\n%s", want, texts)
		}
	}
	out = p.ok("figures", "--run", "run/model.safetensors", "--text", "(3+5)-2", "--out", "g", "--format", "svg",
		"--backend", "cpu")
	if !strings.Contains(out, "not drawn: curves of run/model.safetensors: no log with steps") {
		t.Errorf("%s", out)
	}
	if texts, _ := p.svgTexts("g/matrices-model.svg", ""); !strings.Contains(texts, `"(3 + 5) - 2 mod 9 ="`) {
		t.Errorf("%s", texts)
	}
	p.write("twice.jsonl", records+"\n"+records)
	p.write("other.jsonl", `{"prompt": "1", "label": "0"}`)
	p.write("empty.jsonl", "\n")
	p.ok(smallRun("--task", "parity", "--model", "mha-csp-s", "--max-length", "6", "--out", "bits")...)
	p.ok("init", "--model", "csp", "--out", "csp.safetensors")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--records", "twice.jsonl"}, "twice.jsonl:4: the same evaluation as twice.jsonl:1; remove one"},
		{[]string{"--records", "other.jsonl"}, "other.jsonl:1: no record that mhacsp eval --json prints"},
		{[]string{"--records", "empty.jsonl"}, "empty.jsonl has no records"},
		{[]string{"--records", "r.jsonl", "--records", "r.jsonl"}, "--records r.jsonl stands twice"},
		{[]string{"--records", "r.jsonl", "--only", "curves"}, "no figure of curves can be drawn"},
		{[]string{"--run", "run", "--run", "run"}, "--run run stands twice"},
		{[]string{"--run", "nowhere"}, "nowhere is no run folder"},
		{[]string{"--run", "csp.safetensors"}, "csp.safetensors"},
		{[]string{"--run", "run", "--only", "curve"}, `--only is "curve"; choose of curves, accuracy`},
		{[]string{"--run", "run", "--format", "pdf"}, `--format is "pdf"; choose of svg, png`},
		{[]string{"--run", "run", "--only", "curves", "--text", "1"}, "--text is for the matrices"},
		{[]string{"--run", "run", "--only", "matrices", "--text", "(3+5)*2"}, "of matrices can be drawn: matrices of run: "},
		{[]string{"--run", "bits", "--only", "embedding"}, "task parity has 2 digits"},
		{nil, "name runs with --run"},
	} {
		code, out, errs := p.try(append([]string{"figures", "--out", "h", "--backend", "cpu"}, c.args...)...)
		if code != codeUser || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, %q, want %q", c.args, code, errs, c.want)
		}
	}
	if _, err := os.Stat(p.path("h")); err == nil {
		t.Error("a wrong request made a folder")
	}
	code, _, errs := p.try("figures", "--run", "run")
	if code != codeUser || !strings.Contains(errs, "missing: --out") {
		t.Errorf("%d, %s", code, errs)
	}
}

// TestAlbum: names are a file's, and no two figures have one.
func TestAlbum(t *testing.T) {
	var a album
	for _, name := range []string{"Run A/1", "run-a-1", "ü"} {
		a.add(curvesKind, name, figure.Page{})
	}
	var names []string
	for _, d := range a.pages {
		names = append(names, d.name)
	}
	if fmt.Sprint(names) != "[curves-run-a-1 curves-run-a-1-2 curves-]" {
		t.Errorf("%q", names)
	}
}
