package study

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mhacsp/model/metric"
	"mhacsp/model/train"
	"mhacsp/tasks/assert"
)

// tiny are the keys of a run of no size.
const tiny = `{"task":"parity","model":"csp","width":8,"max_length":6,"batch":4,"seed":1,"steps":5,` +
	`"test_samples":40,"eval_samples":8}`

func tinySpec(name string) Spec {
	return Spec{Name: name, Column: "parity", Row: "csp", Keys: json.RawMessage(tiny)}
}

// record writes the folder of a finished run of a cell with that many steps, of which exact tests were right.
func record(t *testing.T, dir string, s Spec, steps, exact int) {
	t.Helper()
	r := assert.Must(s.Run(steps))(t)
	assert.NoError(t, os.MkdirAll(dir, 0o755))
	write(t, dir, train.ConfigFile, string(assert.Must(json.Marshal(r))(t)))
	write(t, dir, train.ModelFile, "x")
	var log strings.Builder
	line := func(kind string, v any) {
		fmt.Fprintf(&log, "{\"event\":%q,\"time\":\"now\",%s\n", kind, assert.Must(json.Marshal(v))(t)[1:])
	}
	origin := train.Origin{Version: "v1", Commit: "0123", Host: "here", Device: "cpu", Threads: 1}
	line("start", train.Started{Origin: origin, Subject: train.Subject{Parameters: 119000}, Steps: steps})
	report := func(n, exact int) metric.Report {
		t := metric.Tally{Count: n, Exact: exact, Answer: exact}
		return metric.Report{Loss: 1, Tally: t, Computed: t, Majority: 0.5}
	}
	for i := range steps {
		line("step", train.Step{Step: i + 1, Seconds: 0.5})
		n := r.Training.EvalSamples
		hits := n / 2
		if i+1 == steps {
			hits = n
		}
		line("eval", train.Evaluation{Step: i + 1, Role: "validation", Seconds: 0.25, Report: report(n, hits)})
	}
	line("eval", train.Evaluation{Step: steps, Role: "test", Seconds: 1,
		Report: report(r.Training.TestSamples, exact)})
	line("done", train.Done{Step: steps, Reason: "finished"})
	write(t, dir, train.MetricsFile, log.String())
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	assert.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

func text(t *testing.T, dir, name string) string {
	t.Helper()
	return string(assert.Must(os.ReadFile(filepath.Join(dir, name)))(t))
}

// TestNew: the plan is the same every time, its cells are valid, told apart by their names, and in the order of seeds.
func TestNew(t *testing.T) {
	a := assert.Must(New(3))(t)
	b, _ := New(3)
	assert.Is(t, a.Differs(b), "", "two plans differ")
	assert.Is(t, a.Differs(assert.Must(Parse(a.Text()))(t)), "", "a plan that was written and read")
	one, _ := New(1)
	assert.True(t, a.Differs(one) != "", "a plan of one seed is that of three")
	seed, behind := uint64(0), false
	rows, rows1 := map[Need]int{}, map[Need]int{}
	for _, c := range one.Cells {
		rows1[Need{c.Column, c.Row}]++
	}
	for _, c := range a.Cells {
		r := assert.Must(c.Asked())(t)
		long := Short(c.Column) != ""
		assert.True(t, (r.Training.Seed >= seed || long) && (!behind || long),
			"%s of seed %d stands behind one of seed %d, or behind a long one", c.Name, r.Training.Seed, seed)
		behind = long
		assert.True(t, !long || r.Training.Steps == 78125, "%s has %d steps", c.Name, r.Training.Steps)
		seed = r.Training.Seed
		rows[Need{c.Column, c.Row}]++
		assert.True(t, c.usual(), "%s is not taken for a cell of the paper's study", c.Name)
		// A test of the strict protocol has 257 tokens, and learned positions must reach them.
		learned := strings.HasPrefix(c.Column, strict) && c.Row == "arformer"
		assert.Is(t, strings.Contains(string(c.Keys), `"context":257`), learned, "%s has the keys %s", c.Name, c.Keys)
	}
	for need, n := range rows {
		assert.True(t, n == 3 && rows1[need] == 1, "%v has %d cells, of one seed %d", need, n, rows1[need])
	}
	// The families, on all that the paper's Table 1 asks.
	for _, need := range []Need{
		{"parity", "csp"}, {"parenthesis", "mha-csp"}, {"mod3", "csp"}, {"repeat", "mha-csp"}, {"repeat", "mha-csp-m"},
		{"repeat", "mha-csp no-norm"}, {"direct", "mha-csp"}, {"strict-brackets", "csp"},
	} {
		assert.True(t, rows[need] != 0, "the plan has no %v", need)
	}
	assert.Is(t, rows[Need{"parity", "mha-csp-m"}], 0, "a memory is to learn labels")
	assert.Is(t, rows[Need{"parity", "lstm"}], 3, "cells of lstm")
	for _, c := range Claims() {
		for _, n := range c.Needs {
			assert.True(t, rows[n] != 0, "claim %q needs %v, which no plan has", c.Name, n)
		}
	}
}

func TestParse(t *testing.T) {
	good := `{"cells":[{"name":"a","column":"parity","row":"csp","keys":` + tiny + `}]}`
	_, err := Parse([]byte(good))
	assert.True(t, err == nil, "%v", err)
	for _, x := range []struct{ from, to, want string }{
		{`"name"`, `"nmae"`, `unknown key "nmae"`}, {`"a"`, `"../a"`, `called "../a"`}, {`"row":"csp"`, `"row":""`, "no row"}, {`"row":"csp"`, `"row":"\u001b"`, "<U+001B>"},
		{`"row":"csp"`, `"Row":"csp"`, `did you mean "row"`}, {`"row":"csp"`, `"row":"csp","row":"x"`, `"row" stands twice`},
		{`"width":8`, `"widht":8`, `unknown key "widht"`}, {`"model":"csp"`, `"model":"cps"`, `"cps"`}, {`"steps":5`, `"steps":0`, "steps is 0"},
		{`]}`, `,{"name":"a","column":"x","row":"y","keys":` + tiny + `}]}`, "two cells are called a"},
		{`}]}`, `}]`, "JSON"}, {good, `{"cells":[]}`, "no cells"}, {`"task":"parity"`, `"task":"own"`, "own"},
	} {
		_, err := Parse([]byte(strings.Replace(good, x.from, x.to, 1)))
		assert.OneLine(t, x.from+" → "+x.to, err, x.want)
	}
}

// TestThin: a thin run asks for less of everything.
func TestThin(t *testing.T) {
	p, _ := New(1)
	whole, _ := p.Cells[0].Run(3000)
	thin, _ := p.Cells[0].Run(300)
	a, b := whole.Training, thin.Training
	assert.True(t, a.EvalEvery == 125 && a.Warmup == 200 && a.TestSamples == 4096 && b.EvalEvery == 50 &&
		b.Warmup == 30 && b.TestSamples == 1024 && b.EvalSamples == 256 && b.Steps == 300, "whole %+v, thin %+v", a, b)
}

func TestShares(t *testing.T) {
	p, _ := New(2)
	seen := map[string]int{}
	for i := range 5 {
		for _, c := range assert.Must(p.Shard(i, 5))(t).Cells {
			seen[c.Name]++
		}
	}
	for _, c := range p.Cells {
		assert.Is(t, seen[c.Name], 1, "%s is in … shares", c.Name)
	}
	for _, x := range [][2]int{{5, 5}, {-1, 5}, {0, 0}} {
		_, err := p.Shard(x[0], x[1])
		assert.OneLine(t, fmt.Sprintf("share %v", x), err, "does not exist")
	}
	for word, want := range map[string]int{
		"parity-csp": 2, "parity csp": 2, "parity-csp-2": 1, "parenthesis-mha-csp-no-tree": 2, "mha-csp no-tree": 6,
		"mha-csp-no-tree": 6, "parity-mha-csp-2": 1, "parity mha-csp-2": 2, " parity-csp-2": 1,
	} {
		part, err := p.Only([]string{word})
		assert.True(t, err == nil && len(part.Cells) == want,
			"%s: %d cells, %v; want %d", word, len(part.Cells), err, want)
	}
	part := assert.Must(p.Only([]string{"table3", "mod3-csp-2"}))(t)
	for _, c := range part.Cells {
		assert.True(t, slices.Contains(c.Tables, 3) || c.Name == "mod3-csp-2", "%s was not asked for", c.Name)
	}
	// Two readings of five rows and the long ones, two seeds each, and one.
	assert.Is(t, len(part.Cells), 31, "cells")
	_, err := p.Only([]string{"paritty"})
	assert.OneLine(t, "paritty", err, `"paritty" names no cell`)
}

// TestStates: what is said of a folder that is whole, half, thin, damaged in many ways, or in use.
func TestStates(t *testing.T) {
	s, now := tinySpec("a"), time.Now()
	dir := filepath.Join(t.TempDir(), "a")
	read := func() Cell {
		t.Helper()
		return assert.Must(Read(s, dir, now))(t)
	}
	c := read()
	assert.True(t, c.State == Absent && c.Asked == 5, "no folder: %+v", c)
	record(t, dir, s, 5, 30)
	c = read()
	assert.True(t, c.State == Finished && c.Whole() && !c.Thin() && c.Steps == 5 && c.Test.Exact == 30 &&
		c.Parameters == 119000 && c.Seconds == 5*0.75+1 && c.StepSeconds == 0.5 && len(c.Validations) == 5 &&
		c.Host == "here" && !c.Evaluated, "finished: %+v", c)
	v := c.Validations[4]
	assert.True(t, v.Step == 5 && v.Seconds == 2.5 && v.Exact == 1 && v.Guess == 0.5, "the last validation is %+v", v)

	log := text(t, dir, train.MetricsFile)
	lines := strings.SplitAfter(log, "\n")
	config := text(t, dir, train.ConfigFile)
	half := strings.Join(lines[:4], "")
	for name, x := range map[string]struct {
		file, text string
		state      State
		reason     string
	}{
		"half":                   {train.MetricsFile, half, Half, ""},
		"half a line":            {train.MetricsFile, half + lines[4][:9], Half, ""},
		"no log":                 {train.MetricsFile, "", Half, ""},
		"interrupted":            {train.MetricsFile, half + `{"event":"done","step":2,"reason":"interrupted"}` + "\n", Half, ""},
		"a line that is no JSON": {train.MetricsFile, strings.Replace(log, `{"event":"eval"`, `{"event:"eval"`, 1), Damaged, "line 3 of metrics.jsonl is no event"},
		"a step twice":           {train.MetricsFile, lines[0] + lines[1] + lines[1], Damaged, "step 1, behind step 1"},
		"too few steps":          {train.MetricsFile, half + lines[len(lines)-2], Damaged, "finished after 2 of 5 steps"},
		"no test":                {train.MetricsFile, strings.Join(lines[:11], "") + lines[12], Damaged, "no test"},
		"behind the end":         {train.MetricsFile, log + lines[1], Damaged, "behind the end"},
		"more right than asked":  {train.MetricsFile, strings.ReplaceAll(log, `"exact":30`, `"exact":41`), Damaged, "41 exact"},
		"another count":          {train.MetricsFile, strings.ReplaceAll(log, `"count":40`, `"count":39`), Damaged, "39 samples"},
		"config is no JSON":      {train.ConfigFile, config[:20], Damaged, "config.json"},
		"another width":          {train.ConfigFile, strings.Replace(config, `"width":8`, `"width":10`, 1), Damaged, "width is 10, the plan has 8"},
		"another seed":           {train.ConfigFile, strings.Replace(config, `"seed":1`, `"seed":2`, 1), Damaged, "seed is 2"},
	} {
		record(t, dir, s, 5, 30)
		write(t, dir, x.file, x.text)
		c := read()
		assert.True(t, c.State == x.state && strings.Contains(c.Reason, x.reason),
			"%s: %s, %q", name, c.State, c.Reason)
		assert.True(t, c.State != Damaged || c.Test == nil && c.Steps == 0, "%s: a damaged cell says %+v", name, c)
	}
	record(t, dir, s, 5, 30)
	os.Remove(filepath.Join(dir, train.ModelFile))
	c = read()
	assert.True(t, c.State == Damaged && strings.Contains(c.Reason, "model.safetensors is missing"),
		"no model: %s, %q", c.State, c.Reason)
	for _, name := range []string{train.ConfigFile, train.MetricsFile, train.ModelFile} {
		record(t, dir, s, 5, 30)
		path := filepath.Join(dir, name)
		assert.NoError(t, os.Remove(path))
		if err := os.Symlink(name, path); err != nil { // which no system can follow
			t.Log(err)
			break
		}
		c := read()
		assert.True(t, c.State == Failed && strings.Contains(c.Reason, name) && c.Of == 5,
			"%s cannot be read: %s, %q, of %d steps", name, c.State, c.Reason, c.Of)
		os.Remove(path)
	}
	record(t, dir, s, 3, 20)
	c = read()
	assert.True(t, c.State == Finished && c.Thin() && !c.Whole() && c.Of == 3 && math.Abs(c.Share()-0.6) <= 1e-9,
		"thin: %+v", c)
	record(t, dir, s, 5, 30)
	write(t, dir, train.MetricsFile, half)
	write(t, dir, FailedFile, `{"code":1,"message":"step 3: loss is not finite"}`)
	c = read()
	assert.True(t, c.State == Failed && c.Reason == "step 3: loss is not finite", "failed: %s, %q", c.State, c.Reason)
	write(t, dir, train.LockFile, "{}")
	assert.Is(t, read().State, Running, "a fresh lock")
	old := now.Add(-time.Minute)
	assert.NoError(t, os.Chtimes(filepath.Join(dir, train.LockFile), old, old))
	assert.Is(t, read().State, Failed, "a dead lock")
	write(t, dir, train.ConfigFile, "{")
	write(t, dir, train.LockFile, "{}")
	assert.Is(t, read().State, Running, "files that another process writes")
}

// TestExtras: what was measured behind a training counts only where it is of this model, and whole.
func TestExtras(t *testing.T) {
	s, dir := tinySpec("a"), t.TempDir()
	record(t, dir, s, 5, 30)
	line := `{"model":"csp","task":"parity","step":5,"n":4,"min_length":256,"max_length":256,"count":4,"exact":3,` +
		`"answer":3,"nontrivial":{"count":4,"exact":3,"answer":3},"trivial":{"count":0,"exact":0,"answer":0},` +
		`"majority":0.5,"loss":1}`
	files := map[string]string{
		EvalFile:  line + "\n" + `{"error":"too long"}` + "\n",
		ProbeFile: `{"units":8,"clocks":[{"unit":1,"k":1,"r":0.9}]}`, HeadsFile: `{"error":"it has no heads"}`,
	}
	fill := func(but, text string) Cell {
		for name, whole := range files {
			if name == but {
				whole = text
			}
			write(t, dir, name, whole)
		}
		return assert.Must(Read(s, dir, time.Now()))(t)
	}
	c := fill("", "")
	e, ok := c.at(256, 256)
	assert.True(t, c.Evaluated && c.Stale == "" && ok && e.Exact == 3 && len(c.Lengths) == 2 &&
		len(c.Probe.Clocks) == 1 && c.Heads.Error != "", "%+v", c)
	for _, x := range []struct{ name, text string }{
		{EvalFile, ""}, {EvalFile, line[:50]}, {EvalFile, strings.Replace(line, `"step":5`, `"step":4`, 1)},
		{EvalFile, strings.Replace(line, "csp", "lstm", 1)}, {EvalFile, strings.Replace(line, `"n":4`, `"n":5`, 1)},
		{ProbeFile, "{"}, {HeadsFile, ""},
	} {
		c := fill(x.name, x.text)
		assert.True(t, c.State == Finished && !c.Evaluated && c.Stale != "" && c.Lengths == nil,
			"%s %.60q: %s, evaluated %t, %q", x.name, x.text, c.State, c.Evaluated, c.Stale)
		n := count([]Cell{c})
		assert.True(t, n.Damaged == 1 && n.Whole == 0, "%s %.60q is counted as %+v", x.name, x.text, n)
	}
}

func TestStatistics(t *testing.T) {
	close := func(what string, got, want float64) {
		assert.True(t, math.Abs(got-want) <= 1e-4, "%s is %v, want %v", what, got, want)
	}
	x := []float64{2, 4, 4, 4, 5, 5, 7, 9}
	close("the mean", Mean(x), 5)
	close("the deviation", Deviation(x), math.Sqrt(32.0/7))
	close("one value's deviation", Deviation(x[:1]), 0)
	close("chance", Scaled(0.2, 5), 0)
	close("all", Scaled(1, 5), 1)
	close("× always 0", Scaled(0.3056, 5), 0.132)
	c := Cell{Outcome: Outcome{Validations: []Point{
		{Step: 10, Seconds: 1, Exact: 0.5, Guess: 0.5}, {Step: 20, Seconds: 2, Exact: 0.74, Guess: 0.5},
		{Step: 30, Seconds: 3, Exact: 0.76, Guess: 0.5}, {Step: 40, Seconds: 5, Exact: 1, Guess: 0.5},
	}}}
	at, ok := c.reached(0.5, true, false)
	assert.True(t, ok && at == 30, "half of the way from 50 to 100 %%: step %v, %t", at, ok)
	at, ok = c.reached(0.99, true, true)
	assert.True(t, ok && at == 5, "99 %% of the way after %v s, %t", at, ok)
	c.Validations = append(c.Validations, Point{Step: 50, Exact: 0.54, Guess: 0.5})
	_, ok = c.reached(0.1, true, false)
	assert.True(t, !ok, "something was learned where the end is a constant guess")
}

// TestHeads: heads that are one, heads that have nothing in common, and a case by hand.
func TestHeads(t *testing.T) {
	near := func(x, want float64) bool { return math.Abs(x-want) <= 1e-6 }
	off := float32(-60) // softplus of it is 0
	one := float32(math.Log(math.E - 1))
	h, err := MeasureHeads([]float32{one, 9, 0, one, one, 9, 0, one}, 2, 2) // the 9 stands above the diagonal
	assert.True(t, err == nil && near(h.Cosine, 1) && near(h.Effective, 1) && h.Shape == 0,
		"equal heads: %+v, %v", h, err)
	h, err = MeasureHeads(make([]float32, 2*33*33), 2, 33)
	assert.True(t, err == nil && h.Shape == 0 && h.Cosine >= 0.999,
		"heads that are one multiple of the identity: %+v, %v", h, err)
	h, _ = MeasureHeads([]float32{one, 0, 0, off, off, 0, 0, one}, 2, 2)
	assert.True(t, near(h.Cosine, 0) && near(h.Effective, 2) && near(h.Shape, -1), "heads of two directions: %+v", h)
	// M = I and M = [[1, 1], [1, 2]] (Λ = [[1, 0], [1, 1]]): the cosine is 3/(√2·√7).
	h, _ = MeasureHeads([]float32{one, 0, 0, one, one, 0, 1, one}, 2, 2)
	want := 3 / math.Sqrt(14)
	assert.True(t, near(h.Cosine, want) && near(h.Effective, 4/(2+2*want*want)), "by hand: %+v, want %v", h, want)
	_, err = MeasureHeads(make([]float32, 7), 2, 2)
	assert.True(t, err != nil, "7 numbers are two heads of width 2")
	_, err = MeasureHeads([]float32{float32(math.NaN())}, 1, 1)
	assert.True(t, err != nil, "a head that is no number is compared")
}

// TestSpend: the three cases of the rule, and what is begun or thin.
func TestSpend(t *testing.T) {
	cost := func(seed uint64, steps int) Cost { return Cost{Seed: seed, Steps: steps, Step: 1, Thin: 5, Fixed: 10} }
	long := func(steps int) Cost { return Cost{Seed: 1, Steps: steps, Step: 1, Thin: 5, Fixed: 10, Long: true} }
	again := func(steps int) Cost { return Cost{Seed: 1, Steps: steps, Step: 1, Thin: 5, Fixed: 10, Again: true} }
	shown := func(steps int) Cost { return Cost{Seed: 1, Steps: steps, Step: 1, Thin: 5, Fixed: 10, Shown: true} }
	near := func(a, b int) bool { return max(a-b, b-a) <= 1 }
	two := []Cost{cost(1, 90), cost(1, 190), cost(2, 90), cost(2, 190)} // 100, 200, 100, 200
	for _, x := range []struct {
		name          string
		costs         []Cost
		seconds, most float64
		want          []int
	}{
		{"all", two, 600, 600, []int{90, 190, 90, 190}},
		{"the first seed, and what fits of the second", two, 450, 600, []int{90, 190, 90, 0}},
		{"the first seed alone", two, 320, 600, []int{90, 190, 0, 0}},
		{"half for whole cells", two, 220, 600, []int{90, 115, 0, 0}}, // 100 of 220, then 5 + 115
		{"no cell whole", two, 150, 600, []int{45, 95, 0, 0}},         // 140 steps of 280 are half
		{"one cell's bound", []Cost{cost(1, 90), cost(1, 990)}, 1000, 150, []int{90, 145}},
		{"too little for all", []Cost{cost(1, 1000), cost(1, 1000), cost(1, 1000)}, 60, 600, []int{25, 25, 0}},
		{"nothing", two, 0, 0, []int{0, 0, 0, 0}},
		{"begun", []Cost{cost(1, 90), {Seed: 2, Steps: 20, Step: 1, Fixed: 10, Begun: true}}, 135, 600, []int{90, 20}},
		{"long behind all", []Cost{cost(1, 90), long(190), cost(2, 90)}, 450, 600, []int{90, 190, 90}},
		{"no room for a long one", []Cost{cost(1, 90), cost(2, 90), long(190)}, 250, 600, []int{90, 90, 0}},
		{"a long one is never thin", []Cost{cost(1, 90), cost(1, 90), long(190)}, 150, 600, []int{70, 70, 0}},
		{"no thin one next to whole ones", []Cost{shown(190), shown(90), cost(2, 40)}, 160, 600, []int{0, 90, 40}},
		{"a long one alone", []Cost{long(190)}, 150, 600, []int{0}},
		{"thin before, and nothing else", []Cost{again(90), again(190), cost(2, 40)}, 160, 600, []int{90, 0, 40}},
		{"thin before", []Cost{again(90), cost(1, 90)}, 80, 600, []int{0, 75}},
	} {
		got := Spend(x.costs, x.seconds, x.most)
		assert.True(t, slices.EqualFunc(got, x.want, near), "%s: %v, want %v", x.name, got, x.want)
		sum := 0.0
		for i, n := range got {
			if n > 0 {
				sum += x.costs[i].All(n)
			}
		}
		assert.True(t, sum <= x.seconds, "%s: %v take %v of %v", x.name, got, sum, x.seconds)
	}
	assert.Is(t, cost(1, 100).Fit(50), 45, "steps fit in 50 s")
	assert.Is(t, cost(1, 100).Fit(6), 0, "steps of 100 are enough")
	for name, c := range map[string]Cost{
		"long": long(100), "thin before": again(100), "next to whole ones": shown(100),
	} {
		assert.Is(t, c.Fit(104), 0, "%s: steps of 100", name)
		assert.Is(t, c.Fit(105), 100, "%s: steps of 100 where all fit", name)
	}
}

func TestEstimate(t *testing.T) {
	s, dir := tinySpec("a"), filepath.Join(t.TempDir(), "a")
	absent := assert.Must(Read(s, dir, time.Now()))(t)
	_, err := Estimate(absent, nil, nil)
	assert.True(t, err != nil, "a speed that nobody measured")
	speeds := []Speed{{Model: "csp", Tokens: 1e9}, {Model: "csp", Labels: true, Tokens: 100}}
	c := assert.Must(Estimate(absent, speeds, nil))(t)
	tokens, _ := absent.Run.Tokens(4)
	assert.True(t, tokens >= 4*2 && tokens <= 4*7, "%v tokens a step", tokens) // 4 strings of 1 to 6 bits with <SOS>
	assert.True(t, c.Steps == 5 && !c.Begun && !c.Again && c.Step >= tokens/100 && c.Step <= 3*tokens/100 &&
		c.Fixed > c.Thin, "%+v, %v tokens", c, tokens)
	// Steps of 0.1 s, of 4 strings that are half as long as those of 100 evaluations, which took 3.5 s.
	known := absent
	known.State, known.Steps, known.Seconds = Finished, known.Of, 5*0.1+evaluating*5
	known.Validations = []Point{{Step: 2, Seconds: 0.3}, {Step: 4, Seconds: 0.4}}
	known.Run.Training.EvalSamples, known.Run.Training.TestSamples = 30, 40
	lengths := LengthsOf([]Cell{known, absent})
	row, column, far := absent, absent, absent
	column.Row, far.Column = "gru", "mod3"
	for _, x := range []struct {
		cell  Cell
		share float64
	}{{row, 0.5}, {column, 0.5}, {far, 1}} {
		short, err := Estimate(x.cell, speeds, lengths)
		got := (short.Step - c.Step) * 100 / tokens
		assert.True(t, err == nil && math.Abs(got-x.share+1) <= 1e-9,
			"%s %s: the step has %v of its tokens less, want %v; %v",
			x.cell.Column, x.cell.Row, -got, 1-x.share, lengths)
	}
	known.Run.Training.Curriculum = false
	lengths = LengthsOf([]Cell{known})
	assert.True(t, len(lengths) == 0, "lengths without a curriculum: %v", lengths)
	record(t, dir, s, 5, 30)
	lines := strings.SplitAfter(text(t, dir, train.MetricsFile), "\n")
	write(t, dir, train.MetricsFile, strings.Join(lines[:4], ""))
	half, _ := Read(s, dir, time.Now())
	rest, _ := Estimate(half, speeds, nil)
	assert.True(t, rest.Steps == 3 && rest.Begun, "half: %+v", rest)
	write(t, dir, train.MetricsFile, strings.Join(lines[:len(lines)-3], ""))
	tested, _ := Read(s, dir, time.Now())
	rest, _ = Estimate(tested, speeds, nil)
	assert.True(t, tested.State == Half && tested.Steps == 5 && rest.Steps == 1 && rest.Begun,
		"stopped in its test: %s after %d steps, %+v", tested.State, tested.Steps, rest)
	record(t, dir, s, 2, 30)
	thin, _ := Read(s, dir, time.Now())
	again, _ := Estimate(thin, speeds, nil)
	assert.True(t, again.Again, "thin %s %s: %+v", thin.State, thin.Reason, again)
	again.Again = false
	assert.True(t, again == c, "a thin cell made again costs %+v, one that is absent %+v", again, c)
}
