package train

import (
	"fmt"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/tasks/assert"
)

// journal writes down what it hears of steps.
type journal struct {
	said   []string
	asked  int // of the present step's gradient
	repeat int // how often a gradient is computed once more
}

func (j *journal) Begin() { j.said, j.asked = append(j.said, "begin"), 0 }

func (j *journal) Again(gradient backend.Vec) bool {
	if j.asked++; !gradient.Given() {
		j.said = append(j.said, "no gradient")
	}
	return j.asked <= j.repeat
}

func (j *journal) End(l backend.StepTime) {
	if !(l.Tokens >= l.Longest && l.Longest > 0) {
		j.said = append(j.said, fmt.Sprintf("wrong %+v", l))
	}
	j.said = append(j.said, map[bool]string{true: "end", false: "end, untimed"}[l.Seconds > 0])
}

// TestObserver: each step begins and ends once, the next one begins before, and one that began with nothing under way
// has no time; one that began before anybody listened is not heard of.
func TestObserver(t *testing.T) {
	r := tiny(t, "arithmetic")
	x := trainer(t, r, network(t, r))
	j := &journal{}
	advance := func(drain bool) {
		t.Helper()
		_, _, err := x.Advance()
		if err == nil && drain {
			_, _, err = x.Drain()
		}
		assert.NoError(t, err)
	}
	advance(false)
	x.Observer = j
	advance(false)
	advance(false)
	advance(true)
	advance(true)
	x.Observer = nil
	advance(true)
	assert.Is(t, j.said, []string{"begin", "begin", "end", "begin", "end", "end", "begin", "end, untimed"}, "heard")
}

// TestObserverAgain: a gradient that is computed several times is that of one step, which leaves the same parameters.
func TestObserverAgain(t *testing.T) {
	r := tiny(t, "arithmetic")
	var ends [2][]float32
	for i := range ends {
		n := network(t, r)
		x := trainer(t, r, n)
		j := &journal{repeat: 2 * i}
		x.Observer = j
		for range 3 {
			_, _, err := x.Advance()
			assert.NoError(t, err)
			assert.Is(t, j.asked, j.repeat+1, "asked … times, to repeat %d times", j.repeat)
		}
		ends[i] = parameters(t, n)
		assert.Is(t, x.Count(), 3, "steps")
	}
	assert.Is(t, ends[0], ends[1], "a repeated gradient leaves other parameters")
}
