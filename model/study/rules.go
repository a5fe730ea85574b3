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
	mostLost   = "most lost"   // compared with the first the second lost more than each other, by two standard errors
	sooner     = "sooner"      // the first comes 90 % of its way in fewer steps than the second, likewise
	spread     = "spread"      // between seeds 90 % of the way come Value epochs apart at most
	interval   = "interval"    // from 10 to 90 % of the way it takes Value to To epochs: more than a run has
	abrupt     = "abrupt"      // up to 10 % of the way it takes longer than from there to 90 %
	parameters = "parameters"  // it has Value parameters, by two in a hundred: our choice
	alike      = "alike"       // in some run the metrics of the heads are nearly the same
	circle     = "circle"      // in every run more of the embeddings' variance than by chance is on a circle in order
	components = "components"  // the first eight principal components have Value percent of the variance, or more
	clocks     = "clocks"      // in every run there is a unit whose phase follows the value
	below      = "below guess" // Value is less than a constant guess gets
	untestable = "untestable"
)

// The paper trains for that many epochs at most. An epoch is in steps: 200 000 samples in batches of 128.
const (
	epochs = 50
	epoch  = 200000.0 / 128
)

// scores are right answers, or whole outputs, of each group of runs.
func (c Claim) scores(groups [][]Cell, answer bool) (list []Figure) {
	for _, group := range groups {
		list = append(list, Of(group, "%", scoreOf(answer)))
	}
	return list
}

// decide is nil where the runs do not say. answer: accuracy is that of answers, not of whole outputs.
func (c Claim) decide(groups [][]Cell, answer bool) (*bool, string) {
	f := c.scores(groups, answer)
	name := func(i int) string { return c.Needs[i].Column + " " + c.Needs[i].Row }
	percent := func(i int) string { return f[i].Words() }
	switch c.Rule.Kind {
	case near:
		off := math.Abs(f[0].Mean - c.Rule.Value)
		most := max(2, 2*math.Hypot(c.Rule.Spread, f[0].SD))
		side := "above"
		if f[0].Mean < c.Rule.Value {
			side = "below"
		}
		words := fmt.Sprintf("%s, %.1f points %s the paper's; at most %.1f would count as reproduced",
			percent(0), off, side, most)
		if off <= most && off > max(2, 2*c.Rule.Spread) {
			words += fmt.Sprintf("; it is so by the spread of our seeds alone, %.1f points where the paper has %.1f",
				f[0].SD, c.Rule.Spread)
		}
		if guess := Of(groups[0], "%", guessOf); guess.N > 0 && (answer || !apart(groups[0])) {
			words += "; a constant guess gets " + number(guess.Mean, "%") + " here"
		}
		if most >= max(c.Rule.Value, 100-c.Rule.Value) {
			return nil, words + "; no figure could fail that, so far apart are these runs"
		}
		return new(off <= most), words
	case reaches:
		ok, words := true, []string{}
		for i := range f {
			ok = ok && f[i].Mean >= c.Rule.Value-0.5
			words = append(words, name(i)+" "+percent(i))
		}
		return new(ok), strings.Join(words, ", ")
	case above:
		alone(f)
		var ok every
		words := []string{name(0) + " " + percent(0)}
		for i := 1; i < len(f); i++ {
			lead := ok.ahead(f[0], f[i], f[0].Mean, 1, "points")
			words = append(words, fmt.Sprintf("%s %s: %s", name(i), percent(i), lead))
		}
		return ok.all(strings.Join(words, "; "))
	case mostLost:
		alone(f)
		var ok every
		lost := func(i int) string {
			points := f[0].Mean - f[i].Mean
			verb := map[bool]string{true: "gains", false: "loses"}[points < 0]
			return fmt.Sprintf("%s %s %.1f points", c.Needs[i].Row, verb, math.Abs(points))
		}
		words := []string{lost(1)}
		for i := 2; i < len(f); i++ {
			words = append(words, fmt.Sprintf("%s: %s", lost(i), ok.ahead(f[i], f[1], f[i].Mean, 1, "points")))
		}
		return ok.all(strings.Join(words, ", "))
	case sooner:
		way := reachedOf(0.9, answer, false)
		steps := []Figure{Of(groups[0], "steps", way), Of(groups[1], "steps", way)}
		if steps[0].N < len(groups[0]) || steps[1].N < len(groups[1]) {
			return nil, fmt.Sprintf("of %d runs of %s and %d of %s only %d and %d learned anything",
				len(groups[0]), name(0), len(groups[1]), name(1), steps[0].N, steps[1].N)
		}
		after := func(i int) string {
			return fmt.Sprintf("%.2g epochs in %s, %s", steps[i].Mean/epoch, name(i), steps[i].Words())
		}
		words := fmt.Sprintf("90 %% of the way to the final figure come after %s, and after %s", after(0), after(1))
		alone(steps)
		var ok every
		most := float64(groups[1][0].Run.Training.Steps) - steps[0].Mean // a rival comes at its last step, or before
		return ok.all(fmt.Sprintf("%s: %s", words, ok.ahead(steps[1], steps[0], most, epoch, "epochs")))
	case spread, interval, abrupt:
		return c.rises(groups[0], answer)
	case parameters:
		set, err := groups[0][0].Run.Config.Parameters()
		if err != nil {
			return nil, err.Error()
		}
		n := float64(set.Count())
		if math.Abs(n-c.Rule.Value) > 0.02*c.Rule.Value {
			return new(false), grouped(n) + " parameters here"
		}
		return nil, grouped(n) + " parameters here: its width, which the paper does not give, was chosen for that"
	case alike:
		most, plain := -1.0, -1.0
		var words, whole []string
		for i, group := range groups {
			var shapes, cosines []string
			for _, x := range group {
				if x.Heads == nil || len(x.Heads.Blocks) == 0 {
					return nil, x.Name + " has no record of its heads"
				}
				for _, h := range x.Heads.Blocks {
					most, plain = max(most, h.Shape), max(plain, h.Cosine)
					shapes = append(shapes, signed(fmt.Sprintf("%.2f", h.Shape)))
					cosines = append(cosines, signed(fmt.Sprintf("%.2f", h.Cosine)))
				}
			}
			words = append(words, name(i)+" "+strings.Join(shapes, ", "))
			whole = append(whole, strings.Join(cosines, ", "))
		}
		return new(most >= 0.9), fmt.Sprintf("mean cosine between the heads' metrics, after the identity is taken "+
			"from each, because all begin near it: %s; 0.9 is nearly the same, 0 also where nothing is left. With "+
			"the identity left in: %s; %s",
			strings.Join(words, "; "), strings.Join(whole, "; "), c.same(new(most >= 0.9), new(plain >= 0.9)))
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
		return new(ok), "percent of the embeddings' variance that is on one circle in order, and what one random " +
			"order in twenty exceeds: " + strings.Join(words, ", ") + "; every run would have to be above that"
	case components:
		share := Of(groups[0], "%", firstEight)
		if share.N == 0 {
			return nil, "no run has a record of its states"
		}
		return new(share.Mean >= c.Rule.Value-2), fmt.Sprintf("%s of the variance; %.0f or more is reproduced",
			share.Words(), c.Rule.Value-2)
	case clocks:
		ok, words := true, []string{}
		for i, group := range groups {
			var counts []string
			for _, x := range group {
				if x.Probe == nil || x.Probe.Error != "" {
					return nil, x.Name + " was not probed"
				}
				ok = ok && len(x.Probe.Clocks) > 0
				counts = append(counts, fmt.Sprint(len(x.Probe.Clocks)))
			}
			words = append(words, name(i)+" "+strings.Join(counts, ", "))
		}
		return new(ok), fmt.Sprintf("units whose phase follows the value of the text so far, by run: %s; where a "+
			"single digit turns a unit stands under Digits on a circle; each run would need one",
			strings.Join(words, "; "))
	case below:
		g := Of(groups[0], "%", guessOf)
		if g.N == 0 {
			return nil, "half of the strings are balanced, so that one answer to all is right for half of them, and " +
				"the paper's figure is below that"
		}
		return nil, fmt.Sprintf("one answer to all strings is right for %.1f %%, and the paper's %.1f is below that; "+
			"here %s. Who is right in so few of two labels would be right in all others with the labels exchanged: "+
			"the paper's score must be of something else", g.Mean, c.Rule.Value, percent(0))
	}
	return nil, "no such rule: " + c.Rule.Kind
}

