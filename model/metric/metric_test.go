package metric

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

func TestTally(t *testing.T) {
	var x Tally
	assert.True(t, x.ExactRate() == 0 && x.AnswerRate() == 0,
		"rates without samples: %v, %v", x.ExactRate(), x.AnswerRate())
	x.add(true, true)
	x.add(false, true)
	x.add(false, false)
	x.add(false, true)
	want := Tally{Count: 4, Exact: 1, Answer: 3}
	assert.True(t, x == want && x.ExactRate() == 0.25 && x.AnswerRate() == 0.75,
		"%+v with rates %v and %v, %+v wanted", x, x.ExactRate(), x.AnswerRate(), want)
	assert.True(t, math.Abs(x.ExactError()-0.2165064) <= 1e-7 && x.AnswerError() == x.ExactError() &&
		(Tally{}).ExactError() == 0, "standard errors %v and %v", x.ExactError(), x.AnswerError())
}

func TestReportExpressions(t *testing.T) {
	var r Report
	r.Add(Sample{Operands: 1, Depth: 0, Trivial: true, Answer: 3}, true, true)
	r.Add(Sample{Operands: 2, Depth: 0, Answer: 3}, false, true)
	r.Add(Sample{Operands: 2, Depth: 1, Answer: 4}, true, true)
	r.Add(Sample{Operands: 3, Depth: 1, Answer: 3}, false, false)
	r.Add(Sample{Operands: 1, Depth: 1, Trivial: true, Answer: 0}, false, false)
	got, want := [3]Tally{r.Tally, r.Computed, r.Trivial}, [3]Tally{{5, 2, 3}, {3, 1, 2}, {2, 1, 1}}
	assert.Is(t, got, want, "all, computed, trivial")
	assert.Is(t, r.ByOperands, map[int]Tally{1: {2, 1, 1}, 2: {2, 1, 2}, 3: {1, 0, 0}}, "by operands")
	assert.Is(t, r.ByDepth, map[int]Tally{0: {2, 1, 2}, 1: {3, 1, 1}}, "by depth")
	assert.True(t, len(r.ByLength) == 0, "by length: %+v", r.ByLength)
	assert.True(t, math.Abs(r.Majority-0.6) <= 1e-15, "the most common answer has 3 of 5 samples, not %v", r.Majority)
	assert.Is(t, Keys(r.ByOperands), []int{1, 2, 3}, "keys")
}

// TestReportLengths: groups end at powers of two, their ends included.
func TestReportLengths(t *testing.T) {
	var r Report
	for _, n := range []int{1, 2, 3, 4, 5, 8, 9, 64, 65, 128, 1024} {
		r.Add(Sample{Length: n, Depth: 3, Answer: int32(n % 2)}, n != 65, n != 65)
	}
	want := map[int]Tally{
		1: {1, 1, 1}, 2: {1, 1, 1}, 4: {2, 2, 2}, 8: {2, 2, 2},
		16: {1, 1, 1}, 64: {1, 1, 1}, 128: {2, 1, 1}, 1024: {1, 1, 1},
	}
	assert.Is(t, r.ByLength, want, "by length")
	var names []string
	for _, g := range r.Breakdowns()[0].Groups {
		names = append(names, g.Name)
	}
	wantNames := "1, 2, 3 to 4, 5 to 8, 9 to 16, 33 to 64, 65 to 128, 513 to 1024"
	assert.Is(t, strings.Join(names, ", "), wantNames, "groups are")
	assert.True(t, len(r.ByOperands) == 0 && len(r.ByDepth) == 0,
		"strings are grouped as expressions: %v, %v", r.ByOperands, r.ByDepth)
	assert.True(t, math.Abs(r.Majority-6./11) <= 1e-15, "majority %v, 6/11 wanted", r.Majority)
}

