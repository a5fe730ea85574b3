package study

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mhacsp/model/metric"
	"mhacsp/model/study/inside"
	"mhacsp/model/train"
	"mhacsp/tasks/assert"
)

type planned struct {
	Spec
	run train.Run
}

// four is the plan of four seeds with its runs, made once.
var four = sync.OnceValues(func() (list []planned, err error) {
	p, err := New(4)
	for _, s := range p.Cells {
		r, wrong := s.Asked()
		list, err = append(list, planned{s, r}), errors.Join(err, wrong)
	}
	return list, err
})

// made are cells of a plan of that many seeds, whole, of which a function says what they measured.
func made(t *testing.T, seeds int, measure func(c *Cell)) []Cell {
	t.Helper()
	var cells []Cell
	for _, x := range assert.Must(four())(t) {
		s, r := x.Spec, x.run
		if r.Training.Seed > uint64(seeds) {
			continue
		}
		n, origin := r.Training.Steps, train.Origin{Version: "v1", Host: "here", Device: "cpu"}
		c := Cell{Spec: s, State: Finished, Asked: n, Of: n, Run: r, Outcome: Outcome{
			Steps: n, Parameters: 119000, Seconds: 10, StepSeconds: 0.1, Origin: origin,
		}}
		c.right(5000)
		if measure != nil {
			measure(&c)
		}
		cells = append(cells, c)
	}
	return cells
}

// right gives a cell a test of 10 000 samples.
func (c *Cell) right(exact int) {
	n := metric.Tally{Count: 10000, Exact: exact, Answer: exact}
	c.Test = &metric.Report{Tally: n, Computed: n, Majority: 0.12}
	if c.Run.Config.Shape().Classes == 2 {
		c.Test.Majority = 0.505
	}
}

func (c *Cell) is(column, row string) bool { return c.Column == column && c.Row == row }

// grok gives a cell validations of which one in the middle has it all.
func (c *Cell) grok(step int) {
	for _, x := range []struct {
		step  int
		exact float64
	}{{step / 2, 0.01}, {step, c.Test.ExactRate()}} {
		c.Validations = append(c.Validations, Point{x.step, float64(x.step), x.exact, x.exact, 0.01, 1})
	}
}

func verdictOf(t *testing.T, cells []Cell, name string) Verdict {
	t.Helper()
	claims := Claims()
	i := slices.IndexFunc(claims, func(c Claim) bool { return c.Name == name })
	assert.Need(t, i >= 0, "no claim %q", name)
	return claims[i].Judge(cells)
}

