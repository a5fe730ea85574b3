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

	"mhacsp/model/ask"
	"mhacsp/model/study/curve"
	"mhacsp/model/study/space"
	"mhacsp/model/trace"
	"mhacsp/model/train"
	"mhacsp/native/figure"
	"mhacsp/tasks"
)

// spectra are the shares of variance that principal components have in common with all before them.
type spectra struct{ last, all curve.Curve }

// stateSamples is how many prompts the states of a spectrum are of.
const stateSamples = 256

// components is how many are drawn.
const components = 24

// ofNetworks are the kinds that need more than records.
func ofNetworks() []string { return []string{spectrumKind, embeddingKind, matricesKind} }

// look opens a run's network and draws what needs it. Of a checkpoint file it takes the configuration too.
func (a *album) look(f *figuresFlags, s *source, wanted func(...string) bool) (*spectra, error) {
	_, err := os.Stat(filepath.Join(s.path, train.ModelFile))
	if s.run.Config != nil && errors.Is(err, fs.ErrNotExist) {
		for _, kind := range ofNetworks() {
			a.miss(kind, s.path, "no checkpoint yet")
		}
		return nil, nil
	}
	l, err := load(s.path, "", f.device)
	if err != nil {
		return nil, err
	}
	defer l.device.Close()
	s.run = l.run
	if l.step != nil {
		s.step = *l.step
	}
	if l.run.Own != nil {
		for _, kind := range ofNetworks() {
			a.miss(kind, s.path, "the run has data of its own, of which only curves and accuracy are drawn")
		}
		return nil, nil
	}
	if wanted(embeddingKind) {
		if err := a.embedding(l, s); err != nil {
			return nil, working(err)
		}
	}
	if wanted(matricesKind) {
		if err := a.matrices(l, s); err != nil {
			return nil, working(err)
		}
	}
	if !wanted(spectrumKind) {
		return nil, nil
	}
	return a.states(l, s)
}

