package curve

import (
	"testing"

	"mhacsp/tasks/assert"
)

func TestReach(t *testing.T) {
	// From a guess of 0.5 to 0.9: half of the way is 0.7.
	c := Curve{X: []float64{0, 100, 200, 300, 400}, Y: []float64{0.5, 0.5, 0.75, 0.87, 0.9}}
	for _, x := range []struct{ guess, share, want float64 }{
		{0.5, 0.5, 200}, {0.5, 1, 400}, {0.5, 0.9, 300}, {0, 0.5, 0}, {0, 0.9, 300},
	} {
		got, ok := c.Reach(x.guess, x.share)
		assert.True(t, ok && got == x.want,
			"guess %v, share %v: reached at %v, %t; want %v", x.guess, x.share, got, ok, x.want)
	}
	r, ok := c.Rise(0.5)
	assert.True(t, ok && r == (Rise{200, 300, 400}), "the rise is %v, %t", r, ok)
	// The first time counts, also where the curve falls again.
	c = Curve{X: []float64{1, 2, 3, 4}, Y: []float64{0, 1, 0, 0.9}}
	got, ok := c.Reach(0, 0.5)
	assert.True(t, ok && got == 2, "reached at %v, %t; want 2", got, ok)
	_, ok = c.Reach(0, 1.5)
	assert.True(t, !ok, "a level that the curve never has was reached")
	for _, flat := range []Curve{
		{}, {X: []float64{1, 2}, Y: []float64{0.5, 0.54}}, {X: []float64{1}, Y: []float64{0.9}},
		{X: []float64{1, 2}, Y: []float64{0.9, 0.2}},
	} {
		_, ok := flat.Rise(0.5)
		assert.True(t, !ok, "%v has risen", flat)
	}
}

func TestAt(t *testing.T) {
	c := Curve{X: []float64{10, 20}, Y: []float64{1, 3}}
	for x, want := range map[float64]float64{0: 1, 10: 1, 15: 2, 20: 3, 99: 3} {
		assert.Is(t, c.At(x), want, "at %v", x)
	}
}

func TestOver(t *testing.T) {
	b := Over([]Curve{{X: []float64{0, 10, 20}, Y: []float64{0, 10, 20}}, {X: []float64{5, 15}, Y: []float64{1, 3}}})
	assert.Is(t, b, Band{
		X: []float64{5, 10, 15}, Mean: []float64{3, 6, 9}, Low: []float64{1, 2, 3}, High: []float64{5, 10, 15},
	}, "the band")
	b = Over([]Curve{{}, {X: []float64{1}, Y: []float64{1}}})
	assert.True(t, b.X == nil, "a curve without points gives %v", b)
}

func TestThin(t *testing.T) {
	var c Curve
	for i := range 1000 {
		c.Add(float64(i+1), float64(i%2))
	}
	got := c.Thin(100)
	assert.True(t, len(got.X) == 100 && got.X[0] == 5.5 && got.X[99] == 995.5 && got.Y[50] == 0.5,
		"%d points, the first %v, the last %v, the middle %v", len(got.X), got.X[0], got.X[len(got.X)-1],
		got.Y[len(got.Y)/2])
	assert.Is(t, got.Thin(100).X, got.X, "a short curve was cut: it has points at")
}