// TestVerdicts: every kind of rule, on records that are made up, in each of its outcomes.
func TestVerdicts(t *testing.T) {
	of := func(column, row string, do func(*Cell)) func(*Cell) {
		return func(c *Cell) {
			if c.is(column, row) {
				do(c)
			}
		}
	}
	bySeed := func(c *Cell, list []int) int { return list[int(c.Run.Training.Seed-1)%len(list)] }
	set := func(column, row string, exact ...int) func(*Cell) {
		return of(column, row, func(c *Cell) { c.right(bySeed(c, exact)) })
	}
	and := func(list ...func(*Cell)) func(*Cell) {
		return func(c *Cell) {
			for _, f := range list {
				f(c)
			}
		}
	}
	grok := func(row string, steps ...int) func(*Cell) {
		return of(repeat50, row, func(c *Cell) { c.grok(bySeed(c, steps)) })
	}
	apart := func(column, row string, exact, answer int) func(*Cell) {
		return and(set(column, row, exact), of(column, row, func(c *Cell) { c.Test.Answer = answer }))
	}
	state := func(s State) func(*Cell) {
		return of(repeat50, "mha-csp", func(c *Cell) {
			if c.Run.Training.Seed == 2 {
				c.State = s
			}
		})
	}
	thin := of(repeat50, "mha-csp", func(c *Cell) {
		if c.Run.Training.Seed == 3 {
			c.Of, c.Steps = 100, 100
		}
	})
	heads := func(shape, cosine float64) func(*Cell) {
		return func(c *Cell) { c.Heads = &HeadsRecord{Blocks: []Heads{{Shape: shape, Cosine: cosine}}} }
	}
	ring := func(score, chance float64) func(*Cell) {
		digits := &inside.Digits{Ring: inside.Circularity{Score: score, Chance: chance}}
		return func(c *Cell) { c.Inside.Digits = digits }
	}
	// late gives a cell a tenth of the way at one validation, and all of it at another.
	late := func(tenth, all int) func(*Cell) {
		return of(repeat50, "mha-csp", func(c *Cell) {
			c.Validations = []Point{{Step: tenth, Exact: 0.1, Answer: 0.2, Guess: 0.1},
				{Step: all, Exact: 0.5, Answer: 0.5, Guess: 0.1}}
		})
	}
	spectrum := func(shares ...float64) func(*Cell) {
		return func(c *Cell) { c.Inside.Spectrum = &inside.Spectrum{Last: shares} }
	}
	clocks := func(n int) func(*Cell) { return func(c *Cell) { c.Probe = &Probe{Clocks: make([]Clock, n)} } }
	for _, x := range []struct {
		claim        string
		cells        func(*Cell)
		word, reason string
	}{
		{"arithmetic mha-csp", set(repeat50, "mha-csp", 5000, 5100, 4900), Reproduced, "50.0 ± 1.0 % (3 runs), 0.3 points"},
		{"arithmetic mha-csp", set(repeat50, "mha-csp", 9000, 1000, 5700), Undecided, "at most 80.5 would count " +
			"as reproduced; no figure could fail that, so far apart are these runs"},
		{"arithmetic mha-csp", set(repeat50, "mha-csp", 8000, 4000, 5700), Reproduced, "at most 40.3 would count " +
			"as reproduced; it is so by the spread of our seeds alone, 20.1 points where the paper has 1.6. In right"},
		{"arithmetic mha-csp", set(repeat50, "mha-csp", 9990), NotReproduced,
			"99.9 ± 0.0 % (3 runs), 49.6 points above the paper's; at most 3.2 would"},
		// Whole outputs decide in Tables 1 and 3, right answers in Table 2; the other reading stands behind.
		{"arithmetic csp", apart(repeat50, "csp", 305, 3030), NotReproduced, "whole outputs: 3.05 ± 0.00 % (3 runs), " +
			"27.8 points below the paper's; at most 4.6 would count as reproduced. " +
			"In right answers: 30.3 ± 0.0 % (3 runs), 0.5 points"},
		{"arithmetic csp", apart(repeat50, "csp", 305, 3030), NotReproduced, "a constant guess gets 12.0 here; " +
			"by that the verdict would be: reproduced. The paper does not say which it means"},
		{"copy", apart(copy50, "mha-csp", 305, 4100), Reproduced, "right answers: 41.0 ± 0.0 % (3 runs), 0.2 points"},
		{"copy", apart(copy50, "mha-csp", 305, 4100), Reproduced, "In whole outputs: 3.05 ± 0.00 % (3 runs), 38.2 " +
			"points below the paper's; at most 2.0 would count as reproduced; by that the verdict would be: " +
			"not reproduced"},
		{"parenthesis mha-csp", nil, Reproduced, "at most 3.2 would count as reproduced; a constant guess gets 50.5 here"},
		{"arithmetic mha-csp", thin, NotYet, "repeat-50 mha-csp: 2 of 3 runs complete, 1 thin"},
		{"arithmetic mha-csp", state(Half), NotYet, "1 half"},
		{"arithmetic mha-csp", state(Damaged), NotYet, "1 damaged"},
		{"arithmetic mha-csp", state(Failed), NotYet, "1 failed"},
		{"parity", and(set("parity", "csp", 9990), set("parity", "mha-csp", 10000)), Reproduced, "parity mha-csp 100.00"},
		{"parity", set("parity", "csp", 9990), NotReproduced, "parity mha-csp 50.0"},
		{"parenthesis csp", set("parenthesis", "csp", 9995), Reproduced, "99.95"},
		{"repeat 1", set(repeat50, "mha-csp", 6000), Reproduced, "copy-50 mha-csp 50.0 ± 0.0 % (3 runs): +10.0 points"},
		{"repeat 1", nil, NotReproduced, "+0.0 points"},
		{"repeat 1", set(copy50, "mha-csp", 6000), NotReproduced, "−10.0 points, where more than +0.8 is needed"},
		// The spread hides it.
		{"repeat 1", set(repeat50, "mha-csp", 5200, 4000, 6100), NotReproduced, "+1.0 points, where more than +12.2 is needed"},
		{"best", set(repeat50, "mha-csp", 5200, 4000, 6100), NotReproduced, "where more than +12.2 is needed"},
		{"ablation no-B", set(repeat50, "mha-csp no-B", 4000), Reproduced, "+10.0 points"},
		// Where no figure could pass, none fails; but who is not ahead at all does.
		{"ablation no-B", and(set(repeat50, "mha-csp", 9900, 3500, 300), set(repeat50, "mha-csp no-B", 0)), Undecided,
			"+45.7 points, where more than +56.4 is needed; no figure could pass that, so far apart are these runs"},
		{"best", and(set(repeat50, "mha-csp", 7700, 3500, 3300), set(repeat50, "arformer", 9700)), NotReproduced,
			"97.0 ± 0.0 % (3 runs): −48.7 points, where more than +28.7 is needed"},
		{"best mod3", set("mod3", "mha-csp", 9990), Reproduced, "mod3 gcn 50.0 ± 0.0 % (3 runs): +49.9 points"},
		{"ablation most", set(repeat50, "mha-csp no-tree", 3000), Reproduced, "mha-csp no-tree loses 20.0 points"},
		// Runs shorter than the paper's say so; those that are not, and claims that are not about training, do not.
		{"parity gdn", nil, NotReproduced, "50.5 here. Runs of 3 000 steps; the paper's have up to 78 125. Trained with " +
			"short strings first"},
		{"ablation most", set(repeat50, "mha-csp no-norm", 3000), NotReproduced, "mha-csp no-norm loses 20.0 points: −20.0"},
		{"ablation most", and(set(repeat50, "mha-csp no-lse", 9900, 4800, 300), set(repeat50, "mha-csp no-tree", 0)),
			Undecided, "mha-csp no-lse loses 0.0 points: +50.0 points, where more than +55.5 is needed, "},
		{"convergence", and(grok("mha-csp", 1000), grok("csp", 2000)), Reproduced,
			"right answers: 90 % of the way to the final figure come after 0.64 epochs in repeat-50 mha-csp, 1 000 " +
				"± 0 steps (3 runs), and after 1.3 epochs in repeat-50 csp"},
		{"convergence", and(grok("mha-csp", 3000), grok("csp", 2000)), NotReproduced, "3 000"},
		{"convergence", and(grok("mha-csp", 1000, 3000, 2000), grok("csp", 2000, 3000, 2500)), NotReproduced,
			"+0.3 epochs, where more than +0.8 is needed"},
		{"convergence", and(grok("mha-csp", 40000, 70000, 60000), grok("csp", 60000, 75000, 50000)), Undecided,
			"+3.2 epochs, where more than +14.6 is needed; no figure could pass that"},
		// A rival could have come at its last step, after 50 epochs, and so have been passed by what is needed.
		{"convergence", and(grok("mha-csp", 1000, 9000, 2000), grok("csp", 9000, 1000, 3000)), NotReproduced,
			"+0.2 epochs, where more than +4.5 is needed. In"},
		{"convergence", grok("mha-csp", 1000), Undecided, "only 3 and 0 learned"},
		{"seeds", grok("mha-csp", 2000, 4000, 3000), Reproduced, "1.3 epochs apart"},
		{"seeds", grok("mha-csp", 2000, 40000, 3000), NotReproduced, "24 epochs"},
		{"seeds", late(1000, 2000), Reproduced, "0 epochs apart (3 runs). In whole outputs: 90 %"},
		{"grokking", late(1000, 5000), NotTestable, "50 epochs at most, which cannot show that; here 2.6 epochs"},
		{"grokking", func(c *Cell) {
			if late(1000, 5000)(c); c.Run.Training.Seed == 2 {
				c.Validations = nil
			}
		}, NotTestable, "50 epochs at most, which cannot show that; here 2.6 epochs of 200 000 samples from 10 to " +
			"90 % of the way to the final figure (2 runs)"},
		{"grokking", func(c *Cell) { c.State = Absent }, NotTestable, "50 epochs at most, which cannot show that"},
		{"abrupt", late(3000, 5000), Reproduced, "right answers: 1.9 epochs up to 10 %, then 1.3 epochs of 200 000"},
		{"abrupt", late(3000, 7000), NotReproduced, "then 2.6 epochs"}, {"abrupt", nil, Undecided, "learned nothing"},
		{"circle", ring(0.4, 0.3), Reproduced, "40 (30), 40 (30), 40 (30)"},
		{"circle", ring(0.3, 0.4), NotReproduced, "30 (40)"}, {"circle", nil, NotYet, "no record of its digits"},
		{"parameters", func(c *Cell) { c.State = Absent }, NotTestable, "117 653 parameters here: its width"},
		{"components", spectrum(0.5, 0.3, 0.1), Reproduced, "90.0 ± 0.0 % (3 runs) of the variance; 88 or more"},
		{"components", spectrum(0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1), NotReproduced, "80.0 ± 0.0 %"},
		{"components", nil, NotYet, "no run has a record of its states"},
		{"heads", heads(0.95, 0.1), Reproduced, "copy-50 mha-csp 0.95, 0.95, 0.95; direct-50 mha-csp 0.95, 0.95, 0.95; " +
			"0.9 is nearly the same, 0 also where nothing is left. With the identity left in: 0.10, 0.10, 0.10; " +
			"0.10, 0.10, 0.10; 0.10, 0.10, 0.10; by that the verdict would be: not reproduced"},
		{"heads", heads(-0.1, 0.95), NotReproduced, "repeat-50 mha-csp −0.10, −0.10, −0.10; copy"},
		{"heads", nil, NotYet, "no record of its heads"}, {"clocks", clocks(3), Reproduced, "3, 3, 3"},
		{"clocks", clocks(0), NotReproduced, "0, 0, 0"}, {"clocks", nil, NotYet, "not probed"},
		{"parenthesis lstm", nil, NotTestable, "below that"},
		{"length", nil, NotTestable, "no experiment of the paper"},
		{"parity", func(c *Cell) { c.Keys = json.RawMessage(tiny) }, NotYet, "another run than the study of the paper"},
	} {
		v := verdictOf(t, made(t, 3, x.cells), x.claim)
		assert.True(t, v.Word == x.word && strings.Contains(v.Reason, x.reason),
			"%s: %s, %q; want %s, %q", x.claim, v.Word, v.Reason, x.word, x.reason)
	}
	for _, c := range Claims() { // another number of parameters than the paper's
		if c.Rule.Kind == parameters {
			c.Rule.Value = 412077
			assert.Is(t, c.Judge(made(t, 1, nil)).Word, NotReproduced, "%s: 412077 for 117653 is", c.Name)
		}
	}
	v := verdictOf(t, made(t, 1, thin), "ablation most")
	assert.Says(t, v.Reason, "12.2 points for the norm") // what the paper's own table says
	for _, name := range []string{"arithmetic mha-csp", "parameters", "parity", "parenthesis lstm"} {
		v := verdictOf(t, made(t, 3, nil), name)
		assert.True(t, !strings.Contains(v.Reason, "steps; the paper's"), "%s: %q speaks of the steps", name, v.Reason)
	}
	// Behind a verdict that lacks runs stands what there is, the first row next to those that are there.
	part := func(rows ...string) func(*Cell) {
		return func(c *Cell) {
			if c.Column == repeat50 && !slices.Contains(rows, c.Row) {
				c.State = Absent
			}
		}
	}
	for _, x := range []struct {
		rows  func(*Cell)
		soFar string
	}{{part("mha-csp", "gcn"), "whole outputs"}, {part("mha-csp"), ""}, {part("gcn"), ""}} {
		v := verdictOf(t, made(t, 1, and(x.rows, apart(repeat50, "gcn", 4000, 4500))), "best")
		assert.True(t, v.Word == NotYet && strings.HasPrefix(v.SoFar, x.soFar) && (v.SoFar == "") == (x.soFar == "") &&
			!strings.Contains(v.SoFar, "arformer") && (x.soFar == "" || strings.Contains(v.SoFar, "-50 gcn 40.0")),
			"so far: %q", v.SoFar)
	}
	one := verdictOf(t, made(t, 1, set(repeat50, "mha-csp", 5000)), "arithmetic mha-csp")
	assert.True(t, one.Word == Reproduced && strings.Contains(one.Reason, "(1 run)"),
		"one seed: %s, %q", one.Word, one.Reason)
	v = verdictOf(t, nil, "grokking")
	assert.True(t, v.Word == NotTestable && !strings.Contains(v.Reason, " 0 steps"), "no cells: %+v", v)
	v = verdictOf(t, nil, "parity")
	assert.True(t, v.Word == NotYet && strings.Contains(v.Reason, "the plan has no parity csp"), "no cells: %+v", v)
}

