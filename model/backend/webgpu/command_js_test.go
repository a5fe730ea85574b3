//go:build js

package webgpu

import (
	"slices"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/shaders"
	"mhacsp/tasks/assert"
)

// TestKernelsCompileBeside: what is recorded while kernels are compiled is carried out in its order, each kernel is
// told once, and one that the browser refuses ends in an error that names it.
func TestKernelsCompileBeside(t *testing.T) {
	var told [][2]int
	b, err := Open(Options{Software: true, Prepared: func(done, all int) { told = append(told, [2]int{done, all}) }})
	assert.NoError(t, err)
	defer b.Close()
	x, y := backend.All(b.Floats(64)), backend.All(b.Floats(64))
	values := make([]float32, 64)
	for i := range values {
		values[i] = float32(i)
	}
	b.Upload(x, values)
	b.Copy(y, x) // before the first kernel
	b.Zero(x.Slice(0, 4))
	b.Copy(y.Slice(4, 4), x) // behind it: four zeros
	b.Zero(x)
	got := make([]float32, 64)
	assert.NoError(t, b.Download(got, y))
	copy(values[4:], make([]float32, 4))
	assert.True(t, slices.Equal(got, values), "out of order: %v", got)
	assert.Is(t, told, [][2]int{{1, 1}}, "told of")

	k := assert.Must(shaders.Load("zero"))(t)
	k.Entry = "other"
	p := b.compile(pipelineKey{kernel: "zero", lanes: 4}, k)
	assert.Need(t, p != nil, "the kernel is refused before it is compiled")
	b.dispatch(p, 1, 1, 1, args{{"first", 0}, {"n", 1}}, on{{"x", x}})
	err = b.Sync()
	assert.True(t, err != nil && strings.Contains(err.Error(), "kernel zero"), "a kernel without its entry: %v", err)
	b.Zero(x) // after an error nothing runs, and nothing hangs
	assert.True(t, b.Download(got, x) != nil, "the error is forgotten")
}
