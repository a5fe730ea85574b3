// Package oracle computes the forward pass and the loss of MHA-CSP and CSP in float64, straight from SPEC §§1–7 and
// 10, for tests and for package probe, which steps through one text. It shares no code with the model, works one
// sequence and one prefix at a time, and its only virtue is to be obviously equal to the page. It is slow: an
// attention block of T positions costs O(H·T²) exponentials.
//
// Readings chosen where SPEC admits two:
//
//   - `blocks.l.distance` is D for every pair of positions of the stream, so it is symmetric; only `tree` and
//     `attention` are zero above the diagonal.
//   - ⌊share·N⌋ (§2) is the floor of the float64 product.
//   - The decoder's state is normalised once more before its logits (§7, "as in §6 with z = the state") although §2
//     has normalised it already.
//   - The readout takes [Re y ; Im y], not the cosine and sine of y's phase: the two differ by the ε of §6.
//   - Under `no-norm` the encoder's and the decoder's h are g; y, and with it the decoder's first state, is still
//     normalised by §6.
//   - Under `no-lse` the sum also stands in c_k(i) = C̃_{i,1}. Under `no-tree` D̃ is D, and c_k(i) = log(1 + D_{i,1}).
//     `tree` holds what was used: the sum, or zeros.
//   - `no-B` overrides `fusion`, whatever it says. `fusion` mean dumps A = 1/H, pooled dumps A itself and not its mean
//     over k.
//   - `csp` has no skip path in any block (§6, "z_i = h_i").
//   - A class task reads the prompt alone, under either supervision.
package oracle

import (
	"fmt"
	"math"
	"slices"
)

const (
	epsilon  = 1e-8 // ε of SPEC §§2, 6
	startTok = 16   // <SOS>, SPEC §9
)

// Config has the meaning of the JSON keys of FORMATS.md. An empty string stands for the key's value there (rotate
// state, theta token, fusion mesh, supervision final, ablation none); the other fields have no default.
type Config struct {
	Model                 string // "csp" means no attention
	Layers, Heads, Width  int    // L, H, N
	Rotate                string
	RotateShare           float64 `json:"rotate_share"`
	Theta, Fusion         string
	Skip                  bool
	Supervision, Ablation string
	Vocab, Classes        int // Classes 0: logits over the vocabulary
	Memory                int // units of Width that are a memory
	MemoryPeriod          int `json:"memory_period"` // 0: as many as Memory
}

// core is N_c, the units that are no memory.
func (c Config) core() int { return c.Width - c.Memory }

// Tensor is row-major.
type Tensor struct {
	Shape []int
	Data  []float64
}

// Batch is a batch file of FORMATS.md. Labels is nil for sequences, Targets is nil for classes; both may be nil where
// only the encoder is of interest.
type Batch struct {
	Prompts, Targets [][]int32
	Labels           []int32
}

