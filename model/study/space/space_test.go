package space

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// byHand are ten digits modulo 9 without a network.
func byHand() *Digits {
	d := &Digits{Modulus: 9}
	for v := range 10 {
		d.Names, d.Values = append(d.Names, string(rune('0'+v))), append(d.Values, v%9)
	}
	return d
}

// TestTurn: a unit that follows the digits is found among others, with its frequency and offset; a random order of the
// digits has no such unit.
func TestTurn(t *testing.T) {
	d, random := byHand(), rand.New(rand.NewPCG(1, 2))
	var angles [][]float64
	for _, v := range d.Values {
		row := make([]float64, 20)
		for i := range row {
			row[i] = random.Float64() * 6
		}
		row[7] = 0.5 - 2*math.Pi*2*float64(v)/9
		row[8] = 2 * math.Pi * 3 * float64(v) / 9 // at k = 3 there are three places for nine values
		angles = append(angles, row)
	}
	c := d.Turn(angles)
	assert.True(t, c.Unit == 7 && c.K == -2 && math.Abs(c.Offset-0.5) <= 1e-9 && math.Abs(c.Score-1) <= 1e-9,
		"found %+v, want unit 7, k −2, offset 0.5, score 1", c)
	assert.True(t, c.Chance >= 0.5 && c.Chance <= 0.95, "chance of 20 units and 6 frequencies is %v", c.Chance)
	for i := range angles {
		angles[i][7] = random.Float64() * 6
	}
	c = d.Turn(angles)
	assert.True(t, c.Score <= 0.95, "random angles have score %+v", c)
}

// TestRing: digits on a circle have all of their variance on it, in whatever plane; a digit aside takes its part away.
func TestRing(t *testing.T) {
	d := byHand()
	for _, v := range d.Values {
		sin, cos := math.Sincos(2 * math.Pi * 2 * float64(v) / 9)
		d.Rows = append(d.Rows, []float64{5 + cos, sin / 2, -cos, 1})
	}
	c := d.Ring()
	assert.True(t, math.Abs(c.Score-1) <= 1e-9 && c.K == 2 && c.Chance <= 0.9, "on a circle: %+v", c)
	ratio, ok := d.Same()
	assert.True(t, ok && ratio <= 1e-9, "9 and 0 are one point: %v, %t", ratio, ok)
	d.Rows[9] = []float64{50, 0, 0, 0}
	c = d.Ring()
	assert.True(t, c.Score <= 0.5, "with 9 far aside: %+v", c)
	d.Rows = [][]float64{{0}, {1}, {2}, {3}}
	d.Values = []int{0, 1, 2, 0}
	ratio, ok = d.Same() // of 0 and 3; the mean of 1 2 3 1 2 1
	assert.True(t, ok && math.Abs(ratio-3/(10.0/6)) <= 1e-9, "3 of a mean of 10/6: %v, %t", ratio, ok)
	d.Values = []int{0, 1, 2, 3}
	_, ok = d.Same()
	assert.True(t, !ok, "no two digits are the same")
}

// TestSpectrum: variances 9, 4 and 1 along three axes, turned.
func TestSpectrum(t *testing.T) {
	const h = math.Sqrt2 / 2
	rows := [][]float64{
		{7 + 3*h, 7 + 3*h, 7, 7}, {7 - 3*h, 7 - 3*h, 7, 7}, {7 + 2*h, 7 - 2*h, 7, 7}, {7 - 2*h, 7 + 2*h, 7, 7},
		{7, 7, 7, 8}, {7, 7, 7, 6},
	}
	got := Spectrum(rows)
	for i, want := range []float64{9.0 / 14, 4.0 / 14, 1.0 / 14, 0} {
		assert.True(t, math.Abs(got[i]-want) <= 1e-9, "component %d has %v, want %v", i+1, got[i], want)
	}
	points, shares, ok := Plane(rows)
	near := func(x, want float64) bool { return math.Abs(x-want) <= 1e-9 }
	assert.True(t, ok && near(shares[0], 9.0/14) && near(shares[1], 4.0/14) && near(math.Abs(points[0][0]), 3) &&
		near(points[0][1], 0) && near(math.Abs(points[2][1]), 2), "the plane is %v, %v, %t", points, shares, ok)
	_, _, ok = Plane([][]float64{{1, 2}, {1, 2}, {1, 2}})
	assert.True(t, !ok && Spectrum([][]float64{{1, 2}, {1, 2}}) == nil, "equal rows have components")
	rows[2][1] = math.NaN()
	_, _, ok = Plane(rows)
	assert.True(t, !ok && Spectrum(rows) == nil, "rows that are no numbers have components")
}

