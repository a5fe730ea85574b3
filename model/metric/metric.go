// Package metric counts what a model got right, in all and by group (SPEC §9: every accuracy is printed with its
// breakdown and next to the share of the most common answer).
package metric

import (
	"maps"
	"math"
	"math/bits"
	"slices"
)

// Tally counts samples and hits.
type Tally struct {
	Count  int `json:"count"`
	Exact  int `json:"exact"`  // outputs equal to the target up to and including <EOS>; for classes the right label
	Answer int `json:"answer"` // answer digit right; for classes the same as Exact
}

// ExactRate is the share of exact matches, 0 without samples.
func (t Tally) ExactRate() float64 { return rate(t.Exact, t.Count) }

// AnswerRate is the share of right answers, 0 without samples.
func (t Tally) AnswerRate() float64 { return rate(t.Answer, t.Count) }

// ExactError is the standard error of ExactRate, that of a binomial share.
func (t Tally) ExactError() float64 { return t.deviation(t.ExactRate()) }

// AnswerError is the standard error of AnswerRate.
func (t Tally) AnswerError() float64 { return t.deviation(t.AnswerRate()) }

// Wilson is the interval of Wilson's score that holds the true share of hits in count independent samples with 95 %
// (FIGURES.md); without samples it is 0 to 1.
func Wilson(hits, count int) (low, high float64) {
	if count == 0 {
		return 0, 1
	}
	const z = 1.959964 // of the normal distribution 95 % lie within that many deviations
	n, p := float64(count), rate(hits, count)
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = (middle-half)/(1+z*z/n), (middle+half)/(1+z*z/n)
	return max(0, min(low, p)), min(1, max(high, p)) // where all or none hit, rounding
}

func (t Tally) deviation(share float64) float64 {
	return math.Sqrt(share * (1 - share) / float64(max(t.Count, 1)))
}

func rate(hits, count int) float64 {
	if count == 0 {
		return 0
	}
	return float64(hits) / float64(count)
}

// counted reports whether no more samples hit than there are.
func (t Tally) counted() bool {
	return min(t.Exact, t.Answer) >= 0 && max(t.Exact, t.Answer) <= t.Count && t.Count <= math.MaxInt32
}

func (t *Tally) add(exact, answer bool) {
	t.Count++
	if exact {
		t.Exact++
	}
	if answer {
		t.Answer++
	}
}

// Report is the outcome of an evaluation.
type Report struct {
	Loss       float64       `json:"loss"` // mean cross-entropy over target tokens or labels
	Tally                    // all samples
	Computed   Tally         `json:"nontrivial"` // without one-number prompts, which are always in the training data
	Trivial    Tally         `json:"trivial"`    // one-number prompts alone
	ByOperands map[int]Tally `json:"by_operands,omitempty"`
	ByDepth    map[int]Tally `json:"by_depth,omitempty"`
	// ByLength is of strings; the key is the group's greatest length, a power of 2.
	ByLength map[int]Tally `json:"by_length,omitempty"`
	// ByGroup has the groups of a custom task: by field, then by value.
	ByGroup map[string]map[string]Tally `json:"by_group,omitempty"`
	// ByClass counts labels: by the right one, then by the one that was given. Of more than MaxClasses it is left out.
	ByClass map[string]map[string]int `json:"by_class,omitempty"`
	// Majority is the share of the most common answer: what a constant guess gets.
	Majority float64 `json:"majority"`

	answers map[int32]int
	most    int // the greatest number in answers
}

// Possible reports whether a report that was read from a file can be one: what is counted, and shares from 0 to 1.
func (r *Report) Possible() bool {
	ok := r.counted() && r.Computed.counted() && r.Trivial.counted() &&
		r.Loss >= 0 && r.Loss <= math.MaxFloat32 && r.Majority >= 0 && r.Majority <= 1
	for _, groups := range []map[int]Tally{r.ByOperands, r.ByDepth, r.ByLength} {
		for _, t := range groups {
			ok = ok && t.counted()
		}
	}
	classified := 0
	for _, given := range r.ByClass {
		for _, n := range given {
			ok = ok && n > 0 && n <= r.Count
			classified += n
		}
	}
	ok = ok && (r.ByClass == nil || classified == r.Count)
	for _, values := range r.ByGroup {
		for _, t := range values {
			ok = ok && t.counted()
		}
	}
	return ok
}

// Sample is what Report needs to know of one sample.
type Sample struct {
	Operands, Depth int // of an expression
	Length          int // of a string, in characters; 0 for expressions
	Trivial         bool
	Answer          int32 // the right answer or label
}

// AddGroup counts the sample just added in a further group.
func (r *Report) AddGroup(field, value string, exact, answer bool) {
	if r.ByGroup == nil {
		r.ByGroup = map[string]map[string]Tally{}
	}
	if r.ByGroup[field] == nil {
		r.ByGroup[field] = map[string]Tally{}
	}
	count(r.ByGroup[field], value, exact, answer)
}

// MaxClasses is of how many labels a report counts which was given for which.
const MaxClasses = 200

// AddClass counts the label that was given for the sample just added.
func (r *Report) AddClass(right, given string) {
	if r.ByClass == nil {
		r.ByClass = map[string]map[string]int{}
	}
	if r.ByClass[right] == nil {
		r.ByClass[right] = map[string]int{}
	}
	r.ByClass[right][given]++
}

// Add counts one sample.
func (r *Report) Add(s Sample, exact, answer bool) {
	if r.answers == nil {
		r.answers = map[int32]int{}
		r.ByOperands, r.ByDepth, r.ByLength = map[int]Tally{}, map[int]Tally{}, map[int]Tally{}
	}
	r.add(exact, answer)
	if s.Trivial {
		r.Trivial.add(exact, answer)
	} else {
		r.Computed.add(exact, answer)
	}
	if s.Length > 0 {
		count(r.ByLength, 1<<bits.Len(uint(s.Length-1)), exact, answer)
	} else {
		count(r.ByOperands, s.Operands, exact, answer)
		count(r.ByDepth, s.Depth, exact, answer)
	}
	r.answers[s.Answer]++
	r.most = max(r.most, r.answers[s.Answer])
	r.Majority = rate(r.most, r.Count)
}

func count[K comparable](m map[K]Tally, key K, exact, answer bool) {
	t := m[key]
	t.add(exact, answer)
	m[key] = t
}

// Keys are the groups of a breakdown in ascending order.
func Keys(m map[int]Tally) []int { return slices.Sorted(maps.Keys(m)) }
