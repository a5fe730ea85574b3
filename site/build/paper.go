//go:build !js

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"mhacsp/model/study"
	"mhacsp/model/train"
	"mhacsp/native/words"
)

// The page "The paper, checked" is site/paper.html, a template, filled when the site is built from the records of a
// real pass: no number of ours stands in it. Its figures are files next to it.

const (
	paperPage    = "paper.html"
	paperFigures = "paper/" // the folder of its figures
	paperRecords = "native/testdata/study"
)

// addPaper fills the template among the files of the site, and adds the figures.
func addPaper(files map[string][]byte) error {
	a, err := study.ReadArchive(paperRecords)
	if err != nil {
		return fmt.Errorf("the page of the paper: %w", err)
	}
	p, err := paperOf(a)
	if err != nil {
		return fmt.Errorf("the page of the paper: %w", err)
	}
	for _, f := range p.Figures {
		files[f.File] = f.svg
	}
	files[paperPage], err = p.render(files[paperPage])
	return err
}

// paper is what the template shows.
type paper struct {
	study.Report
	Made    string // when the last of its runs ended
	Columns []columnWords
	Rows    []columnWords
	Trained trained
	Reach   coverage
	Origins origins
	Figures []paperFigure
	NoChart []string // why a figure is not there
	Records string
}

// columnWords says what a column learns, or what a row is.
type columnWords struct{ Name, Words string }

func paperOf(a study.Archive) (*paper, error) {
	p := &paper{Records: paperRecords, Reach: coverageOf(a.Cells), Origins: originsOf(a.Cells)}
	for _, c := range a.Cells {
		p.Made = max(p.Made, c.Ended)
	}
	now, err := time.Parse(train.StampFormat, p.Made)
	if err != nil {
		return nil, fmt.Errorf("%s has no record with the time of its end; make some with mhacsp tables --records",
			paperRecords)
	}
	p.Report = study.Make(a.Cells, a.Speeds, now)
	p.Made = now.Format("2 January 2006")
	names, meaning := study.Columns()
	for _, name := range names {
		p.Columns = append(p.Columns, columnWords{name, meaning[name]})
	}
	rows, models := study.Rows()
	for _, name := range rows {
		p.Rows = append(p.Rows, columnWords{name, models[name]})
	}
	p.Trained = trainedOf(a.Cells)
	p.Figures, p.NoChart, err = figuresOf(a.Cells, meaning)
	return p, err
}

// coverage says for each row and column of the plan how many of its cells are there.
type coverage struct {
	Columns []string
	Rows    []coverageRow
}

type coverageRow struct {
	Name  string
	Cells []covered
}

// covered are the cells that differ in their seed alone.
type covered struct{ Planned, Whole, Thin, Damaged int }

// Text is how many there are, as 1/3.
func (c covered) Text() string {
	if c.Planned == 0 {
		return "–"
	}
	text := fmt.Sprintf("%d/%d", c.Whole, c.Planned)
	if c.Thin > 0 {
		text += fmt.Sprintf(", %d thin", c.Thin)
	}
	if c.Damaged > 0 {
		text += fmt.Sprintf(", %d damaged", c.Damaged)
	}
	return text
}

// Class is how a cell of the table looks.
func (c covered) Class() string {
	switch {
	case c.Planned == 0:
		return "none"
	case c.Whole == c.Planned:
		return "all"
	case c.Whole+c.Thin > 0:
		return "some"
	}
	return "open"
}

func coverageOf(cells []study.Cell) (t coverage) {
	var rows []string
	count := map[study.Need]covered{}
	for _, c := range cells {
		if !slices.Contains(t.Columns, c.Column) {
			t.Columns = append(t.Columns, c.Column)
		}
		if !slices.Contains(rows, c.Row) {
			rows = append(rows, c.Row)
		}
		x := count[study.Need{Column: c.Column, Row: c.Row}]
		x.Planned++
		switch {
		case c.Thin():
			x.Thin++
		case c.Whole():
			x.Whole++
		case c.State == study.Damaged:
			x.Damaged++
		}
		count[study.Need{Column: c.Column, Row: c.Row}] = x
	}
	for _, row := range rows {
		r := coverageRow{Name: row}
		for _, column := range t.Columns {
			r.Cells = append(r.Cells, count[study.Need{Column: column, Row: row}])
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// origins say where the runs were made, and what they took.
type origins struct {
	Machines []string // device and threads, each with how many runs it made
	Programs []string
	Samples  string // of the tests of whole runs
	Thin     string // of thin ones
	Longer   string // of longer strings
	Wall     string // of all runs together
	First    string
	Last     string
}

func originsOf(cells []study.Cell) (o origins) {
	machines, programs := map[string]int{}, map[string]int{}
	whole, thin, longer := map[int]bool{}, map[int]bool{}, map[int]bool{}
	wall := 0.0
	for _, c := range cells {
		if c.State != study.Finished {
			continue
		}
		machines[fmt.Sprintf("host %s, %s", c.Host, c.Device)]++
		programs[fmt.Sprintf("mhacsp %s, commit %s", c.Version, c.Commit)]++
		wall += c.Seconds
		if c.Thin() {
			thin[c.Test.Count] = true
		} else {
			whole[c.Test.Count] = true
		}
		for _, e := range c.Lengths {
			if e.Error == "" {
				longer[e.N] = true
			}
		}
		if o.First == "" || c.Ended < o.First {
			o.First = c.Ended
		}
		o.Last = max(o.Last, c.Ended)
	}
	o.Machines, o.Programs = counted(machines), counted(programs)
	o.Samples, o.Thin, o.Longer = either(whole), either(thin), either(longer)
	o.Wall = fmt.Sprintf("%.1f h", wall/3600)
	return o
}

// either is one number of a few.
func either(numbers map[int]bool) string {
	var list []string
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		list = append(list, words.Number(n))
	}
	return strings.Join(list, " or ")
}

// counted are the names with how often each came, the most frequent first.
func counted(names map[string]int) (list []string) {
	list = slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(names[b]-names[a], strings.Compare(a, b))
	})
	for i, name := range list {
		list[i] = fmt.Sprintf("%s (%s)", name, words.Plural(names[name], "run"))
	}
	return list
}

