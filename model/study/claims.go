package study

import "fmt"

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

// Need is the row of a cell.
func (s Spec) Need() Need { return Need{s.Column, s.Row} }

// Claims are those of the paper that runs can decide on, or that one sees from them not to be testable.
func Claims() []Claim {
	one := func(column, row string) []Need { return []Need{{column, row}} }
	both := func(column string, rows ...string) (n []Need) {
		for _, r := range rows {
			n = append(n, Need{column, r})
		}
		return n
	}
	// The abstract speaks of all tasks that track a state.
	better := func(name, where, task, paper, column string) Claim {
		return Claim{name, where, "on " + task + " MHA-CSP is better than a Transformer and a graph network", paper,
			both(column, "mha-csp", "arformer", "gcn"), Rule{Kind: above}}
	}
	formats := []Need{{repeat50, "mha-csp"}, {copy50, "mha-csp"}, {direct50, "mha-csp"}}
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
		row                             string
		parity, arithmetic, parenthesis float64 // standard deviations
	}{
		{"lstm", 1.2, 2.1, 1.8}, {"gru", 0.8, 1.8, 1.2}, {"gdn", 0.5, 1.5, 1.4}, {"arformer", 0.3, 1.2, 1.0},
	} {
		parity, arithmetic := paper[Need{"parity", x.row}], paper[Need{"repeat", x.row}]
		parenthesis := paper[Need{"parenthesis", x.row}]
		list = append(list,
			Claim{"parity " + x.row, "§5.2, Table 1", "parity up to 128 bits, " + x.row,
				plusMinus(parity, x.parity), one("parity", x.row), Rule{Kind: near, Value: parity, Spread: x.parity}},
			Claim{"parenthesis " + x.row, "§5.2, Table 1", "parentheses are hard for " + x.row,
				plusMinus(parenthesis, x.parenthesis), one("parenthesis", x.row),
				Rule{Kind: below, Value: parenthesis}},
			Claim{"arithmetic " + x.row, "§5.2, Table 1", "arithmetic with repeat, " + x.row,
				plusMinus(arithmetic, x.arithmetic), one(repeat50, x.row),
				Rule{Kind: near, Value: arithmetic, Spread: x.arithmetic}})
	}
	list = append(list,
		Claim{"arithmetic mha-csp", "§5.2, Table 1", "arithmetic with repeat, MHA-CSP", "50.3 ± 1.6",
			one(repeat50, "mha-csp"), Rule{Kind: near, Value: 50.3, Spread: 1.6}},
		Claim{"arithmetic csp", "§5.2, Table 1", "arithmetic with repeat, CSP", "30.8 ± 2.3",
			one(repeat50, "csp"), Rule{Kind: near, Value: 30.8, Spread: 2.3}},
		better("best", "abstract, §1, conclusion", "nested arithmetic", "50.3 against 32.1", repeat50),
		better("best parity", "abstract, Table 1", "parity", "100.0 against 91.2", "parity"),
		better("best parenthesis", "abstract, Table 1", "parentheses", "50.3 against 38.7", "parenthesis"),
		better("best mod3", "abstract, §5.1", "counting modulo 3", "no figure", "mod3"),
		Claim{"best recurrent", "§5.2, Table 1", "on nested arithmetic MHA-CSP is better than LSTM, GRU, GDN and CSP",
			"50.3 against 8.7 to 30.8", both(repeat50, "mha-csp", "lstm", "gru", "gdn", "csp"), Rule{Kind: above}},
		Claim{"harder", "§5.2", "all baselines get less of arithmetic than of parentheses",
			"8.7 of 12.4 to 32.1 of 38.7", both(repeat50, "lstm", "gru", "gdn", "arformer"), Rule{Kind: untestable,
				Reason: "their scores on parentheses are below that of one answer to all strings"}},
		Claim{"parameters", "abstract, §5.1", "MHA-CSP has 119 thousand parameters", "119K",
			one("repeat", "mha-csp"), Rule{Kind: parameters, Value: 119000}},
		Claim{"convergence", "§5.2", "attention makes arithmetic converge sooner than in CSP",
			"30 against more than 60 epochs", both(repeat50, "mha-csp", "csp"), Rule{Kind: sooner, Answer: true,
				Reason: "50 epochs cannot show the paper's more than 60 of CSP; it is asked which comes first"}},
		Claim{"repeat 1", "§5.3, Table 2", "repeating the text gives more right answers than copying it first",
			"50.3 against 41.2", []Need{{repeat50, "mha-csp"}, {copy50, "mha-csp"}}, Rule{Kind: above, Answer: true}},
		Claim{"repeat 2", "§5.3, Table 2", "repeating the text gives more right answers than the answer alone",
			"50.3 against 34.7", []Need{{repeat50, "mha-csp"}, {direct50, "mha-csp"}},
			Rule{Kind: above, Answer: true}},
		Claim{"direct", "§5.3, Table 2", "right answers where the answer stands alone", "34.7",
			one(direct50, "mha-csp"), Rule{Kind: near, Value: 34.7, Answer: true}},
		Claim{"copy", "§5.3, Table 2", "right answers behind a copy of the text", "41.2",
			one(copy50, "mha-csp"), Rule{Kind: near, Value: 41.2, Answer: true}},
	)
	for _, x := range []struct{ part, words, paper string }{
		{"no-tree", "the tree of distances", "50.3 against 41.8"},
		{"no-lse", "the log-sum-exp correction", "50.3 against 44.2"},
		{"no-B", "the matrix B that couples the heads", "50.3 against 42.6"},
		{"no-norm", "the normalisation of the state", "50.3 against 38.1"},
	} {
		list = append(list, Claim{"ablation " + x.part, "§5.4, Table 3", "MHA-CSP needs " + x.words, x.paper,
			both(repeat50, ablated, ablated+" "+x.part), Rule{Kind: above}})
	}
	return append(list,
		Claim{"ablation most", "§5.4", "of all parts the tree matters most", "8.5 of 6.1 to 12.2 points",
			both(repeat50, ablated, ablated+" no-tree", ablated+" no-lse", ablated+" no-B", ablated+" no-norm"),
			Rule{Kind: mostLost,
				Reason: "the paper's own Table 3 has 12.2 points for the normalisation, and 8.5 for the tree"}},
		Claim{"ablation parentheses", "§5.4, Table 3",
			"the ablations were measured on parentheses in the format repeat", "38.1 to 50.3",
			one("parenthesis", ablated), Rule{Kind: untestable, Reason: "a string of brackets has a label and no " +
				"text to repeat; both readings stand in Table 3 here"}},
		Claim{"meshing", "abstract", "meshing heads (B) makes training shorter", "no figure",
			both(repeat50, ablated, ablated+" no-B"), Rule{Kind: sooner, Answer: true}},
		Claim{"grokking", "§6.2",
			"on nested expressions it takes 50 to 80 epochs from 10 to 90 % of the final accuracy", "50 to 80 epochs",
			one(repeat50, "mha-csp"), Rule{Kind: interval, Value: 50, To: 80, Answer: true}},
		Claim{"abrupt", "§6.2", "accuracy on unseen expressions stays near random for long, then rises abruptly",
			"no figure", one(repeat50, "mha-csp"), Rule{Kind: abrupt, Answer: true}},
		Claim{"seeds", "§5.7", "the epoch of grokking differs between seeds by up to 10", "10 epochs",
			one(repeat50, "mha-csp"), Rule{Kind: spread, Value: 10, Answer: true}},
		Claim{"heads", "§5.7, §6.3", "in some runs heads learn nearly the same metric", "no figure",
			formats, Rule{Kind: alike}},
		Claim{"circle", "§5.5, Figure 1", "the embeddings of the digits form a circle in the order of the digits",
			"near-perfect", one(repeat50, "mha-csp"), Rule{Kind: circle}},
		Claim{"components", "§5.6, Figure 2", "on parentheses the states' first eight principal components have " +
			"90 % of their variance", "about 90", one("parenthesis", "mha-csp"), Rule{Kind: components, Value: 90}},
		Claim{"clocks", "§5.5", "a digit turns the state by an angle in proportion, so that the phase says the sum",
			"no figure", formats, Rule{Kind: clocks}},
		Claim{"length", "§6.3", "perfect accuracy on sequences a thousand times longer than for CSP", "no figure",
			both("parity", "mha-csp", "csp"), Rule{Kind: untestable,
				Reason: "no experiment of the paper is longer than 128; what 1 024 characters give stands under " +
					"Longer strings"}},
	)
}

func plusMinus(value, sd float64) string { return fmt.Sprintf("%.1f ± %.1f", value, sd) }