// TestNeighbours: t-SNE keeps the neighbours of two heaps that are far from each other, and gives the same map twice.
func TestNeighbours(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var rows [][]float64
	for i := range 10 {
		row := make([]float64, 30)
		for j := range row {
			row[j] = random.NormFloat64() + 8*float64(i%2)
		}
		rows = append(rows, row)
	}
	p := affinities(rows, 3)
	sum := 0.0
	for i := range 10 {
		for j := range 10 {
			sum += p[i*10+j]
			assert.Need(t, p[i*10+j] == p[j*10+i] && (i != j || p[i*10+j] == 0),
				"p of %d and %d is %v and %v", i, j, p[i*10+j], p[j*10+i])
		}
	}
	assert.True(t, math.Abs(sum-1) <= 1e-9, "the affinities sum to %v", sum)
	points, ok := Neighbours(rows, 3)
	again, _ := Neighbours(rows, 3)
	assert.Need(t, ok && slices.Equal(points, again), "%t, %v and %v", ok, points, again)
	for i, a := range points {
		nearest, at := math.Inf(1), 0
		for j, b := range points {
			if d := math.Hypot(a[0]-b[0], a[1]-b[1]); j != i && d < nearest {
				nearest, at = d, j
			}
		}
		assert.True(t, at%2 == i%2 && !math.IsNaN(a[0]),
			"point %d at %v has the neighbour %d of the other heap", i, a, at)
	}
}

// network is a small one whose angles are π·tanh of the embedding's.
func network(t *testing.T, config string) sequence.Network {
	t.Helper()
	c := assert.Must(zoo.Parse([]byte(config), false))(t)
	n := assert.Must(c.Open(reference.New[float64]()))(t)
	n.Initialise(5)
	p := n.Params()
	flat := assert.Must(p.Download(p.Values()))(t)
	weight, columns := p.Find(flat, "blocks.0.theta.weight")
	clear(weight)
	for i := 0; i < len(weight); i += columns + 1 {
		weight[i] = 1
	}
	bias, _ := p.Find(flat, "blocks.0.theta.bias")
	bias[1] = 0.25
	p.Upload(flat)
	return n
}

func TestDigitsOf(t *testing.T) {
	task := assert.Must(tasks.New("arithmetic", tasks.Options{}))(t)
	n := network(t, `{"model": "mha-csp-2", "width": 8, "heads": 2}`)
	d := assert.Must(DigitsOf(n, task))(t)
	assert.Need(t, d.Modulus == 9 && slices.Equal(d.Values, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 0}) &&
		len(d.Rows[3]) == 8, "%+v", d)
	for i, row := range d.Rows {
		for j, x := range row {
			if j == 1 {
				x += 0.25
			}
			got := d.Angles[i][j]
			assert.True(t, math.Abs(got-math.Pi*math.Tanh(x)) <= 1e-6,
				"digit %d, unit %d: angle %v, want %v", i, j, got, math.Pi*math.Tanh(x))
		}
	}
	// The phases are those of the second block after the text "3 ".
	ids := assert.Must(task.Vocabulary().Tokenise("3 "))(t)
	dump := assert.Must(n.Dump(&sequence.Batch{Prompts: [][]int32{append([]int32{16}, ids...)}}))(t)
	h := assert.Must(sequence.Find(dump, 1, "state"))(t).Data[2*16:] // after the third token
	for j := range 8 {
		want := math.Atan2(float64(h[8+j]), float64(h[j]))
		assert.True(t, math.Abs(d.Phases[3][j]-want) <= 1e-5, "unit %d: phase %v, want %v", j, d.Phases[3][j], want)
	}
	for name, want := range map[string]string{
		"parity":      "task parity has 2 digits, and so few lie on a circle by chance",
		"parenthesis": "task parenthesis has no digits",
	} {
		task := assert.Must(tasks.New(name, tasks.Options{}))(t)
		_, err := DigitsOf(n, task)
		assert.True(t, err != nil && err.Error() == want, "%s: %v, want %s", name, err, want)
	}
}

// TestStates: the outputs of prompts of different lengths, without padding.
func TestStates(t *testing.T) {
	n := network(t, `{"model": "csp", "width": 8}`)
	var prompts [][]int32
	for i := range atOnce + 3 {
		prompts = append(prompts, []int32{16, int32(i % 10), 5}[:2+i%2])
	}
	last, all, err := States(n, prompts)
	assert.NoError(t, err)
	tokens := 0
	for i, p := range prompts {
		tokens += len(p)
		alone, _, err := States(n, [][]int32{p})
		assert.True(t, err == nil && slices.Equal(alone[0], last[i]) && slices.Equal(all[tokens-1], last[i]),
			"prompt %d: %v, in a batch %v, alone %v", i, err, last[i], alone[0])
		for j := range 8 {
			r := math.Hypot(last[i][j], last[i][8+j])
			assert.True(t, math.Abs(r-1) <= 1e-3, "prompt %d, unit %d: an output has the magnitude %v", i, j, r)
		}
	}
	assert.True(t, len(all) == tokens, "%d states of %d tokens", len(all), tokens)
}
