package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/tasks/show"
)

// Plan is a list of cells in the order of their worth: all cells of the first seed, then all of the second, and behind
// them those that train for as long as the paper.
type Plan struct {
	Cells []Spec `json:"cells"`
}

// Spec says which run a cell is.
type Spec struct {
	Name   string `json:"name"`             // of its folder
	Column string `json:"column"`           // what is learned; cells of a column and a row differ in their seed alone
	Row    string `json:"row"`              // who learns it: the model, and what is left out of it
	Tables []int  `json:"tables,omitempty"` // of the paper, that it stands in
	// Keys is the configuration of the run (FORMATS.md): task, model, seed, steps, and what differs from the defaults.
	Keys json.RawMessage `json:"keys"`
}

// families are the models that a study of the paper compares, in groups of equal worth: what the paper is about, what
// it compares that with, and ours. Plans have those that the zoo has.
var families = [][]string{
	{"csp", "mha-csp"},
	{"lstm", "gru", "gdn", "gdn-neg", "arformer", "gcn"},
	{"mha-csp-m", "mha-csp-s", "mha-csp-2"},
}

// ablated is the model whose parts the paper leaves out (SPEC §10), and what is left out.
const ablated = "mha-csp"

var ablations = []string{"no-tree", "no-lse", "no-B", "no-norm"}

// The columns of the strict length protocol have names that begin so; its tests have that many tokens at most.
const (
	strict       = "strict-"
	strictTokens = 257
)

// column is a task with its options.
type column struct {
	name, words string
	keys        map[string]any
	table       int      // of the paper, where all its families stand in one
	rows        []string // nil: all families
	ablations   bool     // the paper's Table 3 has it
}

// columns are in the order of their worth.
func columns() []column {
	arithmetic := func(more map[string]any) map[string]any {
		keys := map[string]any{"task": "arithmetic", "preset": "paper", "format": "repeat"}
		maps.Copy(keys, more)
		return keys
	}
	formats := []string{"mha-csp", "mha-csp-m"}
	return []column{
		{"parity", "parity, 1 to 128 bits", map[string]any{"task": "parity"}, 1, nil, false},
		{"parenthesis", "parentheses, 2 to 128, depth ≤ 8", map[string]any{"task": "parenthesis"}, 1, nil, true},
		{"mod3", "digits modulo 3, 1 to 128", map[string]any{"task": "mod3"}, 1, nil, false},
		{"repeat", "arithmetic, answer and copy", arithmetic(nil), 1, nil, true},
		{"direct", "arithmetic, answer alone", arithmetic(map[string]any{"format": "direct"}), 2, formats, false},
		{"copy", "arithmetic, copy and answer", arithmetic(map[string]any{"format": "copy"}), 2, formats, false},
		{"code", "arithmetic, answer and copy, drawn as the public code does",
			arithmetic(map[string]any{"preset": "author", "split": "iid"}), 0, []string{"csp", "mha-csp", "mha-csp-m"},
			false},
		{"strict-parity", "parity, trained on 3 to 40, tested on 40 to 256",
			map[string]any{"task": "parity", "min_length": 3, "max_length": 40}, 0, nil, false},
		{"strict-flat", "modulo 5 without brackets, trained on 3 to 40, tested on 40 to 256",
			map[string]any{"task": "modarith", "min_length": 3, "max_length": 40, "brackets": false}, 0, nil, false},
		{"strict-brackets", "modulo 5 with brackets, trained on 3 to 40, tested on 40 to 256",
			map[string]any{"task": "modarith", "min_length": 3, "max_length": 40}, 0, nil, false},
		{"strict-flat-sum", "modulo 5 without brackets and ×, trained on 3 to 40, tested on 40 to 256",
			map[string]any{
				"task": "modarith", "min_length": 3, "max_length": 40, "brackets": false, "operators": "+-",
			}, 0, nil, false},
		{"strict-brackets-sum", "modulo 5 with brackets, without ×, trained on 3 to 40, tested on 40 to 256",
			map[string]any{"task": "modarith", "min_length": 3, "max_length": 40, "operators": "+-"}, 0, nil, false},
	}
}

// remembering is the recipe of the study's runs of networks with a memory, which was their default until 2026-11-26.
var remembering = map[string]any{
	"steps": 8000, "batch": 128, "lr": 1.5e-3, "lr_floor": 0.05, "beta2": 0.999, "weight_decay": 1e-4, "clip": 1,
}

// A column that trains for as long as the paper at most is named by the column whose task it has.
const (
	forLong  = "-50"
	repeat50 = "repeat" + forLong
	direct50 = "direct" + forLong
	copy50   = "copy" + forLong
)

