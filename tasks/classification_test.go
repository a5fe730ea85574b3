package tasks

import (
	"fmt"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

func plain() *bool { b := false; return &b }

// Every sample of the string tasks: the label is what a naive reading of the
// text says, lengths and depths stay within the limits.
func TestClassificationSamples(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range []struct {
		name  string
		o     Options
		label func(t *testing.T, text string) int
	}{
		{"parity", Options{}, ones}, {"parity", Options{MinLength: 40, MaxLength: 256}, ones},
		{"mod3", Options{}, sumMod3}, {"mod3", Options{MinLength: 256, MaxLength: 256}, sumMod3},
		{"parenthesis", Options{}, balanced}, {"parenthesis", Options{MaxLength: 6}, balanced},
		{"parenthesis", Options{MinLength: 255, MaxLength: 257}, balanced},
		{"modarith", Options{}, valueMod5}, {"modarith", Options{MinLength: 1, MaxLength: 6}, valueMod5},
		{"modarith", Options{MinLength: 40, MaxLength: 256}, valueMod5},
		{"modarith", Options{Brackets: plain()}, valueMod5},
		{"modarith", Options{MinLength: 40, MaxLength: 256, Brackets: plain()}, valueMod5},
		{"modarith", Options{Operators: "+-"}, valueMod5},
		{"modarith", Options{Brackets: plain(), Operators: "+-"}, valueMod5},
	} {
		tested[c.name] = true
		t.Run(fmt.Sprintf("%s %d-%d", c.name, c.o.MinLength, c.o.MaxLength), func(t *testing.T) {
			task := mustNew(t, c.name, c.o)
			lengths := map[int]int{}
			for _, draw := range []Draw{
				{}, {Role: Validation}, {Role: Test}, {MaxLength: 1}, {MaxLength: 4}, {MaxLength: 9}, {MaxLength: 100},
			} {
				var s Sample
				for i := range uint64(700) {
					task.Sample(&s, draw, i)
					checkString(t, task, c.o, draw, &s, c.label)
					if draw.MaxLength == 0 {
						lengths[s.Length]++
					}
				}
			}
			assert.True(t, c.o.MinLength == 0 || c.o.MinLength != c.o.MaxLength || len(lengths) == 1,
				"an exact length gives %v", lengths)
		})
	}
	for _, name := range Names() {
		assert.True(t, mustNew(t, name, Options{}).Classes() <= 0 || tested[name],
			"the task %s has no row here: add one, with a label that is computed in another way", name)
	}
}

func checkString(t *testing.T, task Task, o Options, draw Draw, s *Sample, label func(*testing.T, string) int) {
	t.Helper()
	v := task.Vocabulary()
	assert.Need(t, s.Prompt[0] == SOS && len(s.Target) == 0 && s.AnswerAt == -1, "%+v", s)
	text := v.Detokenise(s.Prompt[1:])
	assert.Is(t, assert.Must(v.Tokenise(text))(t), s.Prompt[1:], "%q: tokenises as", text)
	assert.Need(t, s.Length == len(text) && len(s.Prompt) <= task.MaxPrompt(),
		"%q: length %d, prompt limit %d", text, s.Length, task.MaxPrompt())
	assert.Need(t, draw.MaxLength <= 0 || s.Length <= draw.MaxLength || task.Name() == "parenthesis" && s.Length == 2,
		"%q: longer than %d", text, draw.MaxLength)
	assert.Need(t, (o.MaxLength <= 0 || s.Length <= o.MaxLength) && (draw.MaxLength != 0 || s.Length >= o.MinLength),
		"%q: length %d out of range", text, s.Length)
	want := label(t, text)
	assert.Need(t, int(s.Label) == want, "%q: label %d, want %d", text, s.Label, want)
	name := task.ClassName(s.Label)
	assert.Need(t, name != "" && int(s.Label) < task.Classes(), "label %d of %d, %q", s.Label, task.Classes(), name)
	_, ok := task.Answer(s.Prompt)
	assert.Need(t, !ok, "a classification task has an answer")
	switch task.Name() {
	case "modarith":
		e, _, err := ParsePrompt(text)
		assert.Need(t, err == nil && e.Operands() == s.Operands && e.Depth() == s.Depth &&
			s.Trivial == (s.Operands == 1), "%q: %+v, %v", text, s, err)
		assert.Need(t, !strings.ContainsAny(text, "56789 ") &&
			(o.Brackets == nil || !strings.ContainsAny(text, "()")), "%q has a foreign character", text)
		assert.Need(t, o.Operators != "+-" || !strings.Contains(text, "*"),
			"%q has an operator that is not drawn", text)
	case "parenthesis":
		height, highest := 0, 0
		for _, c := range text {
			height += map[rune]int{'(': 1, ')': -1}[c]
			highest = max(highest, height)
		}
		assert.Need(t, s.Length%2 == 0 && highest == s.Depth && s.Depth <= 8,
			"%q: length %d, depth %d", text, s.Length, s.Depth)
	}
}

func ones(_ *testing.T, text string) int { return strings.Count(text, "1") % 2 }

func sumMod3(_ *testing.T, text string) int {
	sum := 0
	for _, c := range text {
		sum += int(c - '0')
	}
	return sum % 3
}

// balanced removes "()" until nothing changes.
func balanced(_ *testing.T, text string) int {
	for strings.Contains(text, "()") {
		text = strings.ReplaceAll(text, "()", "")
	}
	if text == "" {
		return 1
	}
	return 0
}

func valueMod5(t *testing.T, text string) int {
	e, _, err := ParsePrompt(text)
	assert.Need(t, err == nil, "%q: %v", text, err)
	if len(text) < 60 { // plain integers overflow on long products
		got, want := e.Eval(5), (evaluate(t, e.String())%5+5)%5
		assert.Need(t, got == want, "%q: Eval gives %d, an independent evaluator %d", text, got, want)
	}
	return e.Eval(5)
}

func TestLabelBalance(t *testing.T) {
	for _, c := range []struct {
		name   string
		o      Options
		expect float64
		slack  float64
	}{
		{"parity", Options{}, 0.5, 0.015}, {"parenthesis", Options{}, 0.5, 0.015}, {"mod3", Options{}, 1.0 / 3, 0.02},
		{"modarith", Options{Brackets: plain()}, 0.2, 0.02},
		{"modarith", Options{}, 0.27, 0.02}, // products favour 0
		{"modarith", Options{Operators: "+-"}, 0.2, 0.02},
		// SPEC §9: on the strict protocol's tests 0.132 scaled, and 0 without ×
		{"modarith", Options{MinLength: 40, MaxLength: 256}, 0.2 + 0.8*0.132, 0.02},
		{"modarith", Options{MinLength: 40, MaxLength: 256, Operators: "+-"}, 0.2, 0.02},
	} {
		for role := Train; role <= Test; role++ {
			report := Describe(mustNew(t, c.name, c.o), Draw{Seed: 3, Role: role}, 10000)
			assert.True(t, report.Majority >= c.expect-c.slack && report.Majority <= c.expect+c.slack,
				"%s %s: the most common label has %.3f, want %.3f", c.name, role, report.Majority, c.expect)
		}
	}
}

func TestNearMisses(t *testing.T) {
	task := mustNew(t, "parenthesis", Options{})
	var s Sample
	misses, equal, total := 0, 0, 0
	depths := map[int]int{}
	for i := range uint64(10000) {
		task.Sample(&s, Draw{Seed: 5}, i)
		if s.Label == 1 {
			if s.Length >= 16 {
				depths[s.Depth]++
				total++
			}
			continue
		}
		misses++
		opening := strings.Count(task.Vocabulary().Detokenise(s.Prompt), "(")
		// A near miss is one flip or one swap away from balance.
		off := opening - s.Length/2
		assert.Need(t, off >= -1 && off <= 1, "%d opening brackets of %d", opening, s.Length)
		if off == 0 {
			equal++
		}
	}
	share := float64(equal) / float64(misses)
	assert.True(t, share >= 0.7 && share <= 0.8, "equal counts in %.3f of the near misses, want 0.75", share)
	for depth := 1; depth <= 8; depth++ {
		share := float64(depths[depth]) / float64(total)
		assert.True(t, share >= 0.1 && share <= 0.15,
			"depth %d has %.3f of the balanced strings that can have it", depth, share)
	}
}

func TestLengthsAreUniform(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     Options
		draw  Draw
		kinds int
	}{
		{"parity", Options{}, Draw{}, 128}, {"mod3", Options{}, Draw{MaxLength: 10}, 10},
		{"parenthesis", Options{}, Draw{}, 64}, {"modarith", Options{}, Draw{}, 38},
		{"modarith", Options{Brackets: plain()}, Draw{}, 19},
	} {
		task := mustNew(t, c.name, c.o)
		counts := map[int]int{}
		var s Sample
		n := 300 * c.kinds
		for i := range n {
			task.Sample(&s, c.draw, uint64(i))
			counts[s.Length]++
		}
		assert.Is(t, len(counts), c.kinds, "%s: lengths", c.name)
		for length, count := range counts {
			assert.True(t, count >= 210 && count <= 390,
				"%s: length %d occurs %d times, want about 300", c.name, length, count)
		}
	}
}
