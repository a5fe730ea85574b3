// Package protocol is the contract between a page and the trainer in its Web Worker: what each may send to the other.
// It knows no browser.
//
// Every message is one JavaScript object with a "type". A command may carry an "id", a number above 0, which its reply
// or its error carries too. Numbers are plain numbers. Files travel next to the JSON as ArrayBuffers of the same
// object ("checkpoint", "state"; of the user's own data "train", "validation", "test"); they are transferred.
//
// # Commands
//
//	open      run, backend, forms?, cores?,       opened      build a model, or load one; replaces what was open
//	          plain?, checkpoint?, state?
//	          data?, train?, validation?, test?               a run of the user's own data (.github/your-own-data.md)
//	start                                         status      train until the run's end or pause
//	pause                                         status      stop after the step under way
//	step      count                               status      make that many steps, then stop
//	reset                                         opened      the same start values, step 0
//	seek      step                                status      go to that step, back or forward, bit for bit as if trained there
//	speed     stepsPerSecond                      status      bound the rate; 0: as fast as possible
//	read      text                                reading     everything that the phase circle draws
//	samples   n                                   samples     test samples with the model's free-running answers
//	evaluate  n, role                             eval
//	lengths   n                                   lengths     accuracy beyond the trained lengths
//	embedding                                     embedding   the digits in their two principal components
//	save      full                                saved       a checkpoint; full: with all that training needs to go on
//	load      checkpoint, state?, run?, backend,
//	          forms?, cores?, plain?              opened      as open, with the run that stands in the file
//	bench     backend, cores?, n, count           bench       time training steps of batch n; what is open stays
//
// Commands are carried out in order, between training steps; none waits for training to end, and training goes on
// after those that only ask. While an evaluation is under way, those that only ask do not wait for it either; pause,
// step, seek, reset, open and load end it, save waits. One that evaluate or lengths asked for is ended by start
// too, and not by pause; its error is then "aborted".
//
// The user's own data are JSON lines. A new run of them needs "data" and "train"; without "validation" a tenth of the
// samples is taken for it (own.Split). A run that goes on needs the same files and no "data". A checkpoint that comes
// without them only answers: "filed" of its opened is false.
//
// Where the engine has relaxed vectors the processor computes a product and a sum as one operation, whose bits are
// those of that engine on that processor. With "plain" they are two, and the bits are the same in every engine.
//
// # Events
//
// Ready, Opened, Status, Steps, Eval, Reading, SampleList, LengthList, Embedding, Saved, Warning, Error and Done, in
// their own words below. Steps, Eval, Warning, Status and Done come unasked while a run trains, Forms in its first
// seconds on a GPU, Preparing whenever kernels are compiled.
package protocol

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"mhacsp/tasks/strict"
)

// Command is a message from the page. Which fields count depends on Type; see the package comment.
type Command struct {
	Type string `json:"type"`
	ID   int    `json:"id,omitempty"` // 0: the reply carries none

	// Run is a flat configuration (FORMATS.md); keys left out keep their defaults.
	Run            json.RawMessage `json:"run,omitempty"`
	Backend        string          `json:"backend,omitempty"`        // auto, gpu or cpu
	Cores          int             `json:"cores,omitempty"`          // at most, of the processor; 0: as suits it
	Plain          bool            `json:"plain,omitempty"`          // the processor fuses no product and sum
	Count          int             `json:"count,omitempty"`          // steps
	Step           int             `json:"step,omitempty"`           // training step to go to
	StepsPerSecond float64         `json:"stepsPerSecond,omitempty"` // 0: no bound
	Text           string          `json:"text,omitempty"`           // as typed
	N              int             `json:"n,omitempty"`              // samples
	Role           string          `json:"role,omitempty"`           // train, validation or test
	Full           bool            `json:"full,omitempty"`
	Forms          json.RawMessage `json:"forms,omitempty"` // those of all "forms" so far; absent: none is chosen

	Data *Data `json:"data,omitempty"` // of a new run of the user's own data

	Checkpoint []byte `json:"-"` // safetensors (FORMATS.md)
	State      []byte `json:"-"` // what Saved.State was

	// Files are JSON lines by role: train, validation and test.
	Files map[string][]byte `json:"-"`
}

// Data says what the files of a new run are. A name is for messages, and for the run's configuration.
type Data struct {
	Train      string   `json:"train"`
	Validation string   `json:"validation,omitempty"`
	Test       string   `json:"test,omitempty"`
	Tokens     string   `json:"tokens,omitempty"` // characters, the default, or words
	Groups     []string `json:"groups"`           // fields of the breakdown; null: "group", where lines have it
	// Fields are the names of fields or columns by what they are for: prompt, target, label (your-own-data.md).
	Fields map[string]string `json:"fields,omitempty"`
}

