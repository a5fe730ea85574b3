// Package inside is what figures show of the inside of a trained network, as plain data, rounded and small enough to
// stand in a study's records (STUDIES.md, FIGURES.md). It knows no network: package space measures one.
package inside

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Inside is what figures show of one network. What it does not have, or is not kept, is nil.
type Inside struct {
	Digits   *Digits   `json:"digits,omitempty"`
	Spectrum *Spectrum `json:"spectrum,omitempty"`
	Matrices *Matrices `json:"matrices,omitempty"`
}

// Fewest is how many digits a layout needs to say anything. Two, three and four always lie on a circle; of five values
// modulo 5 a sixth of all orders fit one as well as the right order does.
const Fewest = 6

// Perplexity is that of t-SNE for some ten points.
const Perplexity = 3

// Digits is how a network lays out the digits of its task.
type Digits struct {
	Names   []string     `json:"names"`
	Modulus int          `json:"modulus"`
	Near    [][2]float64 `json:"near"`   // the embeddings' map by t-SNE; arbitrary units
	Plane   [][2]float64 `json:"plane"`  // and in their first two principal components
	Shares  [2]float64   `json:"shares"` // of the variance, that these components have
	Ring    Circularity  `json:"ring"`   // of the embeddings
	// Same is the distance of digits that are the same modulo Modulus over the mean of all pairs; nil where none are.
	Same  *float64 `json:"same,omitempty"`
	Angle *Dial    `json:"angle,omitempty"` // of the learned angles θ; nil where there is no θ
	Phase *Dial    `json:"phase,omitempty"` // of the state behind each digit; nil where units have no phase
}

// Dial is where the digits stand on the circle of the unit that follows them best.
type Dial struct {
	Hands []float64   `json:"hands"` // radians, a digit each
	Turn  Circularity `json:"turn"`
	Line  Circularity `json:"line"` // of twice the angle, with a unit of its own
}

// Circularity is how exactly the digits lie on a circle in the order of their values, k times round (FIGURES.md).
type Circularity struct {
	Score  float64 `json:"score"`  // 0 to 1
	Chance float64 `json:"chance"` // the score that one of twenty random orders of the digits exceeds
	K      int     `json:"k"`      // times round; of a Dial negative where the unit goes backwards
	Unit   int     `json:"unit"`   // of a Dial: the unit of the greatest score
	Offset float64 `json:"offset"` // of a Dial: a digit of value v stands at about 2πkv/m + Offset, radians
}

// Prompts is how many test prompts a Spectrum is of.
const Prompts = 256

// Spectrum is the shares of the variance of what the head reads that principal components have, the greatest first: at
// the last token of each prompt, and at all tokens. The smallest may be left out.
type Spectrum struct {
	Last []float64 `json:"last"`
	All  []float64 `json:"all"`
}

// Matrices are those of the last block for one text.
type Matrices struct {
	Text     string   `json:"text"`
	Tokens   []string `json:"tokens"` // T, the first is "<SOS>"
	Answer   string   `json:"answer"`
	Expected string   `json:"expected"`
	// Row i is the token at which one reads. Distance, Tree and Attention have its columns j ≤ i, Fusion one a head.
	Distance  Matrix `json:"distance"`
	Tree      Matrix `json:"tree"`
	Fusion    Matrix `json:"fusion"`
	Attention Matrix `json:"attention"`
}

// Matrix is one kind of matrix of all heads, in thousandths of its greatest number.
type Matrix struct {
	Max   float64   `json:"max"`
	Heads [][][]int `json:"heads"` // [H][T][columns of the row], 0 to 1000
}

// MatrixOf keeps of each row of values [H][T][…] the columns that columns tells.
func MatrixOf(values [][][]float32, columns func(row int) int) Matrix {
	m := Matrix{}
	each(values, columns, func(_, _ int, x float64) { m.Max = math.Max(m.Max, x) })
	m.Max = Round(m.Max, 5)
	m.Heads = make([][][]int, len(values))
	for k := range values {
		m.Heads[k] = make([][]int, len(values[k]))
	}
	each(values, columns, func(k, i int, x float64) {
		part := min(x/math.Max(m.Max, math.SmallestNonzeroFloat32), 1)
		m.Heads[k][i] = append(m.Heads[k][i], int(math.Round(1000*part)))
	})
	return m
}

