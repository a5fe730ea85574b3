package cpu_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
)

// pass is a kernel of the memory of positions (SPEC §2, memory) and its way back.
type pass struct {
	name              string
	forward, backward backend.Call
	out, dout         backend.Vec // dout is what the way back starts from
	grads             []grad
}

type grad struct {
	name  string
	x, dx backend.Vec
}

// passes are the kernels with random inputs, always the same: units of width n, sequences of these lengths, and as
// many rows as they have picked out of order.
func passes(b backend.Backend, n int, lengths ...int) []pass {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(size int) backend.Vec {
		x := make([]float32, size)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		v := backend.All(b.Floats(size))
		b.Upload(v, x)
		return v
	}
	zeros := func(size int) backend.Vec { return backend.All(b.Floats(size)) }
	index := func(x []int32) backend.Index {
		list := b.Ints(len(x))
		b.UploadInts(list, x)
		return list
	}
	below := func(size, most int) backend.Index {
		x := make([]int32, size)
		for i := range x {
			x[i] = int32(rng.IntN(most))
		}
		return index(x)
	}

	const tokens = 5
	var start, end, at, perm []int32
	for _, steps := range lengths {
		start, end = append(start, int32(len(at))), append(end, int32(len(at)+steps))
		for range steps {
			at = append(at, int32(rng.IntN(tokens)))
		}
		at = append(at, -1)
	}
	rows, sequences := len(at), len(lengths)
	for _, r := range rng.Perm(rows) {
		perm = append(perm, int32(r))
	}
	slots := backend.Slots{
		Seq: backend.Sequences{Start: index(start), End: index(end), Hi: sequences, Rows: rows}, At: index(at), N: n,
		M: tokens, Omega: random(n), In: random(2 * tokens * n), State: zeros(2 * rows * n),
	}
	tin, init, dinit, dslots := zeros(2*tokens*n), random(2*sequences*n), zeros(2*sequences*n), random(2*rows*n)

	row, steps, token := index(perm), below(rows, 131), below(rows, tokens)
	psi, dpsi, gate, dgate := random(n), zeros(n), random(tokens*n), zeros(tokens*n)
	turned, dturned, turn, dturn := random(2*rows*n), zeros(2*rows*n), zeros(2*rows*n), random(2*rows*n)
	read, dread, recall, drecall := random(2*rows*n), zeros(2*rows*n), zeros(2*rows*n), random(2*rows*n)
	narrow, dnarrow, wide, dwide := random(rows*n), zeros(rows*n), zeros(rows*(n+3)), random(rows*(n+3))
	return []pass{
		{"columns", backend.Columns{Dst: wide, Src: narrow, M: rows, N: n - 1, DstWidth: n + 3, DstFrom: 2, SrcWidth: n,
			SrcFrom: 1},
			backend.Columns{Dst: dnarrow, Src: dwide, M: rows, N: n - 1, DstWidth: n, DstFrom: 1, SrcWidth: n + 3,
				SrcFrom: 2, Add: true},
			wide, dwide, []grad{{"Src", narrow, dnarrow}}},
		{"slots", backend.SlotsForward{Slots: slots, Init: init},
			backend.SlotsBackward{Slots: slots, DState: dslots, TIn: tin, DInit: dinit},
			slots.State, dslots, []grad{{"In", slots.In, tin}, {"Init", init, dinit}}},
		{"turn", backend.TurnForward{Out: turn, State: turned, Row: row, Steps: steps, Psi: psi, Omega: slots.Omega,
			P: rows, N: n},
			backend.TurnBackward{DState: dturned, DPsi: dpsi, DOut: dturn, Out: turn, Row: row, Steps: steps, Psi: psi,
				Omega: slots.Omega, P: rows, N: n},
			turn, dturn, []grad{{"State", turned, dturned}, {"Psi", psi, dpsi}}},
		{"recall", backend.RecallForward{Out: recall, State: read, Gate: gate, Row: row, Token: token, P: rows, N: n,
			V: tokens},
			backend.RecallBackward{DState: dread, DGate: dgate, DOut: drecall, State: read, Gate: gate, Row: row,
				Token: token, P: rows, N: n, V: tokens},
			recall, drecall, []grad{{"State", read, dread}, {"Gate", gate, dgate}}},
	}
}

// TestPositionsGradient: the gradients of the memory of positions are those of central differences.
func TestPositionsGradient(t *testing.T) {
	const h = 1e-4
	b := cpu.NewReference[float64]()
	for _, p := range passes(b, 3, 4, 1, 6) {
		weight := slices.Clone(cpu.Data[float64](p.dout))
		loss := func() (sum float64) {
			p.forward.On(b)
			for i, y := range cpu.Data[float64](p.out) {
				sum += weight[i] * y
			}
			return sum
		}
		loss()
		p.backward.On(b)
		for _, g := range p.grads {
			x := cpu.Data[float64](g.x)
			for i, got := range cpu.Data[float64](g.dx) {
				old := x[i]
				x[i] = old + h
				above := loss()
				x[i] = old - h
				want := (above - loss()) / (2 * h)
				x[i] = old
				if !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
					t.Errorf("%s: gradient %d of %s is %g, by differences %g", p.name, i, g.name, got, want)
				}
			}
		}
	}
}

// ragged are the lengths of sequences for many pieces of work.
func ragged() []int {
	x := make([]int, 80)
	for i := range x {
		x[i] = 1 + i*7%43
	}
	return x
}

// TestPositionsThreads: the memory of positions gives the same bits on 1, 2 and 8 threads.
func TestPositionsThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first [][]float32
	for _, threads := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(threads)
		b := cpu.New()
		var got [][]float32
		for _, p := range passes(b, 68, ragged()...) {
			p.forward.On(b)
			p.backward.On(b)
			got = append(got, slices.Clone(cpu.Data[float32](p.out)))
			for _, g := range p.grads {
				got = append(got, slices.Clone(cpu.Data[float32](g.dx)))
			}
		}
		b.Close()
		if first == nil {
			first = got
		}
		for i, x := range got {
			if !slices.Equal(x, first[i]) {
				t.Errorf("%d threads: tensor %d differs from that on one thread", threads, i)
			}
		}
	}
}

// TestPositionsAllocate: a call of the memory of positions allocates nothing once its scratch has grown.
func TestPositionsAllocate(t *testing.T) {
	b := cpu.New()
	defer b.Close()
	for _, p := range passes(b, 68, ragged()...) {
		for _, c := range []backend.Call{p.forward, p.backward} {
			if n := testing.AllocsPerRun(5, func() { c.On(b) }); n != 0 {
				t.Errorf("%s: %v allocations a call", backend.Name(c), n)
			}
		}
	}
}
