package vec

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestFrame holds every product of a frame against plain float64 loops, at every level and for frames that are
// pointed at one sequence after another; nothing outside the rows and columns asked for is written.
func TestFrame(t *testing.T) {
	r := newRand()
	eachLevel(t, func(t *testing.T) {
		var f Frame
		for _, d := range []int{1, 3, 16, 22, 33} {
			for _, n := range []int{1, 2, 8, 9, 17, 40, 66} {
				const heads = 2
				s := Span{D: d, Plane: heads*d + 3}
				x := normal(r, n*s.row(), 1)
				f.Set(s, heads, x, n)
				for i := 0; i < n; i += 8 {
					checkFrame(t, &f, s, x, i, min(8, n-i), n)
				}
			}
		}
	})
}

func checkFrame(t *testing.T, f *Frame, s Span, x []float32, i, m, n int) {
	t.Helper()
	r := newRand()
	const k = 1
	columns := i + m
	ld := columns + 3
	a, w := normal(r, m*s.row(), 1), normal(r, m*ld, 1)
	element := func(x []float32, row, e int) float64 { // of the 2D real numbers of head k's vector
		return float64(x[row*s.row()+k*s.D+e%s.D+e/s.D*s.Plane])
	}
	what := func(name string, r, j int) string {
		return fmt.Sprintf("D=%d n=%d i=%d: %s[%d,%d]", s.D, n, i, name, r, j)
	}

	dist, dot := guarded(m*ld), guarded(m*ld)
	f.SqDist(k, dist, ld, i, m)
	f.Dot(k, dot, ld, a, m, columns)
	for r := range m {
		for j := range columns {
			var d, p, size float64
			for e := range 2 * s.D {
				u, v := element(x, i+r, e)-element(x, j, e), element(a, r, e)*element(x, j, e)
				d, p, size = d+u*u, p+v, size+math.Abs(v)
			}
			checkProduct(t, what("SqDist", r, j), dist[r*ld+j], d, d)
			checkProduct(t, what("Dot", r, j), dot[r*ld+j], p, size)
		}
		checkGuard(t, what("SqDist", r, columns), dist[r*ld+columns:(r+1)*ld], 0)
		checkGuard(t, what("Dot", r, columns), dot[r*ld+columns:(r+1)*ld], 0)
	}

	sum, outer := normal(r, m*s.row(), 1), normal(r, n*s.row(), 1)
	sum0, outer0 := slices.Clone(sum), slices.Clone(outer)
	f.Sum(k, sum, w, ld, m, columns)
	f.Outer(k, outer, w, ld, a, m, columns)
	for r := range m {
		for e := range 2 * s.D {
			want := element(sum0, r, e)
			size := math.Abs(want)
			for j := range columns {
				v := float64(w[r*ld+j]) * element(x, j, e)
				want, size = want+v, size+math.Abs(v)
			}
			checkProduct(t, what("Sum", r, e), float32(element(sum, r, e)), want, size)
		}
	}
	for j := range n {
		for e := range 2 * s.D {
			want := element(outer0, j, e)
			size := math.Abs(want)
			for r := range m {
				if j < columns {
					v := float64(w[r*ld+j]) * element(a, r, e)
					want, size = want+v, size+math.Abs(v)
				}
			}
			checkProduct(t, what("Outer", j, e), float32(element(outer, j, e)), want, size)
		}
	}
	untouched(t, what("Sum", 0, 0), s, k, sum, sum0)
	untouched(t, what("Outer", 0, 0), s, k, outer, outer0)
}

// untouched checks that a head's columns alone were written.
func untouched(t *testing.T, what string, s Span, k int, got, was []float32) {
	t.Helper()
	for i := range got {
		at := i % s.row()
		in := func(from int) bool { return at >= from && at < from+s.D }
		if !in(k*s.D) && !in(k*s.D+s.Plane) && got[i] != was[i] {
			t.Fatalf("%s: element %d outside the head was written", what, i)
		}
	}
}