// states are the spectra of a run's last states.
func (a *album) states(l *loaded, s *source) (*spectra, error) {
	if l.net.Config().Traits().Units == 0 {
		a.miss(spectrumKind, s.path, l.net.Config().Name()+" shows no states")
		return nil, nil
	}
	var prompts [][]int32
	draw := tasks.Draw{Seed: s.run.Training.Seed, Role: tasks.Test, IID: s.run.Training.Split == "iid"}
	for _, x := range train.Draw(l.task, draw, 0, stateSamples) {
		prompts = append(prompts, x.Prompt)
	}
	last, all, err := space.States(l.net, prompts)
	if err != nil {
		return nil, working(err)
	}
	x := spectra{cumulative(space.Spectrum(last)), cumulative(space.Spectrum(all))}
	if len(x.last.X) == 0 {
		a.miss(spectrumKind, s.path, "all last states are the same, or not finite")
		return nil, nil
	}
	return &x, nil
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
func (a *album) spectrum(task, file string, groups []runGroup, found map[*source]*spectra) {
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
			if x := found[s]; x != nil {
				last, all = append(last, x.last), append(all, x.all)
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
	return "none"
}

// neighbours is the perplexity of t-SNE for some ten points.
const neighbours = 3

// embedding draws the digits of one run.
func (a *album) embedding(l *loaded, s *source) error {
	d, err := space.DigitsOf(l.net, l.task)
	if err != nil {
		a.miss(embeddingKind, s.path, err.Error())
		return nil
	}
	page, err := digitsPage(d)
	if err != nil {
		a.miss(embeddingKind, s.path, err.Error())
		return nil
	}
	page.Title = "Digits: " + s.name() + ", " + taskText(s.run.Training)
	page.Caption = append(page.Caption, provenance([]runGroup{{s.run.Config.Name(), []*source{s}}})...)
	a.add(embeddingKind, fileName(s.path), page)
	return nil
}

// digitsPage draws a layout of digits.
func digitsPage(d *space.Digits) (page figure.Page, err error) {
	plane, shares, ok := space.Plane(d.Rows)
	if !ok {
		return page, fmt.Errorf("the digits have one embedding, or numbers that are not finite")
	}
	near, _ := space.Neighbours(d.Rows, neighbours)
	page.Rows = []figure.Row{{Height: 300, Panels: []figure.Panel{
		figure.Dots{
			Title: "Embeddings by t-SNE", X: "arbitrary units", Y: "arbitrary units", Points: near, Names: d.Names,
		},
		figure.Dots{
			Title: "Embeddings by PCA", Points: plane, Names: d.Names,
			X: fmt.Sprintf("first component (%s of the variance)", wholePercent(shares[0])),
			Y: fmt.Sprintf("second component (%s of the variance)", wholePercent(shares[1])),
		},
	}}}
	ring := d.Ring()
	text := fmt.Sprintf("%d points are few for t-SNE (perplexity %d, started from PCA): it shows neighbours, no "+
		"shape. The grey line joins the digits in order. One circle in the order of the digits modulo %d has %s of "+
		"the embeddings' variance (%s round; chance %s).",
		len(d.Names), neighbours, d.Modulus, wholePercent(ring.Score),
		times(ring.K), wholePercent(ring.Chance))
	if ratio, ok := d.Same(); ok {
		text += fmt.Sprintf(" Digits that are the same modulo %d%s are %.2f times as far apart as digits on average "+
			"(0: one point, 1: the network tells them apart as any others).", d.Modulus, nine(d), ratio)
	}
	page.Caption = []string{text}
	var dials []figure.Panel
	for _, x := range []struct {
		title  string
		angles [][]float64
	}{{"Learned angle θ", d.Angles}, {"Phase after reading the digit", d.Phases}} {
		if x.angles != nil {
			dials = append(dials, dialOf(x.title, d, x.angles))
		}
	}
	if len(dials) == 0 {
		return page, nil
	}
	page.Rows = append(page.Rows, figure.Row{Height: 325, Panels: dials})
	page.Caption = append(page.Caption, fmt.Sprintf("Circles: of the unit that follows the digits best, against the "+
		"marks 2πkv/%d + offset (orange). R is the circularity (SPEC §15), also of twice the angle, where a unit "+
		"keeps the value with its line and not its arrow (§14); chance is what one of twenty random orders of the "+
		"digits exceeds with its own best unit. θ is the angle by the token alone; the phase is that of the state "+
		"after a text of the one digit, and the space behind it where there is one.", d.Modulus))
	return page, nil
}

func wholePercent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// nine names the digits 9 and 0 where these are the only ones that are the same.
func nine(d *space.Digits) string {
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

func dialOf(title string, d *space.Digits, angles [][]float64) figure.Dial {
	c := d.Turn(angles)
	dial := figure.Dial{
		Title: strings.Replace(fmt.Sprintf("%s (unit %d, k = %d)", title, c.Unit, c.K), "-", "−", 1),
	}
	var doubled [][]float64
	for _, row := range angles {
		twice := make([]float64, len(row))
		for i, x := range row {
			twice[i] = 2 * x
		}
		doubled = append(doubled, twice)
	}
	line := d.Turn(doubled)
	dial.Notes = []string{
		fmt.Sprintf("R %.3f, chance %.2f", c.Score, c.Chance),
		fmt.Sprintf("twice the angle (unit %d): R %.3f, chance %.2f", line.Unit, line.Score, line.Chance),
	}
	for v := range d.Modulus {
		at := c.Offset + 2*math.Pi*float64(c.K*v)/float64(d.Modulus)
		dial.Marks = append(dial.Marks, figure.Angle{Name: fmt.Sprint(v), At: at})
	}
	for i, name := range d.Names {
		dial.Hands = append(dial.Hands, figure.Angle{Name: name, At: angles[i][c.Unit]})
	}
	return dial
}

// The longest text whose matrices are drawn, and the most heads: of more the names would be too small to read, or the
// page too long. So many heads stand side by side.
const (
	mostTokens = 80
	mostHeads  = 16
	abreast    = 4
)

// matrices draws those of a text.
func (a *album) matrices(l *loaded, s *source) error {
	if l.net.Config().Traits().Heads == 0 {
		a.miss(matricesKind, s.path, l.net.Config().Name()+" has no heads with matrices")
		return nil
	}
	q, err := ask.Parse(l.task, l.run.Training.Format, orElse(a.text, l.task.Example()))
	if err != nil {
		a.miss(matricesKind, s.path, err.Error())
		return nil
	}
	if n := len(q.Tokens); n > mostTokens {
		a.miss(matricesKind, s.path,
			fmt.Sprintf("the text has %d tokens, and matrices of %d can be drawn; shorten it", n, mostTokens))
		return nil
	}
	if n := l.net.Config().Traits().Heads; n > mostHeads {
		a.miss(matricesKind, s.path, fmt.Sprintf("%d heads, and matrices of %d can be drawn", n, mostHeads))
		return nil
	}
	r, err := trace.Read(l.net, l.task, l.run.Training.Format, q)
	if errors.Is(err, ask.ErrNotFinite) {
		a.miss(matricesKind, s.path, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	page := matricesPage(r)
	page.Title = fmt.Sprintf("Matrices: %s, %q", s.name(), strings.TrimSpace(r.Text))
	page.Caption = append(page.Caption, provenance([]runGroup{{s.run.Config.Name(), []*source{s}}})...)
	a.add(matricesKind, fileName(s.path), page)
	return nil
}

// matricesPage draws the matrices of a reading, a column for each head.
func matricesPage(r *trace.Reading) figure.Page {
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
	for k := range r.Heads {
		heads = append(heads, fmt.Sprint(k+1))
	}
	fusion := make([][][]float32, r.Heads) // [H][T][H]: what head k takes of the others, row by row
	for k := range fusion {
		for _, m := range r.Fusion {
			fusion[k] = append(fusion[k], m[k])
		}
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
		values     [][][]float32
		columns    []string
		lower      bool
	}{
		{"Distance", "D", r.Distance, tokens, true}, {"Tree", "C", r.Tree, tokens, true},
		{"Fusion", "A", fusion, heads, false}, {"Attention", "P", r.Attention, tokens, true},
	} {
		page.Rows = append(page.Rows, matrixRows(x.name, x.unit, x.values, tokens, x.columns, x.lower)...)
	}
	return page
}

// matrixRows draws one kind of matrix of all heads. lower leaves out what is above the diagonal.
func matrixRows(name, unit string, values [][][]float32, rows, columns []string, lower bool) (list []figure.Row) {
	high := 0.0
	for _, m := range values {
		for _, line := range m {
			for _, v := range line {
				high = max(high, float64(v))
			}
		}
	}
	for k, m := range values {
		h := figure.Heat{Title: fmt.Sprintf("%s, head %d", name, k+1), Rows: rows, Columns: columns, Max: high}
		for i, line := range m {
			out := make([]float64, len(line))
			for j, v := range line {
				out[j] = float64(v)
				if lower && j > i {
					out[j] = math.NaN()
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
		list[i].Panels = append(list[i].Panels, figure.Scale{Title: unit, Max: high})
		list[i].Widths = append(list[i].Widths, 0.3)
	}
	return list
}
