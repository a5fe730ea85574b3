//go:build cgo && !js

package webgpu

import (
	"runtime"
	"sync"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/tasks/assert"
)

var sink []byte

// TestReadback reads back while other goroutines allocate: a garbage collection in the midst of a read-back would end
// the process (see device.mapped).
func TestReadback(t *testing.T) {
	b := opened(t)
	var wait sync.WaitGroup
	stop := make(chan struct{})
	wait.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				sink = make([]byte, 1<<12)
				if i%1024 == 0 {
					runtime.Gosched()
				}
			}
		}
	})
	v := backend.All(b.Floats(64))
	got := make([]float32, 64)
	for i := range 500 {
		b.Upload(v, []float32{float32(i)})
		if err := b.Download(got, v); err != nil || got[0] != float32(i) {
			t.Fatalf("read %d: %v, %v", i, got[0], err)
		}
	}
	close(stop)
	wait.Wait()
}

// TestMemoryBound checks that an allocation beyond the bound is an error and no crash.
func TestMemoryBound(t *testing.T) {
	open(t).Close()
	b, err := Open(Options{Software: true, Memory: 1 << 20})
	assert.NoError(t, err)
	defer b.Close()
	x := backend.All(b.Floats(1 << 20))
	b.Zero(x)
	if err := b.Sync(); err == nil {
		t.Error("4 MiB were had where 1 MiB is the bound")
	}
	x.Buf.Release()
}

// TestAdapterNamed checks that no other adapter stands in for one that is named.
func TestAdapterNamed(t *testing.T) {
	open(t).Close()
	if b, err := Open(Options{Adapter: "none such", Software: true}); err == nil {
		b.Close()
		t.Error("an adapter of no such name was opened")
	}
}
