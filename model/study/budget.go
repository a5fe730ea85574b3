package study

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"mhacsp/model/checkpoint"
	"mhacsp/model/train"
	"mhacsp/tasks"
	"mhacsp/tasks/own"
)

// Speed is how fast a model was on a machine: a few steps of sequences, or of strings with labels.
type Speed struct {
	Model  string  `json:"model"`
	Labels bool    `json:"labels"`
	Tokens float64 `json:"tokens_per_second"` // in training
	// Flops are the operations of the products that a token takes in training; a multiply-add is two.
	Flops float64 `json:"flops_per_token"`
	Time  string  `json:"time"`
	train.Origin
}

// ReadSpeeds takes what was measured in a study's folder, or of records; a file that is none says nothing, since it
// only stands next to the report and every pass writes it again.
func ReadSpeeds(dir string) (speeds []Speed, err error) {
	text, err := checkpoint.ReadText(filepath.Join(dir, SpeedFile))
	if errors.Is(err, fs.ErrNotExist) || err == nil && json.Unmarshal(text, &speeds) != nil {
		return nil, nil
	}
	return speeds, err
}

// MergeSpeeds are old ones, and new ones in the place of old ones of the same kind.
func MergeSpeeds(old, new []Speed) []Speed {
	all := slices.Clone(old)
	for _, s := range new {
		i := slices.IndexFunc(all, func(x Speed) bool { return x.Model == s.Model && x.Labels == s.Labels })
		if i < 0 {
			i, all = len(all), append(all, s)
		}
		all[i] = s
	}
	return all
}

// Cost is what a cell takes, in seconds of one core.
type Cost struct {
	Seed  uint64
	Steps int     // that it would make
	Step  float64 // seconds a step
	Thin  float64 // in addition to the steps: starting and a test
	Fixed float64 // the same of a whole cell, whose test is longer: also longer strings and clocks
	Begun bool    // it is half: it goes on with the steps that it has
	Again bool    // it finished thin: it is made again where there is room for all of its steps
	Long  bool    // it trains for as long as the paper: with fewer steps it would be another column's
	Shown bool    // a whole cell of its column and row is there, next to which no table shows a thin one
}

// entire reports whether a cell gets all of its steps or none.
func (c Cost) entire() bool { return c.Long || c.Again || c.Shown }

// All is what that many steps take, and what is next to them.
func (c Cost) All(steps int) float64 {
	if steps < c.Steps {
		return c.Thin + float64(steps)*c.Step
	}
	return c.Fixed + float64(steps)*c.Step
}

// Fit is how many steps fit in that many seconds, 0 where they are too few for a cell.
func (c Cost) Fit(seconds float64) int {
	n, share := min(c.Steps, int((seconds-c.Thin)/c.Step)), least
	if c.entire() {
		share = 1
	}
	if float64(n) < share*float64(c.Steps) || n < 1 {
		return 0
	}
	return n
}

const (
	// What an evaluation takes compared with a training step, a token: so it was for mha-csp-m and csp on one core,
	// rounded up.
	evaluating = 0.7
	starting   = 0.5 // seconds: processes
	probing    = 3e5 // tokens that a probe without cuts takes as long as
)

// LengthTests is how many samples of each set of longer strings a cell is asked, 1 024 at most.
func (c Cell) LengthTests() int { return min(1024, c.Run.Training.TestSamples) }

// stepTokens is how many tokens a step has: of own data, whose files are closed, as if all samples were the longest.
func stepTokens(r train.Run) (float64, error) {
	if r.Training.Data == nil {
		return r.Tokens(4)
	}
	t, err := own.Parse(*r.Training.Data)
	if err != nil {
		return 0, err
	}
	return float64(r.Training.Batch * (t.MaxPrompt() + t.MaxTarget())), nil
}

// Lengths are how long the strings of a training are under its curriculum, as a share of full ones: of a column
// with a row, and with an empty row of a column. A model that does not learn is shown short ones to the end.
type Lengths map[Need]float64

// LengthsOf takes them from whole cells, each by its own clock: what a training sample took compared with what one of
// its validations and its test took, which are of full length. So the machine, and what else ran on it, do not count.
// Cells that write texts say nothing: what an evaluation of these took has changed.
func LengthsOf(cells []Cell) Lengths {
	all := map[Need][]float64{}
	for _, c := range cells {
		if !c.Whole() || !c.shortened() || len(c.Validations) == 0 {
			continue
		}
		t, last := c.Run.Training, c.Validations[len(c.Validations)-1]
		step := last.Seconds / float64(last.Step)
		evaluated := float64(len(c.Validations)*t.EvalSamples + t.TestSamples)
		full := (c.Seconds - step*float64(c.Steps)) / evaluated / evaluating
		if share := step / float64(t.Batch) / full; full > 0 && share > 0 {
			for _, key := range []Need{c.Need(), {Column: c.Column}} {
				all[key] = append(all[key], min(1, share))
			}
		}
	}
	lengths := Lengths{}
	for key, shares := range all {
		slices.Sort(shares)
		lengths[key] = shares[len(shares)/2]
	}
	return lengths
}

