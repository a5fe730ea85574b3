package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSpan holds every span loop against plain float64 loops, at every level, and checks that nothing outside the
// head's own columns is written.
func TestSpan(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, d := range []int{1, 5, 15, 16, 17, 22, 29, 33, 48} {
			for _, rows := range []int{1, 2, 7} {
				checkSpan(t, d, rows)
			}
		}
	})
}

func checkSpan(t *testing.T, d, rows int) {
	t.Helper()
	s := Span{D: d, Plane: 2*d + 3}
	r := rand.New(rand.NewPCG(uint64(d), uint64(rows)))
	draw := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	size := (rows-1)*s.row() + s.Plane + d
	a, b, w := draw(s.Plane+d), draw(size), draw(rows)
	columns := func(f func(i int)) {
		for i := range d {
			f(i)
			f(i + s.Plane)
		}
	}
	dist, inner := make([]float64, rows), make([]float64, rows)
	sum, outer := widen(draw(s.Plane+d)), widen(draw(size))
	sum32, outer32 := narrow(sum), narrow(outer)
	da, db := widen(draw(s.Plane+d)), widen(draw(size))
	da32, db32 := narrow(da), narrow(db)
	for j := range rows {
		columns(func(i int) {
			x, y, f := float64(a[i]), float64(b[j*s.row()+i]), float64(w[j])
			dist[j] += (x - y) * (x - y)
			inner[j] += x * y
			sum[i] += f * y
			outer[j*s.row()+i] += f * x
			da[i] += f * (x - y)
			db[j*s.row()+i] -= f * (x - y)
		})
	}
	axpy := widen(draw(size))
	axpy32 := narrow(axpy)
	for j := range rows {
		columns(func(i int) { axpy[j*s.row()+i] += float64(w[j]) * float64(b[j*s.row()+i]) })
	}
	next, dx := make([]float64, rows-1), widen(draw(size))
	dx32 := narrow(dx)
	for t := range rows - 1 {
		columns(func(i int) {
			now, then, f := t*s.row()+i, (t+1)*s.row()+i, float64(w[t])
			d := float64(b[then]) - float64(b[now])
			next[t] += d * d
			dx[then] += f * d
			dx[now] -= f * d
		})
	}
	var q Queue
	gotNext := make([]float32, rows-1)
	q.SqDistNext(s, gotNext, b)
	q.DiffNext(s, dx32, w[:rows-1], b)
	gotDist, gotInner := make([]float32, rows), make([]float32, rows)
	q.SqDist(s, gotDist, a, b)
	q.Dot(s, gotInner, a, b)
	q.Sum(s, sum32, w, b)
	q.Outer(s, outer32, w, a)
	q.Diff(s, da32, db32, w, a, b)
	q.Axpy(s, axpy32, w, b)
	q.Run()
	for _, x := range []struct {
		name string
		got  []float32
		want []float64
	}{
		{"SqDist", gotDist, dist}, {"Dot", gotInner, inner}, {"Sum", sum32, sum}, {"Outer", outer32, outer},
		{"Axpy", axpy32, axpy}, {"Diff a", da32, da}, {"Diff b", db32, db},
		{"SqDistNext", gotNext, next}, {"DiffNext", dx32, dx},
	} {
		for i, v := range x.want {
			if math.Abs(float64(x.got[i])-v) > 2e-6*(1+math.Abs(v))*math.Sqrt(float64(d*rows)) {
				t.Fatalf("d=%d rows=%d %s[%d] = %v, want %v", d, rows, x.name, i, x.got[i], v)
			}
		}
	}
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}
