package circle

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// recorder is a painter that remembers.
type recorder struct {
	*glyphs
	dots     []recorded
	texts    []recorded
	polygons int
	lines    [][]Point
	rects    []Rect
	matrices []matrixCall
}

type recorded struct {
	shape dotShape
	at    Point
	size  float64
	ink   color.NRGBA
	words string
	box   Rect
}

type matrixCall struct {
	area    Rect
	n, rows int
	id      matrixID
	colour  func(row, col int) color.NRGBA
}

func (r *recorder) line(ps []Point, _ float64, _ color.NRGBA, _ bool) { r.lines = append(r.lines, ps) }
func (r *recorder) polygon([]Point, color.NRGBA)                      { r.polygons++ }
func (r *recorder) rect(x Rect, _ float64, _ color.NRGBA)             { r.rects = append(r.rects, x) }
func (r *recorder) dot(s dotShape, at Point, size float64, ink, _ color.NRGBA) {
	r.dots = append(r.dots, recorded{shape: s, at: at, size: size, ink: ink})
}
func (r *recorder) text(s string, at Point, size float64, style textStyle, ink color.NRGBA) {
	w := r.measure(s, size, style.bold)
	box := Rect{at.X, at.Y - 0.5*size, w, size}
	switch style.align {
	case middle:
		box.X -= w / 2
	case right:
		box.X -= w
	}
	r.texts = append(r.texts, recorded{at: at, size: size, ink: ink, words: s, box: box})
}
func (r *recorder) cells(area Rect, n, rows int, id matrixID, colour func(int, int) color.NRGBA) {
	r.matrices = append(r.matrices, matrixCall{area, n, rows, id, colour})
}

// units are the dots of one kind, in the order of the units.
func (r *recorder) units(s dotShape, ink color.NRGBA, size float64) []recorded {
	return slices.DeleteFunc(slices.Clone(r.dots), func(d recorded) bool {
		return d.shape != s || d.ink != ink || !near(d.size, size)
	})
}

func (r *recorder) says(words string) bool {
	return slices.ContainsFunc(r.texts, func(x recorded) bool { return strings.Contains(x.words, words) })
}

// inside fails where a text stands outside a view of that size.
func (r *recorder) inside(t *testing.T, what any, size [2]float64) {
	t.Helper()
	for _, x := range r.texts {
		assert.True(t, x.box.X >= -1 && x.box.Right() <= size[0]+1 && x.box.Y >= -1 && x.box.Bottom() <= size[1]+1,
			"%v, %v: %q stands outside: %v", what, size, x.words, x.box)
	}
}

func record(t *testing.T, v *View) *recorder {
	t.Helper()
	r := &recorder{glyphs: assert.Must(newGlyphs())(t)}
	v.paint(r)
	return r
}

func shown(t *testing.T, r *Reading, w, h float64) *View {
	t.Helper()
	v := NewView()
	v.SetSize(w, h)
	assert.NoError(t, v.SetReading(r))
	return v
}

// TestDotsAreTheModels is the circle's promise: at rest every dot is at its unit's phase, one dot a unit; between two
// tokens it is on the shorter arc between the two.
func TestDotsAreTheModels(t *testing.T) {
	const width, turning = 20, 13
	for _, size := range [][2]float64{{280, 280}, {390, 844}, {1280, 720}, {3840, 2160}} {
		v := shown(t, sample(sum, width, turning, 2, 9), size[0], size[1])
		check := func(what string, phase func(u int) float64) {
			t.Helper()
			r := record(t, v)
			l := v.arrange()
			turn := r.units(disc, v.theme.Turning, l.dotRadius(turning))
			hold := r.units(diamond, v.theme.Holding, 1.2*l.dotRadius(width-turning))
			assert.Need(t, len(turn) == turning && len(hold) == width-turning,
				"%v %s: %d and %d dots, want %d and %d", size, what, len(turn), len(hold), turning, width-turning)
			for u, dot := range slices.Concat(turn, hold) {
				radius := l.Radius
				if u >= turning {
					radius *= holdRing
				}
				want := OnCircle(l.Center, radius, phase(u))
				d := math.Hypot(dot.at.X-want.X, dot.at.Y-want.Y)
				assert.Need(t, d <= 1e-4*radius, // the states are float32
					"%v %s: unit %d is drawn at %v, want %v", size, what, u, dot.at, want)
			}
		}
		for _, at := range []int{0, 1, 7, len(sum) - 1} {
			v.SetReducedMotion(true)
			v.Seek(at)
			check("at rest", func(u int) float64 { return samplePhase(at, u) })
		}
		v.SetReducedMotion(false)
		v.Seek(3)
		v.Seek(4)
		v.Update(v.player.motion() * 0.3)
		s := ease(0.3)
		check("moving", func(u int) float64 {
			from, to := samplePhase(3, u), samplePhase(4, u)
			return from + s*math.Remainder(to-from, 2*math.Pi)
		})
	}
}