// Short is the column whose task a long one has, empty for one that is not long.
func Short(column string) string {
	if slices.Contains([]string{repeat50, direct50, copy50}, column) {
		return strings.TrimSuffix(column, forLong)
	}
	return ""
}

// lasting are the columns of the long cells: the paper's own two models, MHA-CSP in its formats and without each of
// its parts, and the paper's other models.
func lasting() []column {
	there := map[string]column{}
	for _, c := range columns() {
		there[c.name] = c
	}
	long := func(name string, rows ...string) column {
		c := there[Short(name)]
		c.name, c.words = name, fmt.Sprintf("%s, for the paper's %d epochs", c.words, epochs)
		c.keys, c.rows = maps.Clone(c.keys), rows
		c.keys["steps"] = epochs * epoch
		return c
	}
	return []column{long(repeat50, "csp", ablated, "lstm", "gru", "gdn", "arformer", "gcn"), long(direct50, ablated),
		long(copy50, ablated)}
}

// Columns are the names of the columns of New, in the order of their worth, and what they learn in words.
func Columns() (names []string, words map[string]string) {
	words = map[string]string{}
	for _, c := range slices.Concat(columns(), lasting()) {
		names, words[c.name] = append(names, c.name), c.words
	}
	return names, words
}

// Rows are the names of the rows of New, the models and MHA-CSP without one of its parts, and what they are in words.
func Rows() (names []string, words map[string]string) {
	words = map[string]string{
		"csp": "the paper's network without attention", "mha-csp": "the paper's network",
		"lstm": "an LSTM of two layers", "gru": "a GRU of two layers", "gdn": "Gated DeltaNet, as the paper names it",
		"gdn-neg":  "the same with negative eigenvalues; not in the paper",
		"arformer": "the paper's Transformer", "gcn": "a graph network on the brackets, our construction",
		"mha-csp-m": "ours: MHA-CSP with a memory of positions, and turns that the state steers; not in the paper",
		"mha-csp-s": "ours: MHA-CSP, half of whose units turn as the state steers; not in the paper",
		"mha-csp-2": "ours: two blocks of MHA-CSP; not in the paper",

		ablated + " no-tree": "distances are not added up along the text",
		ablated + " no-lse":  "without the log-sum-exp correction by edges",
		ablated + " no-B":    "heads do not share their distances (no meshing)",
		ablated + " no-norm": "states are not normalised",
	}
	names = slices.Concat(families...)
	for _, part := range ablations {
		names = append(names, ablated+" "+part)
	}
	return names, words
}

// New is the study of the paper with seeds 1 to n: its tables, and what stands beyond it.
func New(seeds int) (Plan, error) {
	var p Plan
	var wrong error
	add := func(c column, model, part string, seed int) {
		s, ok, err := c.cell(model, part, seed)
		if ok {
			p.Cells = append(p.Cells, s)
		}
		if err != nil && wrong == nil {
			wrong = err
		}
	}
	rows := func(c column, models []string, seed int) {
		for _, model := range models {
			if c.rows == nil || slices.Contains(c.rows, model) {
				add(c, model, "", seed)
			}
		}
	}
	parts := func(c column, seed int) {
		for _, part := range ablations {
			if c.ablations {
				add(c, ablated, part, seed)
			}
		}
	}
	for seed := 1; seed <= seeds; seed++ {
		for rank, group := range families {
			for _, c := range columns() {
				rows(c, group, seed)
			}
			for _, c := range columns() {
				if rank == 1 {
					parts(c, seed)
				}
			}
		}
	}
	for seed := 1; seed <= seeds; seed++ {
		for _, c := range lasting() {
			rows(c, c.rows, seed)
			parts(c, seed)
		}
	}
	return p, wrong
}

// cell is false where a model cannot learn the column: a memory of positions is of no use where there are labels.
func (c column) cell(model, part string, seed int) (s Spec, ok bool, err error) {
	p, err := zoo.Preset(model)
	if err != nil || p.Traits().Reach > 0 && c.keys["task"] != train.DefaultTask {
		return s, false, err
	}
	keys := maps.Clone(c.keys)
	if model == zoo.Default {
		keys["steps"] = remembering["steps"]
	}
	keys["model"], keys["seed"] = model, seed
	s = Spec{Name: c.name + "-" + model, Column: c.name, Row: model}
	switch {
	case part != "":
		s.Tables = []int{3}
	case model == ablated && (c.name == "repeat" || c.name == repeat50):
		s.Tables = []int{1, 2, 3}
	case model == ablated && c.ablations: // the row that others are compared with
		s.Tables = []int{c.table, 3}
	case model == "mha-csp-m" && c.name == "repeat":
		s.Tables = []int{1, 2}
	case c.table > 0:
		s.Tables = []int{c.table}
	}
	if strings.HasPrefix(c.name, strict) {
		for _, k := range p.Keys() { // learned positions: <SOS> and the longest string of the test
			if n, ok := k.Value.(*int); ok && k.Name == "context" && *n < strictTokens {
				keys[k.Name] = strictTokens
			}
		}
	}
	if part != "" {
		keys["ablation"] = part
		s.Name, s.Row = s.Name+"-"+part, model+" "+part
	}
	s.Name += fmt.Sprintf("-%d", seed)
	text, err := json.Marshal(keys)
	if err != nil {
		return s, false, err
	}
	r, _, err := train.Resolve(text)
	if err != nil {
		return s, false, fmt.Errorf("cell %s: %w", s.Name, err)
	}
	keys["steps"] = r.Training.Steps // so that another build's defaults change nothing
	s.Keys, err = json.Marshal(keys)
	return s, true, err
}

