package shaders

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"mhacsp/tasks/assert"
)

// WebGPU's default limits (section "Limits" of its specification), which every adapter has. Those of a workgroup's
// memory Dawn knows, in site/test/shaders.test.mjs.
const (
	maxStorage     = 8
	maxInvocations = 256
	maxUniform     = 256 // ours: one slot of the parameter ring
)

// names lists the kernels in alphabetical order.
func names(files fs.FS) []string {
	paths, err := fs.Glob(files, "*.wgsl")
	if err != nil {
		panic("shaders: " + err.Error())
	}
	for i, p := range paths {
		paths[i] = strings.TrimSuffix(p, ".wgsl")
	}
	return paths
}

func TestLimits(t *testing.T) {
	for _, name := range names(files) {
		k := assert.Must(Load(name))(t)
		assert.True(t, len(k.Storage) <= maxStorage,
			"%s binds %d storage buffers, %d are allowed", name, len(k.Storage), maxStorage)
		last := k.Params[len(k.Params)-1]
		size, n := 4*(last.At+last.Words), k.Workgroup[0]*k.Workgroup[1]*k.Workgroup[2]
		assert.True(t, size <= maxUniform, "%s has %d bytes of parameters, %d are allowed", name, size, maxUniform)
		assert.True(t, n <= maxInvocations,
			"%s has %d invocations a workgroup, %d are allowed", name, n, maxInvocations)
		assert.True(t, strings.HasPrefix(k.Source, "// "), "%s does not open with its equation", name)
	}
}

// TestStorageBarrier: only the attention relies on a storage barrier, in a workgroup that is one wave by default.
// Natively on AMD's RDNA waves do not see each other's writes to buffers before the dispatch ends.
func TestStorageBarrier(t *testing.T) {
	for _, name := range names(files) {
		k := assert.Must(Load(name))(t)
		ours := strings.HasPrefix(name, "attention_") && k.Workgroup[0] <= 64
		assert.True(t, ours || !strings.Contains(k.Source, "storageBarrier()"),
			"%s, with %d invocations a workgroup, hands numbers on in a buffer", name, k.Workgroup[0])
	}
}

// forms are the kinds of text that a host may make of a kernel, with small and large values of what it sets.
func forms(k Kernel) map[string]Kernel {
	list := map[string]Kernel{"": k}
	if strings.Contains(k.Source, number) {
		list["-quads"] = k.Quads()
	}
	for base, k := range maps.Clone(list) {
		for _, x := range []struct {
			name   string
			values []int
		}{
			{"THETA", []int{1, 2}}, {"PARTS", []int{1}}, {"KEYS", []int{1, 128}},
			{"D", []int{1, 33}}, {"W", []int{32, maxInvocations}},
		} {
			if !strings.Contains(k.Source, "\nconst "+x.name+" : u32 = ") || x.name == "W" && k.Workgroup[1] > 1 {
				continue
			}
			for _, value := range x.values {
				list[fmt.Sprintf("%s-%s-%d", base, x.name, value)] = k.Set(x.name, value)
			}
		}
		if strings.Contains(k.Source, "const N : u32") { // a loop, cut as webgpu's loopSlices does
			for _, n := range []int{8, 20, 132, 264} {
				quads, terms := n/4, 2*n
				if k.Name == "recurrence_backward" {
					quads, terms = n/2, n
				}
				each := (terms + max(1, maxInvocations/quads) - 1) / max(1, maxInvocations/quads)
				loop := k.Set("N", n).Set("SLICES", (terms+each-1)/each)
				for theta := range 3 {
					form := fmt.Sprintf("-%d-%d", n, theta)
					list[form] = loop.Set("THETA", theta)
					if each <= 48 { // webgpu's heldMost, in fours
						list[form+"-held"] = loop.Set("THETA", theta).Set("HELD", (each+3)/4)
					}
				}
			}
		}
	}
	for form, k := range maps.Clone(list) {
		list[form+"-writable"] = k.Writable()
	}
	return list
}

// block is what stands at the end of a kernel with one parameter.
const block = "\nstruct Params {\n  n : u32,\n}\n\n@group(0) @binding(0) var<uniform> p : Params;\n"

// TestForms: what Set, Quads and Writable make of a kernel, and that Set names what it cannot do.
func TestForms(t *testing.T) {
	fsys := fstest.MapFS{"a.wgsl": {Data: []byte("alias E = f32;\r\nalias I = i32;\r\nalias U = u32;\n" +
		"const W : u32 = 8u;\nconst KIND : u32 = 0u; // 1\n#params n : u32 // so\n#read x : E\n#read i : i32\n" +
		"@compute @workgroup_size(W) fn main() {}\n")}}
	k := assert.Must(load(fsys.ReadFile, "a"))(t)
	got := k.Set("W", 64).Set("KIND", 1).Quads().Writable()
	want := "alias E = vec4f;\nalias I = vec4i;\nalias U = vec4u;\n" +
		"const W : u32 = 64u;\nconst KIND : u32 = 1u; // 1\n" +
		"@group(0) @binding(1) var<storage, read_write> x : array<E>;\n" +
		"@group(0) @binding(2) var<storage, read> i : array<i32>;\n" +
		"@compute @workgroup_size(W) fn main() {}\n" + block
	assert.Is(t, got.Source, want, "made")
	assert.True(t, got.Workgroup == [3]int{64, 1, 1} && got.Storage[0].Write && !got.Storage[1].Write,
		"workgroup %v, bindings %v", got.Workgroup, got.Storage)
	assert.True(t, k.Workgroup[0] == 8 && !k.Storage[0].Write, "the kernel itself was changed")
	defer func() { assert.Is(t, recover(), "shaders: a has no constant SIZE", "an unknown constant") }()
	k.Set("SIZE", 1)
}

