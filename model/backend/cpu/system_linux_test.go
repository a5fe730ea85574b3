package cpu

import (
	"os"
	"regexp"
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
		all := assert.Must(os.ReadFile("/proc/self/smaps_rollup"))(t)
		return regexp.MustCompile(`AnonHugePages: .*`).FindString(string(all))
	}
	before := pages()
	f := New()
	defer f.Close()
	x := backend.Vec{Buf: f.Floats(16 << 20), Len: 16 << 20}
	data(x)[0] = 1
	f.Zero(x)
	after := pages()
	assert.True(t, after != before, "%q after a buffer of 64 MiB, %q before it", after, before)
}
