package inside

import (
	"math"
	"reflect"
	"testing"

	"mhacsp/tasks/assert"
)

func TestRound(t *testing.T) {
	for _, x := range []struct {
		x      float64
		digits int
		want   float64
	}{
		{0.123456, 3, 0.123}, {-9.8765, 2, -9.9}, {123456, 2, 120000}, {9.996e-7, 3, 1e-6}, {0, 4, 0}, {1e-320, 4, 0},
		{math.Inf(1), 3, math.Inf(1)},
	} {
		got := Round(x.x, x.digits)
		assert.True(t, got == x.want || math.Abs(got-x.want) <= 1e-12*math.Abs(x.want),
			"%v in %d digits is %v, want %v", x.x, x.digits, got, x.want)
	}
	assert.Is(t, Rounded([]float64{0.1111, 22.222}, 2), []float64{0.11, 22}, "two numbers")
}

// TestMatrixOf: what a row does not have is left out, the greatest number is 1000, and nothing is below 0.
func TestMatrixOf(t *testing.T) {
	lower := func(row int) int { return row + 1 }
	m := MatrixOf([][][]float32{{{0, 99}, {2, 8}}, {{-1, 99}, {4, 1}}}, lower)
	assert.True(t, m.Max == 8 && reflect.DeepEqual(m.Heads, [][][]int{{{0}, {250, 1000}}, {{0}, {500, 125}}}),
		"%+v", m)
	none := MatrixOf([][][]float32{{{0}, {0, 0}}}, lower)
	assert.True(t, none.Max == 0 && none.possible(1, 2, lower), "a matrix of zeros is %+v", none)
	full := func(int) int { return 2 }
	assert.True(t, !m.possible(2, 3, lower) && !m.possible(1, 2, lower) && !m.possible(2, 2, full),
		"%+v passes as a matrix of another size", m)
}

// TestCheck: shares that are none, and hands or points that are missing, are refused; nothing is something.
func TestCheck(t *testing.T) {
	assert.NoError(t, (Inside{}).Check())
	for _, last := range [][]float64{nil, {0.7, 0.8}, {1.2}, {0.2, -0.1}, {0.6, 0.6}, {math.NaN()}} {
		assert.True(t, (Inside{Spectrum: &Spectrum{Last: last}}).Check() != nil, "the spectrum %v passes", last)
	}
	whole := func() *Digits {
		return &Digits{
			Names: []string{"0"}, Modulus: 9, Near: [][2]float64{{1, 2}}, Plane: [][2]float64{{1, 2}},
			Angle: &Dial{Hands: []float64{1}},
		}
	}
	assert.NoError(t, (Inside{Digits: whole()}).Check())
	for name, change := range map[string]func(*Digits){
		"no modulus": func(d *Digits) { d.Modulus = 0 }, "no map": func(d *Digits) { d.Near = nil },
		"a point that is none": func(d *Digits) { d.Plane[0][1] = math.Inf(1) },
		"no hands":             func(d *Digits) { d.Angle.Hands = nil },
		"a score above 1":      func(d *Digits) { d.Angle.Turn.Score = 1.1 },
		"a unit below 0":       func(d *Digits) { d.Ring.Unit = -1 },
	} {
		d := whole()
		change(d)
		assert.True(t, (Inside{Digits: d}).Check() != nil, "%s passes", name)
	}
	assert.True(t, (Inside{Matrices: &Matrices{Text: "1", Tokens: []string{"1"}}}).Check() != nil,
		"matrices without heads pass")
}