// Names of the commands.
const (
	Open     = "open"
	Start    = "start"
	Pause    = "pause"
	Step     = "step"
	Reset    = "reset"
	Seek     = "seek"
	Speed    = "speed"
	Read     = "read"
	Samples  = "samples"
	Evaluate = "evaluate"
	Lengths  = "lengths"
	Embed    = "embedding"
	Save     = "save"
	Load     = "load"
	Bench    = "bench"
)

// fields says what each command may carry in addition to type and id.
var fields = map[string][]string{
	Open: {"run", "backend", "cores", "plain", "data", "forms"}, Start: {}, Pause: {}, Step: {"count"}, Reset: {},
	Seek: {"step"}, Speed: {"stepsPerSecond"}, Read: {"text"}, Samples: {"n"}, Evaluate: {"n", "role"},
	Lengths: {"n"}, Embed: {}, Save: {"full"}, Load: {"run", "backend", "cores", "plain", "forms"},
	Bench: {"backend", "cores", "n", "count"},
}

// Bounds of a command's numbers.
const (
	maxCount   = 1 << 30
	maxSamples = 1 << 16
	maxCores   = 64
	maxRate    = 1e6
)

// ParseCommand reads a command's JSON; the files come with Attach. Refused makes an event of its error.
func ParseCommand(text []byte) (Command, error) {
	var c Command
	if err := strict.UnmarshalKnown(text, &c); err != nil {
		var head struct {
			ID int `json:"id"`
		}
		_ = json.Unmarshal(text, &head) // where even this fails the error goes out without an id
		c.ID = head.ID
		if bad, ok := errors.AsType[*strict.Error](err); ok && bad.Key != "" && !bad.Unknown {
			return c, refuse(bad.Key, "command %v", err)
		}
		return c, refuse("", "command is not readable: %v", err)
	}
	may, ok := fields[c.Type]
	if !ok {
		return c, strict.OneOf("type", c.Type, slices.Sorted(maps.Keys(fields)))
	}
	var given map[string]json.RawMessage
	_ = json.Unmarshal(text, &given) // an object, for it has a type
	for key := range given {
		if key != "type" && key != "id" && !slices.Contains(may, key) {
			return c, refuse(key, "command %q takes no %q; leave it out", c.Type, key)
		}
	}
	return c, c.validate(given)
}

// validate checks bounds and puts the defaults in.
func (c *Command) validate(given map[string]json.RawMessage) error {
	for _, field := range fields[c.Type] {
		var err error
		switch field {
		case "backend":
			c.Backend = cmp.Or(c.Backend, "auto")
			err = strict.OneOf(field, c.Backend, []string{"auto", "gpu", "cpu"})
		case "cores":
			err = strict.Within(field, c.Cores, 0, maxCores)
		case "step":
			err = strict.Within(field, c.Step, 0, maxCount)
		case "stepsPerSecond":
			err = strict.Within(field, c.StepsPerSecond, 0, maxRate)
		case "role":
			c.Role = cmp.Or(c.Role, "test")
			err = strict.OneOf(field, c.Role, roles)
		case "count":
			if given["count"] == nil {
				c.Count = 1
			}
			err = strict.Within(field, c.Count, 1, maxCount)
		case "n":
			err = strict.Within(field, c.N, 1, maxSamples)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// roles are the names of data files, and of draws.
var roles = []string{"train", "validation", "test"}

// Attach gives a command the files that came with it.
func (c *Command) Attach(files map[string][]byte) error {
	for name, data := range files {
		switch {
		case c.Type != Open && c.Type != Load:
			return refuse(name, "command %q takes no file; leave %q out", c.Type, name)
		case name == "checkpoint":
			c.Checkpoint = data
		case name == "state":
			c.State = data
		case slices.Contains(roles, name):
			if c.Files == nil {
				c.Files = map[string][]byte{}
			}
			c.Files[name] = data
		default:
			return refuse(name, "command %q takes no file %q; "+
				"give checkpoint, state, train, validation or test", c.Type, name)
		}
	}
	switch {
	case c.Type == Load && c.Checkpoint == nil:
		return refuse("checkpoint", `command "load" needs "checkpoint"; give the bytes of a .safetensors file`)
	case c.Files != nil && c.Files["train"] == nil:
		return refuse("train", `a file of data is given without "train"; give the training file too`)
	case c.Data != nil && c.Files == nil:
		return refuse("train", `"data" is given without "train"; give the bytes of the training file`)
	case c.Type == Open && c.State != nil && c.Checkpoint == nil:
		return refuse("state", `"state" is given without "checkpoint"; give both, as "save" wrote them`)
	}
	return nil
}

// Refused is an error as an event: itself where it is one, and it blames the key that a *strict.FieldError names.
func Refused(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e := &Error{Text: err.Error(), At: -1}
	if bad := new(strict.FieldError); errors.As(err, &bad) {
		e.Field = bad.Key
	}
	return e
}

// refuse is an *Error that blames a field of a command.
func refuse(field, format string, values ...any) error {
	return &Error{Text: fmt.Sprintf(format, values...), Field: field, At: -1}
}
