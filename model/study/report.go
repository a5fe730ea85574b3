package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mhacsp/model/metric"
	"mhacsp/model/study/inside"
	"mhacsp/model/train"
)

// Report is what a study says, as plain data.
type Report struct {
	Time     string    `json:"time"` // when it was made
	Seeds    []uint64  `json:"seeds"`
	Counts   Counts    `json:"cells_by_state"`
	Verdicts []Verdict `json:"verdicts"`
	Tables   []Table   `json:"tables"`
	Cells    []CellRow `json:"cells"`
}

// Counts are how many cells there are, and in which state.
type Counts struct {
	All     int `json:"all"`
	Whole   int `json:"whole"`
	Thin    int `json:"thin"`
	Half    int `json:"half"`
	Running int `json:"running"`
	Failed  int `json:"failed"`
	Damaged int `json:"damaged"`
	Absent  int `json:"absent"`
}

// Table is figures by rows and columns.
type Table struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Note    string   `json:"note,omitempty"`
	Columns []string `json:"columns"`
	Rows    []Row    `json:"rows"`
}

// Row is a line of a Table, a figure a column.
type Row struct {
	Name    string   `json:"name"`
	Figures []Figure `json:"figures"`
}

// CellRow is a cell in the list of all.
type CellRow struct {
	Name   string   `json:"name"`
	Column string   `json:"column"`
	State  State    `json:"state"`
	Thin   bool     `json:"thin,omitempty"`
	Reason string   `json:"reason,omitempty"`
	Seed   uint64   `json:"seed"`
	Steps  int      `json:"steps"`
	Asked  int      `json:"asked"`
	Wall   float64  `json:"seconds"`
	Exact  *float64 `json:"exact,omitempty"`  // percent
	Answer *float64 `json:"answer,omitempty"` // right answers, percent
	train.Origin
}

// The paper's tables, in percent, by column and row.
var paper = map[Need]float64{
	{"parenthesis", "lstm"}: 12.4, {"parenthesis", "gru"}: 15.6, {"parenthesis", "gdn"}: 22.1,
	{"parenthesis", "arformer"}: 38.7, {"parenthesis", "csp"}: 99.8, {"parenthesis", "mha-csp"}: 50.3,
	{"repeat", "lstm"}: 8.7, {"repeat", "gru"}: 11.2, {"repeat", "gdn"}: 18.3, {"repeat", "arformer"}: 32.1,
	{"repeat", "csp"}: 30.8, {"repeat", "mha-csp"}: 50.3,
	{"parity", "lstm"}: 62.3, {"parity", "gru"}: 65.1, {"parity", "gdn"}: 78.4, {"parity", "arformer"}: 91.2,
	{"parity", "csp"}: 100, {"parity", "mha-csp"}: 100,
	{"direct", "mha-csp"}: 34.7, {"copy", "mha-csp"}: 41.2, {"repeat", "mha-csp no-tree"}: 41.8,
	{"repeat", "mha-csp no-lse"}: 44.2, {"repeat", "mha-csp no-B"}: 42.6, {"repeat", "mha-csp no-norm"}: 38.1,
}

// Make reports on the cells of a plan. speeds may be empty.
func Make(cells []Cell, speeds []Speed, now time.Time) Report {
	r := Report{Time: train.Stamp(now), Counts: count(cells), Verdicts: []Verdict{}}
	for _, c := range cells {
		if s := c.Run.Training.Seed; !slices.Contains(r.Seeds, s) {
			r.Seeds = append(r.Seeds, s)
		}
		r.Cells = append(r.Cells, c.row())
	}
	// About a sweep's rows the paper claims nothing.
	if cells == nil || slices.ContainsFunc(cells, func(c Cell) bool { return c.Tables != nil }) {
		for _, c := range Claims() {
			r.Verdicts = append(r.Verdicts, c.Judge(cells))
		}
	}
	s := sheet{cells}
	for _, t := range []Table{
		s.table1(), s.table2(), s.table3(), s.long(), s.own(), s.tests(),
		s.groups("operands", "Arithmetic by operands", operandsOf, false),
		s.groups("operands-answers", "Arithmetic by operands", operandsOf, true),
		s.groups("depth", "Arithmetic by depth of brackets", depthOf, false),
		s.groups("depth-answers", "Arithmetic by depth of brackets", depthOf, true),
		s.longer(), s.strict(), s.grokking(), s.inside(), s.layout(), s.cost(speeds),
	} {
		if len(t.Rows) > 0 {
			r.Tables = append(r.Tables, t)
		}
	}
	return r
}

