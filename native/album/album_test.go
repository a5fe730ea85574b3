package album

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mhacsp/model/metric"
	"mhacsp/model/study/curve"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/native/figure"
	"mhacsp/tasks/assert"
)

// byHand is a run of parity that a log would tell: its model, keys that are not the default, and its validations of
// 100 samples.
func byHand(t *testing.T, model, keys string, steps []int, exact []int) *Run {
	t.Helper()
	r := assert.Must(train.Default("parity"))(t)
	r.Config = assert.Must(zoo.Preset(model))(t)
	assert.NoError(t, r.Overlay([]byte(keys)))
	s := &Run{Path: "by hand", Run: r}
	s.Take(train.Started{Origin: train.Origin{Version: "v1.2", Commit: "0123456789abcdef of 2026"}})
	for i, step := range steps {
		s.Take(train.Step{Step: step, Loss: 1 / float64(step)})
		s.evaluated(step, "validation", metric.Tally{Count: 100, Exact: exact[i]}, 0.5)
	}
	return s
}

// evaluated takes a validation or a test with that guess.
func (s *Run) evaluated(step int, role string, n metric.Tally, guess float64) {
	s.Take(train.Evaluation{Step: step, Role: role, Report: metric.Report{Loss: 2, Tally: n, Majority: guess}})
}

// TestGroups: runs that differ in their seed, or in how they are measured, are one group; others are told apart by
// what differs.
func TestGroups(t *testing.T) {
	run := func(keys string) *Run { return byHand(t, "csp", keys, nil, nil) }
	groups := assert.Must(GroupsOf([]*Run{
		run(`{"seed": 1}`), run(`{"width": 12}`), run(`{"seed": 2, "eval_every": 3}`),
		run(`{"width": 12, "lr": 0.5, "seed": 7}`), byHand(t, "mha-csp", `{}`, nil, nil),
	}))(t)
	names := legend(groups)
	assert.True(t, len(names) == 4 && strings.HasPrefix(names[0], "csp, ") &&
		strings.HasSuffix(names[0], " (2 seeds)") && strings.Contains(names[1], "width 12") &&
		strings.Contains(names[2], "lr 0.5") && names[3] == "mha-csp", "the groups are %q", names)
	assert.Says(t, strings.Join(provenance(groups[:1]), "\n"), "steps not known, seeds 1, 2; by hand, by hand.",
		"Trained by mhacsp v1.2, commit 0123456789 of 2026.")
}

// TestLossAndAccuracy: means, ranges and the grokking interval of two seeds.
func TestLossAndAccuracy(t *testing.T) {
	steps := []int{10, 20, 30, 40, 50}
	groups := []Group{
		{"csp", []*Run{
			byHand(t, "csp", `{}`, steps, []int{50, 50, 76, 96, 100}),
			byHand(t, "csp", `{}`, steps, []int{50, 80, 96, 100, 100}),
		}},
		{"other", []*Run{byHand(t, "csp", `{}`, steps, []int{50, 51, 52, 53, 54})}},
	}
	page, loss, exact, answer := lossAndAccuracy(groups)
	assert.Need(t, len(loss.Series) == 4 && len(exact.Series) == 2 && len(answer.Series) == 0,
		"%d curves of loss, %d of accuracy", len(loss.Series), len(exact.Series))
	s := exact.Series[0]
	for i, want := range []struct{ mean, low, high float64 }{
		{0.5, 0.5, 0.5}, {0.65, 0.5, 0.8}, {0.86, 0.76, 0.96}, {0.98, 0.96, 1}, {1, 1, 1},
	} {
		near := func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
		assert.True(t, near(s.Y[i], want.mean) && near(s.Low[i], want.low) && near(s.High[i], want.high),
			"step %v: %v from %v to %v, want %+v", s.X[i], s.Y[i], s.Low[i], s.High[i], want)
	}
	// From a guess of 50 %: 75 % after 30 and 20 steps, 95 % after 40 and 30, 99.5 % after 50 and 40.
	assert.True(t, len(exact.Spans) == 1 && exact.Spans[0].From == 25 && exact.Spans[0].Mark == 35 &&
		exact.Spans[0].To == 45, "the bars are %+v", exact.Spans)
	assert.Says(t, strings.Join(page.Caption, "\n"), "csp: 25, 35 and 45 steps", "other: no rise",
		"100 samples a validation", "curriculum")
	span, text := riseOf(3, []curve.Rise{{Half: 1, Most: 2, Nearly: 1300}}, 3)
	assert.True(t, span[0].Group == 3 && text == "1, 2 and 1 300 steps (1 of 3 seeds)", "%+v, %s", span, text)
}

