package study

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Verdict's words.
const (
	Reproduced    = "reproduced"
	NotReproduced = "not reproduced"
	NotTestable   = "not testable as stated"
	NotYet        = "not enough runs yet"
)

// Claim is what the paper says, and the rule by which runs decide on it.
type Claim struct {
	Name  string `json:"name"`
	Where string `json:"where"` // in the paper
	Words string `json:"claim"` // ours
	Paper string `json:"paper"` // its number, or that it gives none
	Needs []Need `json:"needs"` // the rows that the rule is about, in its order
	Rule  Rule   `json:"rule"`
}

// Need is a row of cells that differ in their seed alone.
type Need struct {
	Column string `json:"column"`
	Row    string `json:"row"`
}

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
	interval   = "interval"    // from 10 to 90 % of the final figure it takes Value to To epochs
	parameters = "parameters"  // it has Value parameters, by two in a hundred
	alike      = "alike"       // in some run the metrics of the heads are nearly the same
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

// Claims are those of the paper that runs can decide on, or that one sees from them not to be testable.
func Claims() []Claim {
	one := func(column, row string) []Need { return []Need{{column, row}} }
	both := func(column string, rows ...string) (n []Need) {
		for _, r := range rows {
			n = append(n, Need{column, r})
		}
		return n
	}
	list := []Claim{
		{"parity", "§5.2, Table 1", "CSP and MHA-CSP learn parity up to 128 bits perfectly", "100.0 ± 0.0",
			both("parity", "csp", "mha-csp"), Rule{Kind: reaches, Value: 100}},
		{"parenthesis csp", "§5.2, Table 1", "CSP without attention matches parentheses", "99.8 ± 0.06",
			one("parenthesis", "csp"), Rule{Kind: near, Value: 99.8, Spread: 0.06}},
		{"parenthesis mha-csp", "§5.2, Table 1", "MHA-CSP gets half of the parentheses right", "50.3 ± 1.6",
			one("parenthesis", "mha-csp"), Rule{Kind: near, Value: 50.3, Spread: 1.6,
				Reason: "the paper's figure is what one answer to all strings gets"}},
	}
	for _, x := range []struct {
		row                       string
		parity, paritySD          float64
		arithmetic, arithmeticSD  float64
		parenthesis, parenthesisS float64
	}{
		{"lstm", 62.3, 1.2, 8.7, 2.1, 12.4, 1.8}, {"gru", 65.1, 0.8, 11.2, 1.8, 15.6, 1.2},
		{"gdn", 78.4, 0.5, 18.3, 1.5, 22.1, 1.4}, {"arformer", 91.2, 0.3, 32.1, 1.2, 38.7, 1.0},
	} {
		list = append(list,
			Claim{"parity " + x.row, "§5.2, Table 1", "parity up to 128 bits, " + x.row,
				plusMinus(x.parity, x.paritySD), one("parity", x.row), Rule{Kind: near, Value: x.parity,
					Spread: x.paritySD}},
			Claim{"parenthesis " + x.row, "§5.2, Table 1", "parentheses are hard for " + x.row,
				plusMinus(x.parenthesis, x.parenthesisS), one("parenthesis", x.row),
				Rule{Kind: below, Value: x.parenthesis}},
			Claim{"arithmetic " + x.row, "§5.2, Table 1", "arithmetic with repeat, " + x.row,
				plusMinus(x.arithmetic, x.arithmeticSD), one(repeat50, x.row),
				Rule{Kind: near, Value: x.arithmetic, Spread: x.arithmeticSD}})
	}
	list = append(list,
		Claim{"arithmetic mha-csp", "§5.2, Table 1", "arithmetic with repeat, MHA-CSP", "50.3 ± 1.6",
			one(repeat50, "mha-csp"), Rule{Kind: near, Value: 50.3, Spread: 1.6}},
		Claim{"arithmetic csp", "§5.2, Table 1", "arithmetic with repeat, CSP", "30.8 ± 2.3",
			one(repeat50, "csp"), Rule{Kind: near, Value: 30.8, Spread: 2.3}},
		Claim{"best", "abstract, §1, conclusion",
			"on nested arithmetic MHA-CSP is better than a Transformer and a graph network", "50.3 beside 32.1",
			both(repeat50, "mha-csp", "arformer", "gcn"), Rule{Kind: above}},
		Claim{"best recurrent", "§5.2, Table 1", "on nested arithmetic MHA-CSP is better than LSTM, GRU, GDN and CSP",
			"50.3 beside 8.7 to 30.8", both(repeat50, "mha-csp", "lstm", "gru", "gdn", "csp"), Rule{Kind: above}},
		Claim{"parameters", "abstract, §5.1", "MHA-CSP has 119 thousand parameters", "119K",
			one("repeat", "mha-csp"), Rule{Kind: parameters, Value: 119000,
				Reason: "its width was chosen for that"}},
		Claim{"convergence", "§5.2", "attention makes arithmetic converge sooner than in CSP",
			"30 beside more than 60 epochs",
			both(repeat50, "mha-csp", "csp"), Rule{Kind: sooner}},
		Claim{"repeat 1", "§5.3, Table 2", "repeating the text gives more right answers than copying it first",
			"50.3 beside 41.2", []Need{{repeat50, "mha-csp"}, {copy50, "mha-csp"}}, Rule{Kind: above, Answer: true}},
		Claim{"repeat 2", "§5.3, Table 2", "repeating the text gives more right answers than the answer alone",
			"50.3 beside 34.7", []Need{{repeat50, "mha-csp"}, {direct50, "mha-csp"}}, Rule{Kind: above, Answer: true}},
		Claim{"direct", "§5.3, Table 2", "right answers where the answer stands alone", "34.7",
			one(direct50, "mha-csp"), Rule{Kind: near, Value: 34.7, Answer: true}},
		Claim{"copy", "§5.3, Table 2", "right answers behind a copy of the text", "41.2",
			one(copy50, "mha-csp"), Rule{Kind: near, Value: 41.2, Answer: true}},
	)
	for _, x := range []struct {
		part, words, paper string
	}{
		{"no-tree", "the tree of distances", "50.3 beside 41.8"},
		{"no-lse", "the log-sum-exp correction", "50.3 beside 44.2"},
		{"no-B", "the matrix B that couples the heads", "50.3 beside 42.6"},
		{"no-norm", "the normalisation of the state", "50.3 beside 38.1"},
	} {
		list = append(list, Claim{"ablation " + x.part, "§5.4, Table 3", "MHA-CSP needs " + x.words, x.paper,
			both(repeat50, ablated, ablated+" "+x.part), Rule{Kind: above}})
	}
	return append(list,
		Claim{"ablation most", "§5.4", "of all parts the tree matters most", "8.5 of 6.1 to 12.2 points",
			both(repeat50, ablated, ablated+" no-tree", ablated+" no-lse", ablated+" no-B", ablated+" no-norm"),
			Rule{Kind: mostLost,
				Reason: "the paper's own Table 3 has 12.2 points for the normalisation, and 8.5 for the tree"}},
		Claim{"ablation parentheses", "§5.4, Table 3", "the ablations were measured on parentheses in the format " +
			"repeat",
			"38.1 to 50.3", one("parenthesis", ablated), Rule{Kind: untestable,
				Reason: "a string of brackets has a label and no text to repeat; both readings stand in Table 3 " +
					"here"}},
		Claim{"meshing", "abstract, §1", "meshing heads (B) makes training shorter", "no figure",
			both(repeat50, ablated, ablated+" no-B"), Rule{Kind: sooner}},
		Claim{"grokking", "§6.2", "on nested expressions it takes 50 to 80 epochs from 10 to 90 % of the final " +
			"accuracy",
			"50 to 80 epochs", one(repeat50, "mha-csp"), Rule{Kind: interval, Value: 50, To: 80}},
		Claim{"seeds", "§5.7", "the epoch of grokking differs between seeds by up to 10", "10 epochs",
			one(repeat50, "mha-csp"), Rule{Kind: spread, Value: 10}},
		Claim{"heads", "§5.7, §6.3", "in some runs heads learn nearly the same metric", "no figure",
			one(repeat50, "mha-csp"), Rule{Kind: alike}},
		Claim{"components", "§5.5, Figure 2", "on parentheses the states' first eight principal components have " +
			"90 % of their variance", "about 90", one("parenthesis", "mha-csp"), Rule{Kind: components, Value: 90}},
		Claim{"clocks", "§5.5", "a digit turns the state by an angle in proportion, so that the phase says the sum",
			"no figure",
			one(repeat50, "mha-csp"), Rule{Kind: clocks}},
		Claim{"length", "§6.3", "perfect accuracy on sequences a thousand times longer than for CSP", "no figure",
			both("parity", "mha-csp", "csp"), Rule{Kind: untestable,
				Reason: "no experiment of the paper is longer than 128; what 1 024 characters give stands under " +
					"Longer strings"}},
	)
}

