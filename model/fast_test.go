package model_test

import (
	"fmt"
	"testing"

	"mhacsp/model"
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

func fastModel(t testing.TB, c model.Config) *model.Model {
	b := cpu.New()
	t.Cleanup(b.Close)
	return assert.Must(model.New(c, b))(t)
}

// gradients runs one forward and backward pass and returns the loss and the flat gradient.
func gradients(t testing.TB, m *model.Model, b *sequence.Batch) (float32, []float32) {
	m.Backend().Zero(m.Params().Grads())
	m.Gradients(b)
	loss := assert.Must(m.Loss())(t)
	return loss, assert.Must(m.Params().Download(m.Params().Grads()))(t)
}

func distance(a, b []float32) float64 { return sequencetest.Distance(a, b) }
func norm(a []float32) float64        { return sequencetest.Norm(a) }

// TestFastAgrees holds the fast float32 path against the float64 reference at every switch, with prompts of unequal
// length in one batch: forward 1e-5, gradients 1e-4, relative L2; lengths and bounds are those of "Numbers that hold
// everywhere" in .github/testing.md. Each kernel
// meets these bounds on its own (backendtest); a whole network multiplies its rounding by its condition, which is
// large wherever some |g| or |o| comes near 0. So where the plain float32 reference, another order of the same
// sums, misses a bound itself, the fast path may be as far off as slack times that.
func TestFastAgrees(t *testing.T) {
	lengths := [][]int{{1}, {2}, {3, 1}, {63, 5}, {64, 64, 2}, {65, 1}, {128, 3, 65}}
	for i, c := range switches(t) {
		c.Width, c.GateBias, c.DeltaBias = 12+c.Memory, -0.8, -6
		t.Run(label(c), func(t *testing.T) {
			exact, plain, fast := newModel[float64](t, c), newModel[float32](t, c), fastModel(t, c)
			for _, m := range []*model.Model{exact, plain, fast} {
				sequencetest.Shake(m, uint64(i), 0.02)
			}
			for j, n := range lengths {
				b := sequencetest.RandomBatch(c.Shape(), uint64(j), n...)
				want, other, got := dump(t, exact, b), dump(t, plain, b), dump(t, fast, b)
				for k, x := range want {
					agree(t, fmt.Sprintf("T=%v: %s", n, x.Name), got[k].Data, other[k].Data, x.Data, 1e-5*norm(x.Data))
				}
				_, w := gradients(t, exact, b)
				_, o := gradients(t, plain, b)
				_, g := gradients(t, fast, b)
				condition := max(1e-4, slack*distance(o, w)/norm(w)) // what rounding does to the gradient as a whole
				for _, p := range exact.Params().Tensors {
					from, to := p.Offset, p.Offset+p.Len
					// Where a tensor's terms cancel (γ at T = 1, the fusion) what is left is
					// rounding of the whole: 1e-5 of it.
					agree(t, fmt.Sprintf("T=%v: gradient of %s", n, p.Name), g[from:to],
						o[from:to], w[from:to], condition*norm(w[from:to])+1e-5*norm(w))
				}
			}
		})
	}
}

// slack is how far two roundings of an ill-conditioned sum can differ by luck; a mistake is off by far more.
const slack = 30

func agree(t *testing.T, what string, fast, plain, exact []float32, bound float64) {
	t.Helper()
	got, other := distance(fast, exact), distance(plain, exact)
	assert.True(t, got <= max(bound, slack*other),
		"%s differs by %.2g of %.2g, the plain float32 reference by %.2g", what, got, norm(exact), other)
}

func dump(t *testing.T, m *model.Model, b *sequence.Batch) []sequence.Tensor {
	t.Helper()
	return assert.Must(m.Dump(b))(t)
}

// TestThreads: the same seed gives the same bits on 1, 2 and 8 threads.
func TestThreads(t *testing.T) {
	for name, c := range map[string]model.Config{
		"two blocks":          preset(t, "mha-csp-s", func(c *model.Config) { c.Layers = 2 }),
		"two blocks, product": preset(t, "mha-csp-s", func(c *model.Config) { c.Layers, c.Theta = 2, "product" }),
		"memory, product":     preset(t, "mha-csp-m", func(c *model.Config) { c.Theta = "product" }),
	} {
		t.Run(name, func(t *testing.T) { sequencetest.Threads(t, &c, ragged(c)) })
	}
}

// ragged is a batch of many lengths.
func ragged(c model.Config) *sequence.Batch {
	lengths := make([]int, 70)
	for i := range lengths {
		lengths[i] = 1 + i*7%23
	}
	return sequencetest.RandomBatch(c.Shape(), 3, lengths...)
}

// TestAllocates: a gradient allocates next to nothing once the scratch of its kernels has grown.
func TestAllocates(t *testing.T) {
	for _, name := range []string{"mha-csp", "mha-csp-s", "mha-csp-m", "csp"} {
		c := preset(t, name, func(*model.Config) {})
		m, b := fastModel(t, c), ragged(c)
		m.Initialise(5)
		n := testing.AllocsPerRun(3, func() { m.Gradients(b) })
		assert.True(t, n <= 3, "%s: %v allocations a gradient", name, n)
	}
}

// counting is a backend that counts the buffers made on it.
type counting struct {
	backend.Backend
	made int
}

func (c *counting) Floats(n int) backend.Buffer {
	c.made++
	return c.Backend.Floats(n)
}

// TestDumpKeeps: pictures of one size take the buffers of the one before. A GPU's are freed by nobody else.
func TestDumpKeeps(t *testing.T) {
	for _, name := range []string{"mha-csp", "mha-csp-2", "mha-csp-m", "csp"} {
		c := preset(t, name, func(*model.Config) {})
		b := &counting{Backend: reference.New[float32]()}
		m := assert.Must(model.New(c, b))(t)
		batch := sequencetest.RandomBatch(c.Shape(), 3, 4, 7, 2)
		for range 2 {
			assert.Must(m.Dump(batch))(t)
		}
		before := b.made
		assert.Must(m.Dump(batch))(t)
		assert.Is(t, b.made, before, "%s: one more dump made %d buffers", name, b.made-before)
	}
}
