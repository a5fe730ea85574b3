package backendtest

import (
	"fmt"
	"math"
)

// role is what a kernel's documentation says of one element of a tensor.
type role byte

const (
	written role = iota // computed: compared with the reference
	zero                // exactly zero
	kept                // as it was
	free                // anything
)

const (
	junk   = 1e30 // what a buffer holds before a kernel overwrites it, and around every window
	margin = 64   // elements around a window: 256 bytes, the offset that GPU bindings are aligned to
)

// tensor is a window of a buffer, with margin elements of junk on either side.
type tensor struct {
	name   string
	bound  float64   // relative L2
	before []float32 // the window before the run
	over   bool      // overwritten: what it held before plays no part
	role   []role    // of each element; nil: all written
}

func (x tensor) roleOf(i int) role {
	if x.role == nil {
		return written
	}
	return x.role[i]
}

// compare returns the relative L2 difference between what a backend and the reference left in the tensor's buffer,
// margins included, and an error where it exceeds the bound or an element is not what its role says. Where a
// kernel adds, the sum that it added is the measure, not the total.
func (x tensor) compare(got, want []float32) (float64, error) {
	if err := x.margins(got); err != nil {
		return 0, err
	}
	got, want = got[margin:], want[margin:]
	var diff, size, base, worst float64
	var count, worstAt int
	for i, old := range x.before {
		g, w := got[i], want[i]
		switch x.roleOf(i) {
		case zero:
			if w != 0 {
				return 0, fmt.Errorf("%s[%d]: the reference has %g, 0 is documented", x.name, i, w)
			}
			if g != 0 {
				return 0, fmt.Errorf("%s[%d] is %g, must be 0", x.name, i, g)
			}
		case kept:
			if g != old {
				return 0, fmt.Errorf("%s[%d] was %g and is %g, must stay", x.name, i, old, g)
			}
			if w != old {
				return 0, fmt.Errorf("%s[%d]: the reference changed %g to %g, not its to change", x.name, i, old, w)
			}
		case written:
			if x.over {
				if w == junk {
					return 0, fmt.Errorf("%s[%d]: the reference wrote nothing", x.name, i)
				}
				old = 0
			}
			d := float64(g) - float64(w)
			diff += d * d
			size += (float64(w) - float64(old)) * (float64(w) - float64(old))
			base += float64(old) * float64(old)
			if count++; math.IsNaN(d) || math.Abs(d) > worst {
				worst, worstAt = math.Abs(d), i
			}
		}
	}
	if count == 0 {
		return 0, nil
	}
	// A sum added to large contents is only as exact as the total's rounding. Where inputs of order 1 cancel to
	// nothing, their rounding is left, and what underflows float32 must not decide.
	floor := 1e-6
	if size == 0 {
		floor = 0.003
	}
	scale := max(math.Sqrt(size), 0.01*math.Sqrt(base), floor*math.Sqrt(float64(count)))
	rel := math.Sqrt(diff) / scale
	if !(rel <= x.bound) {
		return rel, fmt.Errorf("%s is off by %.2g relative L2, at most %.0e allowed; worst at [%d]: %g, should be %g",
			x.name, rel, x.bound, worstAt, got[worstAt], want[worstAt])
	}
	return rel, nil
}

func (x tensor) margins(buf []float32) error {
	for i, v := range buf {
		if at := i - margin; (at < 0 || at >= len(x.before)) && v != junk {
			return fmt.Errorf("%s[%d] was written, outside the window of %d", x.name, at, len(x.before))
		}
	}
	return nil
}

// same reports whether two runs left the same bits, but for free elements.
func (x tensor) same(a, b []float32) error {
	for i := range x.before {
		p, q := a[margin+i], b[margin+i]
		if x.roleOf(i) != free && math.Float32bits(p) != math.Float32bits(q) {
			return fmt.Errorf("%s[%d] is %g in one run and %g in the next", x.name, i, p, q)
		}
	}
	return nil
}
