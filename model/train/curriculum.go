package train

import (
	"fmt"

	"mhacsp/tasks"
)

// curriculum moves the limit of the training draws (SPEC §8). A length limit starts small, grows by 1.2 when the
// running accuracy at the limit reaches 98 % and shrinks by 0.7 when the limit fails, as often as it takes, after the
// full length was mastered too: a network that lost its rule finds it again on short strings within some hundred
// steps, on long ones only when the learning rate has become small. An operand limit gains one when the running answer
// accuracy at the limit reaches 0.8; it never shrinks.
type curriculum struct {
	kind  tasks.Limit
	full  int
	from  int
	state limitState
}

// limitState is what a checkpoint keeps of a curriculum.
type limitState struct {
	Limit    float64 `json:"limit"`
	Accuracy float64 `json:"accuracy"` // running, of samples at the limit
	Seen     float64 `json:"seen"`     // weight of the running mean, for its bias correction
	Age      int     `json:"age"`      // steps since the limit last moved
	Count    int     `json:"count"`    // samples at the limit in that time
	Over     bool    `json:"over"`     // the full range is mastered: no limit unless the rule is lost
}

// Constants of SPEC §8; the memory and the trial period are ours, in steps.
const (
	lengthGrowth, lengthShrink = 1.2, 0.7
	lengthTarget               = 0.98
	operandTarget              = 0.8
	runningDecay               = 0.8 // of the running accuracy, a step
	trialSteps                 = 60  // a limit has failed when it is this old and below trialTarget
	trialTarget                = 0.7 // below it the full length, once mastered, is lost
	// An operand limit is dropped that has less than one sample a step after that many steps.
	rareSteps = 50
)

func newCurriculum(t tasks.Task, on bool) *curriculum {
	if k := t.Curriculum(); on && k.Limit != tasks.None {
		return &curriculum{k.Limit, k.Full, k.From, limitState{Limit: float64(k.From)}}
	}
	return &curriculum{}
}

// limit is the bound in force, 0 for none.
func (c *curriculum) limit() int {
	if c.kind == tasks.None || c.state.Over {
		return 0
	}
	return int(c.state.Limit)
}

// apply bounds a draw.
func (c *curriculum) apply(d *tasks.Draw) {
	switch c.kind {
	case tasks.Length:
		d.MaxLength = c.limit()
	case tasks.Operands:
		d.MaxOperands = c.limit()
	}
}

// at reports whether a sample is as hard as a limit allows; where the limit is 0, as the full range does.
func (c *curriculum) at(limit int, s *tasks.Sample) bool {
	if limit == 0 {
		limit = c.full
	}
	if c.kind == tasks.Length {
		return s.Length*4 >= limit*3
	}
	return s.Operands >= limit
}

// tally is one step's results at the limit that it was drawn under.
type tally struct {
	Limit int `json:"limit"`
	Hits  int `json:"hits"`
	Count int `json:"count"`
}

// take counts a step's results, unless the limit has moved since the step was drawn.
func (c *curriculum) take(t tally) {
	if t.Limit == c.limit() {
		c.update(t.Hits, t.Count)
	}
}

// update takes one step's results at the limit, or at the full range where that is over: hits of count samples.
func (c *curriculum) update(hits, count int) {
	s := &c.state
	if c.kind == tasks.None || s.Over && c.kind == tasks.Operands {
		return
	}
	s.Age++
	s.Count += count
	if c.kind == tasks.Operands && s.Age >= rareSteps && s.Count < s.Age {
		s.Over = true // expressions of this size are too rare to wait for: the limit hardly cuts anything
		return
	}
	if count > 0 {
		s.Accuracy = runningDecay*s.Accuracy + (1-runningDecay)*float64(hits)/float64(count)
		s.Seen = runningDecay*s.Seen + 1 - runningDecay
	}
	if s.Seen < 0.6 { // about five steps of this limit
		return
	}
	running := s.Accuracy / s.Seen
	if c.kind == tasks.Operands {
		if running >= operandTarget {
			c.move(s.Limit+1, true)
		}
		return
	}
	switch {
	case s.Over:
		if running < trialTarget {
			c.move(float64(c.full)*lengthShrink, false)
		}
	case running >= lengthTarget:
		c.move(max(s.Limit*lengthGrowth, s.Limit+1), true)
	case s.Age >= trialSteps && running < trialTarget:
		c.move(max(s.Limit*lengthShrink, float64(c.from)), false)
	}
}

func (c *curriculum) move(limit float64, grown bool) {
	if c.state.Limit >= float64(c.full) && grown {
		c.state.Over = true
		return
	}
	c.state = limitState{Limit: min(limit, float64(c.full))}
}

// unfinished says that the run ends before its curriculum; the test then asks what was never trained.
func (c *curriculum) unfinished() string {
	limit := c.limit()
	if limit == 0 || limit >= c.full {
		return ""
	}
	return fmt.Sprintf("it has practised up to %d of %d %s, and has not learned longer ones: give the run more steps",
		limit, c.full, map[tasks.Limit]string{tasks.Operands: "operands", tasks.Length: "characters"}[c.kind])
}