func TestStateWithoutPhase(t *testing.T) {
	r := sample(sum, 6, 6, 0, 0)
	r.State[14][2], r.State[14][8] = 0, 0
	v := shown(t, r, 800, 600)
	l := v.arrange()
	dots := record(t, v).units(disc, v.theme.Turning, l.dotRadius(6))
	assert.Is(t, len(dots), 5, "dots for 6 units, one of them at 0")
}

// TestNoPhases: a model whose units have no phase shows its text, its answers and what attention it has, no dot for a
// unit, and says why.
func TestNoPhases(t *testing.T) {
	for _, modulus := range []int{0, 9} {
		for _, size := range [][2]float64{{390, 844}, {1280, 720}} {
			reading := sample(sum, 0, 0, 2, modulus)
			reading.State, reading.Distance, reading.Tree, reading.Fusion = nil, nil, nil, nil
			v := shown(t, reading, size[0], size[1])
			r := record(t, v)
			assert.True(t, r.says("No unit is drawn") && r.says("Answer: right"),
				"modulus %d, %v: neither units nor answer are spoken of in %+v", modulus, size, r.texts)
			assert.Is(t, len(v.marks(v.arrange())), 0, "modulus %d, %v: units", modulus, size)
			v.SetLayer(Attention, 1)
			assert.Is(t, len(record(t, v).matrices), 1, "modulus %d, %v: matrices of attention", modulus, size)
			v.SetLayer(Tree, 0)
			r = record(t, v)
			assert.True(t, r.says("weights") && len(r.matrices) == 0,
				"modulus %d, %v: attention without a tree does not say so", modulus, size)
		}
	}
}

// TestEmpty shows words and no value where nothing was read.
func TestEmpty(t *testing.T) {
	for _, size := range [][2]float64{{280, 280}, {390, 844}, {1280, 720}} {
		v := NewView()
		v.SetSize(size[0], size[1])
		v.SetLayer(Attention, 0)
		r := record(t, v)
		drawn := []int{len(r.dots), len(r.rects), len(r.matrices), r.polygons}
		assert.Is(t, drawn, make([]int, 4), "%v: without a reading: dots, fields, matrices, arrows", size)
		assert.True(t, r.says(hintTitle), "%v: nothing says that nothing was read", size)
		for _, x := range r.texts {
			assert.True(t, !strings.ContainsAny(x.words, "0123456789"),
				"%v: without a reading a number is written: %q", size, x.words)
		}
	}
}

// TestWords asks that all text stands inside, large enough, at every size, in every layer.
func TestWords(t *testing.T) {
	long := strings.Split(strings.Repeat("01", 64), "")
	wrong, none := sample(sum, 12, 6, 4, 9), sample(sum, 12, 6, 4, 9)
	wrong.Right, wrong.Expected = false, "((2 + (0 - 3)) + 4) mod 9 = 8"
	none.Right, none.Expected, none.Answer = false, "8", ""
	labels := sample(append([]string{"<SOS>"}, strings.Split("((()())())", "")...), 32, 32, 0, 2)
	labels.Outcomes, labels.Modulus = []string{"unbalanced", "balanced"}, 0
	tokens := sample(sum, 32, 16, 4, 21)
	tokens.Outcomes, tokens.Modulus = append(tokens.Outcomes[:18], "<PAD>", "<SOS>", "mod"), 0
	named := func(modulus int, names ...string) *Reading {
		r := sample(sum, 12, 6, 4, len(names))
		r.Outcomes, r.Modulus = names, modulus
		return r
	}
	var vocabulary []string
	for i := range 300 {
		vocabulary = append(vocabulary, fmt.Sprint("word", i))
	}
	for name, reading := range map[string]*Reading{
		"labels": labels, "tokens": tokens, "brackets": named(0, "unbalanced", "balanced"),
		"words":   named(0, vocabulary...),
		"classes": named(0, "card_payment_fee_charged_twice_and_not_returned", "no", "refund"),
		"sum":     sample(sum, 116, 58, 4, 9), "parity": sample(long, 132, 132, 4, 0),
		"memory": remember(sample(sum, 84, 42, 4, 9), 72, 96), "copy": remember(sample(sum, 84, 42, 4, 0), 72, 96),
		"none": none, "wrong": wrong, "csp": sample(sum, 20, 20, 0, 9), "no phases": sample(sum, 0, 0, 0, 9),
		"no phases, no residues": sample(long, 0, 0, 4, 0),
	} {
		for _, size := range [][2]float64{
			{280, 280}, {280, 700}, {320, 568}, {390, 844}, {600, 280}, {640, 360},
			{500, 500}, {342, 500}, {559, 475}, {700, 700}, {1280, 720}, {2160, 3840}, {3840, 2160},
		} {
			for layer := None; layer < layers; layer++ {
				v := shown(t, reading, size[0], size[1])
				v.SetLayer(layer, 1)
				r := record(t, v)
				r.inside(t, fmt.Sprint(name, " ", layer), size)
				for _, x := range r.texts {
					assert.True(t, x.size >= leastText-1e-9,
						"%s %v %v: %q is %.1f px small", name, size, layer, x.words, x.size)
				}
			}
		}
	}
}

