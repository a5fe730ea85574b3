package strconv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPowers: the table is the toolchain's, entry by entry.
func TestPowers(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src/internal/strconv/pow10tab.go"))
	if err != nil {
		t.Skipf("this toolchain has no such table, and the builder leaves it alone: %v", err)
	}
	entries := regexp.MustCompile(`\t\{0x(\w+), 0x(\w+)\}, // 1e(-?\d+)`).FindAllSubmatch(text, -1)
	if len(entries) != len(pow10Tab) {
		t.Fatalf("%d entries, want %d", len(entries), len(pow10Tab))
	}
	for i, e := range entries {
		got := fmt.Sprintf("%016x %016x %d", pow10Tab[i].Hi, pow10Tab[i].Lo, i+pow10Min)
		if want := fmt.Sprintf("%s %s %s", e[1], e[2], e[3]); got != want {
			t.Errorf("computed %s, the toolchain has %s", got, want)
		}
	}
}
