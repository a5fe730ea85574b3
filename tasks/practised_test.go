package tasks

import (
	"slices"
	"testing"

	"mhacsp/tasks/assert"
)

// TestSamplesPractised: what training draws is practised, of every variant of every task.
func TestSamplesPractised(t *testing.T) {
	left := Names()
	for _, x := range []struct {
		name string
		o    Options
	}{
		{"arithmetic", Options{}}, {"arithmetic", Options{Preset: "paper"}}, {"parity", Options{}},
		{"parity", Options{MinLength: 3, MaxLength: 40}}, {"mod3", Options{}}, {"parenthesis", Options{}},
		{"modarith", Options{}}, {"modarith", Options{Operators: "+-"}}, {"modarith", Options{Brackets: plain()}},
		{"modarith", Options{Brackets: plain(), Operators: "+-", MaxLength: 90}},
		{"modarith", Options{MinLength: 1, MaxLength: 9}},
	} {
		task := mustNew(t, x.name, x.o)
		left = slices.DeleteFunc(left, func(name string) bool { return name == x.name })
		var s Sample
		for i := range uint64(3000) {
			task.Sample(&s, Draw{Seed: 7}, i)
			list, instead := task.(Practised).Unpractised(s.Prompt)
			assert.Need(t, list == nil && instead == "", "%s %+v: %q: %+v, instead %q",
				x.name, x.o, task.Vocabulary().Detokenise(s.Prompt), list, instead)
		}
	}
	assert.True(t, len(left) == 0, "not looked at: %v", left)
}

// TestUnpractised: what training never draws is reported with its kind, value and range, and with a prompt that is
// drawn.
func TestUnpractised(t *testing.T) {
	for _, x := range []struct {
		name, prompt string
		o            Options
		want         []Unpractised
		instead      string
	}{
		{"arithmetic", "9 + 1", Options{}, []Unpractised{{LackNumber, "9", 0, 8, "0"}}, "0 + 1"},
		{"arithmetic", "(9 - -9) + -0", Options{},
			[]Unpractised{{LackNumber, "9", 0, 8, "0"}, {LackNumber, "-9", 0, 8, "0"}, {LackNumber, "-0", 0, 8, "0"}},
			"(0 - 0) + 0"},
		{"arithmetic", "-(3 + 5)", Options{}, []Unpractised{{LackOperator, "-(", 0, 0, ""}}, "0 - (3 + 5)"},
		{"arithmetic", "1 + 2 + 3 + 4", Options{}, []Unpractised{{LackTerms, "4", 0, 3, ""}}, "3 + 3 + 4"},
		{"arithmetic", "((((1 + 2))))", Options{}, []Unpractised{{LackDepth, "4", 0, 3, ""}}, "1 + 2"},
		{"arithmetic", "(5) + 3", Options{}, []Unpractised{{Kind: LackForm}}, "5 + 3"},
		{"arithmetic", "9 + 7", Options{Preset: "paper"}, nil, ""},
		{"arithmetic", "7", Options{Preset: "paper"}, []Unpractised{{LackOperands, "1", 2, 5, ""}}, "7 + 0"},
		{"arithmetic", "-5 + 3", Options{Preset: "paper"}, []Unpractised{{LackNumber, "-5", 0, 9, "4"}}, "4 + 3"},
		{"arithmetic", "1 + 2 + 3 + 4 + 5 + 6", Options{Preset: "paper"}, []Unpractised{{LackOperands, "6", 2, 5, ""}},
			"3 + 3 + 4 + 5 + 6"},
		{"parity", "10110", Options{MaxLength: 4}, []Unpractised{{LackLength, "5", 1, 4, ""}}, "1011"},
		{"parity", "1", Options{MinLength: 3, MaxLength: 4}, []Unpractised{{LackLength, "1", 3, 4, ""}}, "100"},
		{"mod3", "11111", Options{MaxLength: 2}, []Unpractised{{LackLength, "5", 1, 2, ""}}, "11"},
		{"parenthesis", "(((((((((())))))))))", Options{}, []Unpractised{{LackDepth, "10", 0, 8, ""}}, "(((((((())))))))"},
		{"parenthesis", "(()", Options{}, []Unpractised{{LackOdd, "3", 0, 0, ""}}, "(("},
		{"parenthesis", "(", Options{}, []Unpractised{{LackLength, "1", 2, 128, ""}, {LackOdd, "1", 0, 0, ""}}, ")("},
		{"parenthesis", "()()()", Options{MaxLength: 4}, []Unpractised{{LackLength, "6", 2, 4, ""}}, "()()"},
		{"modarith", "(7+1)", Options{}, []Unpractised{{LackNumber, "7", 0, 4, "2"}}, "(2+1)"},
		{"modarith", "2*(3+4)", Options{}, []Unpractised{{Kind: LackPairs}}, "(2*(3+4))"},
		{"modarith", "1+2*3", Options{}, []Unpractised{{Kind: LackPairs}}, "(1+(2*3))"},
		{"modarith", "((2*3))", Options{}, []Unpractised{{Kind: LackForm}}, "(2*3)"},
		{"modarith", "(2*3)", Options{Operators: "+-"}, []Unpractised{{LackOperator, "*", 0, 0, ""}}, "(1)"},
		{"modarith", "3", Options{}, []Unpractised{{LackLength, "1", 3, 40, ""}}, "(3)"},
		{"modarith", "1+(2*-3)", Options{Brackets: plain()},
			[]Unpractised{{LackNumber, "-3", 0, 4, "2"}, {LackDepth, "1", 0, 0, ""}}, "1+2*2"},
	} {
		task := mustNew(t, x.name, x.o)
		text := x.prompt
		if x.name == "arithmetic" {
			text += " mod 9 = "
		}
		ids := assert.Must(task.Vocabulary().Tokenise(text))(t)
		list, instead := task.(Practised).Unpractised(append([]int32{SOS}, ids...))
		assert.True(t, slices.Equal(list, x.want) && instead == x.instead,
			"%s %+v, %q:\n got %+v, instead %q\nwant %+v, instead %q", x.name, x.o, x.prompt, list, instead, x.want,
			x.instead)
	}
}

// TestUnpractisedHuge: a prompt of any size is looked at in no time, and no depth exhausts the stack.
func TestUnpractisedHuge(t *testing.T) {
	for _, name := range Names() {
		task := mustNew(t, name, Options{})
		prompt := slices.Concat([]int32{SOS}, slices.Repeat([]int32{openToken}, 30000), []int32{1},
			slices.Repeat([]int32{closeToken}, 30000))
		p, ok := task.(Practised)
		assert.Need(t, ok, "%s is not Practised: write its Unpractised in practised.go", name)
		list, _ := p.Unpractised(prompt)
		assert.True(t, len(list) != 0, "%s: %d tokens are said to be practised", name, len(prompt))
	}
}
