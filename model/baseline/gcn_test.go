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
	"mhacsp/tasks/require"
	"mhacsp/tasks/token"
)

// TestGCN holds both kinds of links to what every network promises.
func TestGCN(t *testing.T) {
	for _, links := range gcnLinks {
		for _, classes := range []int{0, 3} {
			t.Run(fmt.Sprintf("%s/classes=%d", links, classes), func(t *testing.T) {
				c := gcnPresets()[0].New()
				sequencetest.Small(t, c, sequencetest.Keys{"width": 5, "links": links})
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
			if !slices.Equal(got, want[r]) {
				t.Errorf("row %d reads %v, want %v", r, got, want[r])
			}
			for _, e := range got {
				readers[[2]int32{e, int32(r)}] = true
			}
			for i, e := range g.edge[r*degree:][:degree] {
				if w := reference.Data[float64](g.weight)[r*degree+i]; e >= 0 &&
					math.Abs(w*float64(len(got))-1) > 1e-6 {
					t.Errorf("row %d: weight %v of %d edges", r, w, len(got))
				}
			}
		}
		found := 0
		for i, r := range g.reader {
			if r < 0 {
				continue
			}
			if found++; !readers[[2]int32{int32(i / degree), r}] {
				t.Errorf("row %d is said to read row %d", r, i/degree)
			}
			if w := reference.Data[float64](g.share)[i]; math.Abs(w*float64(len(want[int(r)]))-1) > 1e-6 {
				t.Errorf("row %d's edge weighs %v on its way back", r, w)
			}
		}
		if found != len(readers) {
			t.Errorf("%d edges back, %d forth", found, len(readers))
		}
	}
}

// TestGCNEquation: the logits are those of SPEC §13 with the adjacency as a matrix.
func TestGCNEquation(t *testing.T) {
	for _, links := range gcnLinks {
		c := gcnPresets()[0].New().(*GCN)
		c.Width, c.Layers, c.Links = 5, 3, links
		m, err := c.Open(reference.New[float64]())
		require.NoError(t, err)
		sequencetest.Shake(m, 4, 0.4)
		const o, e = token.Open, token.Close
		b := &sequence.Batch{
			Prompts: [][]int32{{16, o, 3, 10, o, 5, e, e, 12}, {16, e, 2}}, Targets: [][]int32{{8, o, e, 17}, {17}},
		}
		got, err := m.Logits(b)
		require.NoError(t, err)
		values, err := m.Params().Download(m.Params().Values())
		require.NoError(t, err)
		p := map[string][]float32{}
		for _, x := range m.Params().Tensors {
			p[x.Name] = values[x.Offset:][:x.Len]
		}
		var want []float64
		for i, prompt := range b.Prompts {
			stream := slices.Concat(prompt, b.Targets[i][:len(b.Targets[i])-1])
			want = append(want, dense(c, p, stream)[(len(prompt)-1)*c.Vocab:]...)
		}
		if len(got) != len(want) {
			t.Fatalf("%d logits, want %d", len(got), len(want))
		}
		for i := range want {
			if math.Abs(float64(got[i])-want[i]) > 1e-6*max(1, math.Abs(want[i])) {
				t.Fatalf("%s: logit %d is %v, want %v", links, i, got[i], want[i])
			}
		}
	}
}

// dense is the logits of every position of a stream, with Â as a matrix T × T.
func dense(c *GCN, p map[string][]float32, stream []int32) []float64 {
	steps, w := len(stream), c.Width
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
	h := make([]float64, steps*w)
	for r, id := range stream {
		for i := range w {
			h[r*w+i] = float64(p["embedding.weight"][int(id)*w+i])
		}
	}
	for l := range c.Layers {
		weight, bias := p[fmt.Sprintf("layers.%d.weight", l)], p[fmt.Sprintf("layers.%d.bias", l)]
		next := slices.Clone(h)
		for r := range steps {
			mean, edges := make([]float64, w), 0.0
			for at := range steps {
				edges += adjacent[r*steps+at]
				for i := range w {
					mean[i] += adjacent[r*steps+at] * h[at*w+i]
				}
			}
			for o := range w {
				z := float64(bias[o])
				for i := range w {
					z += float64(weight[o*w+i]) * mean[i] / edges
				}
				next[r*w+o] += max(z, 0)
			}
		}
		h = next
	}
	var logits []float64
	for r := range steps {
		for o := range c.Vocab {
			z := float64(p["head.bias"][o])
			for i := range w {
				z += float64(p["head.weight"][o*w+i]) * h[r*w+i]
			}
			logits = append(logits, z)
		}
	}
	return logits
}
