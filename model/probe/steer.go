package probe

import (
	"math"
	"math/cmplx"
	"slices"
)

// SteerSteps is how many steps of the recurrence a reading spends at most on finding which units steer. In a browser's
// tab some 400 of the demo with four clocks took 40 ms.
const SteerSteps = 1200

// hand is where a clock's hand stands in a state, but for its offset.
func (x *Dial) hand(state []complex128) float64 {
	if x.Line != nil {
		return 2 * cmplx.Phase(state[x.Unit])
	}
	return cmplx.Phase(state[x.Unit])
}

// half is half the angle between two marks of a clock that lie side by side: so far off, a hand points elsewhere.
func (x *Dial) half(modulus int) float64 {
	a, b := abs(x.K), modulus
	for b != 0 {
		a, b = b, a%b
	}
	return math.Pi * float64(a) / float64(modulus)
}

// moved reports whether another reading leaves a hand elsewhere after token t. Clocks that are cut have no say.
func (d *Dials) moved(t int, course, other [][]complex128) bool {
	return slices.ContainsFunc(d.Dials, func(x Dial) bool {
		return !x.Cut && math.Abs(math.Remainder(x.hand(other[t])-x.hand(course[t]), 2*math.Pi)) >= x.half(d.Modulus)
	})
}

// next is the first token after t at which a digit whose sign was turned is settled; −1: none comes.
func (d *Dials) next(t int, turned []bool) int {
	for i := t + 1; i < len(d.Moments); i++ {
		if d.Moments[i].Operand && turned[i-1] {
			return i
		}
	}
	return -1
}

// without are the states of a reading, up to a token, in which nobody reads some units from token t on.
func (r *Reader) without(units []int, t, upTo int, course [][]complex128, prompt []int32, c Change) [][]complex128 {
	change := Change{Cut: append(slices.Clone(c.Cut), units...), Turns: c.Turns}
	return r.walker.goOn(course[:t+1], prompt[:upTo+1], change)
}

// steer finds which of the units that are lit steer: each is cut from its token on, by itself, and the hands are
// looked at after the next digit. turned[t] says that the minus turns the sign at token t.
func (r *Reader) steer(d *Dials, turned []bool, prompt []int32, course [][]complex128, c Change) {
	left := SteerSteps
	for t, lit := range d.Lit {
		to := d.next(t, turned)
		if left -= len(lit) * (max(to, t) - t); left < 0 {
			return
		}
		d.Steers[t] = []int{}
		for _, u := range lit {
			if to > 0 && d.moved(to, course, r.without([]int{u}, t, to, course, prompt, c)) {
				d.Steers[t] = append(d.Steers[t], u)
			}
		}
	}
}
