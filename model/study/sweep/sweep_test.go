package sweep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

func key(t *testing.T, name, text string, kind Kind) Key {
	t.Helper()
	return assert.Must(ParseKey(name, text, kind))(t)
}

// TestParseKey: lists, ranges and their points are read; what cannot be meant names the mistake.
func TestParseKey(t *testing.T) {
	for _, c := range []struct {
		text string
		kind Kind
		want string // the values, or a part of the error
	}{
		{"32, 64,128", Whole, "[32 64 128]"}, {"gru,a..b", Word, "[gru a..b]"}, {"true,false", Word, "[true false]"},
		{"-2..0:5", Number, "[-2 -1.5 -1 -0.5 0]"}, {"1e-4..1e-2:log:3", Number, "[0.0001 0.001 0.01]"},
		{"1..3:9", Whole, "[1 2 3]"}, {"8..32:log:3", Whole, "[8 16 32]"}, {"0.1..0.4", Number, "[]"},
		{"0.99..0.99999:3", Number, "[0.99 0.995 0.99999]"},
		{"4..1", Number, "the range is empty: 4 is not below 1"}, {"1..1", Number, "is empty"},
		{"0..1:log", Number, "begins above 0, and this one at 0"}, {"-1..1:log:3", Number, "begins above 0"},
		{"1..x", Number, `an end of "x", which is no number`}, {"..2", Number, `an end of ""`},
		{"1..NaN", Number, `"NaN"`}, {"1.5..3", Whole, "ends at 1.5, and whole numbers"},
		{"1..2:lin", Number, `"lin" stands behind the range`}, {"1..2:3:4", Number, `"3:4" stands behind`},
		{"1..2:1", Number, "2 to 1000 points, not 1"}, {"7", Whole, "one value varies nothing"},
		{"1,,2", Whole, "value 2 of the list is empty"}, {"1,2,1", Whole, "1 stands in the list twice"},
	} {
		k, err := ParseKey("a_b", c.text, c.kind)
		assert.True(t, (err == nil || strings.Contains(err.Error(), c.want)) &&
			(err != nil || fmt.Sprint(k.Values) == c.want), "%s: %v, %v, want %s", c.text, k.Values, err, c.want)
	}
}

// TestConfigurations: a grid has every combination once; random ones differ, and fill their ranges evenly.
func TestConfigurations(t *testing.T) {
	batch, rate := key(t, "batch", "32,64,128", Whole), key(t, "lr", "1e-4..1e-2:log", Number)
	grid, err := Grid([]Key{batch, key(t, "curriculum", "true,false", Word)})
	assert.True(t, err == nil && len(grid) == 6 &&
		fmt.Sprint(grid[0], grid[1], grid[5]) == "[32 true] [32 false] [128 false]", "%v, %v", grid, err)
	_, err = Grid([]Key{batch, rate})
	assert.OneLine(t, "a grid of a range", err, "lr is a range")
	points := key(t, "p", "0..1:200", Number)
	_, err = Grid([]Key{points, points})
	assert.OneLine(t, "a grid too large", err, "more than 10000")
	width := key(t, "width", "4..9", Whole)
	list := Random([]Key{batch, rate, width}, 60)
	tenths, seen := map[int]int{}, map[string]bool{}
	for _, v := range list {
		x, err := strconv.ParseFloat(v[1], 64)
		n, wrong := strconv.Atoi(v[2])
		assert.True(t, err == nil && wrong == nil && x >= 1e-4 && x <= 1e-2 && n >= 4 && n <= 9 &&
			slices.Contains(batch.Values, v[0]), "%v is outside", v)
		tenths[int(10*rate.Place(v[1]))]++
		seen[fmt.Sprint(v)] = true
	}
	assert.True(t, len(list) == 60 && len(seen) == 60 && len(tenths) == 10,
		"%d configurations, %d different, in %d tenths of the range", len(list), len(seen), len(tenths))
	for tenth, n := range tenths {
		assert.True(t, n >= 5 && n <= 7, "tenth %d of the range has %d of 60", tenth, n)
	}
	list = Random([]Key{key(t, "width", "1..3", Whole)}, 10)
	assert.True(t, len(list) == 3, "three numbers give %v", list)
	assert.True(t, fmt.Sprint(rate.Marks(), batch.Marks()) == "[0.0001 0.0003162 0.001 0.003162 0.01] [32 64 128]",
		"marks %v %v", rate.Marks(), batch.Marks())
}

