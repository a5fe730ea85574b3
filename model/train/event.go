package train

import "mhacsp/model/metric"

// Event is what a run reports: Started, Step, Evaluation, Warning or Done. Its event is what the log calls it.
type Event interface{ event() string }

// Started is the beginning of a run, or of its continuation.
type Started struct {
	Step    int `json:"step"` // steps made before
	Process int `json:"process"`
	Origin
	Subject
	Split    string `json:"split"`
	Seed     uint64 `json:"seed"`
	Steps    int    `json:"steps"`              // of the whole run
	Extended []int  `json:"extended,omitempty"` // the steps that it had before it was extended
	// Changed are the keys of config.json that were changed by hand since the last checkpoint.
	Changed []string `json:"changed,omitempty"`
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

// StepRecord is a Step in the log.
type StepRecord struct {
	Step
	Count int `json:"count"` // samples in the batch
}

// Evaluation is a validation or the final test.
type Evaluation struct {
	Step    int     `json:"step"`
	Role    string  `json:"role"`    // validation or test
	Seconds float64 `json:"seconds"` // wall time that it took

	Report metric.Report `json:"report"`
}

// EvaluationRecord is an Evaluation in the log.
type EvaluationRecord struct {
	Evaluation
	Rates
}

// Warning is something the user should know and the run survives.
type Warning struct {
	Step int    `json:"step"`
	Text string `json:"text"`
	Err  error  `json:"-"` // the same; a *strict.FieldError where a key is to blame
}

// Done is the end of a run.
type Done struct {
	Step   int    `json:"step"`
	Reason string `json:"reason"` // finished, stopped early, interrupted
}

func (Started) event() string    { return "start" }
func (Step) event() string       { return "step" }
func (Evaluation) event() string { return "eval" }
func (Warning) event() string    { return "warning" }
func (Done) event() string       { return "done" }