// usual reports whether the cell is one of New: a verdict on the paper rests on no other.
func (s Spec) usual() bool {
	r, err := s.Asked()
	all := slices.Concat(columns(), lasting())
	at := slices.IndexFunc(all, func(c column) bool { return c.name == s.Column })
	if err != nil || at < 0 {
		return false
	}
	model, part, _ := strings.Cut(s.Row, " ")
	same, ok, err := all[at].cell(model, part, int(r.Training.Seed))
	if err != nil || !ok {
		return false
	}
	want, err := same.Asked()
	if err != nil {
		return false
	}
	changes, err := r.Changes(want)
	return err == nil && len(changes) == 0
}

// Run is the cell's run with that many steps: as the plan asks for, or fewer. A thin run has fewer
// validations and samples and a shorter warm-up.
func (s Spec) Run(steps int) (train.Run, error) {
	keys, err := s.keys(steps)
	if err != nil {
		return train.Run{}, err
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return train.Run{}, err
	}
	return resolve(text)
}

// resolve is the run of a configuration. One with data of package tasks/own must be whole, and its files stay closed.
func resolve(text []byte) (train.Run, error) {
	if head, err := train.ParseHead(text); err == nil && head.Task == "own" {
		return train.ParseRun(text)
	}
	r, _, err := train.Resolve(text)
	return r, err
}

// Asked is the run that the plan asks for.
func (s Spec) Asked() (train.Run, error) {
	r, err := resolve(s.Keys)
	if err != nil {
		return r, fmt.Errorf("cell %s: %w", s.Name, err)
	}
	return s.Run(r.Training.Steps)
}

// Validations of a run, how many steps lie between two of a thin one at least, and how many samples test it.
const (
	validations = 24
	between     = 50
	thinSamples = 1024
)

func (s Spec) keys(steps int) (map[string]any, error) {
	var keys map[string]any
	d := json.NewDecoder(bytes.NewReader(s.Keys))
	d.UseNumber()
	if err := d.Decode(&keys); err != nil {
		return nil, fmt.Errorf("cell %s: keys: %w", s.Name, err)
	}
	plan := struct {
		Steps int
		Model string
		Eval  int `json:"eval_samples"`
		Test  int `json:"test_samples"`
	}{Eval: thinSamples / 4, Test: thinSamples}
	if err := json.Unmarshal(s.Keys, &plan); err != nil {
		return nil, fmt.Errorf("cell %s: keys: %w", s.Name, err)
	}
	if steps < plan.Steps {
		keys["eval_samples"], keys["test_samples"] = min(plan.Eval, thinSamples/4), min(plan.Test, thinSamples)
	}
	keys["steps"] = steps
	set := func(key string, value any) {
		if _, given := keys[key]; !given {
			keys[key] = value
		}
	}
	set("eval_every", max(1, min(between, steps/4), (steps+validations-1)/validations))
	set("warmup", min(200, steps/10))
	if p, err := zoo.Preset(plan.Model); err == nil && p.Traits().Reach > 0 {
		for key, value := range remembering {
			set(key, value)
		}
	} else if err == nil && p.Traits().Units > 0 {
		set("state_clip", 0) // the paper has no such bound, and the records were made without
	}
	return keys, nil
}

