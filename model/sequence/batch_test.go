package sequence_test

import (
	"fmt"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/tasks/assert"
)

// TestBatchValidate: each message names the sample, what it holds and what would fit.
func TestBatchValidate(t *testing.T) {
	sequences, classes := sequence.Shape{Vocab: 21}, sequence.Shape{Vocab: 21, Classes: 3}
	ok := [][]int32{{16, 1}, {16}}
	for _, x := range []struct {
		s     sequence.Shape
		b     sequence.Batch
		limit int
		words []string // nil: valid
	}{
		{sequences, sequence.Batch{Prompts: ok, Targets: [][]int32{{17}, {3, 17}}}, 0, nil},
		{sequences, sequence.Batch{Prompts: ok}, 0, nil},
		{sequences, sequence.Batch{Prompts: ok, Targets: [][]int32{{17}, {3, 17}}}, 2, nil},
		{classes, sequence.Batch{Prompts: ok, Labels: []int32{0, 2}}, 0, nil},
		{classes, sequence.Batch{Prompts: ok}, 0, nil}, {sequences, sequence.Batch{}, 0, []string{"no prompts"}},
		{sequences, sequence.Batch{Prompts: ok, Labels: []int32{1, 1}}, 0, []string{`"labels"`, `"targets"`}},
		{sequences, sequence.Batch{Prompts: ok, Targets: [][]int32{{17}}}, 0, []string{"2 prompts", "1 targets"}},
		{sequences, sequence.Batch{Prompts: ok, Targets: [][]int32{{17}, {}}}, 0, []string{"targets[1]", "empty"}},
		{sequences, sequence.Batch{Prompts: [][]int32{{16}, nil}}, 0, []string{"prompts[1]", "empty"}},
		{sequences, sequence.Batch{Prompts: [][]int32{{16, 21}}}, 0, []string{"prompts[0][1]", "21", "0 to 20"}},
		{sequences, sequence.Batch{Prompts: [][]int32{{-1}}}, 0, []string{"prompts[0][0]", "-1"}},
		{sequences, sequence.Batch{Prompts: ok, Targets: [][]int32{{17}, {17, 99}}}, 0, []string{"targets[1][1]", "99"}},
		{sequences, sequence.Batch{Prompts: [][]int32{{16, 1, 2}}}, 2, []string{"prompts[0]", "3", "2"}},
		{sequences, sequence.Batch{Prompts: [][]int32{{16}}, Targets: [][]int32{{1, 2, 17}}}, 2, []string{"targets[0]", "3", "2"}},
		{classes, sequence.Batch{Prompts: ok, Targets: ok}, 0, []string{`"targets"`, `"labels"`}},
		{classes, sequence.Batch{Prompts: ok, Labels: []int32{1}}, 0, []string{"2 prompts", "1 labels"}},
		{classes, sequence.Batch{Prompts: ok, Labels: []int32{0, 3}}, 0, []string{"labels[1]", "3", "0 to 2"}},
		{classes, sequence.Batch{Prompts: ok, Labels: []int32{-1, 0}}, 0, []string{"labels[0]", "-1"}},
		{classes, sequence.Batch{Prompts: [][]int32{{16, 30}}, Labels: []int32{0}}, 0, []string{"prompts[0][1]", "30"}},
	} {
		err := x.b.Validate(x.s, x.limit)
		if x.words == nil {
			assert.True(t, err == nil, "%+v: %v", x.b, err)
			continue
		}
		assert.OneLine(t, fmt.Sprintf("%+v", x.b), err, x.words...)
	}
}
