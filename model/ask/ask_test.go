package ask

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

func task(t *testing.T, name string, o tasks.Options) tasks.Task {
	t.Helper()
	return assert.Must(tasks.New(name, o))(t)
}

// TestParse: what is typed becomes the task's prompt with the exact answer and the whole target.
func TestParse(t *testing.T) {
	for _, x := range []struct{ task, format, text, prompt, expected, target string }{
		{"arithmetic", "direct", "(3+5)", "(3 + 5) mod 9 = ", "8", "8<EOS>"},
		{"arithmetic", "", "2 - 3 mod 9 =", "2 - 3 mod 9 = ", "8", "8 repeat 2 - 3 mod 9 = 8<EOS>"},
		{"arithmetic", "copy", "1", "1 mod 9 = ", "1", "1 mod 9 = 1<EOS>"},
		{"parity", "", " 10 11\n", "1011", "1", "1"}, {"mod3", "", "77", "77", "2", "2"},
		{"modarith", "", "2*(3 + 4)", "2*(3+4)", "4", "4"},
	} {
		k := task(t, x.task, tasks.Options{Format: x.format})
		q, err := Parse(k, x.format, x.text)
		assert.Need(t, err == nil && q.Prompt == x.prompt && q.Expected == x.expected && q.Target == x.target,
			"%s %q: %+v, %v", x.task, x.text, q, err)
		assert.True(t, q.Tokens[0] == tasks.SOS && k.Vocabulary().Detokenise(q.Tokens[1:]) == x.prompt,
			"%s %q: tokens %v", x.task, x.text, q.Tokens)
	}
	for text, right := range map[string]bool{"(())()": true, "(()": false, "())(": false} {
		k := task(t, "parenthesis", tasks.Options{})
		q, err := Parse(k, "", text)
		assert.True(t, err == nil && (q.Expected == k.ClassName(1)) == right, "%s: %+v, %v", text, q, err)
	}
}

// TestParseAgrees: every task's own samples, typed in, have the label or target of the sample; its example is read.
func TestParseAgrees(t *testing.T) {
	for _, name := range tasks.Names() {
		k := task(t, name, tasks.Options{})
		q, err := Parse(k, "", k.Example())
		assert.True(t, err == nil && q.Expected != "", "%s: the example %q: %+v, %v", name, k.Example(), q, err)
		var s tasks.Sample
		for i := range 200 {
			k.Sample(&s, tasks.Draw{Seed: 1, Role: tasks.Test}, uint64(i))
			text := k.Vocabulary().Detokenise(s.Prompt[1:])
			q, err := Parse(k, "", text)
			assert.Need(t, err == nil, "%s: %q: %v", name, text, err)
			want := k.Vocabulary().Detokenise(s.Target)
			if s.Label >= 0 {
				want = k.ClassName(s.Label)
			}
			assert.True(t, q.Target == want && q.Prompt == text, "%s: %q: %+v; %q is right", name, text, q, want)
		}
	}
}

// TestParseErrors: a mistake has its place in what was typed.
func TestParseErrors(t *testing.T) {
	for _, x := range []struct {
		task, text string
		at         int
		try        string
	}{
		{"arithmetic", "1 + * 2", 4, ""}, {"arithmetic", "2 - 7 * 3", 6, "try (7+7+7)"},
		{"arithmetic", "1 + 12", 5, "try 3"}, {"modarith", "12", 1, "try 2"},
		{"arithmetic", "3 + 4 mod 12x", 12, "the end"},
		{"parity", " 1 0 2", 5, ""}, {"parity", "1é", 1, ""}, {"modarith", "1+", 2, ""},
	} {
		_, err := Parse(task(t, x.task, tasks.Options{}), "", x.text)
		var e *tasks.ParseError
		assert.True(t, errors.As(err, &e) && e.Offset == x.at && strings.HasSuffix(e.Expected, x.try),
			"%s %q: %v", x.task, x.text, err)
	}
	for _, x := range [][2]string{{"arithmetic", "1 mod 7"}, {"modarith", "1 mod 9"}, {"parity", "  "}} {
		q, err := Parse(task(t, x[0], tasks.Options{}), "", x[1])
		assert.True(t, err != nil, "%s %q was read as %+v", x[0], x[1], q)
	}
}

// writer is a network that writes fixed tokens, each with probability 1.
type writer struct {
	tokens []int32
	vocab  int
}

func (w writer) Generate(prompts [][]int32, limit int, _ bool) ([]sequence.Generation, error) {
	var g sequence.Generation
	for _, id := range w.tokens[:min(limit, len(w.tokens))] {
		p := make([]float32, w.vocab)
		p[id] = 1
		g.Tokens, g.Probs = append(g.Tokens, id), append(g.Probs, p)
	}
	return []sequence.Generation{g}, nil
}

