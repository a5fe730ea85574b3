package vec

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// tried is a loop, and how many parts of n numbers each of its slices has.
type tried struct {
	name  string
	f     any
	parts []int
}

// call runs a loop over n numbers on copies of x, of which guards stand behind the ends, and returns what it leaves
// there and what it returns.
func (l tried) call(t *testing.T, n int, x [][]float32) (left [][]float32, results []float64) {
	t.Helper()
	kind := reflect.TypeOf(l.f)
	var in []reflect.Value
	for i := range kind.NumIn() {
		switch of := kind.In(i); {
		case of.Kind() == reflect.Int:
			in = append(in, reflect.ValueOf(n))
		case of.Kind() == reflect.Slice:
			most := l.parts[len(left)] * n
			s := guarded(most)
			copy(s, x[len(left)][:most])
			left, in = append(left, s), append(in, reflect.ValueOf(s[:most]))
		default:
			in = append(in, reflect.ValueOf(0.3+0.05*float32(i)))
		}
	}
	for _, r := range reflect.ValueOf(l.f).Call(in) {
		results = append(results, r.Float())
	}
	for i, s := range left {
		checkGuard(t, l.name, s, l.parts[i]*n)
		left[i] = s[:l.parts[i]*n]
	}
	return left, results
}

// drawn are arguments of n numbers for any loop, none near 0.
func drawn(n int) [][]float32 {
	r, x := newRand(), make([][]float32, 12)
	for i := range x {
		x[i] = normal(r, 8*n, 1)
		for j, v := range x[i] {
			x[i][j] = float32(math.Copysign(0.25+math.Abs(math.Mod(float64(v), 1)), float64(v)))
			if i == 2 { // Adam's mean of squares
				x[i][j] = max(x[i][j], -x[i][j])
			}
		}
	}
	return x
}

// TestLevels: every loop computes at every level what the plain one computes, but for rounding, whatever the length,
// and writes nothing behind it.
func TestLevels(t *testing.T) {
	const most = 71
	x := drawn(most)
	old := active
	defer func() { active = old }()
	for _, l := range allLoops {
		for n := range most {
			active = levelPortable
			want, sums := l.call(t, n, x)
			for _, active = range levels()[1:] {
				got, totals := l.call(t, n, x)
				for i := range want {
					for j, w := range want[i] {
						if g := got[i][j]; !alike(float64(g), float64(w)) {
							t.Fatalf("%s, %s, n=%d: argument %d has %g at %d, plain %g", l.name, active, n, i, g, j, w)
						}
					}
				}
				for i, w := range sums {
					if !alike(totals[i], w) {
						t.Fatalf("%s, %s, n=%d: returns %g, plain %g", l.name, active, n, totals[i], w)
					}
				}
			}
		}
	}
}

// TestPlaceIndependent: what a loop that is elementwise makes of a value does not depend on its place, bit for bit.
func TestPlaceIndependent(t *testing.T) {
	const n = 67
	x := drawn(n)
	eachLevel(t, func(t *testing.T) {
		for _, l := range allLoops {
			if slices.Max(l.parts) > 1 || reflect.TypeOf(l.f).NumOut() > 0 {
				continue
			}
			whole, _ := l.call(t, n, x)
			for j := range n {
				var one [][]float32
				for _, y := range x {
					one = append(one, y[j:])
				}
				alone, _ := l.call(t, 1, one)
				for i, y := range alone {
					if got, want := y[0], whole[i][j]; got != want {
						t.Fatalf("%s: argument %d is %g alone, %g among others", l.name, i, got, want)
					}
				}
			}
		}
	})
}

func alike(got, want float64) bool {
	return got == want || got != got && want != want || math.Abs(got-want) <= 1e-5*(1+math.Abs(want))
}
