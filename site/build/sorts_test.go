//go:build !js

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const sorting = `package main

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

func main() {
	for n := range 200 {
		var a, b, c []int
		for i := range n {
			a = append(a, i*7919%(n/2+1))
		}
		b, c, d := slices.Clone(a), slices.Clone(a), slices.Clone(a)
		slices.Sort(a)
		slices.SortFunc(b, func(x, y int) int { return cmp.Compare(y, x) })
		slices.Reverse(b)
		sort.Slice(c, func(i, j int) bool { return c[i] < c[j] })
		sort.Sort(sort.IntSlice(d))
		e, f := make([]int, n), make([]int, n) // of equal keys the earlier place comes first
		for i := range n {
			e[i], f[i] = i, i
		}
		key := func(i int) int { return i * 7919 % (n/2 + 1) }
		slices.SortStableFunc(e, func(x, y int) int { return key(x) - key(y) })
		sort.SliceStable(f, func(x, y int) bool { return key(f[x]) < key(f[y]) })
		for i := 1; i < n; i++ {
			if key(e[i-1]) > key(e[i]) || key(e[i-1]) == key(e[i]) && e[i-1] > e[i] || e[i] != f[i] {
				panic(fmt.Sprint(e, f))
			}
			if a[i-1] > a[i] {
				panic(a)
			}
		}
		if !slices.Equal(a, b) || !slices.Equal(a, c) || !slices.Equal(a, d) {
			panic(fmt.Sprint(a, b, c, d))
		}
	}
	fmt.Print("sorted")
}
`

// TestPlainSorts: with the plain sorts in place of the standard library's every way of sorting sorts.
func TestPlainSorts(t *testing.T) {
	root, err := goroot()
	if err != nil {
		t.Fatal(err)
	}
	sorts, err := plainSorts(root)
	if err != nil || len(sorts) != 4 {
		t.Fatalf("%d files, %v", len(sorts), err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	replace := map[string]string{}
	for path, text := range sorts {
		replace[path] = write(filepath.Base(path), text)
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "run", "-overlay", write("overlay.json", string(list)), write("main.go", sorting))
	if text, err := c.CombinedOutput(); err != nil || string(text) != "sorted" {
		t.Errorf("%v: %s", err, text)
	}
}
