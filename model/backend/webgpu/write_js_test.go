package webgpu

import (
	"runtime/debug"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/tasks/assert"
)

// TestWriteWhileMemoryGrows uploads while nothing is collected, so that the program's memory is enlarged in the midst
// of many a call: a view of the memory that was made before an enlargement is worth nothing after it.
func TestWriteWhileMemoryGrows(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	b := opened(t)
	v := backend.All(b.Floats(64))
	data := make([]float32, 64)
	for i := range 100_000 {
		data[0] = float32(i)
		b.Upload(v, data)
		if i%5000 == 0 {
			assert.NoError(t, b.Sync())
		}
	}
	got := make([]float32, 1)
	err := b.Download(got, v)
	assert.True(t, err == nil && got[0] == 99_999, "the last upload reads %v, %v", got[0], err)
}