func plusMinus(value, sd float64) string { return fmt.Sprintf("%.1f ± %.1f", value, sd) }

// Verdict is what runs say of a claim.
type Verdict struct {
	Claim
	Word   string `json:"verdict"`
	Reason string `json:"reason"`           // in words made of the numbers
	SoFar  string `json:"so_far,omitempty"` // what the whole runs say that are there, where there are not enough yet
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
		if c.Column == n.Column && c.Row == n.Row {
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
		if c.Rule.Reason != "" {
			v.Reason += "; " + c.Rule.Reason
		}
		return v
	}
	yes, reason := c.says(groups)
	if v.Reason = reason; c.Rule.Reason != "" {
		v.Reason += "; " + c.Rule.Reason
	}
	if v.Word = wordOf(yes); yes == nil && c.Rule.Kind == below {
		v.Word = NotTestable
	}
	return v
}

// wordOf is the verdict on what a rule found.
func wordOf(yes *bool) string {
	switch {
	case yes == nil:
		return NotYet
	case *yes:
		return Reproduced
	}
	return NotReproduced
}

// says is what the rule finds. Where the paper's figure may be of whole outputs or of right answers the verdict is
// that of the reading which SPEC §12 decides on, and the other one's stands in the reason.
func (c Claim) says(groups [][]Cell) (*bool, string) {
	yes, reason := c.decide(groups, c.Rule.Answer)
	accuracy := c.Rule.Kind == near || c.Rule.Kind == above || c.Rule.Kind == mostLost
	if accuracy && apart(groups) {
		other, also := c.decide(groups, !c.Rule.Answer)
		name := map[bool]string{false: "whole outputs", true: "right answers"}
		reason = fmt.Sprintf("%s: %s. In %s: %s; that would be %s. The paper does not say which it means",
			name[c.Rule.Answer], reason, name[!c.Rule.Answer], also, wordOf(other))
	}
	return yes, reason + c.shorter(groups)
}