// of is the share of a cell's row, where none is known that of its column, else 1.
func (l Lengths) of(c Cell) float64 {
	if !c.shortened() {
		return 1
	}
	return cmp.Or(l[c.Need()], l[Need{Column: c.Column}], 1)
}

// shortened reports whether a cell trains on strings with a curriculum.
func (c Cell) shortened() bool { return c.Run.Training.Curriculum && c.Run.Config.Shape().Classes > 0 }

// Estimate is what is left of a cell, by the speed of its model and the lengths of its strings.
func Estimate(c Cell, speeds []Speed, lengths Lengths) (cost Cost, err error) {
	cost = Cost{Seed: c.Run.Training.Seed, Steps: c.Of - c.Steps, Begun: c.State == Half || c.State == Failed,
		Long: Short(c.Column) != ""}
	if c.State == Damaged || c.State == Absent || c.Thin() {
		cost.Steps, cost.Again = c.Asked, c.Thin()
		if c.Run, err = c.Spec.Asked(); err != nil { // a thin one has a test of another size
			return cost, err
		}
	}
	if cost.Begun { // of one stopped in its last validation or test no step is left, and 0 would say that it waits
		cost.Steps = max(1, cost.Steps)
	}
	r := c.Run
	labels := r.Config.Shape().Classes > 0
	at := slices.IndexFunc(speeds, func(s Speed) bool { return s.Model == r.Config.Name() && s.Labels == labels })
	if at < 0 {
		return cost, fmt.Errorf("the speed of %s was not measured", r.Config.Name())
	}
	token := 1 / speeds[at].Tokens
	tokens, err := stepTokens(r)
	if err != nil {
		return cost, err
	}
	answered := evaluating * token
	r.Training.LongShare = 0 // no share of what is evaluated is drawn long
	sample, err := stepTokens(r)
	if err != nil {
		return cost, err
	}
	sample /= float64(r.Training.Batch)
	validation := answered * sample * float64(r.Training.EvalSamples)
	cost.Step = token*tokens*lengths.of(c) + validation/float64(max(1, r.Training.EvalEvery))
	cost.Thin = starting + answered*sample*thinSamples
	cost.Fixed = starting + answered*sample*float64(r.Training.TestSamples)
	for _, o := range tasks.LengthSets(r.Training.Task, r.Training.Options) {
		cost.Fixed += answered * float64(c.LengthTests()*(o.MinLength+o.MaxLength)) / 2
	}
	if r.Config.Traits().Units > 0 {
		cost.Fixed += token * probing
	}
	return cost, nil
}

// least is the part of its steps that a cell gets at least, or it does not run.
const least = 0.02

// Spend says how many steps each cell gets, in a budget of seconds of one core of which no cell may take more than
// most. 0: it does not run. Cells stand in the order of their worth, the first seed first. What is begun goes on.
//
// If all fit, all get their steps. If those of the first seed fit, the others get theirs in order, each that still
// fits. Else the first seed's cells get all of their steps, in order, while these take no more than half of the
// budget; what is left goes to the rest of them, each the same share of its steps. Below a fiftieth the last ones get
// none. What finished thin before is made again with all of its steps, or left as it is. Long cells, and those of a
// row that has a whole one, get all of their steps or none; long ones come behind the others. What then is left goes,
// in order, to cells that fit with all of their steps.
func Spend(costs []Cost, seconds, most float64) []int {
	steps, left := make([]int, len(costs)), seconds
	give := func(i int, keep float64) {
		if all := costs[i].All(costs[i].Steps); steps[i] == 0 && all <= min(most, left-keep) {
			steps[i], left = costs[i].Steps, left-all
		}
	}
	var first []int // cells of the first seed that are not begun
	need := 0.0
	for i, c := range costs {
		switch {
		case c.Begun:
			give(i, 0)
		case c.Seed == costs[0].Seed && !c.Long:
			first = append(first, i)
			need += c.All(c.Steps)
		}
	}
	if need <= left {
		for i := range costs {
			give(i, 0)
		}
	} else {
		half := left / 2
		for _, i := range first {
			give(i, half)
		}
	}
	rest := slices.DeleteFunc(first, func(i int) bool { return steps[i] > 0 || costs[i].entire() })
	for ; len(rest) > 0; rest = rest[:len(rest)-1] {
		share := shareOf(costs, rest, left, most)
		if share < least {
			continue
		}
		for _, i := range rest {
			steps[i] = costs[i].thin(share, most)
			left -= costs[i].All(steps[i])
		}
		break
	}
	for i := range costs {
		give(i, 0)
	}
	return steps
}

// thin is a share of the steps, fewer where they would take more than most.
func (c Cost) thin(share, most float64) int {
	n := max(1, int(share*float64(c.Steps)))
	if c.All(n) > most {
		n = int((most - c.Thin) / c.Step)
	}
	return max(0, n)
}

// shareOf is the greatest share of their steps, 1 at most, that fits for all of the cells.
func shareOf(costs []Cost, cells []int, seconds, most float64) float64 {
	fits := func(share float64) bool {
		sum := 0.0
		for _, i := range cells {
			sum += costs[i].All(costs[i].thin(share, most))
		}
		return sum <= seconds
	}
	low, high := 0.0, 1.0
	if fits(1) {
		return 1
	}
	for range 40 {
		if middle := (low + high) / 2; fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