// TestExtended: of a run that was made longer after its test, what came last is shown, and its step; of runs whose
// losses are on other scales, or whose validations differ in size, the caption says so.
func TestExtended(t *testing.T) {
	s := byHand(t, "csp", `{}`, []int{10}, []int{80})
	s.evaluated(10, "test", metric.Tally{Count: 100, Exact: 1}, 0.5)
	assert.True(t, s.Role == "test" && s.Tested == 10, "after the test: %s of step %d", s.Role, s.Tested)
	s.Take(train.Step{Step: 15, Loss: 1})
	s.evaluated(15, "validation", metric.Tally{Count: 50, Exact: 1}, 0.5)
	assert.True(t, s.Role == "validation" && s.Tested == 15, "after a validation: %s of step %d", s.Role, s.Tested)
	other := byHand(t, "csp", `{"seed": 2}`, []int{10}, []int{70})
	page, _, _, _ := lossAndAccuracy([]Group{{Name: "csp", Runs: []*Run{s, other}}})
	text := strings.Join(page.Caption, " ")
	assert.True(t, strings.Contains(text, "50 to 100 samples") && !strings.Contains(text, "one scale"),
		"of labels: %s", text)
	arithmetic := assert.Must(train.Default("arithmetic"))(t)
	s.Run = arithmetic
	ours := []Group{{Name: "ours", Runs: []*Run{s}}}
	page, _, _, _ = lossAndAccuracy(ours)
	want := fmt.Sprintf("in training's the answer weighs %g times (ours), in", arithmetic.Training.AnswerWeight)
	assert.Says(t, strings.Join(page.Caption, " "), want, "draws more long samples")
	var a Album
	s.Take(train.Step{Step: 20, Loss: 1})
	s.Report.ByOperands = map[int]metric.Tally{1: {Count: 10, Exact: 5}, 2: {Count: 10, Exact: 4}}
	a.AddAccuracy("arithmetic", "file", ours)
	assert.Says(t, strings.Join(a.Pages[0].Page.Caption, " "), "at step 15 of 20")
}

// TestAnswers: of arithmetic with a copy the guess and the bars are of answers, in a chart of their own: here answers
// rise to 30 % from a guess of 10 %, and whole outputs do not.
func TestAnswers(t *testing.T) {
	s := &Run{Path: "by hand", Run: assert.Must(train.Default(train.DefaultTask))(t)}
	for i, answers := range []int{10, 15, 25, 30} {
		s.Take(train.Step{Step: i + 1, Loss: 1})
		s.evaluated(i+1, "validation", metric.Tally{Count: 100, Exact: i, Answer: answers}, 0.1)
	}
	page, _, exact, answer := lossAndAccuracy([]Group{{"csp", []*Run{s}}})
	assert.True(t, len(exact.Levels) == 0 && len(exact.Spans) == 0 && len(answer.Levels) == 1 &&
		len(answer.Series) == 1 && len(answer.Spans) == 1 && answer.Spans[0].From == 3 && answer.Spans[0].To == 4 &&
		answer.ToX == 4, "%+v, %+v", exact, answer)
	assert.Says(t, strings.Join(page.Caption, "\n"), "csp: 3, 4 and 4 steps")
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
	// Of operands there is one class: nothing to compare.
	assert.Need(t, len(list) == 1 && list[0].name == "depth" &&
		slices.Equal(list[0].classes, []string{"2", "3", "10"}), "%+v", list)
	g := sharesOf(list[0], 0, false)
	assert.True(t, len(g.Points) == 2 && g.Points[0].Count == 100 && g.Points[0].Y == 0.5 && !g.Points[0].Thin &&
		g.Points[1].Class == 2 && g.Points[1].Thin, "%+v", g)
	low, high := metric.Wilson(50, 100)
	assert.True(t, g.Points[0].Low == low && g.Points[0].High == high, "the interval of %+v", g.Points[0])
	g = sharesOf(list[0], 1, false)
	assert.True(t, len(g.Points) == 1 && !g.Points[0].Thin && g.Group == 1, "%+v", g)
}

