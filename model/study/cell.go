package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mhacsp/model/checkpoint"
	"mhacsp/model/metric"
	"mhacsp/model/study/curve"
	"mhacsp/model/study/inside"
	"mhacsp/model/train"
	"mhacsp/tasks"
)

// The files that a study adds to a run's folder. Each is written whole, after what it is about.
const (
	EvalFile   = "eval.jsonl"  // what `mhacsp eval --lengths --json` prints
	ProbeFile  = "probe.json"  // what `mhacsp probe --json` prints
	HeadsFile  = "heads.json"  // Heads
	FailedFile = "failed.json" // why the training ended; removed when it is tried again
)

// Files are all of them.
func Files() []string { return []string{EvalFile, ProbeFile, HeadsFile, FailedFile} }

// State is how far a cell is.
type State string

// The states of a cell.
const (
	Absent   State = "absent"   // nothing was begun
	Running  State = "running"  // a process trains it
	Half     State = "half"     // it can go on
	Finished State = "finished" // to the end of its own steps
	Failed   State = "failed"   // the training ended with an error, or it cannot be read; another try goes on
	Damaged  State = "damaged"  // its records cannot be believed: it is made again
)

// Cell is what a run's folder says.
type Cell struct {
	Spec
	State  State
	Reason string // of failed, damaged and running

	Asked int // steps that the plan asks for
	Of    int // that the run makes

	Run   train.Run // as it was asked for in its folder; of an absent or damaged cell as the plan asks for it
	Stale string    // why what is there of it must be made again
	Outcome
}

// Outcome is what came of a cell.
type Outcome struct {
	Ended       string  `json:"ended"` // when the run came to its end
	Parameters  int     `json:"parameters"`
	Steps       int     `json:"steps"`        // that were made
	Seconds     float64 `json:"seconds"`      // wall time of steps and evaluations
	StepSeconds float64 `json:"step_seconds"` // median of a step
	train.Origin
	Validations []Point        `json:"validations"`
	Loss        curve.Curve    `json:"loss"` // of the training steps, thinned to CurvePoints
	Test        *metric.Report `json:"test"` // of a finished cell

	// Evaluated says that everything below was tried; of whole cells alone.
	Evaluated bool          `json:"evaluated"`
	Lengths   []Evaluation  `json:"lengths,omitempty"`
	Probe     *Probe        `json:"probe,omitempty"`
	Heads     *HeadsRecord  `json:"heads,omitempty"`
	Inside    inside.Inside `json:"inside"` // of a cell that is known by its record alone
}

// CurvePoints is how many points a curve of training has at most.
const CurvePoints = 100

// Thin reports whether the cell finished with fewer steps than the plan asks for.
func (c Cell) Thin() bool { return c.State == Finished && c.Of < c.Asked }

// Whole reports whether the cell finished with all of its steps. Verdicts rest on such cells alone.
func (c Cell) Whole() bool { return c.State == Finished && c.Of >= c.Asked }

// Share is the part of the steps asked for that was made.
func (c Cell) Share() float64 { return float64(c.Steps) / float64(max(c.Asked, 1)) }

// Point is a validation.
type Point struct {
	Step    int     `json:"step"`
	Seconds float64 `json:"seconds"` // that the steps up to here took
	Exact   float64 `json:"exact"`
	Answer  float64 `json:"answer"`
	Guess   float64 `json:"guess"` // a constant guess
	Loss    float64 `json:"loss"`
}

// Evaluation is a line of EvalFile. Where the evaluation failed it has Error and no more.
type Evaluation struct {
	Error string `json:"error,omitempty"`
	train.Origin
	train.Subject
	Step *int    `json:"step"`
	N    int     `json:"n"`
	Time string  `json:"time"`
	Took float64 `json:"seconds"`
	metric.Report
}

// Probe is what a study takes from ProbeFile. Of a model that cannot be probed it has Error alone.
type Probe struct {
	Error     string  `json:"error,omitempty"`
	Units     int     `json:"units"`
	Chance    float64 `json:"chance"`
	Clocks    []Clock `json:"clocks"`
	HalfTurns []Clock `json:"half_turns"`
}

// Clock is a unit that follows the value so far (CLOCKS.md).
type Clock struct {
	Unit int     `json:"unit"`
	K    int     `json:"k"`
	R    float64 `json:"r"`
}

