package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"mhacsp/model/checkpoint"
)

// possible refuses an optimizer file with numbers that no run leaves: at load, because training would end in the next
// steps, and before it is written, so that the last checkpoint is always a good one.
func possible(c Config, f *checkpoint.File) error {
	var p progress
	if err := json.Unmarshal([]byte(f.Metadata["progress"]), &p); err != nil {
		return fmt.Errorf("metadata key \"progress\" is no JSON: %w", err)
	}
	far := reachOf(c, p.Step)
	means := map[string][]float32{}
	for _, t := range f.Tensors {
		if name, ok := strings.CutPrefix(t.Name, "adam.m."); ok {
			means[name] = t.Data
		}
	}
	for _, t := range f.Tensors {
		kind, name, _ := strings.Cut(strings.TrimPrefix(t.Name, "adam."), ".")
		m := means[name]
		for i, x := range t.Data {
			x := math.Abs(float64(x))
			switch {
			case !finite(x):
				return fmt.Errorf("tensor %q holds %v, which is not finite", t.Name, t.Data[i])
			case kind == "v" && t.Data[i] < 0:
				return fmt.Errorf("tensor %q, a mean of squares, holds %v", t.Name, t.Data[i])
			case kind == "v" && i < len(m) && math.Abs(float64(m[i])) > far.mean*math.Sqrt(x)+leastMean:
				return fmt.Errorf("tensor %q holds %v, which its mean of squares %v excludes",
					"adam.m."+name, m[i], t.Data[i])
			case kind == "m" && x > mostSquared, (kind == "param" || kind == "best") && x > far.param:
				return fmt.Errorf("tensor %q holds %v, which is too large", t.Name, t.Data[i])
			}
		}
	}
	l := p.Curriculum
	switch {
	case p.Step < 0 || p.Step > c.Steps:
		return fmt.Errorf(`metadata key "progress" says step %d of a run of %d`, p.Step, c.Steps)
	case p.Adam != p.Step, p.Early.Since < 0, p.Early.Step < 0, p.Early.Step > p.Step, !finite(p.Early.Best),
		!(l.Limit >= 0 && l.Limit <= 1<<20), !(l.Accuracy >= 0 && l.Accuracy <= 1.001),
		!(l.Seen >= 0 && l.Seen <= 1.001), l.Age < 0, l.Count < 0,
		p.Waiting.Hits < 0, p.Waiting.Hits > p.Waiting.Count, p.Waiting.Limit < 0,
		p.Pending != "" && p.Pending != pendingValidation && p.Pending != pendingTest:
		return errors.New(`metadata key "progress" holds numbers that no run leaves`)
	}
	return nil
}

// StrayedError says where a run's numbers, though finite at each step, were found to be useless.
type StrayedError struct {
	Step int
	What string
}

// Error says so, and what to do.
func (e *StrayedError) Error() string {
	return fmt.Sprintf("step %d: %s; no checkpoint was written of that. "+
		"Start a new run with a lower learning rate or gradient clip", e.Step, e.What)
}

// mostSquared is the greatest number whose square is finite in float32, as the squares of all gradients are that a
// step was made with. Below leastMean the squares of a gradient may have become 0.
const (
	mostSquared = 1.8e19
	leastMean   = 1e-15
)

// reach is how far training leaves its numbers.
type reach struct {
	param float64 // from 0
	mean  float64 // of gradients, in roots of their mean square
}

// reachOf follows from Adam's equations (SPEC §8). By the inequality of Cauchy and Schwarz a mean m is at most
// (1−β₁)/√((1−β₂)(1−β₁²/β₂))·√v where β₁² < β₂, and a step then moves a number by at most that over 1−β₁, times the
// rate. Settings may have been changed by hand on the way: hence a hundred times as much is let through. Start values
// are below 1e5.
func reachOf(c Config, step int) reach {
	const slack, start = 100, 1e5
	q := c.Beta1 * c.Beta1 / c.Beta2
	if !(q < 1) || c.Optimizer == "adamw" && c.LR*c.WeightDecay > 2 { // the decay then makes numbers larger
		return reach{mostSquared, math.Inf(1)}
	}
	mean := slack * (1 - c.Beta1) / math.Sqrt((1-c.Beta2)*(1-q))
	return reach{min(mostSquared, start+float64(step)*c.LR*mean/(1-c.Beta1)), mean}
}
