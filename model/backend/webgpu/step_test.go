//go:build cgo || js

package webgpu

import (
	"fmt"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/firststep"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// TestFirstStep: the first training step's loss lies within 1e-5 and its gradient within 1e-4 of the float64 CPU's (or
// as far as float32 goes), for every preset and supervision at a small width; and two runs give the same bits, the
// update included.
func TestFirstStep(t *testing.T) {
	device := opened(t) // one for all cases: a browser takes seconds to compile the kernels
	type setting struct{ preset, supervision, ablation string }
	var list []setting
	for _, p := range zoo.Presets() {
		for _, supervision := range sequencetest.Supervisions(p.New()) {
			list = append(list, setting{p.Name, supervision, "none"})
		}
	}
	list = append(list, // with gradients of the kernels' that no preset asks for
		setting{"mha-csp-m", "final", "learned-omega"}, setting{"mha-csp-m", "final", "norm-memory"})
	for _, x := range list {
		t.Run(fmt.Sprintf("%s/%s/%s", x.preset, x.supervision, x.ablation), func(t *testing.T) {
			keys := small(x.supervision)
			keys["ablation"] = x.ablation
			c := sequencetest.Small(t, assert.Must(zoo.Preset(x.preset))(t), keys)
			b := arithmetic(t, 0, 6)
			yard := assert.Must(firststep.NewReference(c, b))(t)
			judge := func(what string) (s firststep.Step) {
				s.Loss, s.Gradient, s.Values = step(t, device, c, b)
				_, err := yard.Judge(s)
				assert.True(t, err == nil, "%s: %v", what, err)
				return s
			}
			assert.NoError(t, judge("once").Same(judge("again")))
		})
	}
}

// small is what makes a network small enough for a software adapter.
func small(supervision string) sequencetest.Keys {
	return sequencetest.Keys{"width": 12, "supervision": supervision, "embedding_std": 0.3}
}

// arithmetic is a batch of the main task: n samples from the first.
func arithmetic(t *testing.T, first, n int) *sequence.Batch {
	task := assert.Must(tasks.New("arithmetic", tasks.Options{}))(t)
	b := &sequence.Batch{AnswerWeight: 3}
	for i := range n {
		var s tasks.Sample
		task.Sample(&s, tasks.Draw{Seed: 5}, uint64(first+i))
		b.Prompts, b.Targets = append(b.Prompts, s.Prompt), append(b.Targets, s.Target)
		b.AnswerAt = append(b.AnswerAt, s.AnswerAt)
	}
	return b
}

// step makes one training step and returns the loss, the gradient and the parameters after it.
func step(t *testing.T, device backend.Backend, c sequence.Config, b *sequence.Batch) (float32, []float32, []float32) {
	t.Helper()
	s := assert.Must(firststep.Make(device, c, b))(t)
	return s.Loss, s.Gradient, s.Values
}
