//go:build !js

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"mhacsp/model/study/curve"
	"mhacsp/model/study/inside"
	"mhacsp/model/study/space"
	"mhacsp/model/train"
	"mhacsp/native/figure"
)

// components is how many are drawn.
const components = 24

// ofNetworks are the kinds that need more than records.
func ofNetworks() []string { return []string{spectrumKind, embeddingKind, matricesKind} }

// look opens a run's network for what needs it. Of a checkpoint file it takes the configuration too.
func (a *album) look(f *figuresFlags, s *source, wanted func(...string) bool) error {
	_, err := os.Stat(filepath.Join(s.path, train.ModelFile))
	if s.run.Config != nil && errors.Is(err, fs.ErrNotExist) {
		for _, kind := range ofNetworks() {
			a.miss(kind, s.path, "no checkpoint yet")
		}
		return nil
	}
	l, err := load(s.path, "", f.device)
	if err != nil {
		return err
	}
	defer l.device.Close()
	s.run = l.run
	if l.step != nil {
		s.step = *l.step
	}
	s.inside, err = insideOf(l, a.text, wanted, func(kind, why string) { a.miss(kind, s.path, why) })
	if err != nil {
		return working(err)
	}
	if s.inside.Digits != nil {
		a.embedding(s)
	}
	if s.inside.Matrices != nil {
		a.matrices(s)
	}
	return nil
}

// cumulative adds shares up.
func cumulative(shares []float64) (c curve.Curve) {
	sum := 0.0
	for i, x := range shares {
		sum += x
		c.Add(float64(i+1), sum)
	}
	return c
}

// spectrum draws the spectra of one task.
func (a *album) spectrum(task, file string, groups []runGroup) {
	chart := figure.Lines{
		Title: "Variance in the first components", X: "principal components", Y: "share of the variance (%)",
		Share: true, FromX: 1, ToX: components,
		Crosses: []figure.Cross{
			{X: 1, Y: 0.15}, {Name: "paper: 8 components, 90 %", X: 8, Y: 0.9},
		},
	}
	var told []runGroup
	var needed []string
	for _, g := range groups {
		var last, all []curve.Curve
		for _, s := range g.runs {
			if x := s.inside.Spectrum; x != nil {
				last, all = append(last, cumulative(x.Last)), append(all, cumulative(x.All))
			}
		}
		if len(last) == 0 {
			continue
		}
		i := len(told)
		b, beside := curve.Over(last), curve.Over(all)
		chart.Series = append(chart.Series, seriesOf(i, b),
			figure.Series{Group: i, Thin: true, X: beside.X, Y: beside.Mean})
		told = append(told, g)
		needed = append(needed, fmt.Sprintf("%s: %s, at all tokens %s", g.name, reached(b), reached(beside)))
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
				stateSamples),
			"Components for 90 % of the variance: " + strings.Join(needed, "; ") + ".",
			"Crosses: what the paper says of MHA-CSP on parentheses (§5.6, Figure 2): the first component has 15 %, " +
				"the first 8 approximately 90 %. It does not say at which tokens.",
		}, provenance(told)...),
	}
	a.add(spectrumKind, file, page)
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

// embedding draws the digits of one run.
func (a *album) embedding(s *source) {
	page := digitsPage(s.inside.Digits)
	page.Title = "Digits: " + s.name() + ", " + taskText(s.run.Training)
	page.Caption = append(page.Caption, provenance([]runGroup{{s.run.Config.Name(), []*source{s}}})...)
	a.add(embeddingKind, fileName(s.path), page)
}

