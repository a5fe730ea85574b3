package train

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"mhacsp/model/backend"
	"mhacsp/model/sequence"
	"mhacsp/tasks"
)

// Cause is why a step left the numbers.
type Cause int

// The causes, each with another remedy.
const (
	Diverged Cause = iota // the parameters or the loss: the steps before were too long
	States                // the gradient of one sample's states grew with every token; with a bound it is finite
	Gradient              // the gradient of one sample, for another reason
)

// boundThatWorks is the state_clip of recommended runs, and what is advised where states are the cause (SPEC §8).
const boundThatWorks = 0.2

// NotFiniteError says where a run left the numbers, and why. The parameters are those before the step.
type NotFiniteError struct {
	Step int
	// Tensor is the first parameter or gradient that is not finite;
	// where all are, the norm of the gradient or the loss.
	Tensor string
	Cause  Cause
	Sample *FailedSample // one of them where Cause is Diverged; nil where a parameter is not finite
}

// FailedSample is the sample of a step whose own gradient is not finite, or the greatest.
type FailedSample struct {
	Index  uint64 // its number in the training role
	Tokens int    // of prompt and target
	Path   string // of the file that it stands in; empty where the program draws it
	Line   int    // there, from 1
}

func (s *FailedSample) String() string {
	if s.Path != "" {
		return fmt.Sprintf("%s, line %d, %d tokens", s.Path, s.Line, s.Tokens)
	}
	return fmt.Sprintf("training sample %d, %d tokens", s.Index, s.Tokens)
}

// Error names the step, the tensor, the sample and what helps.
func (e *NotFiniteError) Error() string { return e.Named("state_clip") }

// Named is Error with another name for the key state_clip.
func (e *NotFiniteError) Named(stateClip string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "step %d: %s is not finite", e.Step, e.Tensor)
	switch {
	case e.Sample == nil:
	case e.Cause == Diverged:
		fmt.Fprintf(&b, ", through several samples (the first: %s)", e.Sample)
	default:
		fmt.Fprintf(&b, ", through one sample (%s)", e.Sample)
	}
	if e.Cause == States {
		b.WriteString(", in which the gradient of the states grows with every token")
	}
	b.WriteString("; the update was not made. Start a new run with ")
	switch {
	case e.Cause == States:
		fmt.Fprintf(&b, "%s %v", stateClip, boundThatWorks)
	case e.Cause == Diverged, e.Sample.Path == "": // the program draws other samples each time
		b.WriteString("a lower learning rate or gradient clip")
	case e.Step == 1: // no rate has had an effect yet
		b.WriteString("that sample shortened or left out")
	default:
		b.WriteString("a lower learning rate, or that sample shortened or left out")
	}
	return b.String()
}

// diagnose finds out why a step is bad. Gradients are computed again: the step behind it has overwritten them, but not
// the parameters.
func (t *Trainer) diagnose(x *slot) error {
	e := &NotFiniteError{Step: x.report.Step, Tensor: "loss"}
	name, _, err := t.farthest("parameter ", t.Network.Params().Values())
	if err != nil {
		return err
	}
	if name != "" {
		e.Tensor = name
		return e
	}
	t.gradients(&x.batch)
	if name, _, err = t.farthest("gradient of ", t.Network.Params().Grads()); err != nil {
		return err
	}
	switch {
	case name != "":
		e.Tensor = name
	case finite(x.report.Loss):
		e.Tensor = "norm of the gradient"
	}
	i, err := t.worst(&x.batch)
	if err != nil {
		return err
	}
	if e.Sample, err = t.located(x, i); err != nil {
		return err
	}
	if !finite(x.report.Loss) { // is it that sample alone?
		for _, rest := range [2]sequence.Batch{x.batch.Part(0, i), x.batch.Part(i+1, len(x.batch.Prompts))} {
			if len(rest.Prompts) == 0 {
				continue
			}
			if norm, err := t.norm(&rest); err != nil || !finite(norm) {
				return cmp.Or(err, error(e))
			}
		}
	}
	e.Cause = Gradient
	if clip := x.batch.StateClip; t.Run.Config.Traits().Units > 0 && (clip == 0 || clip > boundThatWorks) {
		alone := x.batch.Part(i, i+1)
		alone.StateClip = boundThatWorks
		norm, err := t.norm(&alone)
		if err != nil {
			return err
		}
		if finite(float64(float32(norm * norm))) {
			e.Cause = States
		}
	}
	return e
}

// farthest is the first tensor of a flat buffer that is not finite, empty where all are, and the buffer's norm.
func (t *Trainer) farthest(kind string, flat backend.Vec) (name string, norm float64, err error) {
	params := t.Network.Params()
	numbers, err := params.Download(flat)
	if err != nil {
		return "", 0, err
	}
	sum := 0.0
	for _, p := range params.Tensors {
		for _, v := range numbers[p.Offset : p.Offset+p.Len] {
			if sum += float64(v) * float64(v); name == "" && !finite(float64(v)) {
				name = kind + p.Name
			}
		}
	}
	return name, math.Sqrt(sum), nil
}

// norm is that of a batch's gradient, without the helpers of Spread.
func (t *Trainer) norm(b *sequence.Batch) (float64, error) {
	t.Network.Backend().Zero(t.Network.Params().Grads())
	t.Network.Gradients(b)
	_, norm, err := t.farthest("", t.Network.Params().Grads())
	return norm, err
}

// worst is the number of the sample in a batch whose gradient is not finite, or the greatest. It goes on in the half
// that has it, so that two batches are computed altogether.
func (t *Trainer) worst(b *sequence.Batch) (int, error) {
	from, to := 0, len(b.Prompts)
	for to-from > 1 {
		mid := (from + to) / 2
		var norms [2]float64
		for i, half := range [2]sequence.Batch{b.Part(from, mid), b.Part(mid, to)} {
			var err error
			if norms[i], err = t.norm(&half); err != nil {
				return 0, err
			}
		}
		if finite(norms[0]) && !(norms[0] >= norms[1]) {
			from = mid
		} else {
			to = mid
		}
	}
	return from, nil
}

// located says which sample is number i of a step, and where it stands.
func (t *Trainer) located(x *slot, i int) (*FailedSample, error) {
	c, sample := t.Run.Training, x.samples[i]
	s := &FailedSample{Index: uint64(x.report.Step-1)*uint64(c.Batch) + uint64(i),
		Tokens: len(sample.Prompt) + len(sample.Target)}
	var err error
	if task, ok := t.Task.(tasks.Placed); ok {
		s.Path, s.Line, err = task.Place(tasks.Draw{Seed: c.Seed, Role: tasks.Train}, s.Index)
	}
	return s, err
}
