// Package param keeps a model's parameters: named tensors in one flat buffer, so that an optimizer step and the
// gradient norm are one kernel each. Every tensor starts at a multiple of 256 bytes (WebGPU's binding alignment);
// the gaps between tensors hold zeros in values and gradients alike.
package param

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"mhacsp/model/backend"
)

// Init fills a tensor with its start values. dst has the tensor's length and holds zeros, shape is its shape.
type Init func(r *rand.Rand, dst []float32, shape []int)

// Normal draws from N(0, std²).
func Normal(std float64) Init {
	return func(r *rand.Rand, dst []float32, _ []int) {
		for i := range dst {
			dst[i] = float32(std * r.NormFloat64())
		}
	}
}

// Uniform draws uniformly from ±limit.
func Uniform(limit float64) Init {
	return func(r *rand.Rand, dst []float32, _ []int) {
		for i := range dst {
			dst[i] = float32(limit * (2*r.Float64() - 1))
		}
	}
}

// Xavier draws uniformly from ±sqrt(6/(in+out)), shape [out, in].
func Xavier(r *rand.Rand, dst []float32, shape []int) {
	Uniform(math.Sqrt(6/float64(shape[0]+shape[1])))(r, dst, shape)
}

// Constant fills with one value.
func Constant(x float64) Init {
	return func(_ *rand.Rand, dst []float32, _ []int) {
		for i := range dst {
			dst[i] = float32(x)
		}
	}
}

// Tensor is one named parameter.
type Tensor struct {
	Name   string
	Shape  []int
	Offset int // elements from the start of the flat buffer
	Len    int
	init   Init
}

// ID names a tensor within its Set.
type ID int

// None stands for a parameter that a layer does without.
const None ID = -1

// Set is a model's parameters. Add tensors first, then Allocate.
type Set struct {
	Tensors []Tensor
	size    int
	backend backend.Memory
	value   backend.Buffer
	grad    backend.Buffer
	filled  bool
}

// Add appends a tensor.
func (s *Set) Add(name string, init Init, shape ...int) ID {
	n := 1
	for _, d := range shape {
		n *= d
	}
	s.Tensors = append(s.Tensors, Tensor{Name: name, Shape: shape, Offset: s.size, Len: n, init: init})
	s.size += (n + backend.Align - 1) / backend.Align * backend.Align
	return ID(len(s.Tensors) - 1)
}

// Count is the number of parameters, gaps not counted.
func (s *Set) Count() int {
	n := 0
	for _, t := range s.Tensors {
		n += t.Len
	}
	return n
}

// Size is the length of the flat buffer, gaps included.
func (s *Set) Size() int { return s.size }

// Allocate puts values and gradients, all zero, on the backend.
func (s *Set) Allocate(b backend.Memory) {
	s.backend, s.value, s.grad = b, b.Floats(s.size), b.Floats(s.size)
}

// Initial returns start values for the flat buffer. Each tensor has a random stream of its own, made of the seed
// and its name, so that adding a tensor leaves the others as they were.
func (s *Set) Initial(seed uint64) []float32 {
	flat := make([]float32, s.size)
	for _, t := range s.Tensors {
		h := fnv.New64a()
		h.Write([]byte(t.Name))
		t.init(rand.New(rand.NewPCG(seed, h.Sum64())), flat[t.Offset:t.Offset+t.Len], t.Shape)
	}
	return flat
}

// Values is the whole flat buffer of parameters.
func (s *Set) Values() backend.Vec { return backend.All(s.value) }

// Grads is the flat buffer of gradients.
func (s *Set) Grads() backend.Vec { return backend.All(s.grad) }

// Value is the window of one tensor's values; of None it is not given.
func (s *Set) Value(id ID) backend.Vec { return s.window(s.value, id) }

// Grad is the window of one tensor's gradient; of None it is not given.
func (s *Set) Grad(id ID) backend.Vec { return s.window(s.grad, id) }

func (s *Set) window(flat backend.Buffer, id ID) backend.Vec {
	if id == None {
		return backend.Vec{}
	}
	t := s.Tensors[id]
	return backend.Vec{Buf: flat, Off: t.Offset, Len: t.Len}
}

// Download copies a flat buffer (Values or Grads) to the host.
func (s *Set) Download(flat backend.Vec) ([]float32, error) {
	out := make([]float32, s.size)
	if err := s.backend.Download(out, flat); err != nil {
		return nil, fmt.Errorf("reading parameters from the device: %w", err)
	}
	return out, nil
}

// Find is a tensor of a flat buffer by its name, as rows of columns; nil where there is none of that name.
func (s *Set) Find(flat []float32, name string) (data []float32, columns int) {
	for _, t := range s.Tensors {
		if t.Name == name {
			return flat[t.Offset:][:t.Len], t.Shape[len(t.Shape)-1]
		}
	}
	return nil, 0
}

// Upload replaces all values; flat has Size elements.
func (s *Set) Upload(flat []float32) {
	s.backend.Upload(s.Values(), flat)
	s.filled = true
}

// Filled reports whether Upload was called: until then all values are zero.
func (s *Set) Filled() bool { return s.filled }