// TestFigures: thin and whole runs are never averaged, nor is anything that is not finished.
func TestFigures(t *testing.T) {
	cells := rowsOf(made(t, 4, func(c *Cell) {
		switch c.right(6000); c.Run.Training.Seed {
		case 2:
			c.right(8000)
		case 3:
			c.right(100)
			c.Of, c.Steps = 300, 300
		case 4:
			c.right(0)
			c.State = Damaged
		}
	}), Need{"parity", "csp"})
	f := Of(cells, "%", exactOf)
	assert.True(t, f.N == 2 && f.Mean == 70 && f.Thin == 0 && len(f.Runs) == 2 && f.Text() == "70.0 ± 14.1 (2)",
		"%+v %s", f, f.Text())
	r := f.Runs[0]
	assert.True(t, r.Seed == 1 && r.Count == 10000 && *r.Low <= 60 && *r.High >= 60 && *r.High-*r.Low <= 2 &&
		r.Host == "here" && r.Version == "v1" && r.Wall == 10 && r.Steps == 3000, "%+v", r)
	f = Of(cells[2:], "%", exactOf)
	assert.True(t, f.N == 1 && f.Mean == 1 && f.Thin == 0.1 && f.Text() == "1.00 (1, thin: 10 % of the steps)",
		"%+v %s", f, f.Text())
	f = Of(cells[3:], "%", exactOf)
	assert.True(t, f.N == 0 && f.Text() == "damaged", "%+v %s", f, f.Text())
	none := func(Cell) (Measured, bool) { return Measured{}, false }
	f = Of(cells[2:], "%", none) // it ran, and has no such figure
	assert.True(t, f.N == 0 && f.Text() == "–", "%+v %s", f, f.Text())
}

