package train

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mhacsp/model/checkpoint"
	"mhacsp/model/metric"
	"mhacsp/tasks"
)

// What records have in common, metrics.jsonl and what eval prints: their keys are one schema (FORMATS.md).

// Origin is what made a record, and where.
type Origin struct {
	Version string `json:"version"` // of the program
	Commit  string `json:"commit"`  // that it was built of
	Host    string `json:"host"`
	Device  string `json:"device"`            // what computes
	Threads int    `json:"threads,omitempty"` // of the processor; a GPU has none
}

// Subject is what a record is about.
type Subject struct {
	Model      string `json:"model"`
	Parameters int    `json:"parameters"`
	Task       string `json:"task"`
	// The task's options, their defaults filled in: Preset and Format of arithmetic, lengths of strings in characters.
	Preset    string `json:"preset,omitempty"`
	Format    string `json:"format,omitempty"`
	MinLength int    `json:"min_length,omitempty"`
	MaxLength int    `json:"max_length,omitempty"`
	Brackets  *bool  `json:"brackets,omitempty"`
	Operators string `json:"operators,omitempty"`
}

// SubjectOf describes a network of that many parameters on a task with its options.
func SubjectOf(model string, parameters int, task tasks.Task, o tasks.Options) Subject {
	s := Subject{Model: model, Parameters: parameters, Task: task.Name(), Preset: o.Preset, Format: o.Format,
		Brackets: o.Brackets, Operators: o.Operators}
	s.MinLength, s.MaxLength = tasks.Lengths(task)
	if s.Task == DefaultTask {
		s.Preset, s.Format = cmp.Or(s.Preset, "author"), cmp.Or(s.Format, "repeat")
	}
	return s
}

// Rates are the shares of a report's samples that are right, with their standard errors.
type Rates struct {
	ExactRate   float64 `json:"exact_rate"`
	ExactError  float64 `json:"exact_se"`
	AnswerRate  float64 `json:"answer_rate"`
	AnswerError float64 `json:"answer_se"`
}

// RatesOf are those of all samples.
func RatesOf(r metric.Report) Rates {
	return Rates{r.ExactRate(), r.ExactError(), r.AnswerRate(), r.AnswerError()}
}

// StampFormat is how records tell the time, in UTC.
const StampFormat = "2006-01-02T15:04:05.000Z"

// Stamp is a time as records tell it.
func Stamp(t time.Time) string { return t.UTC().Format(StampFormat) }

// greatest optimizer file that StepOf reads, in bytes.
const mostRead = 256 << 20

// StepOf is the step that a checkpoint was written at. One that does not say it itself tells it in a run's folder: a
// kept one by its name, the last one by the optimizer's file, where that is of the same parameters.
func StepOf(path string, f *checkpoint.File) (step int, ok bool) {
	if step, ok := StepIn(f); ok {
		return step, true
	}
	if n, _ := fmt.Sscanf(filepath.Base(path), keptName, &step); n == 1 {
		return step, true
	}
	beside := filepath.Join(filepath.Dir(path), OptimizerFile)
	if info, err := os.Stat(beside); err != nil || info.Size() > mostRead || filepath.Base(path) != ModelFile {
		return 0, false
	}
	state, err := checkpoint.ReadFile(beside)
	if err != nil {
		return 0, false
	}
	for _, t := range f.Tensors {
		own, ok := state.Find("param." + t.Name)
		if !ok || !slices.Equal(own.Data, t.Data) {
			return 0, false
		}
	}
	var p progress
	err = json.Unmarshal([]byte(state.Metadata["progress"]), &p)
	return p.Step, err == nil
}