// Table is one of the report's, with the command that makes its numbers; nil where no run has any.
func (p *paper) Table(name string) *paperTable {
	i := slices.IndexFunc(p.Tables, func(t study.Table) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	t := &paperTable{Table: p.Tables[i]}
	columns := map[string]bool{}
	for _, row := range t.Rows {
		for _, f := range row.Figures {
			for _, r := range f.Runs {
				at := slices.IndexFunc(p.Cells, func(c study.CellRow) bool { return c.Name == r.Cell })
				columns[p.Cells[at].Column] = true
			}
		}
	}
	for _, c := range p.Columns {
		if columns[c.Name] || len(columns) == 0 && slices.Contains(t.Columns, c.Name) {
			t.Made = append(t.Made, c.Name)
		}
	}
	t.all = len(t.Made) == len(p.Columns)
	return t
}

// paperTable is a table of the report on the page.
type paperTable struct {
	study.Table
	Made []string // the plan's columns that its runs are of
	all  bool     // these are all
}

// Command makes the runs of the table.
func (t *paperTable) Command() string {
	only := "--only " + strings.Join(t.Made, ",") + " "
	if strings.HasPrefix(t.Name, "table") {
		only = "--only " + t.Name + " "
	} else if t.all {
		only = ""
	}
	return "bin/mhacsp tables " + only + "--records " + paperRecords
}

// Draw is the command that draws figures of one recorded run.
func (p *paper) Draw(kinds string) string {
	return "bin/mhacsp figures --only " + kinds + " --run " + p.Records + "/cells/NAME.json --out runs/figures"
}

func (p *paper) render(source []byte) ([]byte, error) {
	t, err := template.New(paperPage).Funcs(template.FuncMap{
		"dots":    dotsOf,
		"plain":   plain,
		"score":   func(f study.Figure) string { s, _, _ := strings.Cut(f.Value(), " ±"); return s },
		"number":  words.Number,
		"percent": func(x *float64) string { return fmt.Sprintf("%.2f", *x) },
		"command": command,
		"short":   shortly,
		"linked":  p.linked,
		"share":   func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) },
	}).Parse(string(source))
	if err != nil {
		return nil, fmt.Errorf("site/%s: %w", paperPage, err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return nil, fmt.Errorf("site/%s: %w", paperPage, err)
	}
	return together(out.Bytes()), nil
}

// command is one that may break between its words alone.
func command(line string) template.HTML {
	list := strings.Fields(line)
	for i, word := range list {
		if list[i] = template.HTMLEscapeString(word); strings.HasPrefix(word, "--") {
			list[i] = `<span class="flag">` + list[i] + "</span>"
		}
	}
	return template.HTML("<code>" + strings.Join(list, " ") + "</code>")
}

// shortly is a commit in short, as git has it, and whether what was built differs from it.
func shortly(commit string) string {
	short := commit[:min(10, len(commit))]
	if strings.Contains(commit, "with changes") {
		short += ", with changes"
	}
	return short
}

// linked is a text whose mentions of tables of the page, "under" or "See" before a title's beginning, lead there.
func (p *paper) linked(text string) template.HTML {
	html := template.HTMLEscapeString(plain(text))
	for _, t := range p.Tables {
		title := template.HTMLEscapeString(plain(t.Title[:max(0, strings.IndexAny(t.Title+":", ":,"))]))
		link := fmt.Sprintf(`<a href="#table-%s">%s</a>`, t.Name, title)
		for _, word := range []string{"under ", "See "} {
			html = strings.ReplaceAll(html, word+title, word+link)
		}
	}
	return template.HTML(html)
}

// together keeps on one line what is read as one: a number with its unit, a spread with its sign. Before a spread a
// narrow table may break.
func together(page []byte) []byte {
	page = unbroken.ReplaceAll(page, []byte("$1\u00a0$2"))
	return bytes.ReplaceAll(page, []byte(" ± "), []byte(" ±\u00a0"))
}

var unbroken = regexp.MustCompile(`(\d) (\d{3}\b|%|runs?\b|points?\b|steps?\b)`)

// Of are the page's figures of a kind.
func (p *paper) Of(kind string) []paperFigure {
	return slices.DeleteFunc(slices.Clone(p.Figures), func(f paperFigure) bool { return f.Kind != kind })
}
