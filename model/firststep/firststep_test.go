package firststep_test

import (
	"slices"
	"testing"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/firststep"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks/assert"
)

// TestJudge: the fast path of the CPU is within the bounds, and a step that is a little wrong is not.
func TestJudge(t *testing.T) {
	preset := assert.Must(zoo.Preset("mha-csp"))(t)
	c := sequencetest.Small(t, preset, sequencetest.Keys{"width": 12, "embedding_std": 0.3})
	b := &sequence.Batch{
		Prompts: [][]int32{{1, 2, 3, 4}, {5, 6}}, Targets: [][]int32{{7, 17}, {8, 9, 17}},
		AnswerAt: []int{0, 0}, AnswerWeight: 3,
	}
	yard := assert.Must(firststep.NewReference(c, b))(t)
	device := cpu.New()
	defer device.Close()
	right := assert.Must(firststep.Make(device, c, b))(t)
	off, err := yard.Judge(right)
	assert.True(t, err == nil && off.Gradient > 0, "the fast path: %+v, %v", off, err)
	for what, bend := range map[string]func(*firststep.Step){
		"loss":     func(s *firststep.Step) { s.Loss *= 1.0001 },
		"gradient": func(s *firststep.Step) { s.Gradient[slices.Index(s.Gradient, slices.Max(s.Gradient))] *= 1.01 },
	} {
		wrong := right
		wrong.Gradient, wrong.Values = slices.Clone(right.Gradient), slices.Clone(right.Values)
		bend(&wrong)
		_, err := yard.Judge(wrong)
		assert.True(t, err != nil, "a wrong %s goes unnoticed", what)
	}
	other := right
	other.Values = slices.Clone(right.Values)
	other.Values[len(other.Values)-1] += 1e-6
	assert.True(t, right.Same(right) == nil && right.Same(other) != nil,
		"Same does not tell steps apart by their bits")
}
