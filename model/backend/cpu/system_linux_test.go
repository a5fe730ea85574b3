package cpu

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/tasks/assert"
)

// TestHuge: a buffer of 64 MiB lies in huge pages where Linux gives them.
func TestHuge(t *testing.T) {
	given, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || strings.Contains(string(given), "[never]") {
		t.Skipf("this Linux gives no huge pages: %s %v", given, err)
	}
	pages := func() string {
		_, rest, _ := strings.Cut(string(assert.Must(os.ReadFile("/proc/self/smaps_rollup"))(t)), "AnonHugePages:")
		return strings.Fields(rest)[0]
	}
	debug.FreeOSMemory() // what other tests have used would be given again, in the pages that it has
	before := pages()
	f := New()
	defer f.Close()
	x := backend.Vec{Buf: f.Floats(16 << 20), Len: 16 << 20}
	f.Zero(x)
	after := pages()
	assert.True(t, after != before, "%q after a buffer of 64 MiB, %q before it", after, before)
}
