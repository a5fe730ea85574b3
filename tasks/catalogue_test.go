package tasks

import (
	"encoding/json"
	"errors"
	"testing"

	"mhacsp/tasks/assert"
	"mhacsp/tasks/strict"
)

func TestNames(t *testing.T) {
	for _, name := range Names() {
		task := mustNew(t, name, Options{})
		assert.Is(t, task.Name(), name, "the name of what New gives")
		ids, err := task.Vocabulary().Tokenise(task.Example())
		assert.True(t, err == nil && len(ids) != 0,
			"%s: the example %q is empty or not in the vocabulary: %v", name, task.Example(), err)
		ids, err = task.Vocabulary().Tokenise(task.Characters())
		assert.True(t, err == nil && len(ids) != 0 && len(ids) == len(task.Characters()),
			"%s: the characters %q are %d tokens: %v", name, task.Characters(), len(ids), err)
	}
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     Options
		key   string
		value any
	}{
		{"sums", Options{Preset: "x"}, "task", "sums"}, {"arithmetic", Options{Preset: "papers"}, "preset", "papers"},
		{"arithmetic", Options{Format: "long"}, "format", "long"},
		{"arithmetic", Options{MaxLength: 9}, "max_length", 9}, {"arithmetic", Options{MinLength: 9}, "min_length", 9},
		{"parity", Options{Preset: "paper"}, "preset", "paper"}, {"parity", Options{Format: "copy"}, "format", "copy"},
		{"mod3", Options{Brackets: plain()}, "brackets", false},
		{"parity", Options{Operators: "+-"}, "operators", "+-"},
		{"modarith", Options{Operators: "*"}, "operators", "*"}, {"parity", Options{MinLength: -1}, "min_length", -1},
		{"parity", Options{MinLength: 200}, "min_length", 200},
		{"parity", Options{MaxLength: 100000}, "max_length", 100000},
		{"parenthesis", Options{MaxLength: 1}, "max_length", 1},
		{"parenthesis", Options{MinLength: 7, MaxLength: 7}, "min_length", 7},
		{"modarith", Options{MinLength: 4, MaxLength: 4, Brackets: plain()}, "min_length", 4},
	} {
		_, err := New(c.name, c.o)
		var bad *strict.FieldError
		assert.True(t, errors.As(err, &bad) && bad.Key == c.key && bad.Value == c.value,
			"%s %+v: %v", c.name, c.o, err)
	}
}

func TestRoleNames(t *testing.T) {
	for role := Train; role <= Test; role++ {
		assert.Is(t, assert.Must(ParseRole(role.String()))(t), role, "read back")
	}
	_, err := ParseRole("dev")
	assert.True(t, errors.As(err, new(*strict.FieldError)), "error %v", err)
}

func TestLengthSets(t *testing.T) {
	for name, want := range map[string][][2]int{
		"arithmetic":  nil,
		"modarith":    {{40, 256}},
		"mod3":        {{256, 256}, {512, 512}, {1024, 1024}},
		"parenthesis": {{256, 256}, {512, 512}, {1024, 1024}},
		"parity":      {{40, 256}, {256, 256}, {512, 512}, {1024, 1024}},
	} {
		var got [][2]int
		for _, o := range LengthSets(name, Options{}) {
			mustNew(t, name, o)
			got = append(got, [2]int{o.MinLength, o.MaxLength})
		}
		assert.Is(t, got, want, "%s", name)
	}
}

func TestCurriculum(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		want Curriculum
	}{
		{"arithmetic", Options{}, Curriculum{Operands, 2, 12, 3, 6}},
		{"arithmetic", Options{Preset: "paper"}, Curriculum{Operands, 2, 5, 3, 6}},
		{"parity", Options{}, Curriculum{Length, 4, 128, 0, 0}},
		{"parity", Options{MaxLength: 3}, Curriculum{Length, 3, 3, 0, 0}},
		{"modarith", Options{}, Curriculum{Length, 4, 40, 0, 0}},
		{"parenthesis", Options{MinLength: 39, MaxLength: 257}, Curriculum{Length, 40, 256, 0, 0}},
	} {
		assert.Is(t, mustNew(t, c.name, c.o).Curriculum(), c.want, "%s %+v", c.name, c.o)
	}
}

func TestReportJSON(t *testing.T) {
	report := Describe(mustNew(t, "parity", Options{MaxLength: 1}), Draw{Seed: 1}, 10)
	data := assert.Must(json.Marshal(report))(t)
	var back map[string]any
	assert.NoError(t, json.Unmarshal(data, &back))
	assert.True(t, back["prompt_tokens"] == 2.0 && back["samples"] == 10.0 && back["task"] == "parity", "%s", data)
	empty := Describe(mustNew(t, "parity", Options{}), Draw{}, 0)
	assert.True(t, empty.Majority == 0 && empty.MostCommon == "", "no samples: %+v", empty)
}