// HeadsRecord is HeadsFile: the heads of each block, or why there are none.
type HeadsRecord struct {
	Error  string  `json:"error,omitempty"`
	Blocks []Heads `json:"blocks"`
}

// Alive is how long after its last sign of life a lock counts as held; a holder gives one every 4 s (FORMATS.md).
const Alive = 15 * time.Second

// Held reports whether the lock in a cell's folder counts as held at a time. A killed process leaves one, for so long.
func Held(dir string, now time.Time) bool {
	info, err := os.Stat(filepath.Join(dir, train.LockFile))
	return err == nil && now.Sub(info.ModTime()) < Alive
}

// Read says how far the cell in a folder is. now is the time by which a lock is judged. An error is one of the plan;
// what is wrong with the folder is the cell's State and Reason.
func Read(s Spec, dir string, now time.Time) (Cell, error) {
	c := Cell{Spec: s, State: Absent}
	asked, err := s.Asked()
	if err != nil {
		return c, err
	}
	c.Run, c.Asked, c.Of = asked, asked.Training.Steps, asked.Training.Steps
	damaged := func(err error) (Cell, error) {
		c = Cell{Spec: s, State: Damaged, Reason: err.Error(), Run: asked, Asked: asked.Training.Steps}
		if train.OfSystem(err) { // what cannot be read now may be whole: nothing of it is made again
			c.State, c.Of = Failed, c.Asked
		}
		if Held(dir, now) { // it is being written, perhaps since the lock was looked for
			c.State, c.Of, c.Reason = Running, c.Asked, "another process trains it"
		}
		return c, nil
	}
	if Held(dir, now) {
		c.State, c.Reason = Running, "another process trains it"
	}
	if _, err := os.Stat(filepath.Join(dir, train.ConfigFile)); errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	r, err := train.ReadRun(dir)
	if err != nil {
		return damaged(err)
	}
	if err := c.same(r); err != nil {
		return damaged(err)
	}
	c.Run, c.Of = r, r.Training.Steps
	running := c.State == Running
	if err := c.readLog(dir); err != nil {
		return damaged(err)
	}
	switch {
	case running:
		c.State = Running
	case c.State == Finished:
		_, err := os.Stat(filepath.Join(dir, train.ModelFile))
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s is missing, though the run is finished", train.ModelFile)
		}
		if err != nil {
			return damaged(err)
		}
		if err := c.extras(dir); err != nil {
			c.Lengths, c.Probe, c.Heads, c.Evaluated = nil, nil, nil, false
			if !errors.Is(err, fs.ErrNotExist) {
				c.Stale = err.Error()
			}
		}
	default:
		c.State = Half
		var f struct{ Message string }
		text, err := checkpoint.ReadText(filepath.Join(dir, FailedFile))
		if err == nil && json.Unmarshal(text, &f) == nil {
			c.State, c.Reason = Failed, f.Message
		}
	}
	return c, nil
}

// same refuses a run that is not the plan's, whatever its steps.
func (c *Cell) same(r train.Run) error {
	want, err := c.Spec.Run(r.Training.Steps)
	if err != nil {
		return err
	}
	changes, err := r.Changes(want)
	if err != nil || len(changes) == 0 {
		return err
	}
	x := changes[0]
	return fmt.Errorf("%s is of another run: %s is %s, the plan has %s", train.ConfigFile, x.Key, x.Here, x.There)
}