// TestNumbers: as many digits as say something, a space between thousands, a minus as wide as a plus; the paper's
// figures as it prints them.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		x          float64
		unit, want string
	}{
		{100, "%", "100.00"}, {99.951, "%", "99.95"}, {50.26, "%", "50.3"}, {3.051, "%", "3.05"},
		{-0.0046, score, "−0.005"}, {0.9996, score, "1.000"}, {0.1, score, "0.100"},
		{11500, "steps", "11 500"}, {1234567, "", "1 234 567"}, {-1500, "", "−1 500"}, {375, "steps", "375"},
		{1.5, "s", "1.5"}, {17, "", "17"}, {999.4, "s", "999"}, {999.7, "s", "1 000"},
	} {
		assert.Is(t, number(c.x, c.unit), c.want, "%v in %q is", c.x, c.unit)
	}
	paper := 8.7
	f := Figure{Paper: &paper}
	assert.True(t, f.PaperText() == "8.7" && runs(1) == "1 run" && runs(3) == "3 runs",
		"%q, %q, %q", f.PaperText(), runs(1), runs(3))
}

// TestOddLengths: where a task has odd lengths alone, the strict protocol's test goes from 41 to 255; an exact length
// is that length.
func TestOddLengths(t *testing.T) {
	set := func(low, high int) (e Evaluation) {
		e.Count, e.MinLength, e.MaxLength = 10, low, high
		return e
	}
	c := Cell{Outcome: Outcome{Lengths: []Evaluation{set(41, 255), set(257, 257), set(512, 512)}}}
	e, ok := c.at(40, 256)
	assert.True(t, ok && e.MinLength == 41, "the strict test is %+v, %t", e, ok)
	e, ok = c.at(512, 512)
	assert.True(t, ok && e.MinLength == 512, "512 characters are %+v, %t", e, ok)
	e, ok = c.at(256, 256)
	assert.True(t, !ok, "256 characters are %+v", e)
}

