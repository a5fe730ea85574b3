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

// Scaled is an accuracy of which chance is 0 and 1 perfect, with that many classes (SPEC §9, strict length protocol).
func Scaled(accuracy float64, classes int) float64 {
	chance := 1 / float64(classes)
	return (accuracy - chance) / (1 - chance)
}
