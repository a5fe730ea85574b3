package study

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Rule decides on a claim.
type Rule struct {
	Kind   string  `json:"kind"`
	Answer bool    `json:"answer,omitempty"` // by right answers in place of whole outputs, where these are apart
	Value  float64 `json:"value,omitempty"`
	Spread float64 `json:"spread,omitempty"` // of the paper's value
	To     float64 `json:"to,omitempty"`
	Reason string  `json:"reason,omitempty"` // why it is not testable, or what the paper itself has against it
}

// The kinds of a Rule.
const (
	near       = "near"        // the figure is Value: two standard deviations off, or two points, and no more
	reaches    = "reaches"     // all figures are Value, by half a point
	above      = "above"       // the first figure is above each of the others, by two standard errors
	mostLost   = "most lost"   // what the second lost beside the first is more than each of the others lost
	sooner     = "sooner"      // the first has 90 % of its final figure in fewer steps than the second
	spread     = "spread"      // between seeds 90 % of the final figure come Value epochs apart at most
	interval   = "interval"    // from 10 to 90 % of the final figure it takes Value to To epochs: more than a run has
	abrupt     = "abrupt"      // up to 10 % of the final figure it takes longer than from there to 90 %
	parameters = "parameters"  // it has Value parameters, by two in a hundred: our choice
	alike      = "alike"       // in some run the metrics of the heads are nearly the same
	circle     = "circle"      // in every run more of the embeddings' variance than by chance is on a circle in order
	components = "components"  // the first eight principal components have Value percent of the variance, or more
	clocks     = "clocks"      // in every run there is a unit whose phase follows the value
	below      = "below guess" // Value is less than a constant guess gets
	untestable = "untestable"
)

// The paper trains for so many epochs at most. An epoch is in steps: 200 000 samples in batches of 128.
const (
	epochs = 50
	epoch  = 200000.0 / 128
)

// is is what a rule found.
func is(found bool) *bool { return &found }