// TestReadings: where right answers are no whole outputs each has a chart, told apart by title and axis, and the guess
// stands in that of answers alone; else there is one chart with the guess.
func TestReadings(t *testing.T) {
	add := func(exact, answer int) *Album {
		n := metric.Tally{Count: 50, Exact: exact, Answer: answer}
		r := &metric.Report{Tally: metric.Tally{Count: 100, Exact: 2 * exact, Answer: 2 * answer}, Majority: 0.25,
			ByDepth: map[int]metric.Tally{1: n, 2: n}}
		var a Album
		a.AddReports("sums", "sums", []string{"csp"}, [][]*metric.Report{{r}}, nil)
		return &a
	}
	chart := func(a *Album, i int) figure.Shares { return a.Pages[0].Page.Rows[i].Panels[0].(figure.Shares) }
	a := add(10, 40)
	assert.Need(t, len(a.Pages[0].Page.Rows) == 2, "%d charts", len(a.Pages[0].Page.Rows))
	whole, answers := chart(a, 0), chart(a, 1)
	assert.True(t, answers.Title == "By depth, right answers" && answers.Y == "right answers (%)" &&
		answers.NoCounts && len(answers.Levels) == 1 && answers.Levels[0].Y == 0.25 &&
		answers.Groups[0].Points[1].Y == 0.8, "right answers: %+v", answers)
	assert.True(t, whole.Title == "By depth, whole outputs" && whole.Y == "exact match (%)" && !whole.NoCounts &&
		len(whole.Levels) == 0 && whole.Groups[0].Points[1].Y == 0.2, "whole outputs: %+v", whole)
	low, high := metric.Wilson(40, 50)
	assert.True(t, answers.Groups[0].Points[0].Low == low && answers.Groups[0].Points[0].High == high,
		"the interval of answers is %+v", answers.Groups[0].Points[0])
	a = add(10, 10)
	one := chart(a, 0)
	assert.True(t, len(a.Pages[0].Page.Rows) == 1 && one.Title == "By depth" && len(one.Levels) == 1,
		"one figure: %d charts, %+v", len(a.Pages[0].Page.Rows), one)
}

// TestAlbum: names are a file's, and no two figures have one. The folder "." has its own.
func TestAlbum(t *testing.T) {
	var a Album
	for _, name := range []string{"Run A/1", "run-a-1", "ü", (&Run{Path: "."}).fileName()} {
		a.add(Curves, name, figure.Page{})
	}
	var names []string
	for _, d := range a.Pages {
		names = append(names, d.Name)
	}
	assert.True(t, fmt.Sprint(names) == "[curves-run-a-1 curves-run-a-1-2 curves- curves-album]", "%q", names)
}

// TestWhyNot: a sentence names a few runs, and counts the others.
func TestWhyNot(t *testing.T) {
	var a Album
	for i := range mostNamed + 2 {
		a.Miss(Curves, fmt.Sprint("r", i+1), "no log")
	}
	a.Miss(Matrices, "x", "no heads")
	want := []string{"curves of r1, r2, r3, r4, r5, r6 and 2 more: no log", "matrices of x: no heads"}
	assert.Is(t, a.WhyNot(Kinds()...), want, "why not")
}