func (w writer) Classify([][]int32) ([]int32, []float32, error) { panic("the task has no labels") }

// TestPut: the answer is found where the format puts it, and exactness is of the whole output.
func TestPut(t *testing.T) {
	for _, x := range []struct {
		format, output, answer string
		right, exact           bool
		top                    string
	}{
		{"direct", "8<EOS>", "8", true, true, "8"}, {"direct", "7<EOS>", "7", false, false, "7"},
		{"direct", "(<EOS>", "", false, false, "("}, {"repeat", "8 repeat 3 + 5 mod 9 = 8<EOS>", "8", true, true, "8"},
		{"repeat", "8 repeat 3 + 4 mod 9 = 8<EOS>", "8", true, false, "8"},
		{"copy", "3 + 5 mod 9 = 8<EOS>", "8", true, true, "8"}, {"copy", "3 + 5<EOS>", "", false, false, ""},
	} {
		k := task(t, "arithmetic", tasks.Options{Format: x.format})
		ids := assert.Must(k.Vocabulary().Tokenise(x.output))(t)
		q := assert.Must(Parse(k, x.format, "3 + 5"))(t)
		w := writer{ids, k.Vocabulary().Size()}
		a := assert.Must(Put(w, k, x.format, q))(t)
		unknown := assert.Must(Put(w, k, x.format, Question{Tokens: q.Tokens}))(t)
		assert.True(t, !unknown.Right, "%s %q is right, though nobody knows what is", x.format, x.output)
		first := ""
		if len(a.Top) > 0 {
			first = a.Top[0].Text
		}
		assert.True(t, a.Answer == x.answer && a.Right == x.right && *a.Exact == x.exact && first == x.top &&
			a.Output == x.output && len(a.Tokens) == len(ids), "%s %q: %+v", x.format, x.output, a)
	}
}

// TestInstead: what is offered in place of a prompt that no training drew is practised, and has the same right answer.
func TestInstead(t *testing.T) {
	no := false
	random := rand.New(rand.NewPCG(3, 1))
	for _, x := range []struct {
		task string
		o    tasks.Options
	}{
		{"arithmetic", tasks.Options{}}, {"arithmetic", tasks.Options{Preset: "paper"}}, {"parenthesis", tasks.Options{}},
		{"parenthesis", tasks.Options{MinLength: 6, MaxLength: 8}}, {"parity", tasks.Options{MinLength: 4, MaxLength: 9}},
		{"mod3", tasks.Options{MinLength: 5, MaxLength: 6}}, {"modarith", tasks.Options{}},
		{"modarith", tasks.Options{Operators: "+-", MaxLength: 12}}, {"modarith", tasks.Options{Brackets: &no, MaxLength: 9}},
	} {
		k, offered := task(t, x.task, x.o), 0
		for range 300 {
			text := typed(random, x.task, 0)
			q, err := Parse(k, "", text)
			assert.Need(t, err == nil, "%s: %q: %v", x.task, text, err)
			list, instead := k.(tasks.Practised).Unpractised(q.Tokens)
			if list == nil || instead == "" {
				assert.Need(t, instead == "" && (list == nil || x.task == "parenthesis" || len(q.Tokens) >= 500),
					"%s %+v: %q: %+v, instead %q", x.task, x.o, text, list, instead)
				continue
			}
			offered++
			p, err := Parse(k, "", instead)
			assert.Need(t, err == nil && p.Expected == q.Expected,
				"%s %+v: %q is %s, and %q in its place %s, %v", x.task, x.o, text, q.Expected, instead, p.Expected,
				err)
			more, _ := k.(tasks.Practised).Unpractised(p.Tokens)
			assert.Need(t, more == nil, "%s %+v: %q in place of %q has %+v", x.task, x.o, instead, text, more)
		}
		assert.True(t, offered >= 30, "%s %+v: only %d prompts were offered", x.task, x.o, offered)
	}
}

// typed is anything that a task reads.
func typed(r *rand.Rand, task string, depth int) string {
	letters := map[string]string{"parity": "01", "mod3": "0123456789", "parenthesis": "()"}[task]
	if letters != "" {
		text := ""
		for range 1 + r.IntN(24) {
			text += letters[r.IntN(len(letters)):][:1]
		}
		return text
	}
	sign := ""
	if r.IntN(5) == 0 {
		sign = "-"
	}
	if depth > 4 || r.IntN(3) == 0 {
		return sign + fmt.Sprint(r.IntN(10))
	}
	operators := "+-*"
	if task == "arithmetic" {
		operators = "+-"
	}
	text := typed(r, task, depth+1)
	for range r.IntN(4) {
		text += operators[r.IntN(len(operators)):][:1] + typed(r, task, depth+1)
	}
	if depth == 0 && r.IntN(2) == 0 {
		return text
	}
	return sign + "(" + text + ")"
}
