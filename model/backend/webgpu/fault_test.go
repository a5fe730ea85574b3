//go:build cgo && !js

package webgpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/shaders"
	"mhacsp/tasks/assert"
)

// TestLost: once the device is lost every call that waits says so, and nothing hangs or crashes; what the browser's
// "lost" promise does is done by hand here.
func TestLost(t *testing.T) {
	one := make([]float32, 1)
	for name, wait := range map[string]func(b *Backend, v backend.Vec, f backend.Fetch) error{
		"Sync":     func(b *Backend, _ backend.Vec, _ backend.Fetch) error { return b.Sync() },
		"Download": func(b *Backend, v backend.Vec, _ backend.Fetch) error { return b.Download(one, v) },
		"Wait":     func(_ *Backend, _ backend.Vec, f backend.Fetch) error { return f.Wait(one) },
		"Start": func(_ *Backend, v backend.Vec, f backend.Fetch) error {
			f.Start(v)
			return f.Wait(one)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := opened(t)
			v, f := backend.All(b.Floats(64)), b.NewFetch()
			f.Start(v)
			b.Zero(v)
			b.dev.faults.lost("pulled out")
			for range 2 {
				err := wait(b, v, f)
				assert.True(t, errors.Is(err, backend.ErrDeviceLost), "after the loss: %v", err)
				assert.OneLine(t, "after the loss", err, "pulled out")
			}
			b.Zero(v)
			b.Upload(v, []float32{1})
			b.Floats(10).Release()
		})
	}
}

// TestKernelNamed: a shader that does not compile and a dispatch that is not valid end in an error that names the
// kernel, not in the end of the process.
func TestKernelNamed(t *testing.T) {
	k := assert.Must(shaders.Load("zero"))(t)
	for what, edit := range map[string]func(string) string{
		"syntax": func(s string) string { return strings.Replace(s, "fn main", "function main", 1) },
		"type":   func(s string) string { return strings.Replace(s, "= E(0.0);", "= true;", 1) },
		"entry":  func(s string) string { return strings.Replace(s, "fn main", "fn other", 1) },
	} {
		b := open(t)
		bad := k
		bad.Source = edit(k.Source)
		assert.Need(t, bad.Source != k.Source, "%s: nothing was changed", what)
		assert.True(t, b.compile(pipelineKey{kernel: "zero"}, bad) == nil, "%s: compiled", what)
		assert.OneLine(t, what, b.Sync(), "kernel zero")
		b.Close()
	}
	b := opened(t)
	v := backend.All(b.Floats(64))
	b.grid("zero", 70000, 1, args{{"first", 0}, {"n", 64}}, on{{"x", v}}) // more workgroups than any adapter takes
	assert.OneLine(t, "70 000 workgroups", b.Sync(), "zero")
}

// TestOutOfMemory: an error states what was asked for and what there is.
func TestOutOfMemory(t *testing.T) {
	b := open(t)
	b.Floats(bufferMax/4 + 1)
	refused(t, b, "one buffer", bufferMax+4, bufferMax)
	b.Close()

	b = assert.Must(Open(Options{Software: true, Memory: 1 << 20}))(t)
	defer b.Close()
	before, _ := b.Allocated()
	x := b.Floats(1000)
	now, most := b.Allocated()
	assert.True(t, now == before+4000 && most >= now, "%d bytes, then %d and at most %d after 4000 more",
		before, now, most)
	x.Release()
	assert.NoError(t, b.Sync())
	now, most = b.Allocated()
	assert.True(t, now == before && most == before+4000, "after the release: %d, at most %d", now, most)
	x = b.Floats(1 << 18)
	b.Zero(backend.All(x)) // no crash
	refused(t, b, "beyond the bound", 1<<20, int(before))
	x.Release()
}

// refused holds a backend to an error that tells of too little memory, with these numbers of bytes.
func refused(t *testing.T, b *Backend, what string, numbers ...int) {
	t.Helper()
	err := b.Sync()
	assert.True(t, errors.Is(err, backend.ErrOutOfMemory), "%s: %v", what, err)
	for _, n := range numbers {
		assert.OneLine(t, what, err, fmt.Sprint(n))
	}
}

// TestSoftwareMemory: a software adapter has a bound unless another is asked for.
func TestSoftwareMemory(t *testing.T) {
	b := opened(t)
	want := int64(0)
	if b.info.Software {
		want = softwareMemory
	}
	assert.True(t, b.options.Memory == want, "the bound is %d, %d wanted", b.options.Memory, want)
}

// TestEnough: an adapter that falls short in any limit is refused, and the limit named.
func TestEnough(t *testing.T) {
	needed := limits(func(string) uint64 { return 1 << 40 })
	assert.NoError(t, enough("ample", needed))
	for i, l := range needed {
		short := limits(func(name string) uint64 {
			if name == l.name {
				return needed[i].needed - 1
			}
			return 1 << 40
		})
		assert.OneLine(t, l.name+" one short", enough("small", short), l.name+" is", `"small"`)
	}
}
