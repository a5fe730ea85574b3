package album

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"mhacsp/model/study/inside"
	"mhacsp/native/figure"
)

// abreast is how many heads stand side by side.
const abreast = 4

// AddMatrices draws those of a text.
func (a *Album) AddMatrices(s *Run) {
	page := matricesPage(s.Inside.Matrices)
	page.Title = fmt.Sprintf("Matrices: %s, %q", s.name(), s.Inside.Matrices.Text)
	page.Caption = append(page.Caption, provenance([]Group{{s.Run.Config.Name(), []*Run{s}}})...)
	a.add(Matrices, s.fileName(), page)
}

// matricesPage draws matrices, a column for each head.
func matricesPage(r *inside.Matrices) figure.Page {
	var tokens, heads []string
	for _, t := range r.Tokens {
		switch t = strings.TrimSpace(t); t {
		case "":
			t = "·"
		case "<SOS>":
			t = "S"
		}
		tokens = append(tokens, t)
	}
	for k := range r.Distance.Heads {
		heads = append(heads, fmt.Sprint(k+1))
	}
	page := figure.Page{Caption: []string{
		"The last block's, a column for each head. Rows are the token at which one reads, downwards; columns are " +
			"tokens before it (of the fusion: heads). S is the start, a dot a space. White: not defined, a token " +
			"reads nothing behind itself. Distance, tree, fusion and attention are D, C, A and P of SPEC §§3–6; " +
			"colours of a kind are the same in all heads.",
		fmt.Sprintf("The model's answer is %s; %s is right.", cmp.Or(r.Answer, "none"), r.Expected),
	}}
	for _, x := range []struct {
		name, unit string
		matrix     inside.Matrix
		columns    []string
	}{
		{"Distance", "D", r.Distance, tokens}, {"Tree", "C", r.Tree, tokens},
		{"Fusion", "A", r.Fusion, heads}, {"Attention", "P", r.Attention, tokens},
	} {
		page.Rows = append(page.Rows, matrixRows(x.name, x.unit, x.matrix, tokens, x.columns)...)
	}
	return page
}

// matrixRows draws one kind of matrix of all heads. What a row does not have stays white.
func matrixRows(name, unit string, m inside.Matrix, rows, columns []string) (list []figure.Row) {
	for k, head := range m.Heads {
		h := figure.Heat{Title: fmt.Sprintf("%s, head %d", name, k+1), Rows: rows, Columns: columns, Max: m.Max}
		for _, line := range head {
			out := make([]float64, len(columns))
			for j := range out {
				out[j] = math.NaN()
				if j < len(line) {
					out[j] = m.Max * float64(line[j]) / 1000
				}
			}
			h.Values = append(h.Values, out)
		}
		if k%abreast == 0 {
			list = append(list, figure.Row{Height: 178})
		}
		row := &list[len(list)-1]
		row.Panels, row.Widths = append(row.Panels, h), append(row.Widths, 1)
	}
	for i := range list {
		list[i].Panels = append(list[i].Panels, figure.Scale{Title: unit, Max: m.Max})
		list[i].Widths = append(list[i].Widths, 0.3)
	}
	return list
}