func TestRungs(t *testing.T) {
	for _, c := range []struct {
		steps, every int
		want         string
	}{
		{3000, 500, "[500 1000 3000]"}, {900, 100, "[100 300 900]"}, {1000, 400, "[400 1000]"}, {100, 100, "[100]"},
		{100, 0, "[100]"}, {1000, 1, "[112 334 1000]"},
	} {
		assert.Is(t, fmt.Sprint(Rungs(c.steps, c.every)), c.want, "%d steps, validations each %d", c.steps, c.every)
	}
}

// TestNext: several workers that take and end jobs in any order come to an end; everything is begun, the best comes to
// the last rung, not too many come to the second, and what failed goes no further.
func TestNext(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	for n := 1; n <= 40; n++ {
		quality, scores := random.Perm(n), make([][]float64, n)
		var busy []Job
		made := [3]int{}
		for {
			jobs := Next(scores, 3, len(busy) == 0)
			at := slices.IndexFunc(jobs, func(j Job) bool { return !slices.Contains(busy, j) })
			if at >= 0 && len(busy) < 4 {
				busy = append(busy, jobs[at])
				continue
			}
			if len(busy) == 0 {
				break
			}
			i := random.IntN(len(busy))
			j := busy[i]
			busy = slices.Delete(busy, i, i+1)
			assert.Need(t, len(scores[j.Configuration]) == j.Rung,
				"seed %d: %v after %v", seed, j, scores[j.Configuration])
			score := float64(quality[j.Configuration])
			if n > 3 && score == 0 {
				score = Failed
			}
			scores[j.Configuration] = append(scores[j.Configuration], score)
			made[j.Rung]++
		}
		best, worst := slices.Index(quality, n-1), slices.Index(quality, 0)
		assert.True(t, made[0] == n && made[1] >= max(1, n/3) && made[2] >= max(1, n/9) && len(scores[best]) == 3 &&
			(n <= 20 || 4*made[1] <= 3*n), "seed %d: of %d rungs have %v, the best %v", seed, n, made, scores[best])
		assert.True(t, n <= 3 || len(scores[worst]) == 1, "seed %d: what failed has %v", seed, scores[worst])
	}
	jobs := Next([][]float64{{Failed}, {Failed, Failed}}, 3, true)
	assert.True(t, len(jobs) == 0, "nothing is left, and %v goes on", jobs)
	jobs = Next([][]float64{{0.5, Failed}, {0.4}, {0.3}}, 3, true)
	assert.Is(t, jobs, []Job{{1, 1}}, "where the promoted one failed there goes on")
	assert.Is(t, Next([][]float64{{0.1}, nil, {0.3}}, 1, true), []Job{{1, 0}}, "with one rung there is left")
}

// TestEffects: means and intervals by Student's t, of lists by value and of ranges by thirds.
func TestEffects(t *testing.T) {
	e := EstimateOf([]float64{0.5, 0.6, 0.7})
	assert.True(t, math.Abs(e.Mean-0.6) <= 1e-12 && math.Abs(e.High-0.6-4.302653*0.1/math.Sqrt(3)) <= 1e-6 &&
		e.Count == 3, "%+v", e)
	e = EstimateOf([]float64{0.4})
	assert.True(t, e.Mean == 0.4 && e.Low == 0 && e.High == 1, "of one %+v", e)
	whole := []Key{key(t, "layers", "1..3", Whole)}
	l := Effects(whole, [][]string{{"2"}, {"1"}, {"2"}, {"3"}}, []float64{0.5, 0.1, 0.5, 0.9})[0].Levels
	assert.True(t, len(l) == 3 && l[1].Name == "2" && l[1].Mean == 0.5, "of whole numbers: %+v", l)
	keys := []Key{key(t, "batch", "8,16", Whole), key(t, "lr", "0..1", Number)}
	values := [][]string{
		{"8", "0.9"}, {"16", "0.1"}, {"8", "0.5"}, {"16", "0.45"}, {"8", "0.2"}, {"16", "0.8"}, {"8", "0"},
	}
	text := ""
	for _, e := range Effects(keys, values, []float64{0.9, 0.1, 0.5, 0.5, 0.1, 0.7, math.NaN()}) {
		for _, l := range e.Levels {
			text += fmt.Sprintf("%s %s %.2f of %d; ", e.Key, l.Name, l.Mean, l.Count)
		}
	}
	assert.Is(t, text, "batch 8 0.50 of 3; batch 16 0.43 of 3; lr 0.1–0.2 0.10 of 2; "+
		"lr 0.45–0.5 0.50 of 2; lr 0.8–0.9 0.80 of 2; ", "the effects")
}