// each calls do with the numbers that MatrixOf keeps, those below 0 as 0.
func each(values [][][]float32, columns func(row int) int, do func(head, row int, x float64)) {
	for k := range values {
		for i, row := range values[k] {
			for _, x := range row[:columns(i)] {
				do(k, i, math.Max(float64(x), 0))
			}
		}
	}
}

// Round keeps that many digits of a number.
func Round(x float64, digits int) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	unit := math.Pow(10, float64(digits)-1-math.Floor(math.Log10(math.Abs(x))))
	if math.IsInf(unit, 0) {
		return 0
	}
	return math.Round(x*unit) / unit
}

// Rounded keeps that many digits of each number.
func Rounded(list []float64, digits int) []float64 {
	out := make([]float64, len(list))
	for i, x := range list {
		out[i] = Round(x, digits)
	}
	return out
}

// Check refuses what no network shows. An error says which part.
func (x Inside) Check() error {
	if x.Digits != nil && !x.Digits.possible() {
		return errors.New("the layout of digits is none")
	}
	if s := x.Spectrum; s != nil && !(len(s.Last) > 0 && shares(s.Last) && shares(s.All)) {
		return errors.New("the spectrum is none")
	}
	if x.Matrices != nil {
		return x.Matrices.check()
	}
	return nil
}

func (d *Digits) possible() bool {
	n := len(d.Names)
	ok := n > 0 && d.Modulus > 0 && len(d.Near) == n && len(d.Plane) == n && d.Ring.possible() &&
		shares(d.Shares[:]) && (d.Same == nil || within(*d.Same, float64(n*n)))
	for i := range min(n, len(d.Near), len(d.Plane)) {
		ok = ok && d.Names[i] != "" && finite(d.Near[i][:]) && finite(d.Plane[i][:])
	}
	for _, dial := range []*Dial{d.Angle, d.Phase} {
		ok = ok && (dial == nil ||
			len(dial.Hands) == n && finite(dial.Hands) && dial.Turn.possible() && dial.Line.possible())
	}
	return ok
}

func (c Circularity) possible() bool {
	return within(c.Score, 1) && within(c.Chance, 1) && c.Unit >= 0 && finite([]float64{c.Offset})
}

// shares reports whether numbers can be shares of one whole, the greatest first.
func shares(list []float64) bool {
	sum := 0.0
	for i, x := range list {
		if !within(x, 1) || i > 0 && x > list[i-1] {
			return false
		}
		sum += x
	}
	return sum <= 1.01
}

// within is false of what is no number, too. Rounding may carry a number a little beyond the greatest.
func within(x, high float64) bool { return x >= 0 && x <= high*1.001 }

func finite(list []float64) bool {
	return !slices.ContainsFunc(list, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

func (m *Matrices) check() error {
	t, h := len(m.Tokens), len(m.Distance.Heads)
	if m.Text == "" || t == 0 || h == 0 {
		return errors.New("the matrices have no text or no heads")
	}
	lower := func(row int) int { return row + 1 }
	for _, x := range []struct {
		name    string
		matrix  Matrix
		columns func(int) int
	}{
		{"distance", m.Distance, lower}, {"tree", m.Tree, lower}, {"attention", m.Attention, lower},
		{"fusion", m.Fusion, func(int) int { return h }},
	} {
		if !x.matrix.possible(h, t, x.columns) {
			return fmt.Errorf("the matrix %s is none of %d heads and %d tokens", x.name, h, t)
		}
	}
	return nil
}

func (m Matrix) possible(heads, rows int, columns func(int) int) bool {
	ok := len(m.Heads) == heads && within(m.Max, math.MaxFloat32)
	for _, head := range m.Heads {
		ok = ok && len(head) == rows
		for i, row := range head {
			ok = ok && len(row) == columns(i)
			for _, x := range row {
				ok = ok && x >= 0 && x <= 1000
			}
		}
	}
	return ok
}
