// Package sweep plans runs that differ in a few keys, chooses which of them is trained next, and says what each key
// does. It trains nothing and reads no files.
package sweep

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Kind is what the values of a key are.
type Kind int

// The kinds of values.
const (
	Word Kind = iota
	Number
	Whole // numbers without a fraction
)

// Key is a key of a run's configuration that is varied: over Values, or else over all numbers from Low to High.
type Key struct {
	Name   string   `json:"key"`
	Values []string `json:"values,omitempty"` // of a list, or the points of a range
	Low    float64  `json:"low,omitempty"`
	High   float64  `json:"high,omitempty"`
	Log    bool     `json:"log,omitempty"` // even steps are factors
	Whole  bool     `json:"whole,omitempty"`
}

// ParseKey reads the values of a key: a list as in 32,64,128, or a range as in -2..0, 1e-4..1e-2:log, or with a number
// of points, -2..0:5 and 1e-4..1e-2:log:5.
func ParseKey(name, text string, kind Kind) (Key, error) {
	k := Key{Name: name, Whole: kind == Whole}
	low, rest, isRange := strings.Cut(text, "..")
	if !isRange || kind == Word {
		k.Values = strings.Split(text, ",")
		for i, v := range k.Values {
			k.Values[i] = strings.TrimSpace(v)
			switch {
			case k.Values[i] == "":
				return k, fmt.Errorf("value %d of the list is empty; take the comma out, or give a value", i+1)
			case slices.Contains(k.Values[:i], k.Values[i]):
				return k, fmt.Errorf("%s stands in the list twice; take one out", k.Values[i])
			}
		}
		if len(k.Values) < 2 {
			return k, fmt.Errorf("one value varies nothing; give several with commas between, "+
				"a range as in 1..4, or the flag --%s", strings.ReplaceAll(name, "_", "-"))
		}
		return k, nil
	}
	parts := strings.Split(rest, ":")
	var err error
	for i, x := range []*float64{&k.Low, &k.High} {
		value := []string{low, parts[0]}[i]
		*x, err = strconv.ParseFloat(value, 64)
		if err != nil || math.IsInf(*x, 0) || math.IsNaN(*x) {
			return k, fmt.Errorf("the range has an end of %q, which is no number; write LOW..HIGH, as in -2..0", value)
		}
		if k.Whole && *x != math.Trunc(*x) {
			return k, fmt.Errorf("the range ends at %s, and whole numbers are needed; round it", value)
		}
	}
	parts = parts[1:]
	if len(parts) > 0 && parts[0] == "log" {
		k.Log, parts = true, parts[1:]
	}
	points := 0
	if len(parts) > 0 {
		points, err = strconv.Atoi(parts[0])
	}
	switch {
	case err != nil || len(parts) > 1:
		return k, fmt.Errorf("%q stands behind the range; write :log, a number of points as in :5, or :log:5",
			strings.Join(parts, ":"))
	case !(k.Low < k.High):
		return k, fmt.Errorf("the range is empty: %v is not below %v; write the lower number first", k.Low, k.High)
	case k.Log && k.Low <= 0:
		return k, fmt.Errorf("a logarithmic range begins above 0, and this one at %v; begin above 0, "+
			"or leave :log out", k.Low)
	case len(parts) == 1 && (points < 2 || points > 1000):
		return k, fmt.Errorf("a range has 2 to 1000 points, not %d", points)
	}
	var values []string
	for i := range points {
		values = append(values, k.at(float64(i)/float64(points-1)))
	}
	k.Values = slices.Compact(values) // whole numbers may round to the same
	return k, nil
}

// at is the value at a share of the range or list, from 0 to 1.
func (k Key) at(share float64) string {
	x := k.Low + share*(k.High-k.Low)
	switch {
	case k.Values != nil:
		return k.Values[min(int(share*float64(len(k.Values))), len(k.Values)-1)]
	case k.Log:
		x = k.Low * math.Pow(k.High/k.Low, share)
	}
	if k.Whole {
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
	}
	for digits := 4; ; digits++ { // as few as stay within the range
		text := strconv.FormatFloat(x, 'g', digits, 64)
		if y := number(text); digits > 16 || y >= k.Low && y <= k.High {
			return text
		}
	}
}

// Place is where a value lies: the inverse of at, and of a list evenly from its first to its last.
func (k Key) Place(value string) float64 {
	if k.Values != nil {
		return float64(slices.Index(k.Values, value)) / float64(max(len(k.Values)-1, 1))
	}
	x := number(value)
	if k.Log {
		return math.Log(x/k.Low) / math.Log(k.High/k.Low)
	}
	return (x - k.Low) / (k.High - k.Low)
}

func number(value string) float64 {
	x, _ := strconv.ParseFloat(value, 64) // at made it
	return x
}

// Most is how many configurations a sweep may have.
const Most = 10000

// Grid is all combinations of the keys' values; the last key changes fastest. A range without points is an error.
func Grid(keys []Key) ([][]string, error) {
	list := [][]string{nil}
	for _, k := range keys {
		if k.Values == nil {
			return nil, fmt.Errorf("%s is a range, and a grid needs points; give their number, as in :5, "+
				"or choose the method random or halving", k.Name)
		}
		if len(list)*len(k.Values) > Most {
			return nil, fmt.Errorf("the grid has more than %d configurations; give fewer values, "+
				"or choose the method random", Most)
		}
		var longer [][]string
		for _, values := range list {
			for _, v := range k.Values {
				longer = append(longer, append(slices.Clone(values), v))
			}
		}
		list = longer
	}
	return list, nil
}

// Random is n different configurations, or as many as there are, spread evenly over the space of the keys and the same
// in each call: a Halton sequence, each key by a prime of its own. (gonum has no Sobol sequence, and its Halton
// sequence would bring golang.org/x/tools.)
func Random(keys []Key, n int) (list [][]string) {
	seen := map[string]bool{}
	for i := 1; i <= 8*n && len(list) < n; i++ { // of lists and whole numbers some come twice
		var values []string
		prime := 1
		for _, k := range keys {
			for prime++; !big.NewInt(int64(prime)).ProbablyPrime(0); prime++ {
			}
			share, part := 0.0, 1.0
			for rest := i; rest > 0; rest /= prime { // the digits of i, behind the point in reverse
				part /= float64(prime)
				share += part * float64(rest%prime)
			}
			values = append(values, k.at(share))
		}
		if name := strings.Join(values, "\x00"); !seen[name] {
			seen[name], list = true, append(list, values)
		}
	}
	return list
}

// Marks are the values that an axis of the key names: all of a short list, else a few.
func (k Key) Marks() (list []string) {
	if len(k.Values) > 0 && len(k.Values) <= 8 {
		return k.Values
	}
	for i := range 5 {
		list = append(list, k.at(float64(i)/4))
	}
	return slices.Compact(list)
}
