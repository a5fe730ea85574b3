package tasks

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// mustNew returns a task or fails the test.
func mustNew(t testing.TB, name string, o Options) Task {
	t.Helper()
	return assert.Must(New(name, o))(t)
}

// evaluate is an evaluator that shares nothing with the package: Go's own parser and plain integers.
func evaluate(t *testing.T, text string) int {
	t.Helper()
	tree, err := goparser.ParseExpr(text)
	assert.Need(t, err == nil, "%q: %v", text, err)
	var value func(ast.Expr) int
	value = func(node ast.Expr) int {
		switch n := node.(type) {
		case *ast.ParenExpr:
			return value(n.X)
		case *ast.UnaryExpr:
			return -value(n.X)
		case *ast.BasicLit:
			return int(n.Value[0] - '0')
		case *ast.BinaryExpr:
			a, b := value(n.X), value(n.Y)
			switch n.Op {
			case token.ADD:
				return a + b
			case token.SUB:
				return a - b
			}
			return a * b
		}
		t.Fatalf("%q: unexpected node %T", text, node)
		return 0
	}
	return value(tree)
}

// Every sample of every preset, format and role: the prompt parses back to itself, the target has the format's shape
// and the right answer, and all limits hold.
func TestArithmeticSamples(t *testing.T) {
	for _, preset := range []string{"author", "paper"} {
		for _, format := range []string{"repeat", "copy", "direct"} {
			task := mustNew(t, "arithmetic", Options{Preset: preset, Format: format})
			for _, draw := range []Draw{
				{Seed: 1}, {Seed: 2, Role: Validation}, {Seed: 3, Role: Test}, {Seed: 4, IID: true},
				{Seed: 5, MaxOperands: 2}, {Seed: 6, Role: Test, MaxOperands: 3}, {Seed: 7, MaxOperands: 1, Role: Validation},
				{Seed: 8, MinOperands: 3}, {Seed: 9, MinOperands: 4, MaxOperands: 2, Role: Test},
			} {
				var s Sample
				for i := range uint64(1000) {
					task.Sample(&s, draw, i)
					checkArithmetic(t, task, preset, format, draw, &s)
				}
			}
		}
	}
}

func checkArithmetic(t *testing.T, task Task, preset, format string, draw Draw, s *Sample) {
	t.Helper()
	v := task.Vocabulary()
	prompt := v.Detokenise(s.Prompt)
	text, ok := strings.CutPrefix(prompt, "<SOS>")
	expression, tail := strings.CutSuffix(text, " mod 9 = ")
	assert.Need(t, ok && tail, "prompt %q", prompt)
	assert.Is(t, assert.Must(v.Tokenise(prompt))(t), s.Prompt, "%q: tokenises as", prompt)
	e, mod, err := ParsePrompt(text)
	assert.Need(t, err == nil && mod == 9 && e.String() == expression,
		"%q parses as %v mod %d, %v", text, e, mod, err)
	assert.Need(t, e.Operands() == s.Operands && e.Depth() == s.Depth && s.Trivial == (e.Operands() == 1),
		"%q: parsed operands %d depth %d, sample %+v", expression, e.Operands(), e.Depth(), s)
	want := e.Eval(9)
	independent := (evaluate(t, expression)%9 + 9) % 9
	assert.Need(t, independent == want,
		"%q: Eval gives %d, an independent evaluator %d", expression, want, independent)

	digit := v.Token(int32(want))
	target := map[string]string{
		"repeat": digit + " repeat " + text + digit + "<EOS>",
		"copy":   text + digit + "<EOS>",
		"direct": digit + "<EOS>",
	}[format]
	got := v.Detokenise(s.Target)
	assert.Need(t, got == target, "target %q, want %q", got, target)
	assert.Need(t, s.Target[s.AnswerAt] == int32(want), "%q: AnswerAt %d", target, s.AnswerAt)
	answer, ok := task.Answer(s.Target)
	assert.Need(t, ok && answer == int32(want), "%q: Answer finds %d, %v", target, answer, ok)

	assert.Need(t, s.Label == -1 && s.Length == 0, "label %d, length %d", s.Label, s.Length)
	assert.Need(t, len(s.Prompt) <= task.MaxPrompt() && len(s.Target) <= task.MaxTarget(),
		"%d and %d tokens, limits %d and %d", len(s.Prompt), len(s.Target), task.MaxPrompt(), task.MaxTarget())
	least, most, depth := 1, authorOperands, 4
	if preset == "paper" {
		least, most, depth = 2, 5, 8
		total := 2*len(s.Prompt) + 3 // as format repeat has it
		assert.Need(t, total <= 128, "%q: %d tokens in all", expression, total)
		assert.Need(t, !strings.Contains(strings.ReplaceAll(expression, " - ", ""), "-"),
			"%q has a signed number", expression)
	}
	if draw.MaxOperands > 0 {
		most = min(most, max(draw.MaxOperands, least))
	}
	if draw.MinOperands > 0 {
		least = max(least, min(draw.MinOperands, most))
	}
	assert.Need(t, s.Operands >= least && s.Operands <= most && s.Depth <= depth,
		"%q: operands %d, depth %d", expression, s.Operands, s.Depth)
	assert.Need(t, draw.IID || s.Trivial || roleOf(e) == draw.Role,
		"%q belongs to %s, drawn for %s", expression, roleOf(e), draw.Role)
}