// alone gives a single run, which has no spread of its own, that of the widest row next to it.
func alone(f []Figure) {
	widest := 0.0
	for _, x := range f {
		widest = max(widest, x.SD)
	}
	for i := range f {
		if f[i].N == 1 {
			f[i].SD = widest
		}
	}
}

// every collects what comparisons found: one that failed decides, then one that could not be decided.
type every struct{ failed, open bool }

// ahead compares the means of two figures in a unit of so much, and says by how much the first is ahead, and how much
// is needed: two standard errors. A lead that is too small fails, unless the largest possible one, most, would be too
// small as well: then no run could have passed, and nothing is decided.
func (e *every) ahead(first, second Figure, most, unit float64, name string) string {
	lead, needed := first.Mean-second.Mean, 2*math.Sqrt(first.error2()+second.error2())
	switch {
	case lead > needed:
	case lead > 0 && needed >= most:
		e.open = true
	default:
		e.failed = true
	}
	return fmt.Sprintf("%s %s, where more than +%.1f is needed", signed(fmt.Sprintf("%+.1f", lead/unit)), name,
		needed/unit)
}

// all is what the comparisons found together.
func (e *every) all(words string) (*bool, string) {
	if e.open && !e.failed {
		return nil, words + "; no figure could pass that, so far apart are these runs"
	}
	return new(!e.failed), words
}

// rises decides by when validations have come 10 and 90 % of the way, of the study's whole runs among these.
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
	took := fmt.Sprintf("%.2g epochs of 200 000 samples from 10 to 90 %% of the way to the final figure (%s)",
		Mean(lasts), runs(len(lasts)))
	switch {
	case c.Rule.Kind == interval:
		words := fmt.Sprintf("the paper's runs have %d epochs at most, which cannot show that", epochs)
		if len(lasts) > 0 {
			words += "; here " + took
		}
		return nil, words
	case c.Rule.Kind == abrupt:
		return new(Mean(starts) > Mean(lasts)), fmt.Sprintf("%.2g epochs up to 10 %%, then %s; the first would have "+
			"to be longer", Mean(starts), took)
	case len(ends) < 2:
		return nil, "one run has no spread"
	}
	wide := slices.Max(ends) - slices.Min(ends)
	return new(wide <= c.Rule.Value), fmt.Sprintf("90 %% of the way to the final figure come %.2g epochs apart (%s)",
		wide, runs(len(ends)))
}
