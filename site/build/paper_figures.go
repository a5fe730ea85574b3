//go:build !js

package main

import (
	"fmt"
	"slices"
	"strings"

	"mhacsp/model/metric"
	"mhacsp/model/study"
	"mhacsp/native/album"
)

// paperFigure is a figure of the page. Its words stand next to it and not in it, so that a phone shows them too.
type paperFigure struct {
	Kind, File    string
	Title, Alt    string
	Caption       []string
	Width, Height int // of the picture
	svg           []byte
}

// shelf chooses what the figures of the page show.
type shelf struct {
	album.Album
	cells []study.Cell
	words map[string]string // of the columns
}

// figuresOf draws the page's figures, and says why others are not there.
func figuresOf(cells []study.Cell, words map[string]string) (list []paperFigure, not []string, err error) {
	s := &shelf{cells: cells, words: words}
	family := func(c study.Cell) bool { return !strings.Contains(c.Row, " ") }
	part := func(c study.Cell) bool { return !family(c) || c.Row == "mha-csp" }
	families := func(add func(task, file string, groups []album.Group), columns ...string) {
		for _, column := range columns {
			if groups := s.groups(column, family); len(groups) > 0 {
				add(words[column], column, groups)
			}
		}
	}
	for _, column := range []string{"repeat", "repeat-50", "parity", "parenthesis", "mod3"} {
		families(s.AddCurves, column)
		if groups := s.groups(column, part); len(groups) > 1 {
			s.AddCurves("parts left out, "+words[column], column+" parts", groups)
		}
	}
	s.formats()
	families(s.AddAccuracy, "repeat", "repeat-50", "code")
	for _, column := range []string{"parity", "parenthesis", "mod3"} {
		s.lengths(column)
	}
	families(s.AddSpectrum, "parenthesis", "repeat")
	for _, x := range []struct {
		row     string
		columns []string
	}{
		{"mha-csp", longest}, {"csp", longest}, {"mha-csp-m", longest}, {"mha-csp", []string{"mod3"}},
	} {
		if r := s.first(x.row, x.columns); r != nil && r.Inside.Digits != nil {
			s.AddDigits(r)
		}
	}
	if r := s.first("mha-csp", longest); r != nil && r.Inside.Matrices != nil {
		s.AddMatrices(r)
	}
	for _, d := range s.Pages {
		f := paperFigure{Kind: d.Kind, File: paperFigures + d.Name + ".svg", Title: d.Page.Title}
		f.Caption, d.Page.Caption = d.Page.Caption, nil
		f.Alt = fmt.Sprintf("Chart: %s. %s", d.Page.Title, strings.Join(d.Page.Legend, ", "))
		if f.svg, err = d.Page.SVG(); err != nil {
			return nil, nil, err
		}
		f.svg = slim(f.svg)
		if f.Width, f.Height, err = sizeOf(f.svg); err != nil {
			return nil, nil, err
		}
		list = append(list, f)
	}
	return list, s.WhyNot(album.Kinds()...), nil
}

// groups are the finished cells of some rows of a column, a group a row: whole ones, or else thin ones.
func (s *shelf) groups(column string, is func(study.Cell) bool) (groups []album.Group) {
	var rows []string
	for _, c := range s.cells {
		if c.Column != column || !is(c) || slices.Contains(rows, c.Row) {
			continue
		}
		rows = append(rows, c.Row)
		if g := s.group(study.Need{Column: column, Row: c.Row}); len(g.Runs) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

func (s *shelf) group(n study.Need) album.Group {
	for _, thin := range []bool{false, true} {
		g := album.Group{Name: n.Row}
		if thin {
			g.Name += " (thin)"
		}
		for _, c := range s.cells {
			if c.Column == n.Column && c.Row == n.Row && c.State == study.Finished && c.Thin() == thin {
				g.Runs = append(g.Runs, album.RunOf(c, s.words[c.Column]))
			}
		}
		if len(g.Runs) > 0 {
			return g
		}
	}
	return album.Group{}
}

// formats adds the curves of MHA-CSP by the format of the answer: of the longest runs that all three have.
func (s *shelf) formats() {
	var groups []album.Group
	for _, columns := range [][]string{{"repeat-50", "copy-50", "direct-50"}, {"repeat", "copy", "direct"}} {
		groups = nil
		for _, column := range columns {
			if g := s.group(study.Need{Column: column, Row: "mha-csp"}); len(g.Runs) > 0 {
				g.Name = column
				groups = append(groups, g)
			}
		}
		if len(groups) == 3 {
			break
		}
	}
	if len(groups) > 1 {
		s.AddCurves("formats of the answer, mha-csp", "formats", groups)
	}
}

// lengths adds the accuracy by length of a column: of the test, and of strings of exactly that many characters.
func (s *shelf) lengths(column string) {
	var names, about []string
	var reports [][]*metric.Report
	for _, c := range s.cells {
		if c.Column != column || strings.Contains(c.Row, " ") || !c.Whole() {
			continue
		}
		i := slices.Index(names, c.Row)
		if i < 0 {
			i, names, reports = len(names), append(names, c.Row), append(reports, nil)
		}
		reports[i] = append(reports[i], c.Test)
		for j, e := range c.Lengths {
			if e.Error == "" && e.MinLength == e.MaxLength {
				reports[i] = append(reports[i], &c.Lengths[j].Report)
			}
		}
		about = append(about, c.Name)
	}
	if len(names) > 0 {
		s.AddReports(s.words[column], column, names, reports, []string{
			"Samples: the test of each run, and of more than 128 characters strings of exactly that many. " +
				"Training draws 128 at most. Runs: " + strings.Join(about, ", ") + "."})
	}
}

// longest are the columns of arithmetic with repeat, the one with the longest runs first.
var longest = []string{"repeat-50", "repeat"}

// first is the whole run of a row with the least seed, in the first of the columns that has one; nil where none has.
func (s *shelf) first(row string, columns []string) *album.Run {
	for _, column := range columns {
		if g := s.group(study.Need{Column: column, Row: row}); len(g.Runs) > 0 && !strings.Contains(g.Name, "thin") {
			return g.Runs[0]
		}
	}
	return nil
}