// decide is nil where the runs do not say. answer: accuracy is that of answers, not of whole outputs.
func (c Claim) decide(groups [][]Cell, answer bool) (*bool, string) {
	var f []Figure
	for _, group := range groups {
		f = append(f, Of(group, "%", scoreOf(answer)))
	}
	name := func(i int) string { return c.Needs[i].Column + " " + c.Needs[i].Row }
	percent := func(i int) string { return f[i].Words() }
	switch c.Rule.Kind {
	case near:
		off := math.Abs(f[0].Mean - c.Rule.Value)
		most := max(2, 2*math.Hypot(c.Rule.Spread, f[0].SD))
		words := fmt.Sprintf("%s, %.1f points from the paper's; up to %.1f is reproduced", percent(0), off, most)
		if off <= most && off > max(2, 2*c.Rule.Spread) {
			words += fmt.Sprintf("; it is so by the spread of our seeds alone, %.1f points where the paper has %.1f",
				f[0].SD, c.Rule.Spread)
		}
		if guess := Of(groups[0], "%", guessOf); guess.N > 0 && (answer || !apart(groups)) {
			words += "; a constant guess gets " + number(guess.Mean, "%") + " here"
		}
		if most >= max(c.Rule.Value, 100-c.Rule.Value) {
			return nil, words + "; no figure could fail that: so far apart as these seeds are, more runs are needed"
		}
		return is(off <= most), words
	case reaches:
		ok, words := true, []string{}
		for i := range f {
			ok = ok && f[i].Mean >= c.Rule.Value-0.5
			words = append(words, name(i)+" "+percent(i))
		}
		return is(ok), strings.Join(words, ", ")
	case above:
		ok, words := true, []string{name(0) + " " + percent(0)}
		widest := 0.0
		for _, x := range f {
			widest = max(widest, x.SD)
		}
		for i := range f { // one run has no spread of its own: it is taken for that of the widest row
			if f[i].N == 1 {
				f[i].SD = widest
			}
		}
		for i := 1; i < len(f); i++ {
			more, error2 := f[0].Mean-f[i].Mean, 2*math.Sqrt(f[0].error2()+f[i].error2())
			ok = ok && more > error2
			words = append(words, fmt.Sprintf("%s %s: %s points, more than %.1f needed", name(i), percent(i),
				signed(fmt.Sprintf("%+.1f", more)), error2))
		}
		return is(ok), strings.Join(words, "; ")
	case mostLost:
		ok, words := true, []string{}
		lost := func(i int) float64 { return f[0].Mean - f[i].Mean }
		for i := 1; i < len(f); i++ {
			ok = ok && (i == 1 || lost(1) > lost(i))
			points := signed(fmt.Sprintf("%.1f", lost(i)))
			words = append(words, fmt.Sprintf("%s loses %s points", c.Needs[i].Row, points))
		}
		return is(ok), strings.Join(words, ", ")
	case sooner:
		way := reachedOf(0.9, answer, false)
		a, b := Of(groups[0], "steps", way), Of(groups[1], "steps", way)
		if a.N < len(groups[0]) || b.N < len(groups[1]) {
			return nil, fmt.Sprintf("of %d runs of %s and %d of %s only %d and %d learned anything",
				len(groups[0]), name(0), len(groups[1]), name(1), a.N, b.N)
		}
		after := func(i int, f Figure) string {
			return fmt.Sprintf("%.2g epochs in %s, %s", f.Mean/epoch, name(i), f.Words())
		}
		return is(a.Mean < b.Mean), fmt.Sprintf("90 %% of the final figure come after %s, and after %s", after(0, a),
			after(1, b))
	case spread, interval, abrupt:
		return c.rises(groups[0], answer)
	case parameters:
		set, err := groups[0][0].Run.Config.Parameters()
		if err != nil {
			return nil, err.Error()
		}
		n := float64(set.Count())
		if math.Abs(n-c.Rule.Value) > 0.02*c.Rule.Value {
			return is(false), grouped(n) + " parameters here"
		}
		return nil, grouped(n) + " parameters here: its width, which the paper does not give, was chosen for that"
	case alike:
		most, words := -1.0, []string{}
		plain, whole := -1.0, []string{}
		for _, x := range groups[0] {
			if x.Heads == nil || len(x.Heads.Blocks) == 0 {
				return nil, x.Name + " has no record of its heads"
			}
			for _, h := range x.Heads.Blocks {
				most = max(most, h.Shape)
				words = append(words, signed(fmt.Sprintf("%.2f", h.Shape)))
				plain = max(plain, h.Cosine)
				whole = append(whole, signed(fmt.Sprintf("%.2f", h.Cosine)))
			}
		}
		return is(most >= 0.9), fmt.Sprintf("mean cosine between the heads' metrics, less the identity, near which "+
			"all of them begin: %s; 0.9 is nearly the same. With it: %s; that would be %s", strings.Join(words, ", "),
			strings.Join(whole, ", "), c.word(is(plain >= 0.9)))
	case circle:
		ok, words := true, []string{}
		for _, x := range groups[0] {
			if x.Inside.Digits == nil {
				return nil, x.Name + " has no record of its digits"
			}
			ring := x.Inside.Digits.Ring
			ok = ok && ring.Score > ring.Chance
			words = append(words, fmt.Sprintf("%.0f (%.0f)", 100*ring.Score, 100*ring.Chance))
		}
		return is(ok), "percent of the embeddings' variance that is on one circle in order, and what one random " +
			"order in twenty exceeds: " + strings.Join(words, ", ")
	case components:
		share := Of(groups[0], "%", firstEight)
		if share.N == 0 {
			return nil, "no run has a record of its states"
		}
		return is(share.Mean >= c.Rule.Value-2), fmt.Sprintf("%s of the variance; %.0f or more is reproduced",
			share.Words(), c.Rule.Value-2)
	case clocks:
		ok, words := true, []string{}
		for _, x := range groups[0] {
			if x.Probe == nil || x.Probe.Error != "" {
				return nil, x.Name + " was not probed"
			}
			ok = ok && len(x.Probe.Clocks) > 0
			words = append(words, fmt.Sprint(len(x.Probe.Clocks)))
		}
		return is(ok), fmt.Sprintf("units whose phase follows the value of the text so far, by run: %s; where a "+
			"single digit turns a unit stands under Digits on a circle", strings.Join(words, ", "))
	case below:
		g := Of(groups[0], "%", guessOf)
		if g.N == 0 {
			return nil, "half of the strings are balanced, so that one answer to all is right for half of them, and " +
				"the paper's figure is below that"
		}
		return nil, fmt.Sprintf("one answer to all strings is right for %.1f %%, and the paper's %.1f is below that; "+
			"here %s",
			g.Mean, c.Rule.Value, percent(0))
	}
	return nil, "no such rule: " + c.Rule.Kind
}

// rises decides by when validations have 10 and 90 % of the final figure, of the study's whole runs among these.
func (c Claim) rises(cells []Cell, answer bool) (*bool, string) {
	var starts, ends, lasts []float64
	for _, x := range cells {
		if !x.Whole() || !x.usual() {
			continue
		}
		from, ok := x.reached(0.1, answer, false)
		to, there := x.reached(0.9, answer, false)
		switch {
		case ok && there:
		case c.Rule.Kind == interval:
			continue
		default:
			return nil, x.Name + " learned nothing that a constant guess does not get"
		}
		starts, ends, lasts = append(starts, from/epoch), append(ends, to/epoch), append(lasts, (to-from)/epoch)
	}
	took := fmt.Sprintf("%.2g epochs of 200 000 samples from 10 to 90 %% of the final figure (%s)", Mean(lasts),
		runs(len(lasts)))
	switch {
	case c.Rule.Kind == interval:
		words := fmt.Sprintf("the paper's runs have %d epochs at most, which cannot show that", epochs)
		if len(lasts) > 0 {
			words += "; here " + took
		}
		return nil, words
	case c.Rule.Kind == abrupt:
		return is(Mean(starts) > Mean(lasts)), fmt.Sprintf("%.2g epochs up to 10 %%, then %s", Mean(starts), took)
	case len(ends) < 2:
		return nil, "one run has no spread"
	}
	wide := slices.Max(ends) - slices.Min(ends)
	return is(wide <= c.Rule.Value), fmt.Sprintf("90 %% of the final figure come %.2g epochs apart (%s)", wide,
		runs(len(ends)))
}
