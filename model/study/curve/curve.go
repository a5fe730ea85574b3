// Package curve reads off training curves what FIGURES.md defines: where a curve rises (the grokking interval), and
// the mean and the range of the curves of several seeds.
package curve

import (
	"math"
	"slices"
)

// Curve is a figure over training: X, steps or seconds, ascends.
type Curve struct {
	X []float64 `json:"x"`
	Y []float64 `json:"y"`
}

// Add puts a point at the end.
func (c *Curve) Add(x, y float64) { c.X, c.Y = append(c.X, x), append(c.Y, y) }

// Final is the last figure; 0 of an empty curve.
func (c Curve) Final() float64 {
	if len(c.Y) == 0 {
		return 0
	}
	return c.Y[len(c.Y)-1]
}

// At is the figure at x, on the straight line between the points next to it; beyond the ends it is that of the end.
func (c Curve) At(x float64) float64 {
	i, exact := slices.BinarySearch(c.X, x)
	switch {
	case i == len(c.X):
		return c.Final()
	case i == 0 || exact:
		return c.Y[i]
	}
	return c.Y[i-1] + (c.Y[i]-c.Y[i-1])*(x-c.X[i-1])/(c.X[i]-c.X[i-1])
}

// Least is how far above a constant guess a curve must end to have risen.
const Least = 0.05

// Reach is the first X whose figure has come a share of the way from a constant guess to the final one (FIGURES.md).
// ok is false for a curve that ends less than Least above the guess. With guess 0 it is the share of the final figure.
func (c Curve) Reach(guess, share float64) (x float64, ok bool) {
	if c.Final()-guess < Least {
		return 0, false
	}
	level := guess + share*(c.Final()-guess)
	for i, y := range c.Y {
		if y >= level {
			return c.X[i], true
		}
	}
	return 0, false // a share above 1
}

// Rise is where a curve has come 50, 90 and 99 % of its way: the grokking interval goes from Half to Nearly.
type Rise struct{ Half, Most, Nearly float64 }

// Rise is the curve's own; false where it has not risen, or has one point alone: it may have risen long before.
func (c Curve) Rise(guess float64) (r Rise, ok bool) {
	r.Half, _ = c.Reach(guess, 0.5)
	r.Most, _ = c.Reach(guess, 0.9)
	if r.Nearly, ok = c.Reach(guess, 0.99); !ok || len(c.X) < 2 { // who came so far passed the others on the way
		return Rise{}, false
	}
	return r, true
}

// Thin cuts the way from 0 to the last X into equal parts, and makes of each that has points one point, their mean. A
// curve of that many points or fewer stays as it is.
func (c Curve) Thin(parts int) Curve {
	if len(c.X) <= parts {
		return c
	}
	var out Curve
	end := c.X[len(c.X)-1]
	for i := 0; i < len(c.X); {
		part := math.Ceil(c.X[i] * float64(parts) / end)
		var x, y, n float64
		for ; i < len(c.X) && math.Ceil(c.X[i]*float64(parts)/end) == part; i++ {
			x, y, n = x+c.X[i], y+c.Y[i], n+1
		}
		out.Add(x/n, y/n)
	}
	return out
}

// Band is several curves as one: their mean, and the range from the least to the greatest.
type Band struct{ X, Mean, Low, High []float64 }

// Over makes a band of curves. It has every X that any of them has, where all of them have begun and none has ended,
// so that a mean is always over the same curves; between its points a curve is straight.
func Over(curves []Curve) Band {
	from, to := math.Inf(-1), math.Inf(1)
	var grid []float64
	for _, c := range curves {
		if len(c.X) == 0 {
			return Band{}
		}
		from, to = max(from, c.X[0]), min(to, c.X[len(c.X)-1])
		grid = append(grid, c.X...)
	}
	slices.Sort(grid)
	var b Band
	for _, x := range slices.Compact(grid) {
		if x < from || x > to {
			continue
		}
		sum, low, high := 0.0, math.Inf(1), math.Inf(-1)
		for _, c := range curves {
			y := c.At(x)
			sum, low, high = sum+y, min(low, y), max(high, y)
		}
		b.X, b.Mean = append(b.X, x), append(b.Mean, sum/float64(len(curves)))
		b.Low, b.High = append(b.Low, low), append(b.High, high)
	}
	return b
}