// TestReportJSON holds the keys that metrics.jsonl is read by.
func TestReportJSON(t *testing.T) {
	var r Report
	r.Loss = 0.5
	r.Add(Sample{Operands: 2, Answer: 3}, false, true)
	text := assert.Must(json.Marshal(r))(t)
	want := `{"loss":0.5,"count":1,"exact":0,"answer":1,"nontrivial":{"count":1,` +
		`"exact":0,"answer":1},"trivial":{"count":0,"exact":0,"answer":0},` +
		`"by_operands":{"2":{"count":1,"exact":0,"answer":1}},` +
		`"by_depth":{"0":{"count":1,"exact":0,"answer":1}},"majority":1}`
	assert.Is(t, string(text), want, "JSON")
}

// TestWilson: the ends of the interval solve |p − x| = z·sqrt(x(1 − x)/n), by which Wilson defined it.
func TestWilson(t *testing.T) {
	for _, c := range []struct{ hits, count int }{{0, 10}, {1, 10}, {5, 10}, {10, 10}, {81, 263}, {4095, 4096}} {
		low, high := Wilson(c.hits, c.count)
		p, n := float64(c.hits)/float64(c.count), float64(c.count)
		for _, x := range []float64{low, high} {
			off := math.Abs(math.Abs(p-x) - 1.959964*math.Sqrt(x*(1-x)/n))
			assert.True(t, off <= 1e-9 || x <= 1e-9 || x >= 1-1e-9,
				"%d of %d: %v is off by %v", c.hits, c.count, x, off)
		}
		assert.True(t, low <= p && high >= p && low >= 0 && high <= 1,
			"%d of %d: %v to %v", c.hits, c.count, low, high)
	}
	low, high := Wilson(0, 0)
	assert.True(t, low == 0 && high == 1, "of nothing: %v to %v", low, high)
}

func TestPossible(t *testing.T) {
	good := Tally{Count: 4, Exact: 3, Answer: 4}
	for name, r := range map[string]Report{
		"more hits":    {Tally: Tally{Count: 4, Exact: 5}},
		"fewer than 0": {Tally: Tally{Count: 4, Answer: -1}},
		"trivial":      {Tally: good, Trivial: Tally{Exact: 1}},
		"majority":     {Tally: good, Majority: 1.5},
		"loss":         {Tally: good, Loss: -1},
		"depth":        {Tally: good, ByDepth: map[int]Tally{3: {Count: -2}}},
		"group":        {Tally: good, ByGroup: map[string]map[string]Tally{"style": {"a": {Exact: 1}}}},
	} {
		assert.True(t, !r.Possible(), "%s: %+v is possible", name, r)
	}
	r := Report{Tally: good, Computed: good, Loss: 3, Majority: 0.5, ByDepth: map[int]Tally{0: good, 1: {}}}
	assert.True(t, r.Possible(), "%+v is not possible", r)
}

// TestClasses: of each label how many samples have it, were given it, and both, and which was given for which.
func TestClasses(t *testing.T) {
	var r Report
	assert.True(t, len(r.Classes()) == 0, "there are classes without samples")
	for _, x := range [][2]string{{"10", "10"}, {"10", "9"}, {"9", "9"}, {"9", "9"}, {"9", "x"}} {
		r.Add(Sample{Answer: 1}, x[0] == x[1], x[0] == x[1])
		r.AddClass(x[0], x[1])
	}
	want := []Class{{"9", 3, 3, 2, []int{2, 0, 1}}, {"10", 2, 1, 1, []int{1, 1, 0}}, {"x", 0, 1, 0, []int{0, 0, 0}}}
	assert.Is(t, r.Classes(), want, "classes")
	c := want[0]
	assert.True(t, c.Recall() == 2./3 && c.Precision() == 2./3 && (Class{}).Precision() == 0,
		"recall %v, precision %v", c.Recall(), c.Precision())
	text, err := json.Marshal(r)
	var back Report
	assert.True(t, err == nil && json.Unmarshal(text, &back) == nil && reflect.DeepEqual(back.ByClass, r.ByClass) &&
		back.Possible(), "%s comes back as %+v", text, back)
	for _, n := range []int{-1, 0, 4} {
		back.ByClass["9"]["9"] = n
		assert.True(t, !back.Possible(), "%v are possible of 5 samples", back.ByClass)
	}
}
