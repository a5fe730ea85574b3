package tasks

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// A few samples of each task, pinned: a changed stream changes every run's data, so it must never happen by accident.
func TestGolden(t *testing.T) {
	var got strings.Builder
	names, list := variants(t)
	for k, task := range list {
		for _, draw := range []Draw{
			{Seed: 1}, {Seed: 1, Role: Test}, {Seed: 2, Role: Validation, MaxLength: 12, MaxOperands: 3},
		} {
			fmt.Fprintf(&got, "%s, seed %d, %s, limits %d %d\n", names[k],
				draw.Seed, draw.Role, draw.MaxLength, draw.MaxOperands)
			var s Sample
			for i := range uint64(3) {
				task.Sample(&s, draw, i)
				answer := task.Vocabulary().Detokenise(s.Target)
				if task.Classes() > 0 {
					answer = task.ClassName(s.Label)
				}
				fmt.Fprintf(&got, "\t%s → %s\n", task.Vocabulary().Detokenise(s.Prompt), answer)
			}
		}
	}
	file := filepath.Join("testdata", "golden.txt")
	if *update {
		assert.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
	}
	lines, want := strings.Split(got.String(), "\n"), strings.Split(string(assert.Must(os.ReadFile(file))(t)), "\n")
	for i, line := range lines {
		assert.Need(t, i < len(want) && line == want[i],
			"line %d of %s differs (go test -update rewrites it, and changes every run's data):\n%s", i+1, file, line)
	}
	assert.Is(t, len(lines), len(want), "lines, those of %s", file)
}
