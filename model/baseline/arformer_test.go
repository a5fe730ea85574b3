package baseline

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

// smallFormer is an ARFormer for quick tests.
func smallFormer(positions string, classes int) *ARFormer {
	c := formerPresets()[0].New().(*ARFormer)
	c.Width, c.Heads, c.Positions, c.Context = 12, 2, positions, 40
	c.Fit(21, classes)
	return c
}

// formers calls each with every kind of positions, for sequences and for labels.
func formers(t *testing.T, each func(t *testing.T, c *ARFormer)) {
	for _, positions := range []string{learned, rotary, noPositions} {
		for _, classes := range []int{0, 3} {
			t.Run(fmt.Sprintf("%s/classes=%d", positions, classes), func(t *testing.T) {
				each(t, smallFormer(positions, classes))
			})
		}
	}
}

// TestARFormer holds every kind of positions to what every network promises.
func TestARFormer(t *testing.T) {
	formers(t, func(t *testing.T, c *ARFormer) { sequencetest.Run(t, c) })
}

// TestARFormerOracle: logits and attention are those of SPEC §13, computed token by token in float64.
func TestARFormerOracle(t *testing.T) {
	formers(t, func(t *testing.T, c *ARFormer) {
		b := sequencetest.RandomBatch(c.Shape(), 3, 1, 2, 7, 30)
		var attention [][][][][]float64 // by sample, block, head and row
		m := oracleAgrees(t, c, b, nil, func(p tensors, text []int32) [][]float64 {
			logits, weights := oracleFormer{c.Heads, c.Layers, c.Positions, p}.run(text)
			attention = append(attention, weights)
			return logits
		})
		dump := assert.Must(m.Dump(b))(t)
		for i, blocks := range attention {
			for l, heads := range blocks {
				x := assert.Must(sequence.Find(dump, l, "attention"))(t)
				size := x.Shape[3]
				assert.Need(t, slices.Equal(x.Shape, []int{len(b.Prompts), c.Heads, size, size}),
					"%s has the shape %v", x.Name, x.Shape)
				for h, rows := range heads {
					for at := range size * size {
						want := 0.0
						if r, k := at/size, at%size; r < len(rows) && k <= r {
							want = rows[r][k]
						}
						got := x.Data[(i*c.Heads+h)*size*size+at]
						assert.Need(t, math.Abs(float64(got)-want) <= 1e-6,
							"%s: sample %d, head %d: weight %d is %v, want %v", x.Name, i, h, at, got, want)
					}
				}
			}
		}
	})
}

// oracleFormer is an ARFormer in float64, written from SPEC §13.
type oracleFormer struct {
	heads, layers int
	positions     string
	tensors
}

// norm is the layer norm.
func (p oracleFormer) norm(name string, x []float64) []float64 {
	var mean, variance float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	y := slices.Clone(p.tensors[name+".bias"])
	for i, v := range x {
		y[i] += (v - mean) / math.Sqrt(variance+float64(float32(1e-5))) * p.tensors[name+".weight"][i]
	}
	return y
}

// run is the logits after each token of a stream, and the weights of each block's heads.
func (p oracleFormer) run(stream []int32) (logits [][]float64, attention [][][][]float64) {
	x := p.embed(stream)
	w := len(x[0])
	if p.positions == "learned" {
		for t, row := range x {
			for i := range row {
				row[i] += p.tensors["position.weight"][t*w+i]
			}
		}
	}
	d := w / p.heads
	for l := range p.layers {
		name := fmt.Sprintf("blocks.%d.", l)
		qkv := map[string][][]float64{}
		for _, row := range x {
			for _, of := range []string{"query", "key", "value"} {
				qkv[of] = append(qkv[of], p.times(name+of, p.norm(name+"norm1", row)))
			}
		}
		mixed := make([][]float64, len(x))
		var weights [][][]float64
		for h := range p.heads {
			// A head's numbers at position t as complex ones, turned: the real part of q·conj(k) is the score.
			part := func(t int, of string) []float64 { return qkv[of][t][h*d:][:d] }
			score := func(i, j int) (s float64) {
				q, k := part(i, "query"), part(j, "key")
				if p.positions != "rotary" {
					for c := range d {
						s += q[c] * k[c]
					}
					return s / math.Sqrt(float64(d))
				}
				for c := range d / 2 {
					angle := float64(i-j) * math.Pow(10000, -2*float64(c)/float64(d))
					re := q[c]*k[c] + q[d/2+c]*k[d/2+c]
					im := q[d/2+c]*k[c] - q[c]*k[d/2+c]
					s += re*math.Cos(angle) - im*math.Sin(angle)
				}
				return s / math.Sqrt(float64(d))
			}
			var rows [][]float64
			for i := range x {
				row, sum := make([]float64, i+1), 0.0
				for j := range row {
					row[j] = math.Exp(score(i, j))
					sum += row[j]
				}
				out := make([]float64, d)
				for j := range row {
					row[j] /= sum
					for c, v := range part(j, "value") {
						out[c] += row[j] * v
					}
				}
				rows, mixed[i] = append(rows, row), append(mixed[i], out...)
			}
			weights = append(weights, rows)
		}
		attention = append(attention, weights)
		for t := range x {
			for i, v := range p.times(name+"output", mixed[t]) {
				x[t][i] += v
			}
			up := p.times(name+"up", p.norm(name+"norm2", x[t]))
			for i, v := range up {
				up[i] = v / 2 * (1 + math.Erf(v/math.Sqrt2))
			}
			for i, v := range p.times(name+"down", up) {
				x[t][i] += v
			}
		}
	}
	for _, row := range x {
		logits = append(logits, p.times("head", p.norm("norm", row)))
	}
	return logits, attention
}

