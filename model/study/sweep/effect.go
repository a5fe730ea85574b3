package sweep

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is the mean of shares with its interval of 95 % by Student's t. Of one value the interval is from 0 to 1,
// and of none the mean is no number.
type Estimate struct {
	Mean, Low, High float64
	Count           int
}

// EstimateOf is that of a few values.
func EstimateOf(x []float64) Estimate {
	e := Estimate{Mean: stat.Mean(x, nil), High: 1, Count: len(x)}
	if len(x) > 1 {
		t := distuv.StudentsT{Sigma: 1, Nu: float64(len(x) - 1)}.Quantile(0.975)
		half := t * stat.StdDev(x, nil) / math.Sqrt(float64(len(x)))
		e.Low, e.High = max(0, e.Mean-half), min(1, e.Mean+half)
	}
	return e
}

// Effect is what a key does, whatever the others are: the mean score of the configurations with each of its values.
type Effect struct {
	Key    string
	Levels []Level
}

// Level is a value of a key, or a third of its range.
type Level struct {
	Name string
	Estimate
}

// Seen reports whether some of the key's intervals are apart. Where none are, chance may have made the differences.
func (e Effect) Seen() bool {
	lowest, highest := 1.0, 0.0
	for _, l := range e.Levels {
		lowest, highest = min(lowest, l.High), max(highest, l.Low)
	}
	return highest > lowest
}

// Effects are those of all keys, by the configurations' values and scores. A score that is not finite is left out.
func Effects(keys []Key, values [][]string, scores []float64) (list []Effect) {
	var all []int
	for c, s := range scores {
		if !math.IsNaN(s) && !math.IsInf(s, 0) {
			all = append(all, c)
		}
	}
	for i, k := range keys {
		e := Effect{Key: k.Name}
		add := func(name string, of []int) {
			var x []float64
			for _, c := range of {
				x = append(x, scores[c])
			}
			e.Levels = append(e.Levels, Level{name, EstimateOf(x)})
		}
		place := func(c int) float64 { return k.Place(values[c][i]) }
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
		levels := k.Values
		if levels == nil && k.Whole && k.High-k.Low < 8 { // equal values would stand in two thirds
			for i := 0.0; i <= k.High-k.Low; i++ { // of Low itself 1 more may be the same number
				levels = append(levels, strconv.FormatFloat(k.Low+i, 'f', -1, 64))
			}
		}
		for part := 0; levels == nil && part < third; part++ {
			if of := all[part*len(all)/third : (part+1)*len(all)/third]; len(of) > 0 {
				add(values[of[0]][i]+"–"+values[of[len(of)-1]][i], of)
			}
		}
		for _, v := range levels {
			if of := slices.DeleteFunc(slices.Clone(all), func(c int) bool { return values[c][i] != v }); len(of) > 0 {
				add(v, of)
			}
		}
		list = append(list, e)
	}
	return list
}
