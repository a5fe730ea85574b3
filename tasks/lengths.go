package tasks

import (
	"cmp"

	"mhacsp/tasks/strict"
)

// lengths is a range of string lengths in characters, all of one parity if step is 2.
type lengths struct {
	low, high int
	step      int // 1, or 2
	shortest  int // the shortest string that exists; gives the parity
}

// Lengths are the shortest and the longest string of a task with labels, in characters; 0 for a task without.
func Lengths(t Task) (shortest, longest int) {
	if x, ok := t.(interface{ span() lengths }); ok {
		return x.span().low, x.span().high
	}
	return 0, 0
}

// newLengths resolves MinLength and MaxLength against the task's defaults.
func newLengths(o Options, defaults lengths) (lengths, error) {
	l := defaults
	if o.MaxLength != 0 {
		l.high = o.MaxLength
		l.low = min(l.low, l.high)
	}
	if o.MinLength != 0 {
		l.low = o.MinLength
	}
	if err := cmp.Or(
		strict.Within("max_length", l.high, l.shortest, longest), strict.Within("min_length", l.low, 1, longest),
	); err != nil {
		return l, err
	}
	switch {
	case l.low > l.high:
		return l, strict.Unfit("min_length", l.low, "; choose a number from 1 to %d, the greatest length", l.high)
	case l.up(l.low) > l.down(l.high):
		return l, strict.Unfit("min_length", l.low, "; choose less than %d (lengths are %d, %d, %d …)",
			l.high, l.shortest, l.shortest+l.step, l.shortest+2*l.step)
	}
	l.low, l.high = l.up(l.low), l.down(l.high)
	return l, nil
}

// up and down round to a length that strings can have; down needs n to be at least the shortest.
func (l lengths) up(n int) int {
	n = max(n, l.shortest)
	return n + (n-l.shortest)%l.step
}

func (l lengths) down(n int) int { return n - (n-l.shortest)%l.step }

// draw returns a uniform length that limit, if positive, bounds.
func (l lengths) draw(r *stream, limit int) int {
	low, high := l.low, l.high
	if limit > 0 && limit < high {
		high = l.down(max(limit, l.shortest))
		low = min(low, high)
	}
	return low + l.step*r.intn((high-low)/l.step+1)
}
