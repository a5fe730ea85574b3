package train

import (
	"fmt"
	"slices"
	"testing"

	"mhacsp/model/backend"
)

// journal writes down what it hears of steps.
type journal struct{ said []string }

func (j *journal) Begin() { j.said = append(j.said, "begin") }

func (j *journal) End(l backend.Lap) {
	if !(l.Tokens >= l.Longest && l.Longest > 0) {
		j.said = append(j.said, fmt.Sprintf("wrong %+v", l))
	}
	if l.Seconds > 0 {
		j.said = append(j.said, "end")
	} else {
		j.said = append(j.said, "end, untimed")
	}
}

// TestLaps: each step begins and ends once, the next one begins before, and one that began with nothing under way has
// no time; one that began before anybody listened is not heard of.
func TestLaps(t *testing.T) {
	r := tiny(t, "arithmetic")
	x := trainer(t, r, network(t, r))
	j := &journal{}
	advance := func(drain bool) {
		t.Helper()
		_, _, err := x.Advance()
		if err == nil && drain {
			_, _, err = x.Drain()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	advance(false)
	x.Laps = j
	advance(false)
	advance(false)
	advance(true)
	advance(true)
	x.Laps = nil
	advance(true)
	want := []string{"begin", "begin", "end", "begin", "end", "end", "begin", "end, untimed"}
	if !slices.Equal(j.said, want) {
		t.Errorf("heard %q, want %q", j.said, want)
	}
}
