package baseline

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"mhacsp/model/backend/reference"
	"mhacsp/model/layer"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
	"mhacsp/tasks/token"
)

// TestGCN holds both kinds of links to what every network promises.
func TestGCN(t *testing.T) {
	for _, links := range gcnLinks {
		for _, classes := range []int{0, 3} {
			t.Run(fmt.Sprintf("%s/classes=%d", links, classes), func(t *testing.T) {
				c := sequencetest.Small(t, gcnPresets()[0].New(), sequencetest.Keys{"width": 5, "links": links})
				c.Fit(21, classes)
				sequencetest.Run(t, c)
			})
		}
	}
}

// TestGraph: the edges of a text with brackets in brackets and one that nothing closes, behind another text.
func TestGraph(t *testing.T) {
	const o, c, n = token.Open, token.Close, 3
	tokens := []int32{
		token.SOS, n, c, -1, // nothing is open
		token.SOS, o, n, o, c, c, o, n, -1,
	}
	want := map[int][]int32{
		0: {0}, 1: {1, 0}, 2: {2, 1}, 3: {},
		4: {4}, 5: {5, 4}, 6: {6, 5}, 7: {7, 6},
		8: {8, 7, 6}, // the opening bracket is the predecessor too
		9: {9, 8, 5, 4}, 10: {10, 9}, 11: {11, 10}, 12: {},
	}
	device := reference.New[float64]()
	g := graph{brackets: true}
	for range 2 { // the second batch finds the first one's memory
		g.Lay(layer.Baseline{Context: layer.Context{B: device, P: &param.Set{}}, K: device}, tokens)
		readers := map[[2]int32]bool{}
		for r := range tokens {
			got := slices.DeleteFunc(slices.Clone(g.edge[r*degree:][:degree]), func(e int32) bool { return e < 0 })
			assert.Is(t, got, want[r], "row %d reads", r)
			for _, e := range got {
				readers[[2]int32{e, int32(r)}] = true
			}
			for i, e := range g.edge[r*degree:][:degree] {
				w := reference.Data[float64](g.weight)[r*degree+i]
				assert.True(t, e < 0 || math.Abs(w*float64(len(got))-1) <= 1e-6,
					"row %d: weight %v of %d edges", r, w, len(got))
			}
		}
		found := 0
		for i, r := range g.reader {
			if r < 0 {
				continue
			}
			found++
			assert.True(t, readers[[2]int32{int32(i / degree), r}], "row %d is said to read row %d", r, i/degree)
			w := reference.Data[float64](g.share)[i]
			assert.True(t, math.Abs(w*float64(len(want[int(r)]))-1) <= 1e-6,
				"row %d's edge weighs %v on its way back", r, w)
		}
		assert.Is(t, found, len(readers), "as many edges back as forth")
	}
}

// TestGCNEquation: the logits are those of SPEC §13 with the adjacency as a matrix.
func TestGCNEquation(t *testing.T) {
	for _, links := range gcnLinks {
		c := gcnPresets()[0].New().(*GCN)
		c.Width, c.Layers, c.Links = 5, 3, links
		const o, e = token.Open, token.Close
		b := &sequence.Batch{
			Prompts: [][]int32{{16, o, 3, 10, o, 5, e, e, 12}, {16, e, 2}}, Targets: [][]int32{{8, o, e, 17}, {17}},
		}
		oracleAgrees(t, c, b, nil, func(p tensors, text []int32) [][]float64 { return dense(c, p, text) })
	}
}

// dense is the logits of every position of a stream, with Â as a matrix T × T.
func dense(c *GCN, p tensors, stream []int32) (logits [][]float64) {
	steps := len(stream)
	adjacent := make([]float64, steps*steps)
	for r, id := range stream {
		adjacent[r*steps+r] = 1
		adjacent[r*steps+max(r-1, 0)] = 1
		if c.Links == "brackets" && id == token.Close {
			depth := 1
			for at := r - 1; at >= 0; at-- {
				switch stream[at] {
				case token.Close:
					depth++
				case token.Open:
					depth--
				}
				if depth == 0 {
					adjacent[r*steps+at] = 1
					adjacent[r*steps+max(at-1, 0)] = 1
					break
				}
			}
		}
	}
	h := p.embed(stream)
	for l := range c.Layers {
		var next [][]float64
		for r := range steps {
			mean, edges := make([]float64, c.Width), 0.0
			for at := range steps {
				edges += adjacent[r*steps+at]
			}
			for at := range steps {
				for i := range mean {
					mean[i] += adjacent[r*steps+at] * h[at][i] / edges
				}
			}
			y := slices.Clone(h[r])
			for i, z := range p.times(fmt.Sprintf("layers.%d", l), mean) {
				y[i] += max(z, 0)
			}
			next = append(next, y)
		}
		h = next
	}
	for _, x := range h {
		logits = append(logits, p.times("head", x))
	}
	return logits
}
