package album

import "mhacsp/model/study"

// RunOf is a study's finished cell as figures see it. task says in words what it learned.
func RunOf(c study.Cell, task string) *Run {
	r := &Run{
		Path: c.Name, Task: task, Run: c.Run, Origin: c.Origin, Step: c.Steps, Loss: c.Loss,
		Samples: c.Run.Training.EvalSamples, Report: c.Test, Role: "test", Tested: c.Steps,
		Inside: c.Inside, Recorded: true,
	}
	for _, p := range c.Validations {
		r.Validation.Add(float64(p.Step), p.Loss)
		r.Exact.Add(float64(p.Step), p.Exact)
		r.Answer.Add(float64(p.Step), p.Answer)
		r.Guess = p.Guess
	}
	return r
}
