package album

import (
	"fmt"
	"math"
	"strings"

	"mhacsp/model/study/inside"
	"mhacsp/native/figure"
)

// AddDigits draws the digits of one run.
func (a *Album) AddDigits(s *Run) {
	page := digitsPage(s.Inside.Digits)
	page.Title = "Digits: " + s.name() + ", " + s.Task
	page.Caption = append(page.Caption, provenance([]Group{{s.Run.Config.Name(), []*Run{s}}})...)
	a.add(Embedding, s.fileName(), page)
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
		len(d.Names), inside.Perplexity, d.Modulus, wholePercent(d.Ring.Score),
		times(d.Ring.K), wholePercent(d.Ring.Chance))
	if d.Same != nil {
		only := map[bool]string{true: " (9 and 0)"}[d.Modulus == 9 && len(d.Names) == 10]
		text += fmt.Sprintf(" Digits that are the same modulo %d%s are %.2f times as far apart as digits on average "+
			"(0: one point, 1: the network tells them apart as any others).", d.Modulus, only, *d.Same)
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
		"marks 2πkv/%d + offset (orange). R is the circularity (FIGURES.md), also of twice the angle, where a unit "+
		"keeps the value with its line and not its arrow (CLOCKS.md); chance is what one of twenty random orders of "+
		"the digits exceeds with its own best unit. θ is the angle by the token alone; the phase is that of the "+
		"state after a text of the one digit, and the space behind it where there is one.", d.Modulus))
	return page
}

func wholePercent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

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