func TestVerdict(t *testing.T) {
	v := shown(t, sample(sum, 12, 6, 2, 9), 1280, 720)
	assert.Is(t, len(v.reading.likeliest(0, 1, 3)), 9, "residues of 9 that have a bar where there is little room")
	r := record(t, v)
	assert.True(t, r.says("Answer: right") && r.says("80 % sure"), "a right answer is not called right")
	v.Seek(3)
	r = record(t, v)
	assert.True(t, !r.says("Answer") && r.says("Best guess so far: the answer comes at the end"),
		"the answer is judged before the text was read")
	judged := func(expected, answer string) *Reading {
		r := sample(sum, 12, 6, 2, 9)
		r.Right, r.Expected, r.Answer = false, expected, answer
		return r
	}
	bad := shown(t, judged("7", "1"), 1280, 720)
	assert.True(t, record(t, bad).says("wrong, expected 7"), "a wrong answer is not called wrong")
	none := judged("8", "")
	v = shown(t, none, 1280, 720)
	r = record(t, v)
	assert.True(t, r.says("Answer: no number, expected 8") && r.says("best guess: 5, 80 %") && !r.says("wrong") &&
		!r.says("sure"), "an answer without a number is not called so")
	got := v.Describe()
	assert.True(t, strings.HasSuffix(got, "Whole answer: no number, expected 8."), "it is described as %q", got)
	for _, row := range none.Probabilities { // other tokens are more probable than all numbers
		for k := range row {
			row[k] /= 2.5
		}
	}
	none.Expected = ""
	v = shown(t, none, 1280, 720)
	r = record(t, v)
	assert.True(t, r.says("No number is likely") && r.says("best guess: 5, 32 %") && !r.says("Answer"),
		"something else is called its answer")
	assert.Says(t, v.Describe(), "No number is likely; best guess: 5, 32 %")
	r = record(t, shown(t, judged("", "1"), 1280, 720))
	assert.True(t, !r.says("wrong") && !r.says("Answer: "), "an answer is judged without knowing what was expected")
}

// TestMatrix shows only rows of tokens read so far, on the scale of the whole matrix.
func TestMatrix(t *testing.T) {
	reading := sample(sum, 12, 6, 2, 9)
	reading.Distance[1][9][2] = 5 // the greatest
	v := shown(t, reading, 1280, 720)
	v.SetLayer(Distance, 1)
	v.Seek(4)
	r := record(t, v)
	assert.Need(t, len(r.matrices) == 1, "%d matrices are drawn", len(r.matrices))
	m := r.matrices[0]
	assert.True(t, m.n == len(sum) && m.rows == 5 && m.id.layer == Distance && m.id.head == 1,
		"at token 4: %d of %d rows of %+v", m.rows, m.n, m.id)
	assert.Is(t, m.colour(9, 2), v.theme.heat[2], "the greatest value has colour")
	assert.Is(t, m.colour(3, 1), v.theme.warm(float64(reading.Distance[1][3][1])/5), "cell 3, 1 has colour")
	assert.True(t, r.says("5"), "the scale does not name its greatest value")
	v.SetLayer(Fusion, 0)
	assert.True(t, record(t, v).says("0.50"), "the fusion's numbers are not written")
	none := shown(t, sample(sum, 12, 12, 0, 9), 1280, 720)
	none.SetLayer(Tree, 0)
	r = record(t, none)
	assert.True(t, r.says("no attention") && len(r.matrices) == 0, "a model without attention does not say so")
}

func TestDescribe(t *testing.T) {
	v := NewView()
	assert.Says(t, v.Describe(), hintTitle)
	v = shown(t, sample(sum, 12, 6, 2, 9), 800, 600)
	assert.Says(t, v.Describe(), "Token 15 of 15", "Answer: 5, 80 %", "Whole answer 1: right")
}

// TestUnseen: an outcome that cannot be seen, or would turn what follows, is written so that it can.
func TestUnseen(t *testing.T) {
	for outcome, want := range map[string]string{"a\u202eb": `a\u202eb`, "<EOS>": "end", " ": "space", "\n": `\n`} {
		r := sample(sum, 12, 6, 0, 2)
		r.Outcomes, r.Modulus = []string{outcome, "other"}, 0
		v := shown(t, r, 700, 700)
		assert.True(t, record(t, v).says(want) && strings.Contains(v.Describe(), want),
			"%q is not written %q", outcome, want)
	}
}
