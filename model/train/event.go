package train

import (
	"mhacsp/model/metric"
)

// Event is what a run reports: Started, Step, Evaluation, Warning or Done.
type Event interface{ event() }

// Started is the beginning of a run, or of its continuation.
type Started struct {
	Step   int    `json:"step"`   // steps made before
	Device string `json:"device"` // what computes
}

// Step is one training step.
type Step struct {
	Step    int     `json:"step"`
	Loss    float64 `json:"loss"`   // of this batch
	Exact   float64 `json:"exact"`  // share of this batch's samples with every target token most probable
	Answer  float64 `json:"answer"` // share with the answer most probable
	LR      float64 `json:"lr"`
	Norm    float64 `json:"norm"`    // gradient norm before clipping
	Tokens  int     `json:"tokens"`  // prompt and target tokens in the batch
	Limit   int     `json:"limit"`   // the curriculum's limit, 0 without one
	Seconds float64 `json:"seconds"` // wall time of the step
}

// Evaluation is a validation or the final test.
type Evaluation struct {
	Step   int           `json:"step"`
	Role   string        `json:"role"` // validation or test
	Report metric.Report `json:"report"`
}

// Warning is something the user should know and the run survives.
type Warning struct {
	Step int    `json:"step"`
	Text string `json:"text"`
}

// Done is the end of a run.
type Done struct {
	Step   int    `json:"step"`
	Reason string `json:"reason"` // finished, stopped early, interrupted
}

func (Started) event()    {}
func (Step) event()       {}
func (Evaluation) event() {}
func (Warning) event()    {}
func (Done) event()       {}
