package oracle

import (
	"math"
	"math/cmplx"
	"slices"
)

// trace is one block's work on one stream of T tokens.
type trace struct {
	state, output [][]complex128 // h and y, [T][N]
	rows          []row          // [T], nil for csp
	memory        [][]complex128 // m, [T][N_m]
}

// encode runs every block over the stream, SPEC §§1–6.
func (m *Net) encode(stream []int32) []trace {
	var traces []trace
	for l, b := range m.blocks {
		var t trace
		h := make([]complex128, m.c.core())      // h_0 = 0
		memory := make([]complex128, m.c.Memory) // m_0 = 0
		for i, token := range stream {
			// §1
			u := m.embedding[token]
			if l > 0 {
				u = multiply(b.drive, stack(traces[l-1].output[i]))
			}
			d := m.drive(b, u)
			h = m.cell(b, d, stack(h), h)
			t.state = append(t.state, h)
			memory = m.remember(b, d, memory)
			t.memory = append(t.memory, memory)

			// §6
			z := h
			if m.c.Model != "csp" {
				r := m.attend(b, t.state, t.state)
				t.rows = append(t.rows, r)
				z = r.o
				if m.c.Skip && l < m.c.Layers-1 {
					z = make([]complex128, m.c.core())
					for n := range z {
						z[n] = r.o[n] + complex(sigmoid(b.gate[n]), 0)*h[n]
					}
				}
			}
			t.output = append(t.output, normalise(z))
		}
		traces = append(traces, t)
	}
	return traces
}

// Drive is what a step of SPEC §2 takes from u_t alone.
type Drive struct {
	theta   []float64    // [N] W_θ u + b_θ
	delta   []float64    // [N_c] W_δu u + b_δ
	written []complex128 // [N] γ ⊙ r
}

func (m *Net) drive(b block, u []float64) (d Drive) {
	N := m.c.Width
	turned := make([]complex128, N) // u_t ⊙ e^{iθ_t}
	for n := range N {
		d.theta = append(d.theta, dot(b.theta[n], u)+b.thetaB[n])
		turned[n] = complex(u[n], 0) * cmplx.Rect(1, math.Pi*math.Tanh(d.theta[n]))
	}
	for n := range m.c.core() {
		d.delta = append(d.delta, dot(b.deltaU[n], u)+b.deltaB[n])
	}
	for n := range N {
		gamma := (1 + math.Sin(dot(b.gamma[n], u)+b.gammaB[n])) / 2
		var r complex128
		for i := range N {
			r += complex(b.input[n][i], 0) * turned[i]
		}
		d.written = append(d.written, complex(gamma, 0)*r)
	}
	return d
}

// remember is one step of the memory: m_t from m_{t−1}.
func (m *Net) remember(b block, d Drive, previous []complex128) []complex128 {
	memory := make([]complex128, m.c.Memory)
	for j := range memory {
		memory[j] = cmplx.Rect(1, -b.omega[j])*previous[j] + d.written[m.c.core()+j]
	}
	if m.c.Ablation == "norm-memory" {
		return normalise(memory)
	}
	return memory
}

// handOver is m⁰, what the answer begins with, of m_T, what the prompt's T steps left.
func (m *Net) handOver(memory []complex128, T int) []complex128 {
	start := make([]complex128, m.c.Memory)
	for j := range start {
		start[j] = cmplx.Rect(1, m.blocks[0].phase[j]+m.blocks[0].omega[j]*float64(T)) * memory[j]
	}
	return start
}

// cell is one step of SPEC §2: h_t from h_{t−1}, of the core's units. past is [Re h_{t−1} ; Im h_{t−1}] as the gates
// read it.
func (m *Net) cell(b block, d Drive, past []float64, previous []complex128) []complex128 {
	N := m.c.core()
	turning := 0 // the units n < turning turn the state, the others hold it
	switch m.c.Rotate {
	case "state":
		turning = N
	case "mixed":
		turning = int(math.Floor(m.c.RotateShare * float64(N)))
	}

	h := make([]complex128, N)
	for n := range N {
		alpha := 1 / (1 + math.Exp(dot(b.deltaH[n], past)+d.delta[n]))

		p := previous[n]
		if n < turning {
			angle := math.Pi * math.Tanh(d.theta[n])
			switch m.c.Theta { // θ̂_t
			case "state":
				angle = math.Pi * math.Tanh(d.theta[n]+dot(b.thetaH[n], past))
			case "product":
				angle *= math.Tanh(dot(b.thetaH[n], past) + b.thetaHB[n])
			}
			p *= cmplx.Rect(1, angle)
		}

		h[n] = complex(alpha, 0)*p + d.written[n] // g_t
	}
	if m.c.Ablation == "no-norm" {
		return h
	}
	return normalise(h)
}

// row is the last row of one block's attention over a prefix of length i.
type row struct {
	distance  [][]float64  // D_ij, [H][i]
	tree      [][]float64  // C̃_ij, [H][i]
	fusion    [][]float64  // A_kl(i), [H][H]
	attention [][]float64  // P_ij, [H][i]
	o         []complex128 // o_i, [N]
}