// TestReport: every writer has every figure, and the paper's next to it.
func TestReport(t *testing.T) {
	cells := made(t, 2, func(c *Cell) {
		c.right(9000)
		c.grok(1000)
		c.Test.ByOperands = map[int]metric.Tally{2: {Count: 10, Exact: 9, Answer: 9}}
		c.Test.ByDepth = map[int]metric.Tally{3: {Count: 10, Exact: 8, Answer: 10}}
		c.Evaluated = true
		for _, n := range [][2]int{{40, 256}, {256, 256}, {512, 512}, {1024, 1024}} {
			e := Evaluation{N: 1000}
			e.Count, e.Exact, e.Majority = 1000, 600, 0.5
			e.MinLength, e.MaxLength = n[0], n[1]
			c.Lengths = append(c.Lengths, e)
		}
		c.Heads, c.Probe = &HeadsRecord{Blocks: []Heads{{4, 0.9, 0.1, 1.2}}}, &Probe{Clocks: make([]Clock, 3)}
	})
	r := Make(cells, []Speed{{Model: "csp", Flops: 1e6, Tokens: 1e5}}, time.Now())
	var names []string
	for _, x := range r.Tables {
		names = append(names, x.Name)
		for _, row := range x.Rows {
			assert.True(t, len(row.Figures) == len(x.Columns),
				"%s: row %s has %d figures for %d columns", x.Name, row.Name, len(row.Figures), len(x.Columns))
		}
	}
	want := "table1 table2 table3 long own tests operands operands-answers depth depth-answers longer strict " +
		"grokking inside cost"
	assert.Is(t, strings.Join(names, " "), want, "tables are")
	var md, sheet, raw bytes.Buffer
	r.Tables[0].Rows[0].Name += " a|b"
	assert.NoError(t, errors.Join(r.WriteMarkdown(&md), r.WriteCSV(&sheet), r.WriteJSON(&raw)))
	assert.Says(t, md.String(),
		"| mha-csp | 90.0 ± 0.0 (2) / 100.0 | 90.0 ± 0.0 (2) / 50.3 |", "## Table 3", "| a constant guess | 50.5",
		"| repeat-mha-csp-2 | finished | 12000 of 12000 | 90.0 | 90.0 | 10 | here | cpu | v1 |",
		"**not testable as stated**", ` a\|b |`,
		// (0.6 − 0.5)/0.5 of two classes
		" strict-brackets |", "| repeat mha-csp | 1 000 ± 0 (2) |", "| 0.200 ± 0.000 (2) |",
		// eight of ten whole outputs of depth 3, and all answers
		"Arithmetic by depth of brackets: exact match", "| repeat gru | 80.0 ± 0.0 (2) |",
		"Arithmetic by depth of brackets: right answers", "| repeat gru | 100.00 ± 0.00 (2) |",
	)
	lines := assert.Must(csv.NewReader(&sheet).ReadAll())(t)
	found := false
	answers := map[string]string{}
	for _, l := range lines {
		if l[4] == "repeat-csp-1" {
			answers[l[0]] = l[6]
		}
		found = found || fmt.Sprint(l[:7]) == "[table1 mha-csp repeat % repeat-mha-csp-2 2 90]" && l[13] == "here" &&
			l[16] == "v1"
	}
	assert.True(t, found && len(lines) >= 100, "%d lines of CSV, and none of repeat-mha-csp-2", len(lines))
	for table, want := range map[string]string{"depth": "80", "depth-answers": "100", "operands-answers": "90"} {
		assert.Is(t, answers[table], want, "the CSV's %% of %s", table)
	}
	var back Report
	assert.NoError(t, json.Unmarshal(raw.Bytes(), &back))
	assert.True(t, len(back.Cells) == len(cells) && len(back.Verdicts) == len(Claims()) &&
		back.Cells[0].Host == "here", "%d cells, %d verdicts come back", len(back.Cells), len(back.Verdicts))
	for _, table := range back.Tables {
		for _, row := range table.Rows {
			for _, f := range row.Figures {
				for _, x := range f.Runs {
					assert.Need(t, x.Cell != "" && x.Seed != 0 && x.Steps != 0 && x.Asked != 0 && x.Wall != 0 &&
						x.Host != "" && x.Version != "",
						"%s, %s: a figure without its origin: %+v", table.Name, row.Name, x)
				}
			}
		}
	}
	empty := Make(nil, nil, time.Now())
	assert.True(t, len(empty.Tables) == 0 && strings.Contains(empty.Summary(), "not enough runs yet"),
		"of no cells: %d tables, %s", len(empty.Tables), empty.Summary())
}

// TestReadAll: cells that are there and cells that are not, in the plan's order.
func TestReadAll(t *testing.T) {
	dir := t.TempDir()
	p := Plan{[]Spec{tinySpec("a"), tinySpec("b")}}
	record(t, filepath.Join(dir, CellsFolder, "b"), p.Cells[1], 5, 30)
	cells, err := ReadAll(p, dir, time.Now())
	assert.True(t, err == nil && len(cells) == 2 && cells[0].State == Absent && cells[1].State == Finished,
		"%+v, %v", cells, err)
}