func count(cells []Cell) Counts {
	n := Counts{All: len(cells)}
	states := map[State]*int{Finished: &n.Whole, Half: &n.Half, Running: &n.Running, Failed: &n.Failed,
		Damaged: &n.Damaged, Absent: &n.Absent}
	for _, c := range cells {
		switch {
		case c.Thin():
			n.Thin++
		case c.Stale != "":
			n.Damaged++
		default:
			*states[c.State]++
		}
	}
	return n
}

func (c Cell) row() CellRow {
	r := CellRow{Name: c.Name, Column: c.Column, State: c.State, Thin: c.Thin(), Reason: cmp.Or(c.Reason, c.Stale),
		Seed: c.Run.Training.Seed, Steps: c.Steps, Asked: c.Asked, Wall: c.Seconds, Origin: c.Origin}
	if c.Test != nil {
		r.Exact, r.Answer = new(100*c.Test.ExactRate()), new(100*c.Test.AnswerRate())
	}
	return r
}

// sheet makes tables of cells.
type sheet struct{ cells []Cell }

// columns and rowsIn are those of the plan, in its order.
func (s sheet) columns(is func(Cell) bool) []string {
	return s.names(is, func(c Cell) string { return c.Column })
}
func (s sheet) rowsIn(is func(Cell) bool) []string {
	return s.names(is, func(c Cell) string { return c.Row })
}

func (s sheet) names(is func(Cell) bool, of func(Cell) string) (list []string) {
	for _, c := range s.cells {
		if is(c) && !slices.Contains(list, of(c)) {
			list = append(list, of(c))
		}
	}
	return list
}

// of is the figure of a row in a column; not in the plan, it is a dash.
func (s sheet) of(column, row, unit string, measure Measure) Figure {
	group := rowsOf(s.cells, Need{column, row})
	f := Of(group, unit, measure)
	if len(group) == 0 {
		f.Note = "–"
	}
	return f
}

// measured is a column of a table: a measure and its unit.
type measured struct {
	unit    string
	measure Measure
}

// filled adds a row for each row of the plan in each of its columns, of the cells for which is holds: a figure of each
// measure, or a note where no cell has it.
func (s sheet) filled(t Table, is func(Cell) bool, note string, list []measured) Table {
	for _, column := range s.columns(is) {
		for _, row := range s.rowsIn(func(c Cell) bool { return is(c) && c.Column == column }) {
			r := Row{Name: column + " " + row}
			for _, x := range list {
				f := s.of(column, row, x.unit, x.measure)
				if f.N == 0 {
					f.Note = note
				}
				r.Figures = append(r.Figures, f)
			}
			t.Rows = append(t.Rows, r)
		}
	}
	return t
}

// inTable is for the cells of a table of the paper, without those that stand in the table of long ones.
func inTable(n int) func(Cell) bool {
	return func(c Cell) bool { return slices.Contains(c.Tables, n) && Short(c.Column) == "" }
}

func (s sheet) table1() Table {
	t := Table{Name: "table1", Title: "Table 1: exact match, and right answers",
		Note: "In %. A column is of whole outputs where it does not say right answers. The paper's figure of " +
			"arithmetic stands by both, since it does not say which it means. " + guessNote + s.elsewhere()}
	return s.withPaper(t, s.rowsIn(inTable(1)), s.columns(inTable(1)))
}

// elsewhere says of the paper's tables that long runs decide, where the plan has any.
func (s sheet) elsewhere() string {
	if slices.ContainsFunc(s.cells, func(c Cell) bool { return Short(c.Column) != "" }) {
		return fmt.Sprintf(" These runs of arithmetic are shorter than the paper's: no verdict rests on them. See "+
			"Tables 1 to 3 again, with %d epochs.", epochs)
	}
	return ""
}