// shorter says how much shorter than the paper's the runs are. It is empty where that makes no difference: no training
// is asked about, or all is learned already.
func (c Claim) shorter(groups [][]Cell) string {
	most := 0
	for _, group := range groups {
		for _, x := range group {
			most = max(most, x.Asked)
		}
	}
	if c.Rule.Kind == parameters || c.Rule.Kind == below || c.Rule.Kind == reaches || most >= epochs*epoch {
		return ""
	}
	return fmt.Sprintf(". Runs of %s steps; the paper's have up to %s", grouped(float64(most)), grouped(epochs*epoch))
}

// apart tells whether whole outputs and right answers of some row are two figures.
func apart(groups [][]Cell) bool {
	return slices.ContainsFunc(groups, func(group []Cell) bool {
		return slices.ContainsFunc(group, func(c Cell) bool { return c.Run.AnswerApart() })
	})
}

// lacks says why a row is not enough for the rule.
func (c Claim) lacks(n Need, cells []Cell) string {
	switch c.Rule.Kind {
	case below: // of the paper's figure alone
		return ""
	case parameters: // of the plan alone
		return foreign(n, cells)
	}
	return lacking(n, cells)
}

// soFar is what the rule finds in the whole runs that there are; empty where a row has none.
func (c Claim) soFar(cells []Cell) string {
	var whole []Cell
	for _, x := range cells {
		if x.Whole() && x.usual() {
			whole = append(whole, x)
		}
	}
	var groups [][]Cell
	for _, n := range c.Needs {
		group := rowsOf(whole, n)
		if len(group) == 0 {
			return ""
		}
		groups = append(groups, group)
	}
	_, reason := c.says(groups)
	return reason
}

