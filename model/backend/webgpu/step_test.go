//go:build cgo || js

package webgpu

import (
	"fmt"
	"math"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/optim"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
)

// TestFirstStep: the first training step's loss lies within 1e-5 and its gradient within 1e-4 of the float64 CPU's (or
// as far as float32 goes), for every preset and supervision at a small width; and two runs give the same bits, the
// update included.
func TestFirstStep(t *testing.T) {
	// One of each for all cases: a browser takes seconds to compile the kernels.
	soft, hard := open(t), open(t).(*Backend)
	defer soft.Close()
	defer hard.Close()
	hard.soft = false
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
			preset, err := zoo.Preset(x.preset)
			if err != nil {
				t.Fatal(err)
			}
			c := sequencetest.Small(t, preset, keys)
			b := arithmetic(t, 6)
			loss, grad, _ := step(t, cpu.NewReference[float64](), c, b)
			gotLoss, got, values := step(t, soft, c, b)
			if e := math.Abs(float64(gotLoss-loss)) / float64(loss); !(e <= 1e-5) {
				t.Errorf("loss %v, the CPU has %v", gotLoss, loss)
			}
			// Two blocks are ill-conditioned: where the plain float32 loops miss the bound, so may we, by slack at
			// most.
			const slack = 10
			_, plain, _ := step(t, cpu.NewReference[float32](), c, b)
			if e, of := relative(got, grad), relative(plain, grad); !(e <= max(1e-4, slack*of)) {
				t.Errorf("gradient differs by %.2g, that of the plain float32 loops by %.2g", e, of)
			}
			hardLoss, onGPU, _ := step(t, hard, c, b)
			if e := math.Abs(float64(hardLoss-loss)) / float64(loss); !(e <= 1e-5) {
				t.Errorf("as a GPU gets it: loss %v, the CPU has %v", hardLoss, loss)
			}
			if e, of := relative(onGPU, grad), relative(plain, grad); !(e <= max(1e-4, slack*of)) {
				t.Errorf("as a GPU gets it: gradient differs by %.2g, that of the plain float32 loops by %.2g",
					e, of)
			}
			_, again, after := step(t, soft, c, b)
			for i := range again {
				if again[i] != got[i] || after[i] != values[i] {
					t.Fatalf("element %d: gradient %v then %v, parameter %v then %v",
						i, got[i], again[i], values[i], after[i])
				}
			}
		})
	}
}

// relative is ‖a−b‖/‖b‖.
func relative(a, b []float32) float64 {
	var diff, norm float64
	for i, x := range b {
		d := float64(a[i]) - float64(x)
		diff, norm = diff+d*d, norm+float64(x)*float64(x)
	}
	return math.Sqrt(diff / norm)
}

// small is what makes a network small enough for a software adapter.
func small(supervision string) sequencetest.Keys {
	return sequencetest.Keys{"width": 12, "supervision": supervision, "embedding_std": 0.3}
}

// arithmetic is a batch of the main task.
func arithmetic(t *testing.T, n int) *sequence.Batch {
	task, err := tasks.New("arithmetic", tasks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := &sequence.Batch{AnswerWeight: 3}
	for i := range n {
		var s tasks.Sample
		task.Sample(&s, tasks.Draw{Seed: 5}, uint64(i))
		b.Prompts, b.Targets, b.AnswerAt = append(b.Prompts,
			s.Prompt), append(b.Targets, s.Target), append(b.AnswerAt, s.AnswerAt)
	}
	return b
}

// step makes one training step and returns the loss, the gradient and the parameters after it.
func step(t *testing.T, device backend.Backend, c sequence.Config, b *sequence.Batch) (float32, []float32, []float32) {
	t.Helper()
	m, err := c.Open(device)
	if err != nil {
		t.Fatal(err)
	}
	m.Initialise(3)
	m.Gradients(b)
	adam := optim.NewAdam(optim.Options{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Clip: 1, Decay: 1e-4}, device, m.Params())
	adam.Step(1e-3, m.Results().Slice(sequence.ResultLoss, 1), backend.Vec{})
	loss, err := m.Loss()
	if err != nil {
		t.Fatal(err)
	}
	grad, err := m.Params().Download(m.Params().Grads())
	if err != nil {
		t.Fatal(err)
	}
	values, err := m.Params().Download(m.Params().Values())
	if err != nil {
		t.Fatal(err)
	}
	return loss, grad, values
}
