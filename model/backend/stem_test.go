package backend_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/tasks/assert"
)

// stem is what the files of a kernel are named after: a kernel's directions and operands share one.
func stem(kernel string) string {
	for _, end := range []string{"Forward", "Backward", "Matrices", "Input", "Weight"} {
		if cut, ok := strings.CutSuffix(kernel, end); ok {
			return strings.ToLower(cut)
		}
	}
	return strings.ToLower(kernel)
}

// places are the files of a kernel, from this folder, and what each must hold; STEM and KERNEL stand for the names.
var places = []struct{ file, holds string }{
	{"STEM.go", `(?m)^type KERNEL struct`}, {"reference/STEM.go", `(?m)^func \(\w*\s?\*Backend\[T\]\) KERNEL\(`},
	{"cpu/STEM.go", `(?m)^func \(\w*\s?\*Fast\) KERNEL\(`},
	{"webgpu/STEM.go", `(?m)^func \(\w*\s?\*Backend\) KERNEL\(`}, {"backendtest/STEM.go", `call:\s+backend\.KERNEL{}`},
	{"../../shaders/STEM*.wgsl", `(?m)@compute|^#import "shared/(each|gather|gated_\w+)\.wgsl"`},
}

// parts are the parts of the attention that the paper names, and their files; the shaders' are imported by the
// kernel's.
var (
	parts      = []string{"distance", "tree", "fusion"}
	partPlaces = []string{"reference/%s.go", "cpu/%s.go", "../../shaders/shared/%s.wgsl"}
)

// holding reads the files that match pattern and reports whether there is one, and whether one holds what is asked.
func holding(t *testing.T, pattern, holds string) (file, held bool) {
	paths := assert.Must(filepath.Glob(filepath.FromSlash(pattern)))(t)
	for _, path := range paths {
		text := assert.Must(os.ReadFile(path))(t)
		held = held || regexp.MustCompile(holds).Match(text)
	}
	return len(paths) > 0, held
}

// TestStems: one name finds every part of a kernel.
func TestStems(t *testing.T) {
	for _, c := range backend.Calls() {
		name := backend.Name(c)
		for _, p := range places {
			names := strings.NewReplacer("STEM", stem(name), "KERNEL", name)
			pattern := names.Replace(p.file)
			file, held := holding(t, pattern, names.Replace(p.holds))
			assert.True(t, file, "kernel %s has no file %s", name, pattern)
			assert.True(t, held || !file, "kernel %s: not in its file %s", name, pattern)
		}
	}
	for _, part := range parts {
		for _, p := range partPlaces {
			pattern := fmt.Sprintf(p, part)
			file, _ := holding(t, pattern, "")
			assert.True(t, file, "the attention's part %s has no file %s", part, pattern)
		}
		imports := `(?m)^#import "shared/` + part + `\.wgsl"`
		_, direct := holding(t, "../../shaders/attention*.wgsl", imports)
		_, shared := holding(t, "../../shaders/shared/attention*.wgsl", imports)
		assert.True(t, direct || shared, "no shader of the attention imports the part %s", part)
	}
}
