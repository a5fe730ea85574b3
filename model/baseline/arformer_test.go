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
		m := assert.Must(c.Open(reference.New[float64]()))(t)
		sequencetest.Shake(m, 4, 0.4)
		b := sequencetest.RandomBatch(c.Shape(), 3, 1, 2, 7, 30)
		values := assert.Must(m.Params().Download(m.Params().Values()))(t)
		o := oracleFormer{heads: c.Heads, layers: c.Layers, positions: c.Positions, p: map[string][][]float64{}}
		for _, x := range m.Params().Tensors {
			columns := x.Shape[len(x.Shape)-1]
			for r := 0; r < x.Len; r += columns {
				var row []float64
				for _, v := range values[x.Offset+r:][:columns] {
					row = append(row, float64(v))
				}
				o.p[x.Name] = append(o.p[x.Name], row)
			}
		}
		dump := assert.Must(m.Dump(b))(t)
		logits := assert.Must(m.Logits(b))(t)
		near := func(what string, got float32, want float64) {
			assert.Need(t, math.Abs(float64(got)-want) <= 1e-6*max(1, math.Abs(want)),
				"%s is %v, want %v", what, got, want)
		}
		for i, prompt := range b.Prompts {
			stream, reads := prompt, 1
			if b.Targets != nil {
				reads = len(b.Targets[i])
				stream = slices.Concat(prompt, b.Targets[i][:reads-1])
			}
			all, attention := o.run(stream)
			for _, row := range all[len(stream)-reads:] {
				for k, want := range row {
					near(fmt.Sprintf("sample %d: logit %d", i, k), logits[k], want)
				}
				logits = logits[len(row):]
			}
			for l, heads := range attention {
				x := dump[slices.IndexFunc(dump, func(x sequence.Tensor) bool {
					return x.Name == fmt.Sprintf("blocks.%d.attention", l)
				})]
				size := x.Shape[3]
				assert.Need(t, slices.Equal(x.Shape, []int{len(b.Prompts), c.Heads, size, size}),
					"%s has the shape %v", x.Name, x.Shape)
				for h := range heads {
					for at := range size * size {
						want := 0.0
						if r, k := at/size, at%size; r < len(stream) && k <= r {
							want = heads[h][r][k]
						}
						near(fmt.Sprintf("%s: sample %d, head %d, weight %d", x.Name, i, h, at),
							x.Data[(i*c.Heads+h)*size*size+at], want)
					}
				}
			}
		}
		assert.True(t, len(logits) == 0, "%d logits too many", len(logits))
	})
}

// oracleFormer is an ARFormer in float64, written from SPEC §13: vectors and matrices are slices, a row each.
type oracleFormer struct {
	heads, layers int
	positions     string
	p             map[string][][]float64 // a vector is a matrix of one row
}

// affine is W x + b.
func (o oracleFormer) affine(name string, x []float64) []float64 {
	y := slices.Clone(o.p[name+".bias"][0])
	for r, row := range o.p[name+".weight"] {
		for c, v := range row {
			y[r] += v * x[c]
		}
	}
	return y
}

// norm is the layer norm.
func (o oracleFormer) norm(name string, x []float64) []float64 {
	var mean, variance float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = (v-mean)/math.Sqrt(variance+float64(float32(1e-5)))*o.p[name+".weight"][0][i] + o.p[name+".bias"][0][i]
	}
	return y
}

// run is the logits after each token of a stream, and the weights of each block's heads.
func (o oracleFormer) run(stream []int32) (logits [][]float64, attention [][][][]float64) {
	var x [][]float64
	for t, id := range stream {
		row := slices.Clone(o.p["embedding.weight"][id])
		if o.positions == "learned" {
			for i, v := range o.p["position.weight"][t] {
				row[i] += v
			}
		}
		x = append(x, row)
	}
	w := len(x[0])
	d := w / o.heads
	for l := range o.layers {
		name := fmt.Sprintf("blocks.%d.", l)
		qkv := map[string][][]float64{}
		for _, row := range x {
			for _, of := range []string{"query", "key", "value"} {
				qkv[of] = append(qkv[of], o.affine(name+of, o.norm(name+"norm1", row)))
			}
		}
		mixed := make([][]float64, len(x))
		var weights [][][]float64
		for h := range o.heads {
			// A head's numbers at position t as complex ones, turned: the real part of q·conj(k) is the score.
			part := func(t int, of string) []float64 { return qkv[of][t][h*d:][:d] }
			score := func(i, j int) (s float64) {
				q, k := part(i, "query"), part(j, "key")
				if o.positions != "rotary" {
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
			for i, v := range o.affine(name+"output", mixed[t]) {
				x[t][i] += v
			}
			up := o.affine(name+"up", o.norm(name+"norm2", x[t]))
			for i, v := range up {
				up[i] = v / 2 * (1 + math.Erf(v/math.Sqrt2))
			}
			for i, v := range o.affine(name+"down", up) {
				x[t][i] += v
			}
		}
	}
	for _, row := range x {
		logits = append(logits, o.affine("head", o.norm("norm", row)))
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
		case slices.Contains([]string{"blocks.0.output.weight", "blocks.1.down.weight", "blocks.1.output.weight",
			"blocks.0.down.weight"}, x.Name):
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
		_, err := m.Logits(long)
		assert.OneLine(t, "Logits", err, words...)
		_, err = m.Dump(long)
		assert.OneLine(t, "Dump", err, words...)
		m.Evaluate(long)
		_, err = m.Loss()
		assert.OneLine(t, "Evaluate", err, words...)
		m.Gradients(long)
		_, err = m.Loss()
		assert.OneLine(t, "Gradients", err, words...)
		assert.OneLine(t, "Validate", long.Validate(c.Shape(), 0), words...)
		if classes > 0 {
			_, _, err = m.Classify(long.Prompts)
			assert.OneLine(t, "Classify", err, words...)
			continue
		}
		_, err = m.Generate(long.Prompts, 3, false)
		assert.OneLine(t, "Generate", err, words...)

		just := sequencetest.RandomBatch(c.Shape(), 1, 1, c.Context-2)
		just.Targets[1] = []int32{1, 2, 17} // its last token is never read
		if _, err := m.Logits(just); err != nil {
			t.Error(err)
		}
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
		{func(c *ARFormer) { c.Heads = 5 }, "width", 12},
		{func(c *ARFormer) { c.Heads = 0 }, "heads", 0},
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