// attend is SPEC §§3–6 for the last position i of the prefix h_1 … h_i.
func (m *Net) attend(b block, h, seen [][]complex128) row {
	H := m.c.Heads
	d := m.c.core() / H
	last := len(h) - 1
	var out row

	rectified := make([][]float64, H) // D̃_ij, [H][i]
	summary := make([]float64, H)     // c_k(i)
	for k := range H {
		// §3: q_t = Λᵀ h_t. Λ is lower-triangular, its diagonal softplus.
		q := make([][]complex128, len(h))
		for t := range h {
			q[t] = make([]complex128, d)
			for column := range d {
				for line := column; line < d; line++ {
					factor := b.factor[k][line][column]
					if line == column {
						factor = softplus(factor)
					}
					q[t][column] += complex(factor, 0) * seen[t][k*d+line]
				}
			}
		}
		distance := func(i, j int) float64 {
			sum := 0.0
			for n := range d {
				sum += square(q[i][n] - q[j][n])
			}
			return sum
		}

		// §4. The edges between j and the last position are t = j … last−1.
		edges := make([]float64, last)
		for t := range edges {
			edges[t] = distance(t, t+1)
		}
		D := make([]float64, len(h))
		tree := make([]float64, len(h))
		for j := last; j >= 0; j-- {
			D[j] = distance(last, j)
			switch {
			case j == last || m.c.Ablation == "no-tree":
			case m.c.Ablation == "no-lse":
				tree[j] = tree[j+1] + edges[j]
			default: // log(1 + Σ exp(e_t)), e_t from the last edge on
				tree[j] = logSumExp([]float64{tree[j+1], edges[j]})
			}
		}
		rho := softplus(b.rho[k])
		rectified[k] = make([]float64, len(h))
		for j := range h {
			rectified[k][j] = D[j] + rho*tree[j]
		}
		out.distance = append(out.distance, D)
		out.tree = append(out.tree, tree)

		// §5, §10
		summary[k] = tree[0]
		if m.c.Ablation == "no-tree" {
			summary[k] = math.Log(1 + D[0])
		}
	}

	// §5
	fusion := m.c.Fusion
	if m.c.Ablation == "no-B" {
		fusion = "mean"
	}
	for k := range H {
		weights := slices.Repeat([]float64{1 / float64(H)}, H) // A_kl(i) over l
		if fusion != "mean" {
			for l := range H { // S_kl(i)
				weights[l] = summary[k] * b.fusion[k][l] * summary[l]
			}
			weights = Softmax(weights)
		}
		out.fusion = append(out.fusion, weights)
	}
	for k := range H {
		weights := out.fusion[k]
		if fusion == "pooled" {
			weights = make([]float64, H)
			for l := range H {
				for other := range H {
					weights[l] += out.fusion[other][l] / float64(H)
				}
			}
		}

		// §6
		scores := make([]float64, len(h)) // −D̂_ij
		for j := range h {
			for l := range H {
				scores[j] -= weights[l] * rectified[l][j]
			}
		}
		P := Softmax(scores)
		o := make([]complex128, d)
		for n := range d {
			for j := range h {
				o[n] += complex(P[j], 0) * h[j][k*d+n]
			}
		}
		out.attention = append(out.attention, P)
		out.o = append(out.o, o...)
	}
	return out
}

// decode is the answer of `final` supervision, SPEC §7: from the encoder's last y, block 0's cell reads <SOS> and then
// the target tokens but the last; after each it gives the logits of the next. The memory goes along, and is read
// weighed by the token just fed.
func (m *Net) decode(state, memory []complex128, target []int32) [][]float64 {
	var logits [][]float64
	token := int32(startTok)
	for _, next := range target {
		d := m.drive(m.blocks[0], m.embedding[token])
		state = m.cell(m.blocks[0], d, stack(state), state)
		memory = m.remember(m.blocks[0], d, memory)
		logits = append(logits, m.readout(append(normalise(state), m.recalled(memory, token)...)))
		token = next
	}
	return logits
}

// recalled is what the head reads of a memory where a token was fed.
func (m *Net) recalled(memory []complex128, token int32) []complex128 {
	z := make([]complex128, len(memory))
	for j := range z {
		z[j] = complex(m.blocks[0].recall[token][j], 0) * memory[j]
	}
	return z
}

// readout is SPEC §7.
func (m *Net) readout(y []complex128) []float64 {
	logits := multiply(m.headWeight, stack(y))
	for class := range logits {
		logits[class] += m.headBias[class]
	}
	return logits
}

// normalise is z / sqrt(|z|² + ε), elementwise.
func normalise(z []complex128) []complex128 {
	y := make([]complex128, len(z))
	for n := range z {
		y[n] = z[n] / complex(math.Sqrt(square(z[n])+epsilon), 0)
	}
	return y
}

// stack is [Re z ; Im z].
func stack(z []complex128) []float64 {
	x := make([]float64, 2*len(z))
	for n := range z {
		x[n] = real(z[n])
		x[len(z)+n] = imag(z[n])
	}
	return x
}

// square is |z|².
func square(z complex128) float64 { return real(z)*real(z) + imag(z)*imag(z) }

func multiply(w [][]float64, x []float64) []float64 {
	y := make([]float64, len(w))
	for n := range w {
		y[n] = dot(w[n], x)
	}
	return y
}

func dot(w, x []float64) float64 {
	sum := 0.0
	for n := range w {
		sum += w[n] * x[n]
	}
	return sum
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// softplus is log(1 + exp(x)), which must not overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