// long has the arithmetic of Tables 1 to 3 once more, trained for as long as the paper's, next to the shorter runs.
func (s sheet) long() Table {
	t := Table{Name: "long", Title: fmt.Sprintf("Tables 1 to 3 again: %d epochs of arithmetic", epochs),
		Note: fmt.Sprintf("In %%. The runs of arithmetic in the tables above are shorter than the paper's, which "+
			"have up to %d epochs. Verdicts on arithmetic rest on those of %d. The paper's figure stands by all, "+
			"since it does not say which it means.", epochs, epochs)}
	steps := func(is func(column string) bool) string {
		at := slices.IndexFunc(s.cells, func(c Cell) bool { return is(c.Column) })
		if at < 0 {
			return ""
		}
		n := float64(s.cells[at].Asked)
		return fmt.Sprintf(", %s steps (%.2g epochs)", grouped(n), n/epoch)
	}
	few := steps(func(column string) bool { return column == Short(repeat50) })
	many := steps(func(column string) bool { return Short(column) != "" })
	t.Columns = []string{"exact match" + few, "exact match" + many, "right answers" + few, "right answers" + many}
	var rows []Need
	for _, c := range s.cells {
		need := c.Need()
		if Short(c.Column) == "" || slices.Contains(rows, need) {
			continue
		}
		rows = append(rows, need)
		row := Row{Name: Short(c.Column) + " " + c.Row}
		for _, measure := range []Measure{exactOf, answerOf} {
			for _, column := range []string{Short(c.Column), c.Column} {
				f := s.of(column, c.Row, "%", measure)
				if p, ok := paper[Need{Short(c.Column), c.Row}]; ok {
					f.Paper = &p
				}
				row.Figures = append(row.Figures, f)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

const guessNote = "The last row is what one answer to everything gets: of answers and labels; " +
	"of whole outputs it was not counted."

// reading is a column of a table: what is measured of a column of the plan, and what a constant guess gets of the same
// figure, nil where that was not counted.
type reading struct {
	column, unit   string
	measure, guess Measure
}

// withPaper fills a table of rows by columns: whole outputs, and right answers where these are apart.
func (s sheet) withPaper(t Table, rows, columns []string) Table {
	var list []reading
	for _, column := range columns {
		exact, answer := reading{column, "%", exactOf, guessOf}, reading{column, "%", answerOf, guessOf}
		if !slices.ContainsFunc(s.cells, func(c Cell) bool { return c.Column == column && c.Run.AnswerApart() }) {
			list, t.Columns = append(list, exact), append(t.Columns, column)
			continue
		}
		exact.guess = nil
		list, t.Columns = append(list, exact, answer), append(t.Columns, column, column+", right answers")
	}
	return s.withGuess(t, rows, list)
}

// withGuess fills a table of rows by readings, with the paper's figures, and a constant guess behind them.
func (s sheet) withGuess(t Table, rows []string, list []reading) Table {
	for _, row := range rows {
		r := Row{Name: row}
		for _, x := range list {
			f := s.of(x.column, row, x.unit, x.measure)
			if p, ok := paper[Need{x.column, row}]; ok {
				f.Paper = &p
			}
			r.Figures = append(r.Figures, f)
		}
		t.Rows = append(t.Rows, r)
	}
	if len(rows) == 0 {
		return t
	}
	guess := Row{Name: "a constant guess"}
	for _, x := range list {
		f := Figure{Note: "–"}
		if x.guess != nil {
			f = s.any(x.column, x.unit, x.guess)
		}
		guess.Figures = append(guess.Figures, f)
	}
	t.Rows = append(t.Rows, guess)
	return t
}

// any is the figure of all cells of a column, for what does not depend on who learned it: one cell a seed.
func (s sheet) any(column, unit string, measure Measure) Figure {
	var seeds []uint64
	var one []Cell
	for _, whole := range []bool{true, false} {
		for _, c := range s.cells {
			if seed := c.Run.Training.Seed; c.Column == column && c.Whole() == whole && c.State == Finished &&
				!slices.Contains(seeds, seed) {
				seeds, one = append(seeds, seed), append(one, c)
			}
		}
	}
	f := Of(one, unit, measure)
	if len(one) == 0 {
		f.Note = "–"
	}
	return f
}

func (s sheet) table2() Table {
	t := Table{Name: "table2", Title: "Table 2: the format of the answer",
		Columns: []string{"right answers", "exact match"},
		Note: "In % of arithmetic. Right answers are the one figure that all formats have. The paper's figure " +
			"stands by both, since it does not say which it means." + s.elsewhere()}
	for _, row := range s.rowsIn(inTable(2)) {
		for _, column := range s.columns(inTable(2)) {
			answer, exact := s.of(column, row, "%", answerOf), s.of(column, row, "%", exactOf)
			if p, ok := paper[Need{column, row}]; ok {
				answer.Paper, exact.Paper = &p, &p
			}
			t.Rows = append(t.Rows, Row{column + " " + row, []Figure{answer, exact}})
		}
	}
	return t
}

func (s sheet) table3() Table {
	t := Table{Name: "table3", Title: "Table 3: ablations, exact match, and right answers",
		Note: "In %. The paper says parentheses in the format repeat, which do not exist: both readings stand here, " +
			"and its figures stand by arithmetic with repeat, whose full model has the same number there. " +
			guessNote + s.elsewhere()}
	t = s.withPaper(t, s.rowsIn(inTable(3)), s.columns(inTable(3)))
	for i := range t.Rows { // the paper's Table 1 has a figure for parentheses; Table 3 means another
		for j, column := range t.Columns {
			if column == "parenthesis" {
				t.Rows[i].Figures[j].Paper = nil
			}
		}
	}
	return t
}

// own are the columns that are in no table of the paper, and not of the strict protocol.
func (s sheet) own() Table {
	mine := func(c Cell) bool { return len(c.Tables) == 0 && !strings.HasPrefix(c.Column, strict) }
	t := Table{Name: "own", Title: "Beyond the paper's tables: exact match, and right answers",
		Note: "In %. The column code draws as the public code does, numbers alone and most test strings in " +
			"training among them. " + guessNote}
	return s.withPaper(t, s.rowsIn(mine), s.columns(mine))
}

func (s sheet) tests() Table {
	t := Table{Name: "tests", Title: "What the tests hold",
		Note:    "A constant guess is the most common answer or label, and no guess of whole outputs.",
		Columns: []string{"samples", "a constant guess gets, %", "tests of a single number, %"}}
	for _, column := range s.columns(func(c Cell) bool { return c.Test != nil }) {
		t.Rows = append(t.Rows, Row{column, []Figure{
			s.any(column, "samples", func(c Cell) (Measured, bool) {
				return Measured{Value: float64(c.Test.Count)}, true
			}),
			s.any(column, "%", guessOf),
			s.any(column, "%", func(c Cell) (Measured, bool) { return share(c.Test.Trivial.Count, c.Test.Count) }),
		}})
	}
	return t
}

// The properties of expressions.
func operandsOf(r *metric.Report) map[int]metric.Tally { return r.ByOperands }
func depthOf(r *metric.Report) map[int]metric.Tally    { return r.ByDepth }

// groups is the accuracy by a property of expressions: of right answers, or of whole outputs.
func (s sheet) groups(name, title string, of func(*metric.Report) map[int]metric.Tally, answer bool) Table {
	t := Table{Name: name, Title: title + ": exact match",
		Note: "In % of whole outputs: answer and text. Right answers stand in a table of their own."}
	hits := func(t metric.Tally) int { return t.Exact }
	if answer {
		t.Title, hits = title+": right answers", func(t metric.Tally) int { return t.Answer }
		t.Note = "In %, of the answer alone, whatever the text next to it. A constant guess, over all samples, " +
			"stands under What the tests hold."
	}
	var keys []int
	is := func(c Cell) bool { return c.Test != nil && c.Run.Training.Task == train.DefaultTask }
	for _, c := range s.cells {
		if is(c) {
			keys = append(keys, metric.Keys(of(c.Test))...)
		}
	}
	slices.Sort(keys)
	var list []measured
	for _, k := range slices.Compact(keys) {
		t.Columns = append(t.Columns, fmt.Sprint(k))
		list = append(list, measured{"%", func(c Cell) (Measured, bool) {
			return share(hits(of(c.Test)[k]), of(c.Test)[k].Count)
		}})
	}
	return s.filled(t, is, "–", list)
}

func (s sheet) longer() Table {
	t := Table{Name: "longer", Title: "Longer strings: exact match",
		Note: "In %, of strings of exactly that many characters; training draws 128 at most. Only whole runs " +
			"are tested. Cannot: the model has no room for that many."}
	is := func(c Cell) bool { return len(c.Lengths) > 0 && !strings.HasPrefix(c.Column, strict) }
	t.Columns = []string{"as trained"}
	list := []measured{{"%", exactOf}}
	for _, n := range []int{256, 512, 1024} { // the lengths of SPEC §9's sets
		t.Columns = append(t.Columns, fmt.Sprint(n))
		list = append(list, measured{"%", func(c Cell) (Measured, bool) {
			e, ok := c.at(n, n)
			m, counted := share(e.Exact, e.Count)
			return m, ok && counted
		}})
	}
	return s.filled(t, is, "cannot", list)
}

// published is what others have by the strict protocol (STUDIES.md).
const published = " These runs are short. Published, of longer training and larger networks: without brackets " +
	"99.9 % of all answers by an LSTM, scaled 0.971 by a DeltaNet with negative eigenvalues; with brackets about " +
	"0.49 by an LSTM, and 0.342 by Gated DeltaProduct; parity is learned by an LSTM in every independent study. So " +
	"what is not learned here is not shown to be beyond a model (STUDIES.md)."

func (s sheet) strict() Table {
	t := Table{Name: "strict", Title: "Strict length protocol: scaled accuracy on 40 to 256 characters",
		Note: "0 is what a guess among equally likely answers gets, 1 perfect. Trained on 3 to 40 characters. " +
			"Modulo 5 draws +, − and ×, and + and − alone where the name ends in sum; without brackets " +
			"lengths are odd, 41 to 255. Only whole runs are tested. The last row is what the most common " +
			"answer gets: what is not well above it was not learned." + published}
	is := func(c Cell) bool { return strings.HasPrefix(c.Column, strict) }
	scaled := func(of func(Evaluation) float64) Measure {
		return func(c Cell) (Measured, bool) {
			e, ok := c.at(40, 256)
			return Measured{Value: Scaled(of(e), c.Run.Config.Shape().Classes)}, ok && e.Count > 0
		}
	}
	exact, majority := scaled(Evaluation.ExactRate), scaled(func(e Evaluation) float64 { return e.Majority })
	t.Columns = s.columns(is)
	var list []reading
	for _, column := range t.Columns {
		list = append(list, reading{column, score, exact, majority})
	}
	return s.withGuess(t, s.rowsIn(is), list)
}

func (s sheet) grokking() Table {
	t := Table{Name: "grokking", Title: "Steps and seconds to 50, 90 and 99 % of the final figure",
		Columns: []string{"steps to 50 %", "steps to 90 %", "steps to 99 %", "s to 50 %", "s to 90 %", "s to 99 %"},
		Note: "Of right answers and labels: from a constant guess to the last validation's, at the first validation " +
			"that has it (FIGURES.md); runs that end within five points of the guess have none. Seconds are of runs " +
			"on a CPU."}
	var list []measured
	for _, seconds := range []bool{false, true} {
		for _, part := range []float64{0.5, 0.9, 0.99} {
			unit := map[bool]string{false: "steps", true: "s"}[seconds]
			reached := reachedOf(part, true, seconds)
			list = append(list, measured{unit, func(c Cell) (Measured, bool) {
				m, ok := reached(c)
				return m, ok && (!seconds || c.timed())
			}})
		}
	}
	return s.filled(t, func(c Cell) bool { return c.Test != nil }, "–", list)
}

// inside is what the models hold: heads and clocks.
func (s sheet) inside() Table {
	t := Table{Name: "inside", Title: "Heads and clocks",
		Columns: []string{"cosine of the metrics", "less the identity", "heads in effect", "clocks",
			"half-turn clocks"},
		Note: "Of the first block. The metrics of all heads start near the same multiple of the identity, so that " +
			"their cosine starts near 1, and near 0 without it. Clocks are units whose phase follows the value " +
			"(CLOCKS.md)."}
	heads := func(of func(Heads) float64) Measure {
		return func(c Cell) (Measured, bool) {
			if c.Heads == nil || len(c.Heads.Blocks) == 0 {
				return Measured{}, false
			}
			return Measured{Value: of(c.Heads.Blocks[0])}, true
		}
	}
	probed := func(of func(*Probe) int) Measure {
		return func(c Cell) (Measured, bool) {
			if c.Probe == nil || c.Probe.Error != "" {
				return Measured{}, false
			}
			return Measured{Value: float64(of(c.Probe))}, true
		}
	}
	is := func(c Cell) bool { return c.Evaluated && c.Run.Config.Traits().Units > 0 }
	return s.filled(t, is, "–", []measured{
		{score, heads(func(h Heads) float64 { return h.Cosine })},
		{score, heads(func(h Heads) float64 { return h.Shape })},
		{score, heads(func(h Heads) float64 { return h.Effective })},
		{"", probed(func(p *Probe) int { return len(p.Clocks) })},
		{"", probed(func(p *Probe) int { return len(p.HalfTurns) })},
	})
}

// layout is how the networks lay out digits and states, of cells that are recorded.
func (s sheet) layout() Table {
	t := Table{Name: "layout", Title: "Digits on a circle, principal components",
		Columns: []string{"R of θ", "chance for θ", "R of the phase", "chance for the phase",
			"circle of the embeddings, %", "chance for these, %", "9 ≡ 0", "first component, %",
			"first eight, %", "components for 90 %"},
		Note: "Of records (FIGURES.md). R: of the unit that follows the digits best; 1 is a circle in order. " +
			"9 ≡ 0: the distance of digits that are the same, over that of all; 0 where the network knows it. " +
			"Components: of what the head reads at a text's end; the paper says 15 % for the first, 90 % for eight. " +
			"A dash: more than 64, or fewer than six digits, which say nothing."}
	digits := func(of func(*inside.Digits) (float64, bool)) Measure {
		return func(c Cell) (m Measured, ok bool) {
			if c.Inside.Digits != nil {
				m.Value, ok = of(c.Inside.Digits)
			}
			return m, ok
		}
	}
	turn := func(dial func(*inside.Digits) *inside.Dial, of func(inside.Circularity) float64) Measure {
		return digits(func(d *inside.Digits) (float64, bool) {
			if x := dial(d); x != nil {
				return of(x.Turn), true
			}
			return 0, false
		})
	}
	angle := func(d *inside.Digits) *inside.Dial { return d.Angle }
	phase := func(d *inside.Digits) *inside.Dial { return d.Phase }
	best := func(c inside.Circularity) float64 { return c.Score }
	chance := func(c inside.Circularity) float64 { return c.Chance }
	states := func(of func([]float64) (float64, bool)) Measure {
		return func(c Cell) (m Measured, ok bool) {
			if c.Inside.Spectrum != nil {
				m.Value, ok = of(c.Inside.Spectrum.Last)
			}
			return m, ok
		}
	}
	is := func(c Cell) bool { return c.State == Finished && (c.Inside.Digits != nil || c.Inside.Spectrum != nil) }
	return s.filled(t, is, "–", []measured{
		{score, turn(angle, best)}, {score, turn(angle, chance)},
		{score, turn(phase, best)}, {score, turn(phase, chance)},
		{"%", digits(func(d *inside.Digits) (float64, bool) { return 100 * d.Ring.Score, true })},
		{"%", digits(func(d *inside.Digits) (float64, bool) { return 100 * d.Ring.Chance, true })},
		{"", digits(func(d *inside.Digits) (float64, bool) {
			if d.Same == nil {
				return 0, false
			}
			return *d.Same, true
		})},
		{"%", states(func(shares []float64) (float64, bool) { return 100 * shares[0], true })},
		{"%", firstEight},
		{"", states(func(shares []float64) (float64, bool) {
			sum := 0.0
			for i, x := range shares {
				if sum += x; sum >= 0.9 {
					return float64(i + 1), true
				}
			}
			return 0, false
		})},
	})
}

// firstEight is what share of the variance of the states at a text's end their first eight principal components have,
// in percent.
func firstEight(c Cell) (m Measured, ok bool) {
	if c.Inside.Spectrum == nil {
		return m, false
	}
	for _, x := range c.Inside.Spectrum.Last[:min(8, len(c.Inside.Spectrum.Last))] {
		m.Value += 100 * x
	}
	return m, true
}

// timed reports whether a run's times can be averaged with others': most were made on a CPU.
func (c Cell) timed() bool { return strings.HasPrefix(c.Device, "cpu") }

// cost is what a step takes.
func (s sheet) cost(speeds []Speed) Table {
	t := Table{Name: "cost", Title: "What a step costs",
		Columns: []string{"parameters", "ms a step", "10⁶ multiply-adds a step"},
		Note: "Of 128 samples: the median of a run's steps on a CPU, and the products of forward and backward " +
			"pass over the tokens of a step at full length, but for attention's own (of every pair of " +
			"positions). What a token takes was counted on parity and on arithmetic with repeat. Runs went " +
			"side by side, which makes each slower. With a curriculum steps have no length in common, and so " +
			"no time here: strings begin short, and a model that does not learn them keeps them so."}
	is := func(c Cell) bool { return c.State == Finished }
	flops := func(c Cell) (Measured, bool) {
		labels := c.Run.Config.Shape().Classes > 0
		for _, x := range speeds {
			if x.Model == c.Run.Config.Name() && x.Labels == labels {
				tokens, err := c.Run.Tokens(1)
				return Measured{Value: x.Flops * tokens / 2e6}, err == nil
			}
		}
		return Measured{}, false
	}
	return s.filled(t, is, "–", []measured{
		{"", func(c Cell) (Measured, bool) { return Measured{Value: float64(c.Parameters)}, true }},
		{"", func(c Cell) (Measured, bool) {
			return Measured{Value: 1000 * c.StepSeconds}, !c.Run.Training.Curriculum && c.timed()
		}},
		{"", flops},
	})
}
