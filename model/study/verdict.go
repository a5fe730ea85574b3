package study

import (
	"fmt"
	"slices"
	"strings"
)

// A Verdict's words.
const (
	Reproduced    = "reproduced"
	NotReproduced = "not reproduced"
	NotTestable   = "not testable as stated"
	Undecided     = "undecided" // all runs are there, and lie too far apart to tell
	NotYet        = "not enough runs yet"
)

// Verdict is what runs say of a claim.
type Verdict struct {
	Claim
	Word   string `json:"verdict"`
	Reason string `json:"reason"`           // in words made of the numbers
	SoFar  string `json:"so_far,omitempty"` // what the whole runs say that are there, where there are not enough yet
	// Figures are the scores that decide, in percent, of each row that the claim needs; nil where others decide.
	Figures []Figure `json:"-"`
}

// Lead is how many points the runs are above the paper's score; false where the claim is no score, or has no verdict.
func (v Verdict) Lead() (points float64, ok bool) {
	if v.Rule.Kind != near || v.Figures == nil {
		return 0, false
	}
	return v.Figures[0].Mean - v.Rule.Value, true
}

// Why is the reason, and what there is so far.
func (v Verdict) Why() string {
	if v.SoFar == "" {
		return v.Reason
	}
	return v.Reason + ". So far: " + v.SoFar
}

// rowsOf are the cells of a need.
func rowsOf(cells []Cell, n Need) (list []Cell) {
	for _, c := range cells {
		if c.Need() == n {
			list = append(list, c)
		}
	}
	return list
}

// Judge decides on a claim.
func (c Claim) Judge(cells []Cell) Verdict {
	v := Verdict{Claim: c}
	if c.Rule.Kind == untestable {
		v.Word, v.Reason = NotTestable, c.Rule.Reason
		return v
	}
	var groups [][]Cell
	var lacks []string
	for _, n := range c.Needs {
		group := rowsOf(cells, n)
		groups = append(groups, group)
		if lack := c.lacks(n, group); lack != "" {
			lacks = append(lacks, lack)
		}
	}
	if len(lacks) > 0 {
		v.Word, v.Reason, v.SoFar = NotYet, strings.Join(lacks, "; "), c.soFar(cells)
	} else {
		yes, reason := c.says(groups)
		v.Word, v.Reason = c.word(yes), reason
		if slices.Contains([]string{near, reaches, above, below}, c.Rule.Kind) {
			v.Figures = c.scores(groups, c.Rule.Answer)
		}
	}
	if c.Rule.Reason != "" {
		v.Reason += "; " + c.Rule.Reason
	}
	return v
}

// The rules that are about accuracy, or about when it rises.
var byAccuracy = []string{near, above, mostLost, sooner, spread, interval, abrupt}

// same says what the verdict would be by another reading.
func (c Claim) same(yes, other *bool) string {
	if c.word(yes) == c.word(other) {
		return "that gives the same verdict"
	}
	return "by that the verdict would be: " + c.word(other)
}

// word is the verdict on what the rule found.
func (c Claim) word(yes *bool) string {
	switch {
	case yes == nil && slices.Contains([]string{below, interval, parameters}, c.Rule.Kind):
		return NotTestable
	case yes == nil && slices.Contains(byAccuracy, c.Rule.Kind):
		return Undecided
	case yes == nil: // a record lacks what the rule is about
		return NotYet
	case *yes:
		return Reproduced
	}
	return NotReproduced
}

// says is what the rule finds. Where the paper's figure may be of whole outputs or of right answers the verdict is
// that of the reading which STUDIES.md decides on, and the other one's stands in the reason.
func (c Claim) says(groups [][]Cell) (*bool, string) {
	yes, reason := c.decide(groups, c.Rule.Answer)
	cells := slices.Concat(groups...)
	if slices.Contains(byAccuracy, c.Rule.Kind) && apart(cells) {
		other, also := c.decide(groups, !c.Rule.Answer)
		name := map[bool]string{false: "whole outputs", true: "right answers"}
		reason = fmt.Sprintf("%s: %s. In %s: %s; %s. The paper does not say which it means",
			name[c.Rule.Answer], reason, name[!c.Rule.Answer], also, c.same(yes, other))
	}
	return yes, reason + c.shorter(cells) + c.helped(cells)
}

// helped says that short strings came first in training: the paper names a curriculum as future work alone (§6.2).
func (c Claim) helped(cells []Cell) string {
	asked := slices.Contains([]string{near, reaches, above, components}, c.Rule.Kind)
	if asked && slices.ContainsFunc(cells, func(x Cell) bool { return x.Run.Training.Curriculum }) {
		return ". Trained with short strings first, as the paper's are not"
	}
	return ""
}

// shorter says how much shorter than the paper's the runs are. It is empty where that makes no difference: no training
// is asked about, or all is learned already.
func (c Claim) shorter(cells []Cell) string {
	most := 0
	for _, x := range cells {
		most = max(most, x.Asked)
	}
	untold := []string{parameters, below, reaches, interval}
	if slices.Contains(untold, c.Rule.Kind) || most >= epochs*epoch {
		return ""
	}
	return fmt.Sprintf(". Runs of %s steps; the paper's have up to %s", grouped(float64(most)), grouped(epochs*epoch))
}

// apart reports whether whole outputs and right answers of some cell are two figures.
func apart(cells []Cell) bool {
	return slices.ContainsFunc(cells, func(c Cell) bool { return c.Run.AnswerApart() })
}

// soFar is what the rule finds in the whole runs that there are. It is empty where a row has none; but the first row
// of several may be compared with some of the others.
func (c Claim) soFar(cells []Cell) string {
	var whole []Cell
	for _, x := range cells {
		if x.Whole() && x.usual() {
			whole = append(whole, x)
		}
	}
	var groups [][]Cell
	var there []Need
	for i, n := range c.Needs {
		group := rowsOf(whole, n)
		if len(group) == 0 && (i == 0 || c.Rule.Kind != above) {
			return ""
		}
		if len(group) > 0 {
			groups, there = append(groups, group), append(there, n)
		}
	}
	if len(c.Needs) > 1 && len(there) < 2 {
		return ""
	}
	c.Needs = there
	_, reason := c.says(groups)
	return reason
}

// lacks says why a row is not enough for the rule; empty where it is: most rules need it whole.
func (c Claim) lacks(n Need, cells []Cell) string {
	switch {
	case c.Rule.Kind == below, c.Rule.Kind == interval: // of the paper's figure alone
		return ""
	case len(cells) == 0:
		return "the plan has no " + n.Column + " " + n.Row
	}
	for _, x := range cells {
		if !x.usual() {
			return x.Name + " is another run than the study of the paper has there"
		}
	}
	if c.Rule.Kind == parameters { // of the plan alone
		return ""
	}
	counts, whole := map[string]int{}, 0
	for _, x := range cells {
		switch {
		case x.Whole():
			whole++
		case x.Thin():
			counts["thin"]++
		case x.State == Absent:
			counts["not run"]++
		default:
			counts[string(x.State)]++
		}
	}
	if whole == len(cells) {
		return ""
	}
	var words []string
	for _, word := range []string{"thin", "half", "running", "failed", "damaged", "not run"} {
		if k := counts[word]; k > 0 {
			words = append(words, fmt.Sprintf("%d %s", k, word))
		}
	}
	return fmt.Sprintf("%s %s: %d of %s complete, %s", n.Column, n.Row, whole, runs(len(cells)),
		strings.Join(words, ", "))
}
