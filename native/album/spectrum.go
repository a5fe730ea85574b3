package album

import (
	"fmt"
	"strings"

	"mhacsp/model/study/curve"
	"mhacsp/model/study/inside"
	"mhacsp/native/figure"
)

// components is how many are drawn.
const components = 24

// cumulative adds shares up.
func cumulative(shares []float64) (c curve.Curve) {
	sum := 0.0
	for i, x := range shares {
		sum += x
		c.Add(float64(i+1), min(sum, 1)) // rounded shares may add up to more, which no chart shows
	}
	return c
}

// AddSpectrum draws the spectra of one task.
func (a *Album) AddSpectrum(task, file string, groups []Group) {
	chart := figure.Lines{
		Title: "Variance in the first components", X: "principal components", Y: "share of the variance (%)",
		Share: true, FromX: 1, ToX: components,
		Crosses: []figure.Cross{{X: 1, Y: 0.15}, {Name: "paper: 8 components, 90 %", X: 8, Y: 0.9}},
	}
	var told []Group
	var needed []string
	for _, g := range groups {
		var last, all []curve.Curve
		with := Group{Name: g.Name}
		for _, s := range g.Runs {
			if x := s.Inside.Spectrum; x != nil {
				last, all = append(last, cumulative(x.Last)), append(all, cumulative(x.All))
				with.Runs = append(with.Runs, s)
			}
		}
		if len(last) == 0 {
			continue
		}
		i := len(told)
		b, beside := curve.Over(last), curve.Over(all)
		chart.Series = append(chart.Series, seriesOf(i, b),
			figure.Series{Group: i, Thin: true, X: beside.X, Y: beside.Mean})
		told = append(told, with)
		needed = append(needed, fmt.Sprintf("%s: %s, at all tokens %s", g.Name, reached(b), reached(beside)))
	}
	if len(told) == 0 {
		return
	}
	page := figure.Page{
		Title: "Spectrum of the last states: " + task, Legend: legend(told),
		Rows: []figure.Row{{Height: 300, Panels: []figure.Panel{chart}}},
		Caption: append([]string{
			fmt.Sprintf("Outputs of the last block on %d test prompts a run: lines at the prompt's last token (which "+
				"the head reads), thin and dotted at all tokens; bands go from the least seed to the greatest.",
				inside.Prompts),
			"Components for 90 % of the variance: " + strings.Join(needed, "; ") + ".",
			"Crosses: what the paper says of MHA-CSP on parentheses (§5.6, Figure 2): the first component has 15 %, " +
				"the first 8 approximately 90 %. It does not say at which tokens.",
		}, provenance(told)...),
	}
	a.add(Spectrum, file, page)
}

// reached is how many components have 90 % of the variance, in words.
func reached(b curve.Band) string {
	for i, y := range b.Mean {
		if y >= 0.9 {
			return fmt.Sprint(b.X[i])
		}
	}
	if n := len(b.X); n > 0 {
		return fmt.Sprintf("more than %.0f", b.X[n-1])
	}
	return "not known"
}