// No structure of three or more operands and no text of two is in two roles,
// whatever preset drew it; single numbers keep their natural share in all.
func TestSplitsAreDisjoint(t *testing.T) {
	seen := map[string]Role{}
	counts := map[Role]map[string]bool{Train: {}, Validation: {}, Test: {}}
	for _, preset := range []string{"author", "paper"} {
		task := mustNew(t, "arithmetic", Options{Preset: preset, Format: "direct"})
		var s Sample
		for role := Train; role <= Test; role++ {
			trivial := 0
			for i := range uint64(30000) {
				task.Sample(&s, Draw{Seed: 11, Role: role}, i)
				if s.Trivial {
					trivial++
					continue
				}
				key := task.Vocabulary().Detokenise(s.Prompt)
				if s.Operands > 2 {
					key = digit.ReplaceAllString(key, "#")
				}
				other, ok := seen[key]
				assert.Need(t, !ok || other == role, "%q is in %s and %s", key, other, role)
				seen[key] = role
				counts[role][key] = true
			}
			share := float64(trivial) / 30000
			assert.True(t, preset != "author" || share >= 0.33 && share <= 0.37,
				"%s: trivial share %.3f", role, share)
		}
	}
	for role, keys := range counts {
		assert.True(t, len(keys) >= 300, "%s has only %d different structures and pairs", role, len(keys))
	}
}

func TestRoleShares(t *testing.T) {
	task := mustNew(t, "arithmetic", Options{Preset: "paper"})
	keys := map[string]*Expression{}
	var s Sample
	for i := range uint64(20000) {
		task.Sample(&s, Draw{IID: true}, i)
		e, _, err := ParsePrompt(task.Vocabulary().Detokenise(s.Prompt[1:]))
		assert.NoError(t, err)
		if e.Operands() == 2 {
			keys[e.String()] = e
		} else {
			keys[structure(e)] = e
		}
	}
	var counts [3]float64
	for _, e := range keys {
		counts[roleOf(e)]++
	}
	for role, want := range []float64{0.8, 0.1, 0.1} {
		share := counts[role] / float64(len(keys))
		assert.True(t, share >= want-0.02 && share <= want+0.02,
			"%s has %.3f of %d keys", Role(role), share, len(keys))
	}
	// Pinned: a change here silently moves test data into training.
	for text, want := range map[string]Role{
		"7": Train, "-3": Train, "(4)": Train,
		"2 + 3": Train, "-1 - -2": Train, "(7 - 1)": Validation, "(1 - -1)": Test, "-5 + 1": Test,
		"(((-6 + 5) + 3))": Train, "-1 + (8 + 8)": Validation, "(7 + (6 - 0))": Test, "3 + 9 - 4 - 7 + 2": Test,
	} {
		e, _, err := ParsePrompt(text)
		assert.NoError(t, err)
		assert.Is(t, roleOf(e), want, "%q is in", text)
	}
}

func TestAuthorDistribution(t *testing.T) {
	report := Describe(mustNew(t, "arithmetic", Options{}), Draw{IID: true}, 20000)
	assert.True(t, report.Trivial >= 0.33 && report.Trivial <= 0.37,
		"trivial share %.3f, want about 0.35", report.Trivial)
	// Two operands in exact numbers. A term holds one with 0.7, two with
	// 0.3·0.49; the inner terms of a wrapped sequence hold one with 0.7, too.
	one, two := 0.7, 0.3*0.7*0.7
	want := 0.5*two + (0.25+0.125)*one*one
	got := report.Operands[1].Share
	assert.True(t, got >= want-0.012 && got <= want+0.012, "share of two operands %.3f, want %.3f", got, want)
	assert.True(t, report.Majority <= 0.13, "one answer has %.3f", report.Majority)
}

func TestPaperIsEven(t *testing.T) {
	report := Describe(mustNew(t, "arithmetic", Options{Preset: "paper"}), Draw{IID: true}, 20000)
	check := func(what string, shares []Share, n int) {
		assert.Is(t, len(shares), n, "%s takes … values", what)
		for _, s := range shares {
			assert.True(t, s.Share >= 0.85/float64(n) && s.Share <= 1.15/float64(n),
				"%s %d has %.3f", what, s.Value, s.Share)
		}
	}
	check("operand count", report.Operands, 4)
	check("depth", report.Depth, 9)
	check("answer", report.Labels, 9)
	assert.Is(t, report.Trivial, 0, "trivial share")
}

// Formats of one preset ask for the same expressions.
func TestFormatsShareExpressions(t *testing.T) {
	a := mustNew(t, "arithmetic", Options{Format: "direct"})
	b := mustNew(t, "arithmetic", Options{Format: "repeat"})
	var x, y Sample
	for i := range uint64(100) {
		a.Sample(&x, Draw{}, i)
		b.Sample(&y, Draw{}, i)
		assert.Need(t, slices.Equal(x.Prompt, y.Prompt), "sample %d differs", i)
	}
}

func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		format, output string
		answer         int32
		ok             bool
	}{
		{"direct", "8<EOS>", 8, true}, {"direct", "9<EOS>", 0, false},
		{"direct", "<EOS>", 0, false}, {"direct", "", 0, false},
		{"repeat", "3 repeat ", 3, true}, {"repeat", "(3", 0, false},
		{"copy", "2 + 3 mod 9 = 5<EOS>", 5, true}, {"copy", "2 + 3 mod 9 = ", 0, false},
		{"copy", "2 + 3 mod 9 =5<EOS>", 0, false}, {"copy", "2 + 3<EOS>= 5", 0, false},
		{"copy", "5", 0, false}, {"copy", "=", 0, false},
	} {
		task := mustNew(t, "arithmetic", Options{Format: c.format})
		ids := assert.Must(task.Vocabulary().Tokenise(c.output))(t)
		answer, ok := task.Answer(ids)
		assert.True(t, ok == c.ok && answer == c.answer, "%s %q: %d, %v", c.format, c.output, answer, ok)
	}
}

// roleOf is the split of a whole expression.
func roleOf(e *Expression) Role { return splitOf(e.operands, []byte(e.text)) }