// TestARFormerStart: the start values are GPT-2's.
func TestARFormerStart(t *testing.T) {
	c := formerPresets()[0].New()
	m := assert.Must(c.Open(reference.New[float32]()))(t)
	flat := m.Params().Initial(1)
	for _, x := range m.Params().Tensors {
		var mean, square float64
		for _, v := range flat[x.Offset:][:x.Len] {
			mean += float64(v) / float64(x.Len)
			square += float64(v) * float64(v) / float64(x.Len)
		}
		std := 0.02
		switch {
		case len(x.Shape) == 1:
			std = 0
		case strings.HasSuffix(x.Name, ".output.weight"), strings.HasSuffix(x.Name, ".down.weight"):
			std = 0.01
		}
		middle := 0.0
		if len(x.Shape) == 1 && strings.HasSuffix(x.Name, ".weight") {
			middle = 1
		}
		assert.True(t, math.Abs(mean-middle) <= 0.1*std && math.Abs(math.Sqrt(square-mean*mean)-std) <= 0.1*std+1e-9,
			"%s starts with mean %v and deviation %v", x.Name, mean, math.Sqrt(square-mean*mean))
	}
}

// TestARFormerLongest: learned positions end, and every call says so; a text that is being written ends with them.
func TestARFormerLongest(t *testing.T) {
	for _, classes := range []int{0, 3} {
		c := smallFormer(learned, classes)
		m := assert.Must(c.Open(reference.New[float64]()))(t)
		m.Initialise(1)
		long := sequencetest.RandomBatch(c.Shape(), 1, 3, c.Context+1)
		words := []string{"prompts[1]", fmt.Sprint(c.Context), "context", "rotary"}
		errs := map[string]error{"Validate": long.Validate(c.Shape(), 0)}
		_, errs["Logits"] = m.Logits(long)
		_, errs["Dump"] = m.Dump(long)
		m.Evaluate(long)
		_, errs["Evaluate"] = m.Loss()
		m.Gradients(long)
		_, errs["Gradients"] = m.Loss()
		if classes > 0 {
			_, _, errs["Classify"] = m.Classify(long.Prompts)
		} else {
			_, errs["Generate"] = m.Generate(long.Prompts, 3, false)
		}
		for what, err := range errs {
			assert.OneLine(t, what, err, words...)
		}
		if classes > 0 {
			continue
		}
		just := sequencetest.RandomBatch(c.Shape(), 1, 1, c.Context-2)
		just.Targets[1] = []int32{1, 2, 17} // its last token is never read
		_, err := m.Logits(just)
		assert.Is(t, err, nil, "the longest text")
		just.Targets[1] = []int32{1, 2, 3, 17}
		_, err = m.Logits(just)
		assert.OneLine(t, "one more", err, words...)
		sequencetest.SetBias(t, m, 17, -1e4)
		out := assert.Must(m.Generate(just.Prompts, 9, false))(t)
		assert.True(t, len(out[0].Tokens) == 9 && len(out[1].Tokens) == 3,
			"%d and %d tokens written, 9 and 3 wanted", len(out[0].Tokens), len(out[1].Tokens))
	}
	assert.Is(t, smallFormer(rotary, 0).Shape().Longest, 0, "rotary positions end after")
}

// TestARFormerValidate: one line that names the key and what would fit.
func TestARFormerValidate(t *testing.T) {
	for _, x := range []struct {
		edit  func(c *ARFormer)
		key   string
		value any
	}{
		{func(c *ARFormer) { c.Heads = 5 }, "width", 12}, {func(c *ARFormer) { c.Heads = 0 }, "heads", 0},
		{func(c *ARFormer) { c.Positions = "relative" }, "positions", "relative"},
		{func(c *ARFormer) { c.Context = 0 }, "context", 0},
		{func(c *ARFormer) { c.Width, c.Heads = 1024, 2 }, "heads", 2},
		{func(c *ARFormer) { c.Heads, c.Positions = 4, rotary }, "width", 12},
		{func(c *ARFormer) { c.Layers = 0 }, "layers", 0},
		{func(c *ARFormer) { c.Model = "former" }, "model", "former"},
	} {
		c := smallFormer(learned, 0)
		x.edit(c)
		sequencetest.Unfit(t, fmt.Sprintf("%+v", *c), c.Validate(), x.key, x.value)
		_, err := c.Parameters()
		assert.True(t, err != nil, "%+v declares parameters", *c)
		_, err = c.Open(reference.New[float32]())
		assert.True(t, err != nil, "%+v opens", *c)
	}
}
