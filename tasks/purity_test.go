package tasks

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"mhacsp/tasks/assert"
)

// variants lists each task in each of its kinds, by a name for messages.
func variants(t testing.TB) (names []string, list []Task) {
	t.Helper()
	add := func(name string, o Options) {
		label := name
		for _, part := range []string{o.Preset, o.Format} {
			if part != "" {
				label += " " + part
			}
		}
		if o.Brackets != nil {
			label += " plain"
		}
		names, list = append(names, label), append(list, mustNew(t, name, o))
	}
	for _, preset := range []string{"author", "paper"} {
		for _, format := range []string{"repeat", "copy", "direct"} {
			add("arithmetic", Options{Preset: preset, Format: format})
		}
	}
	add("parenthesis", Options{})
	add("mod3", Options{})
	add("parity", Options{})
	add("modarith", Options{})
	add("modarith", Options{Brackets: plain()})
	add("modarith", Options{Operators: "+-"})
	add("modarith", Options{Brackets: plain(), Operators: "+-"})
	for _, name := range Names() {
		has := slices.ContainsFunc(list, func(k Task) bool { return k.Name() == name })
		assert.Need(t, has, "variants in purity_test.go has no line for the task %s: write add(%q, Options{}), "+
			"then renew the golden samples with go test -run TestGolden ./tasks -update", name, name)
	}
	return names, list
}

// A sample depends on the task, the draw and the index alone: not on the order,
// not on what *Sample held before, not on other goroutines.
func TestSampleIsPure(t *testing.T) {
	names, list := variants(t)
	for k, task := range list {
		t.Run(names[k], func(t *testing.T) {
			draw := Draw{Seed: 9, Role: Test}
			const n = 200
			want := make([]Sample, n)
			for i := range want {
				task.Sample(&want[i], draw, uint64(i))
			}
			var wait sync.WaitGroup
			for range 3 {
				wait.Go(func() {
					s := Sample{
						Prompt: []int32{1, 2, 3}, Target: []int32{4}, Label: 7,
						AnswerAt: 8, Operands: 9, Depth: 9, Length: 9, Trivial: true,
					}
					for i := n - 1; i >= 0; i-- {
						task.Sample(&s, draw, uint64(i))
						if fmt.Sprint(s) != fmt.Sprint(want[i]) {
							t.Errorf("sample %d:\n got %+v\nwant %+v", i, s, want[i])
							return
						}
					}
				})
			}
			wait.Wait()
		})
	}
}

// Seed, role and index each make another sample, with IID as well.
func TestSampleDiffers(t *testing.T) {
	names, list := variants(t)
	for k, task := range list {
		draws := []Draw{{IID: true}, {IID: true, Role: Validation}, {IID: true, Role: Test}, {IID: true, Seed: 1}}
		equal := 0
		for a := range draws {
			for b := range a {
				for i := range uint64(50) {
					var x, y Sample
					task.Sample(&x, draws[a], i)
					task.Sample(&y, draws[b], i)
					if reflect.DeepEqual(x.Prompt, y.Prompt) {
						equal++
					}
				}
			}
		}
		// Short prompts meet by chance.
		assert.True(t, equal <= 30, "%s: %d of 300 samples are the same in two draws", names[k], equal)
	}
}

func TestSampleDoesNotAllocate(t *testing.T) {
	names, list := variants(t)
	for k, task := range list {
		s := Sample{Prompt: make([]int32, 0, task.MaxPrompt()), Target: make([]int32, 0, task.MaxTarget())}
		index := uint64(0)
		n := testing.AllocsPerRun(200, func() {
			task.Sample(&s, Draw{Role: Test}, index)
			index++
		})
		assert.Is(t, n, 0, "%s: allocations per sample", names[k])
	}
}
