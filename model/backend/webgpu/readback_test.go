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
		err := b.Download(got, v)
		assert.Need(t, err == nil && got[0] == float32(i), "read %d: %v, %v", i, got[0], err)
	}
	close(stop)
	wait.Wait()
}

// TestAdapterNamed checks that no other adapter stands in for one that is named.
func TestAdapterNamed(t *testing.T) {
	open(t).Close()
	_, err := Open(Options{Adapter: "none such", Software: true})
	assert.True(t, err != nil, "an adapter of no such name was opened")
}
