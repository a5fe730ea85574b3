package study

import "math"

// Mean is the mean, 0 of nothing.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(len(x), 1))
}

// Deviation is the standard deviation of a sample (n − 1 below), 0 of fewer than two values.
func Deviation(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	mean, sum := Mean(x), 0.0
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// Scaled is an accuracy of which chance is 0 and 1 perfect, with so many classes (SPEC §9, strict length protocol).
func Scaled(accuracy float64, classes int) float64 {
	chance := 1 / float64(classes)
	return (accuracy - chance) / (1 - chance)
}

// Reached is the first validation that has a share of the way from a constant guess to the figure at the end, and
// false where the end is no better than the guess, by a twentieth at least, or no validation has it.
func Reached(points []Point, end, share float64) (Point, bool) {
	for _, p := range points {
		if end < p.Guess+learnt {
			return p, false
		}
		if p.Exact >= p.Guess+share*(end-p.Guess) {
			return p, true
		}
	}
	return Point{}, false
}

// learnt is by how much a figure is above a constant guess where something was learned.
const learnt = 0.05