// texts are all forms of all kernels by name.
func texts(t *testing.T) map[string]string {
	list := map[string]string{}
	for _, name := range names(files) {
		for form, k := range forms(assert.Must(Load(name))(t)) {
			list[name+form] = k.Source
		}
	}
	return list
}

// TestTexts writes them as one object in JSON to the file that site/test/shaders.test.mjs names, which tries them.
func TestTexts(t *testing.T) {
	data, err := json.Marshal(texts(t))
	if path := os.Getenv("MHACSP_SHADERS"); err == nil && path != "" {
		err = os.WriteFile(path, data, 0o644)
	}
	assert.NoError(t, err)
}

func TestImports(t *testing.T) {
	const rest = "@compute @workgroup_size(64, W) fn main() {}\nconst W : u32 = 2u;\n"
	const kernel, made = "#params n : u32\n" + rest, rest + block
	fsys := fstest.MapFS{
		"a.wgsl":        {Data: []byte("// a\n#import \"shared/x.wgsl\"\n#import \"shared/y.wgsl\"\n" + kernel)},
		"shared/x.wgsl": {Data: []byte("fn x() {}\n")},
		"shared/y.wgsl": {Data: []byte("#import \"shared/x.wgsl\"\nfn y() {}\n")},
		"b.wgsl":        {Data: []byte("#import \"shared/p.wgsl\"\n" + kernel)},
		"shared/p.wgsl": {Data: []byte("#import \"shared/q.wgsl\"\n")},
		"shared/q.wgsl": {Data: []byte("#import \"shared/p.wgsl\"\n")},
		"c.wgsl":        {Data: []byte("#import \"shared/none.wgsl\"\n" + kernel)},
		"d.wgsl":        {Data: []byte("#include <x>\n" + kernel)},
		"e.wgsl":        {Data: []byte("#each g 3\nlet a$g = b[$gu];\n#end\n" + kernel)},
		"f.wgsl":        {Data: []byte("#each g 3\n#each h 2\n#end\n" + kernel)},
		"g.wgsl":        {Data: []byte("#each g 3\n" + kernel)},
		"h.wgsl":        {Data: []byte("#end\n" + kernel)},
		"i.wgsl":        {Data: []byte("// i\nconst HELD : u32 = 0u;\n#each g HELD\nlet a$g = b[$gu];\n#end\n" + kernel)},
		"j.wgsl":        {Data: []byte("#each g HELD\n#end\n" + kernel)},
	}
	resolved := func(name, want string) Kernel {
		t.Helper()
		k := assert.Must(load(fsys.ReadFile, name))(t)
		want += made
		assert.Is(t, k.Source, want, "%s is resolved to", name)
		return k
	}
	a := resolved("a", "// a\nfn x() {}\nfn y() {}\n")
	assert.True(t, a.Workgroup == [3]int{64, 2, 1} && a.Entry == "main", "read %v %q", a.Workgroup, a.Entry)
	resolved("e", "let a0 = b[0u];\nlet a1 = b[1u];\nlet a2 = b[2u];\n")
	i := resolved("i", "// i\nconst HELD : u32 = 0u;\n")
	want := "// i\nconst HELD : u32 = 2u;\nlet a0 = b[0u];\nlet a1 = b[1u];\n" + made
	assert.Is(t, i.Set("HELD", 3).Set("HELD", 2).Source, want, "unrolled to")
	for name, want := range map[string]string{
		"f": `"#each h 2" stands inside "#each g 3"`, "g": `"#each g 3" has no #end`, "h": "#end without #each",
		"b": "imports go round: b.wgsl → shared/p.wgsl → shared/q.wgsl → shared/p.wgsl",
		"c": "none.wgsl", "d": "no line that is known", "j": "HELD is neither a number nor a u32 constant",
	} {
		_, err := load(fsys.ReadFile, name)
		assert.OneLine(t, name, err, want)
	}
	assert.Is(t, fmt.Sprint(names(fsys)), "[a b c d e f g h i j]", "kernels are")
}

// TestParams: the parameters are read from the text, and what the host could not fill in is refused.
func TestParams(t *testing.T) {
	kernel := func(params string) reader {
		return fstest.MapFS{"a.wgsl": {Data: []byte("// a\n" + params + "@compute @workgroup_size(1) fn main() {}\n" +
			"const MOST : u32 = 3u;\nstruct Other { x : vec2f, }\n")}}.ReadFile
	}
	k := assert.Must(load(kernel("#params n : u32 // that many, at : f32\n#params eps : f32\n"+
		"#params jobs : array<vec4u, MOST>\n#params last, end : i32\n"), "a"))(t)
	want := []Param{{"n", "u32", 0, 1}, {"eps", "f32", 1, 1}, {"jobs", "u32", 4, 12}, {"last", "i32", 16, 1},
		{"end", "i32", 17, 1}}
	assert.Is(t, k.Params, want, "read")
	for params, want := range map[string]string{
		"":                              "no parameters",
		"#params x : vec2f\n":           "parameter x is neither",
		"#params x : array<vec4u, N>\n": "parameter x is neither",
		"#params y : f32\n#params x : array<u32, 4>\n": "parameter x is neither",
	} {
		_, err := load(kernel(params), "a")
		assert.OneLine(t, fmt.Sprintf("%q", params), err, want)
	}
}