var cellName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Parse reads a plan as JSON has it, and refuses one that no study can be made of.
func Parse(text []byte) (Plan, error) {
	var p Plan
	if err := train.ReadKnownJSON(text, &p); err != nil {
		return p, err
	}
	if len(p.Cells) == 0 {
		return p, errors.New("the plan has no cells")
	}
	seen := map[string]bool{}
	for i, c := range p.Cells {
		switch {
		case !cellName.MatchString(c.Name):
			return p, fmt.Errorf("cell %d is called %q; a name has letters, digits, dots, - and _, 100 at most", i,
				c.Name)
		case seen[c.Name]:
			return p, fmt.Errorf("two cells are called %s; rename one", c.Name)
		case show.Text(c.Column+c.Row) != c.Column+c.Row:
			return p, fmt.Errorf("cell %s has the column %s and the row %s; take out what cannot be seen", c.Name,
				show.Exact(c.Column), show.Exact(c.Row))
		case c.Column == "" || c.Row == "":
			return p, fmt.Errorf("cell %s has no column or no row; give both", c.Name)
		}
		seen[c.Name] = true
		if _, err := c.Asked(); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Seeds is the greatest seed of the plan's cells, at most 1 000.
func (p Plan) Seeds() int {
	most := 1
	for _, c := range p.Cells {
		var keys struct{ Seed int }
		if json.Unmarshal(c.Keys, &keys) == nil {
			most = max(most, min(keys.Seed, 1000))
		}
	}
	return most
}

// Text is the plan as Parse reads it, a cell a line.
func (p Plan) Text() []byte {
	var lines [][]byte
	for _, c := range p.Cells {
		line, err := json.Marshal(c)
		if err != nil {
			panic("study: a plan's keys are no JSON") // New and Parse let none through
		}
		lines = append(lines, line)
	}
	return fmt.Appendf(nil, "{\"cells\": [\n%s\n]}\n", bytes.Join(lines, []byte(",\n")))
}

// Differs says in words where another plan differs, or is empty.
func (p Plan) Differs(other Plan) string {
	if bytes.Equal(p.Text(), other.Text()) {
		return ""
	}
	for i := range min(len(p.Cells), len(other.Cells)) {
		a, b := p.Cells[i], other.Cells[i]
		switch {
		case a.Name != b.Name:
			return fmt.Sprintf("cell %d is %s in one and %s in the other", i, a.Name, b.Name)
		case !bytes.Equal(Plan{[]Spec{a}}.Text(), Plan{[]Spec{b}}.Text()):
			return fmt.Sprintf("cell %s is %s in one and %s in the other", a.Name, a.Keys, b.Keys)
		}
	}
	return fmt.Sprintf("one has %d cells, the other %d", len(p.Cells), len(other.Cells))
}

// Shard is the i-th of n shares, i from 0: every n-th cell.
func (p Plan) Shard(i, n int) (Plan, error) {
	if n < 1 || i < 0 || i >= n {
		return Plan{}, fmt.Errorf("share %d of %d does not exist; the shares are 0/%d to %[4]d/%[2]d", i, n, n, n-1)
	}
	var share Plan
	for at, c := range p.Cells {
		if at%n == i {
			share.Cells = append(share.Cells, c)
		}
	}
	return share, nil
}

// both is a cell's column and row in one word, as names of cells have them: with hyphens for blanks.
func (s Spec) both() string { return strings.ReplaceAll(s.Column+"-"+s.Row, " ", "-") }

// called are the words that name a cell, alone or among others: its name, with or without its seed, its column, its
// row, both as reports have them, and its tables.
func (s Spec) called() []string {
	row := strings.ReplaceAll(s.Row, " ", "-")
	names := []string{s.Name, s.Column, s.Row, row, s.Column + " " + s.Row, s.both()}
	for _, t := range s.Tables {
		names = append(names, fmt.Sprintf("table%d", t))
	}
	return names
}

// Only is the part of the plan whose cells one of the words names: a cell, a column, a row, a column with a row, or
// table1 to table3. A cell's name is that cell alone, also where a column with a row is called so. A word that names
// none is an error.
func (p Plan) Only(words []string) (Plan, error) {
	var part Plan
	used, single := map[string]bool{}, map[string]bool{}
	words = slices.Clone(words)
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	for _, c := range p.Cells {
		single[c.Name] = true
	}
	for _, c := range p.Cells {
		names, chosen := c.called(), false
		for _, w := range words {
			if w == c.Name || !single[w] && slices.Contains(names, w) {
				chosen, used[w] = true, true
			}
		}
		if chosen {
			part.Cells = append(part.Cells, c)
		}
	}
	for _, w := range words {
		if used[w] {
			continue
		}
		var columns, rows []string
		for _, c := range p.Cells {
			columns, rows = append(columns, c.Column), append(rows, c.Row)
		}
		slices.Sort(columns)
		slices.Sort(rows)
		return part, fmt.Errorf("%q names no cell of the plan; the columns are %s, the rows %s, table1 to table3; "+
			"COLUMN-ROW is both, as in %s", w, strings.Join(slices.Compact(columns), ", "),
			strings.Join(slices.Compact(rows), ", "), p.Cells[0].both())
	}
	return part, nil
}