// foreign says why a row is not the study's; empty where it is.
func foreign(n Need, cells []Cell) string {
	if len(cells) == 0 {
		return "the plan has no " + n.Column + " " + n.Row
	}
	for _, c := range cells {
		if !c.usual() {
			return c.Name + " is another run than the study of the paper has there"
		}
	}
	return ""
}

// lacking says why a row is not enough for a verdict; empty where all of its cells are whole.
func lacking(n Need, cells []Cell) string {
	if lack := foreign(n, cells); lack != "" {
		return lack
	}
	var words []string
	count := func(is func(Cell) bool, word string) {
		k := 0
		for _, c := range cells {
			if is(c) {
				k++
			}
		}
		if k > 0 {
			words = append(words, fmt.Sprintf("%d %s", k, word))
		}
	}
	whole := 0
	for _, c := range cells {
		if c.Whole() {
			whole++
		}
	}
	if whole == len(cells) {
		return ""
	}
	count(Cell.Thin, "thin")
	for _, x := range []struct {
		state State
		word  string
	}{
		{Half, "half"}, {Running, "running"}, {Failed, "failed"}, {Damaged, "damaged"}, {Absent, "not run"},
	} {
		count(func(c Cell) bool { return c.State == x.state }, x.word)
	}
	return fmt.Sprintf("%s %s: of %d runs %d whole, %s", n.Column, n.Row, len(cells), whole, strings.Join(words, ", "))
}

// decide is nil where the runs do not say. answer: accuracy is that of answers, not of whole outputs.
func (c Claim) decide(groups [][]Cell, answer bool) (*bool, string) {
	var f []Figure
	for _, group := range groups {
		f = append(f, Of(group, "%", scoreOf(answer)))
	}
	is := func(b bool) *bool { return &b }
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
		a, b := Of(groups[0], "steps", reachedOf(0.9, false)), Of(groups[1], "steps", reachedOf(0.9, false))
		if a.N < len(groups[0]) || b.N < len(groups[1]) {
			return nil, fmt.Sprintf("of %d runs of %s and %d of %s only %d and %d learned anything",
				len(groups[0]), name(0), len(groups[1]), name(1), a.N, b.N)
		}
		after := func(i int, f Figure) string {
			return fmt.Sprintf("%.2g epochs in %s, %s", f.Mean/epoch, name(i), f.Words())
		}
		return is(a.Mean < b.Mean), fmt.Sprintf("90 %% of the final figure come after %s, and after %s", after(0, a),
			after(1, b))
	case spread, interval:
		var ends, lasts []float64
		for _, x := range groups[0] {
			from, ok := x.reached(0.1, false)
			to, there := x.reached(0.9, false)
			if !ok || !there {
				return nil, x.Name + " learned nothing that a constant guess does not get"
			}
			ends, lasts = append(ends, to/epoch), append(lasts, (to-from)/epoch)
		}
		if c.Rule.Kind == interval {
			m := Mean(lasts)
			return is(m >= c.Rule.Value && m <= c.Rule.To),
				fmt.Sprintf("%.2g epochs of 200 000 samples (%s)", m, runs(len(lasts)))
		}
		if len(ends) < 2 {
			return nil, "one run has no spread"
		}
		wide := slices.Max(ends) - slices.Min(ends)
		return is(wide <= c.Rule.Value), fmt.Sprintf("90 %% of the final figure come %.2g epochs apart (%s)",
			wide, runs(len(ends)))
	case parameters:
		set, err := groups[0][0].Run.Config.Parameters()
		if err != nil {
			return nil, err.Error()
		}
		n := float64(set.Count())
		return is(math.Abs(n-c.Rule.Value) <= 0.02*c.Rule.Value),
			grouped(n) + " parameters here, which needs no run"
	case alike:
		most, words := -1.0, []string{}
		for _, x := range groups[0] {
			if x.Heads == nil || len(x.Heads.Blocks) == 0 {
				return nil, x.Name + " has no record of its heads"
			}
			for _, h := range x.Heads.Blocks {
				most = max(most, h.Shape)
				words = append(words, signed(fmt.Sprintf("%.2f", h.Shape)))
			}
		}
		return is(most >= 0.9), fmt.Sprintf("mean cosine between the heads' metrics, less the identity: %s; 0.9 is "+
			"nearly the same",
			strings.Join(words, ", "))
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
