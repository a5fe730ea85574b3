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
	for name, wait := range map[string]func(b *Backend, v backend.Vec, f backend.Fetch) error{
		"Sync":     func(b *Backend, _ backend.Vec, _ backend.Fetch) error { return b.Sync() },
		"Download": func(b *Backend, v backend.Vec, _ backend.Fetch) error { return b.Download(make([]float32, 1), v) },
		"Wait":     func(_ *Backend, _ backend.Vec, f backend.Fetch) error { return f.Wait(make([]float32, 1)) },
		"Start": func(b *Backend, v backend.Vec, f backend.Fetch) error {
			f.Start(v)
			return f.Wait(make([]float32, 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := opened(t)
			v, f := backend.All(b.Floats(64)), b.NewFetch()
			f.Start(v)
			b.Zero(v)
			b.dev.faults.lost("pulled out")
			for range 2 {
				if err := wait(b, v, f); !errors.Is(err, backend.ErrDeviceLost) ||
					!strings.Contains(err.Error(), "pulled out") {
					t.Errorf("after the loss: %v", err)
				}
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
	k, err := shaders.Load("zero")
	assert.NoError(t, err)
	for what, edit := range map[string]func(string) string{
		"syntax": func(s string) string { return strings.Replace(s, "fn main", "function main", 1) },
		"type":   func(s string) string { return strings.Replace(s, "= E(0.0);", "= true;", 1) },
		"entry":  func(s string) string { return strings.Replace(s, "fn main", "fn other", 1) },
	} {
		b := open(t)
		bad := k
		if bad.Source = edit(k.Source); bad.Source == k.Source {
			t.Fatalf("%s: nothing was changed", what)
		}
		assert.True(t, b.compile(pipelineKey{kernel: "zero"}, bad) == nil, "%s: compiled", what)
		if err := b.Sync(); err == nil || !strings.Contains(err.Error(), "kernel zero") {
			t.Errorf("%s: %v", what, err)
		}
		b.Close()
	}
	b := opened(t)
	v := backend.All(b.Floats(64))
	b.grid("zero", 70000, 1,
		args{{"first", 0}, {"n", 64}},
		on{{"x", v}}) // more workgroups than any adapter takes
	if err := b.Sync(); err == nil || !strings.Contains(err.Error(), "zero") {
		t.Errorf("70 000 workgroups: %v", err)
	}
}

// TestOutOfMemory: an error states what was asked for and what there is.
func TestOutOfMemory(t *testing.T) {
	b := open(t)
	b.Floats(bufferMax/4 + 1)
	err := b.Sync()
	if !errors.Is(err, backend.ErrOutOfMemory) || !strings.Contains(err.Error(), fmt.Sprint(bufferMax+4)) ||
		!strings.Contains(err.Error(), fmt.Sprint(bufferMax)) {
		t.Errorf("one buffer: %v", err)
	}
	b.Close()

	b, err = Open(Options{Software: true, Memory: 1 << 20})
	assert.NoError(t, err)
	defer b.Close()
	before, _ := b.Allocated()
	x := b.Floats(1000)
	if now, most := b.Allocated(); now != before+4000 || most < now {
		t.Errorf("%d bytes, then %d and at most %d after 4000 more", before, now, most)
	}
	x.Release()
	assert.NoError(t, b.Sync())
	if now, most := b.Allocated(); now != before || most != before+4000 {
		t.Errorf("after the release: %d, at most %d", now, most)
	}
	b.Floats(1 << 18)
	err = b.Sync()
	if !errors.Is(err, backend.ErrOutOfMemory) || !strings.Contains(err.Error(), fmt.Sprint(1<<20)) ||
		!strings.Contains(err.Error(), fmt.Sprint(before)) {
		t.Errorf("beyond the bound: %v", err)
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
	if err := enough("ample", needed); err != nil {
		t.Error(err)
	}
	for i, l := range needed {
		short := limits(func(name string) uint64 {
			if name == l.name {
				return needed[i].needed - 1
			}
			return 1 << 40
		})
		if err := enough("small", short); err == nil ||
			!strings.Contains(err.Error(), l.name+" is") || !strings.Contains(err.Error(), `"small"`) {
			t.Errorf("%s one short: %v", l.name, err)
		}
	}
}