// digitsPage draws a layout of digits.
func digitsPage(d *inside.Digits) (page figure.Page) {
	page.Rows = []figure.Row{{Height: 300, Panels: []figure.Panel{
		figure.Dots{
			Title: "Embeddings by t-SNE", X: "arbitrary units", Y: "arbitrary units", Points: d.Near, Names: d.Names,
		},
		figure.Dots{
			Title: "Embeddings by PCA", Points: d.Plane, Names: d.Names,
			X: fmt.Sprintf("first component (%s of the variance)", wholePercent(d.Shares[0])),
			Y: fmt.Sprintf("second component (%s of the variance)", wholePercent(d.Shares[1])),
		},
	}}}
	text := fmt.Sprintf("%d points are few for t-SNE (perplexity %d, started from PCA): it shows neighbours, no "+
		"shape. The grey line joins the digits in order. One circle in the order of the digits modulo %d has %s of "+
		"the embeddings' variance (%s round; chance %s).",
		len(d.Names), space.Perplexity, d.Modulus, wholePercent(d.Ring.Score),
		times(d.Ring.K), wholePercent(d.Ring.Chance))
	if d.Same != nil {
		text += fmt.Sprintf(" Digits that are the same modulo %d%s are %.2f times as far apart as digits on average "+
			"(0: one point, 1: the network tells them apart as any others).", d.Modulus, nine(d), *d.Same)
	}
	page.Caption = []string{text}
	var dials []figure.Panel
	for _, x := range []struct {
		title string
		dial  *inside.Dial
	}{{"Learned angle θ", d.Angle}, {"Phase after reading the digit", d.Phase}} {
		if x.dial != nil {
			dials = append(dials, dialOf(x.title, d, x.dial))
		}
	}
	if len(dials) == 0 {
		return page
	}
	page.Rows = append(page.Rows, figure.Row{Height: 325, Panels: dials})
	page.Caption = append(page.Caption, fmt.Sprintf("Circles: of the unit that follows the digits best, against the "+
		"marks 2πkv/%d + offset (orange). R is the circularity (SPEC §15), also of twice the angle, where a unit "+
		"keeps the value with its line and not its arrow (§14); chance is what one of twenty random orders of the "+
		"digits exceeds with its own best unit. θ is the angle by the token alone; the phase is that of the state "+
		"after a text of the one digit, and the space behind it where there is one.", d.Modulus))
	return page
}

func wholePercent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// nine names the digits 9 and 0 where these are the only ones that are the same.
func nine(d *inside.Digits) string {
	if d.Modulus == 9 && len(d.Names) == 10 {
		return " (9 and 0)"
	}
	return ""
}

// times says how often something goes round.
func times(k int) string {
	if k == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", k)
}

func dialOf(title string, d *inside.Digits, x *inside.Dial) figure.Dial {
	c, line := x.Turn, x.Line
	dial := figure.Dial{
		Title: strings.Replace(fmt.Sprintf("%s (unit %d, k = %d)", title, c.Unit, c.K), "-", "−", 1),
		Notes: []string{
			fmt.Sprintf("R %.3f, chance %.2f", c.Score, c.Chance),
			fmt.Sprintf("twice the angle (unit %d): R %.3f, chance %.2f", line.Unit, line.Score, line.Chance),
		},
	}
	for v := range d.Modulus {
		at := c.Offset + 2*math.Pi*float64(c.K*v)/float64(d.Modulus)
		dial.Marks = append(dial.Marks, figure.Angle{Name: fmt.Sprint(v), At: at})
	}
	for i, name := range d.Names {
		dial.Hands = append(dial.Hands, figure.Angle{Name: name, At: x.Hands[i]})
	}
	return dial
}

// abreast is how many heads stand side by side.
const abreast = 4

// matrices draws those of a text.
func (a *album) matrices(s *source) {
	page := matricesPage(s.inside.Matrices)
	page.Title = fmt.Sprintf("Matrices: %s, %q", s.name(), s.inside.Matrices.Text)
	page.Caption = append(page.Caption, provenance([]runGroup{{s.run.Config.Name(), []*source{s}}})...)
	a.add(matricesKind, fileName(s.path), page)
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
		fmt.Sprintf("The model's answer is %s; %s is right.", orElse(r.Answer, "none"), r.Expected),
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