// readLog takes the events of a run. It fills the cell, and sets Finished where the run came to its end.
func (c *Cell) readLog(dir string) error {
	var steps []float64
	var loss curve.Curve
	spent, done := 0.0, ""
	for line, err := range train.ReadLog(dir) {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if line.Event == nil && line.Cut { // a killed process was writing it
			break
		}
		wrong := func(format string, args ...any) error {
			return fmt.Errorf("line %d of %s "+format, append([]any{line.Line, train.MetricsFile}, args...)...)
		}
		if done == "finished" || done == "stopped early" {
			return wrong("stands behind the end of the run")
		}
		switch e := line.Event.(type) {
		case nil:
			return wrong("is no event of a run")
		case train.Started:
			c.Origin, c.Parameters = e.Origin, e.Parameters
		case train.Step:
			if e.Step != len(steps)+1 {
				return wrong("is step %d, behind step %d", e.Step, len(steps))
			}
			steps = append(steps, e.Seconds)
			spent += e.Seconds
			loss.Add(float64(e.Step), e.Loss)
		case train.Evaluation:
			if err := believable(&e.Report, c.Run.Training, e.Role); err != nil {
				return wrong("is an evaluation that none leaves: %w", err)
			}
			c.Seconds += e.Seconds
			if e.Role == "test" {
				c.Test = &e.Report
			} else {
				c.Validations = append(c.Validations, Point{e.Step, spent, e.Report.ExactRate(),
					e.Report.AnswerRate(), e.Report.Majority, e.Report.Loss})
			}
		case train.Done:
			done, c.Ended = e.Reason, line.Time
		}
	}
	c.Steps, c.Seconds, c.Loss = len(steps), c.Seconds+spent, loss.Thin(CurvePoints)
	if len(steps) > 0 {
		slices.Sort(steps)
		c.StepSeconds = (steps[(len(steps)-1)/2] + steps[len(steps)/2]) / 2
	}
	switch {
	case done != "finished" && done != "stopped early":
		c.Test = nil
		return nil
	case done == "finished" && c.Steps != c.Of:
		return fmt.Errorf("%s says finished after %d of %d steps", train.MetricsFile, c.Steps, c.Of)
	case c.Test == nil && c.Run.Training.TestSamples > 0:
		return fmt.Errorf("%s has no test, though the run is finished", train.MetricsFile)
	}
	c.State = Finished
	return nil
}

// believable refuses counts that no evaluation leaves.
func believable(r *metric.Report, t train.Config, role string) error {
	if r == nil {
		return errors.New("an evaluation without a report")
	}
	want := t.EvalSamples
	if role == "test" {
		want = t.TestSamples
	}
	if r.Count != want {
		return fmt.Errorf("the %s has %d samples, the run asks for %d", role, r.Count, want)
	}
	return counted(*r)
}

func counted(r metric.Report) error {
	for _, t := range []metric.Tally{r.Tally, r.Computed, r.Trivial} {
		if t.Exact < 0 || t.Exact > t.Count || t.Answer < 0 || t.Answer > t.Count {
			return fmt.Errorf("%d exact and %d right answers of %d samples", t.Exact, t.Answer, t.Count)
		}
	}
	if r.Computed.Count+r.Trivial.Count != r.Count || !(r.Majority >= 0 && r.Majority <= 1) ||
		math.IsNaN(r.Loss) || math.IsInf(r.Loss, 0) {
		return errors.New("the counts of an evaluation do not add up")
	}
	return nil
}

// extras takes what was measured after the training. Where some is damaged or of another model all is made again.
func (c *Cell) extras(dir string) error {
	text, err := checkpoint.ReadText(filepath.Join(dir, EvalFile))
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		var e Evaluation
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("%s: a line is no JSON", EvalFile)
		}
		if err := c.longer(e); err != nil {
			return fmt.Errorf("%s: %w", EvalFile, err)
		}
		c.Lengths = append(c.Lengths, e)
	}
	if of := c.Run.Training; len(c.Lengths) == 0 && len(tasks.LengthSets(of.Task, of.Options)) > 0 {
		return fmt.Errorf("%s has no evaluation", EvalFile)
	}
	for name, into := range map[string]any{ProbeFile: &c.Probe, HeadsFile: &c.Heads} {
		text, err := checkpoint.ReadText(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return fmt.Errorf("%s is no JSON", name)
		}
	}
	c.Evaluated = true
	return nil
}

// longer refuses an evaluation on longer strings that is none of the cell.
func (c *Cell) longer(e Evaluation) error {
	switch {
	case e.Error != "":
		return nil
	case e.Model != c.Run.Config.Name() || e.Task != c.Run.Training.Task || e.Step != nil && *e.Step != c.Steps:
		return errors.New("an evaluation is of another model")
	case e.Count != e.N || counted(e.Report) != nil:
		return errors.New("the counts of an evaluation do not add up")
	}
	return nil
}

// CellsFolder holds the cells of a study, PlanFile its plan, SpeedFile how fast its models were where it ran last.
const (
	CellsFolder = "cells"
	PlanFile    = "plan.json"
	SpeedFile   = "speed.json"
)

// ReadAll reads every cell of a plan in a study's folder.
func ReadAll(p Plan, dir string, now time.Time) ([]Cell, error) {
	var cells []Cell
	for _, s := range p.Cells {
		c, err := Read(s, filepath.Join(dir, CellsFolder, s.Name), now)
		if err != nil {
			return nil, err
		}
		cells = append(cells, c)
	}
	return cells, nil
}
