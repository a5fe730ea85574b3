package param

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
	"mhacsp/tasks/assert"
)

// TestLayout: every tensor starts at a multiple of 256 bytes, none overlap, and Count leaves the gaps out.
func TestLayout(t *testing.T) {
	var s Set
	shapes := [][]int{{1}, {63}, {64}, {65}, {3, 7}, {2, 4, 8}, {128}, {5}}
	for i, shape := range shapes {
		id := s.Add(string(rune('a'+i)), Constant(1), shape...)
		assert.True(t, int(id) == i, "tensor %d has ID %d", i, id)
	}
	count, end := 0, 0
	for i, x := range s.Tensors {
		n := 1
		for _, d := range shapes[i] {
			n *= d
		}
		count += n
		assert.True(t, x.Len == n && x.Offset%64 == 0 && x.Offset >= end && x.Offset-end < 64,
			"%s: %d elements at %d, %d wanted after %d", x.Name, x.Len, x.Offset, n, end)
		end = x.Offset + x.Len
	}
	assert.True(t, s.Count() == count && count == 1+63+64+65+21+64+128+5, "count %d, %d wanted", s.Count(), count)
	assert.True(t, s.Size() >= end && s.Size()-end < 64 && s.Size()%64 == 0,
		"size %d for %d elements to %d", s.Size(), count, end)
	assert.Is(t, backend.Align*4, 256, "windows start at multiples of … bytes")
}

// TestInitial: start values depend on the seed and the tensor's own name alone, and the gaps hold zeros.
func TestInitial(t *testing.T) {
	var a, b Set
	a.Add("x", Normal(1), 70)
	a.Add("y", Xavier, 10, 7)
	b.Add("new", Normal(1), 100)
	b.Add("y", Xavier, 10, 7)
	b.Add("z", Normal(1), 70)
	b.Add("x", Normal(1), 70)
	values := func(s *Set, seed uint64, name string) []float32 {
		flat := s.Initial(seed)
		assert.Need(t, len(flat) == s.Size(), "%d start values, size %d", len(flat), s.Size())
		i := slices.IndexFunc(s.Tensors, func(x Tensor) bool { return x.Name == name })
		return flat[s.Tensors[i].Offset:][:s.Tensors[i].Len]
	}
	for _, name := range []string{"x", "y"} {
		assert.Is(t, values(&a, 1, name), values(&a, 1, name), "%s: two draws from one seed differ", name)
		assert.Is(t, values(&a, 1, name), values(&b, 1, name), "%s depends on the tensors next to it", name)
		assert.True(t, !slices.Equal(values(&a, 1, name), values(&a, 2, name)),
			"%s does not depend on the seed", name)
	}
	assert.True(t, !slices.Equal(values(&b, 1, "x"), values(&b, 1, "z")),
		"two tensors of other names have the same start values")
	flat := b.Initial(3)
	for _, x := range b.Tensors {
		clear(flat[x.Offset:][:x.Len])
	}
	assert.True(t, !slices.ContainsFunc(flat, func(x float32) bool { return x != 0 }),
		"a gap between tensors holds a number")
}

func TestInits(t *testing.T) {
	const n = 200
	draw := func(f Init, shape ...int) (least, most, mean, std float64) {
		x := make([]float32, shape[0]*shape[1])
		f(rand.New(rand.NewPCG(1, 2)), x, shape)
		least, most = math.Inf(1), math.Inf(-1)
		for _, v := range x {
			least, most = min(least, float64(v)), max(most, float64(v))
			mean += float64(v) / float64(len(x))
		}
		for _, v := range x {
			std += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
		}
		return least, most, mean, math.Sqrt(std)
	}
	limit := math.Sqrt(6. / (n + 2*n))
	least, most, mean, std := draw(Xavier, n, 2*n)
	assert.True(t, least >= -limit && most <= limit && least <= -0.99*limit && most >= 0.99*limit &&
		math.Abs(mean) <= 0.02*limit && math.Abs(std-limit/math.Sqrt(3)) <= 0.01*limit,
		"Xavier: from %v to %v, mean %v, deviation %v; the limit is %v", least, most, mean, std, limit)
	_, _, mean, std = draw(Normal(0.3), n, n)
	assert.True(t, math.Abs(mean) <= 0.01 && math.Abs(std-0.3) <= 0.005,
		"Normal(0.3): mean %v, deviation %v", mean, std)
	least, most, _, _ = draw(Constant(-2), n, n)
	assert.True(t, least == -2 && most == -2, "Constant(-2): from %v to %v", least, most)
}

// TestWindows: Value and Grad are the tensor's own part of the two flat buffers.
func TestWindows(t *testing.T) {
	b := reference.New[float32]()
	var s Set
	s.Add("a", Constant(1), 3)
	id := s.Add("b", Constant(2), 2, 5)
	s.Allocate(b)
	s.Upload(s.Initial(1))
	b.Upload(s.Grad(id), slices.Repeat([]float32{7}, 10))
	for _, x := range []struct {
		name string
		vec  backend.Vec
		want float32
	}{{"value", s.Value(id), 2}, {"gradient", s.Grad(id), 7}} {
		assert.Is(t, reference.Data[float32](x.vec), slices.Repeat([]float32{x.want}, 10), "%s", x.name)
	}
	grads := assert.Must(s.Download(s.Grads()))(t)
	values := assert.Must(s.Download(s.Values()))(t)
	assert.True(t, grads[0] == 0 && grads[64] == 7 && values[2] == 1 && values[3] == 0 && values[64] == 2 &&
		values[74] == 0, "flat buffers: values %v, gradients %v", values, grads)
}
