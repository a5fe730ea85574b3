package protocol

import (
	"encoding/json"
	"fmt"

	"mhacsp/model/ask"
	"mhacsp/model/trace"
	"mhacsp/model/train"
	"mhacsp/tasks"
)

// Event is a message to the page.
type Event interface {
	// Type is the message's "type".
	Type() string
}

// Encode writes an event's JSON with its type and, where it is not 0, the id of the command that it answers.
func Encode(e Event, id int) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("protocol: event %q cannot be written: %w", e.Type(), err)
	}
	head := fmt.Sprintf(`{"type":%q`, e.Type())
	if id != 0 {
		head += fmt.Sprintf(`,"id":%d`, id)
	}
	if len(body) > len("{}") {
		head += ","
	}
	return append([]byte(head), body[1:]...), nil
}

// Ready is sent once, when the program runs and nothing is open yet.
type Ready struct {
	Version string `json:"version"`
	WebGPU  bool   `json:"webgpu"` // the browser has the interface; whether it has an adapter shows on open
}

// Opened describes what was opened.
type Opened struct {
	Run        json.RawMessage `json:"run"`        // the whole configuration, defaults filled in
	Step       int             `json:"step"`       // training steps made
	Learned    int             `json:"learned"`    // steps behind the weights: those of a file that was opened too
	State      string          `json:"state"`      // Paused, or Ended where nothing is left of the run
	Parameters int             `json:"parameters"` // trained numbers
	Memory     int64           `json:"memory"`     // bytes allocated on the device so far; grows with the first steps
	Backend    string          `json:"backend"`    // gpu or cpu
	Adapter    string          `json:"adapter"`    // what computes
	Software   bool            `json:"software"`   // a GPU interface that runs on the processor
	// Notice is plain words where WebGPU is missing, refused or in software; else empty.
	Notice  string `json:"notice"`
	Example string `json:"example"` // a prompt of the task, as one would type it
	// Filed tells, of a run of the user's own data, whether its files are there: without them it only answers.
	Filed bool `json:"filed,omitempty"`
	// Columns are the fields or columns that a new run's training file has, and Warnings what is odd in its files.
	Columns  []string `json:"columns,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// States of Status.
const (
	Idle    = "idle"    // nothing is open
	Running = "running" // training
	Paused  = "paused"  // something is open
	Ended   = "done"    // the run has come to its own end
)

// Status is where training stands.
type Status struct {
	State          string  `json:"state"`
	Step           int     `json:"step"`
	StepsPerSecond float64 `json:"stepsPerSecond"`  // of the last second; 0 while nothing trains
	Memory         int64   `json:"memory"`          // bytes allocated on the device
	Cores          int     `json:"cores,omitempty"` // of the processor that computed the last step
}

// Steps are the training steps since the last such message, at most one message in 50 ms.
type Steps struct {
	Steps []train.Step `json:"steps"`
}

// Tally counts the samples of a group and the shares of them that came right.
type Tally struct {
	Samples int     `json:"samples"`
	Exact   float64 `json:"exact"`  // the whole output is the target; for labels the same as Answer
	Answer  float64 `json:"answer"` // the answer is right
}

// OperandGroup are the samples with that many operands.
type OperandGroup struct {
	Operands int `json:"operands"`
	Tally
}

// DepthGroup are the samples with brackets of such a depth.
type DepthGroup struct {
	Depth int `json:"depth"`
	Tally
}

// LengthGroup are the strings of at most Length characters that are in no shorter group.
type LengthGroup struct {
	Length int `json:"length"`
	Tally
}

// FieldGroup are the samples of the user's own data with a value in a field, both in Group: "length=5".
type FieldGroup struct {
	Group string `json:"group"`
	Tally
}

// Eval is a validation or a test, all answers free-running.
type Eval struct {
	Step int     `json:"step"`
	Role string  `json:"role"`
	Loss float64 `json:"loss"`
	Tally
	Common     float64        `json:"common"`     // share of the most common answer: what guessing it would reach
	ByOperands []OperandGroup `json:"byOperands"` // expressions
	ByDepth    []DepthGroup   `json:"byDepth"`
	ByLength   []LengthGroup  `json:"byLength"`          // strings
	ByGroup    []FieldGroup   `json:"byGroup,omitempty"` // the user's own data
	ByClass    []Class        `json:"byClass,omitempty"` // labels
}

// Class is the samples of one label in an evaluation. As are they by the label that they were given, in the order of
// the classes; Given is how many samples were given this one.
type Class struct {
	Label string `json:"label"`
	Count int    `json:"count"`
	Given int    `json:"given"`
	Right int    `json:"right"`
	As    []int  `json:"as"`
}

// Reading answers "read": everything that the phase circle draws of one text. The page hands it on to the circle.
type Reading struct {
	trace.Reading
	Unpractised []tasks.Unpractised `json:"unpractised,omitempty"`
	Instead     string              `json:"instead,omitempty"` // a text that is practised, of the same right answer
}

// SampleList answers "samples".
type SampleList struct {
	Samples []ask.Sample `json:"samples"`
}

// LengthSet is the accuracy at one length, or one number of operands.
type LengthSet struct {
	Name     string  `json:"name"`
	Length   int     `json:"length,omitempty"`
	Operands int     `json:"operands,omitempty"`
	Samples  int     `json:"samples"`
	Accuracy float64 `json:"accuracy"`
	Chance   float64 `json:"chance"` // share of the most common answer
}

// LengthList answers "lengths".
type LengthList struct {
	Sets []LengthSet `json:"sets"`
}

// Point is a token's embedding in its first two principal components.
type Point struct {
	Token string  `json:"token"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// Embedding is the embedding matrix seen through its principal components.
type Embedding struct {
	Points   []Point   `json:"points"`   // the task's characters, in the components of their rows
	Spectrum []float64 `json:"spectrum"` // share of variance of each component of the whole matrix, falling
}

// Timing answers "bench": training steps of the preset mha-csp on random prompts and targets of fixed lengths.
type Timing struct {
	Backend      string    `json:"backend"`
	Adapter      string    `json:"adapter"`
	Software     bool      `json:"software"`
	Batch        int       `json:"batch"`
	Prompt       int       `json:"prompt"` // tokens
	Target       int       `json:"target"` // tokens
	Parameters   int       `json:"parameters"`
	Milliseconds []float64 `json:"milliseconds"` // of each step, after those that warm up
}

// Saved is a checkpoint.
type Saved struct {
	Step int    `json:"step"`
	Name string `json:"name"` // a file name for it

	Checkpoint []byte `json:"-"`
	State      []byte `json:"-"` // nil unless asked for
}

// Preparing tells that a kernel is ready which what was asked for had to wait for.
type Preparing struct {
	Done int `json:"done"`
	All  int `json:"all"` // that it waits for; with Done = All it goes on
}

// Forms tells of the forms of the GPU's kernels, which a run's first steps measure.
type Forms struct {
	Record any  `json:"record"` // a tune.Record, to be kept in place of that of its key, and given to the next open
	Used   bool `json:"used"`   // the run goes on with it
}

// Warning is something to know that the run survives.
type Warning struct {
	Text string `json:"text"`
}

// Error says what was wrong, the value, and what to do.
type Error struct {
	Text     string `json:"text"`
	Field    string `json:"field,omitempty"`    // of the command or configuration, where one is to blame
	At       int    `json:"at"`                 // character of the typed text, from 0; −1: none
	Expected string `json:"expected,omitempty"` // what could stand there
	Fatal    bool   `json:"fatal"`              // nothing is open any more; open again, from the last save
	Aborted  bool   `json:"aborted,omitempty"`  // a newer command ended the one that asked for figures
	// Columns are the fields or columns of a file of the user's in which one is missing.
	Columns []string `json:"columns,omitempty"`
}

// Error is the text.
func (e *Error) Error() string { return e.Text }

// Done is the end of a run.
type Done struct {
	Step   int    `json:"step"`
	Reason string `json:"reason"` // finished or stopped early
}

func (Ready) Type() string      { return "ready" }
func (Opened) Type() string     { return "opened" }
func (Status) Type() string     { return "status" }
func (Steps) Type() string      { return "steps" }
func (Eval) Type() string       { return "eval" }
func (Reading) Type() string    { return "reading" }
func (SampleList) Type() string { return "samples" }
func (LengthList) Type() string { return "lengths" }
func (Embedding) Type() string  { return "embedding" }
func (Timing) Type() string     { return "bench" }
func (Saved) Type() string      { return "saved" }
func (Warning) Type() string    { return "warning" }
func (Preparing) Type() string  { return "preparing" }
func (Forms) Type() string      { return "forms" }
func (*Error) Type() string     { return "error" }
func (Done) Type() string       { return "done" }

// Files are the checkpoint and, where there is one, the state: they travel as ArrayBuffers under these names.
func (s Saved) Files() map[string][]byte {
	files := map[string][]byte{"checkpoint": s.Checkpoint}
	if s.State != nil {
		files["state"] = s.State
	}
	return files
}