// Forward runs the model on every sequence of the batch by itself.
//
// out holds `logits` and, for every block l, `blocks.l.state` and `blocks.l.output`, and with attention
// `blocks.l.distance`, `.tree`, `.fusion` and `.attention`, in the shapes of FORMATS.md, right-padded with zeros. loss
// is the mean cross-entropy over all target tokens, or labels, of the batch; it is 0 where neither is given.
// Parameters that the configuration has no use for are ignored; nothing in params is changed or kept. What it cannot
// compute is a panic.
func Forward(c Config, params map[string]Tensor, b Batch) (out map[string]Tensor, loss float64) {
	m := Load(c, params)

	// One sequence at a time.
	B := len(b.Prompts)
	traces := make([][]trace, B)     // [sequence][block]
	logits := make([][][]float64, B) // [sequence][position][class]
	classify := b.Targets == nil && m.c.Classes > 0 || b.Labels != nil
	T, targetT := 0, 0
	sum, count := 0.0, 0
	for s := range B {
		prompt := b.Prompts[s]
		var target []int32
		if b.Targets != nil {
			target = b.Targets[s]
		}
		stream := slices.Clone(prompt)
		if m.c.Supervision == "prefix" && len(target) > 0 {
			stream = append(stream, target[:len(target)-1]...)
		}
		traces[s] = m.encode(stream)
		y := traces[s][m.c.Layers-1].output
		switch {
		case classify:
			logits[s] = [][]float64{m.readout(y[len(prompt)-1])}
		case m.c.Supervision == "prefix":
			// Position P−1+t has read the prompt and t target tokens, and is asked for target token t.
			for t := range target {
				logits[s] = append(logits[s], m.readout(y[len(prompt)-1+t]))
			}
		default:
			logits[s] = m.decode(y[len(prompt)-1], m.handOver(traces[s][0].memory[len(prompt)-1], len(prompt)), target)
		}
		for t, token := range target {
			sum += crossEntropy(logits[s][t], token)
			count++
		}
		if b.Labels != nil {
			sum += crossEntropy(logits[s][0], b.Labels[s])
			count++
		}
		T = max(T, len(stream))
		targetT = max(targetT, len(target))
	}
	if count > 0 {
		loss = sum / float64(count)
	}

	// Padding.
	out = make(map[string]Tensor)
	N, H := m.c.core(), m.c.Heads
	for l := range m.c.Layers {
		name := func(part string) string { return fmt.Sprintf("blocks.%d.%s", l, part) }
		padded := func(units int, of func(trace) [][]complex128) Tensor { // [B][T][2·units]
			t := zeros(B, T, 2*units)
			for s := range B {
				for i, z := range of(traces[s][l]) {
					for n, x := range stack(z) {
						t.set(x, s, i, n)
					}
				}
			}
			return t
		}
		out[name("state")] = padded(N, func(t trace) [][]complex128 { return t.state })
		out[name("output")] = padded(N, func(t trace) [][]complex128 { return t.output })
		if m.c.Memory > 0 {
			out[name("memory")] = padded(m.c.Memory, func(t trace) [][]complex128 { return t.memory })
		}
		if m.c.Model == "csp" {
			continue
		}
		distance, tree, attention := zeros(B, H, T, T), zeros(B, H, T, T), zeros(B, H, T, T)
		fusion := zeros(B, T, H, H)
		for s := range B {
			for i, row := range traces[s][l].rows {
				for k := range H {
					for j := range i + 1 {
						distance.set(row.distance[k][j], s, k, i, j)
						distance.set(row.distance[k][j], s, k, j, i)
						tree.set(row.tree[k][j], s, k, i, j)
						attention.set(row.attention[k][j], s, k, i, j)
					}
					for other := range H {
						fusion.set(row.fusion[k][other], s, i, k, other)
					}
				}
			}
		}
		out[name("distance")], out[name("tree")] = distance, tree
		out[name("attention")], out[name("fusion")] = attention, fusion
	}
	if classify {
		targetT = 1
	}
	padded := zeros(B, targetT, m.c.outputs())
	for s := range B {
		for t := range logits[s] {
			for class, x := range logits[s][t] {
				padded.set(x, s, t, class)
			}
		}
	}
	if classify {
		padded.Shape = []int{B, m.c.outputs()}
	}
	out["logits"] = padded
	return out, loss
}

// crossEntropy is −log softmax(logits)[class].
func crossEntropy(logits []float64, class int32) float64 { return logSumExp(logits) - logits[class] }

// logSumExp is log Σ exp(x), finite for any finite x.
func logSumExp(x []float64) float64 {
	top := slices.Max(x)
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// Softmax is exp(x) over its sum.
func Softmax(x []float64) []float64 {
	total := logSumExp(x)
	p := make([]float64, len(x))
	for n, v := range x {
		p[n] = math.Exp(v - total)
	}
	return p
}

func zeros(shape ...int) Tensor {
	size := 1
	for _, n := range shape {
		size *= n
	}
	return Tensor{Shape: shape, Data: make([]float64, size)}
}

func (t Tensor) set(x float64, index ...int) {
	flat := 0
	for axis, n := range index {
		flat = flat*t.Shape[axis] + n
	}
	t.Data[flat] = x
}
