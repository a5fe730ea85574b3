package shaders

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// WebGPU's default limits (section "Limits" of its specification), which every adapter has.
const (
	maxStorage     = 8
	maxInvocations = 256
	maxShared      = 16384
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
		k, err := Load(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(k.Storage) > maxStorage {
			t.Errorf("%s binds %d storage buffers, %d are allowed", name, len(k.Storage), maxStorage)
		}
		if last := k.Params[len(k.Params)-1]; 4*(last.At+last.Words) > maxUniform {
			t.Errorf("%s has %d bytes of parameters, %d are allowed", name, 4*(last.At+last.Words), maxUniform)
		}
		if n := k.Workgroup[0] * k.Workgroup[1] * k.Workgroup[2]; n > maxInvocations {
			t.Errorf("%s has %d invocations a workgroup, %d are allowed", name, n, maxInvocations)
		}
		if n := shared(t, k); n > maxShared {
			t.Errorf("%s uses %d bytes of workgroup memory, %d are allowed", name, n, maxShared)
		}
		if !strings.HasPrefix(k.Source, "// ") {
			t.Errorf("%s does not open with its equation", name)
		}
	}
}

// TestStorageBarrier: only the attention relies on a storage barrier, in a workgroup that is one wave by default.
// Natively on AMD's RDNA waves do not see each other's writes to buffers before the dispatch ends: see splits in
// package webgpu.
func TestStorageBarrier(t *testing.T) {
	for _, name := range names(files) {
		k, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(k.Source, "storageBarrier()") {
			continue
		}
		if n := k.Workgroup[0]; !strings.HasPrefix(name, "attention_") || n > 64 {
			t.Errorf("%s, with %d invocations a workgroup, hands numbers on in a buffer", name, n)
		}
	}
}

var (
	comment    = regexp.MustCompile(`//[^\n]*`)
	constant   = regexp.MustCompile(`(?m)^const\s+(\w+)\s*:\s*u32\s*=\s*([^;]+);`)
	unsigned   = regexp.MustCompile(`\b(\d+)u\b`)
	sharedVar  = regexp.MustCompile(`var<workgroup>\s*(\w+)\s*:\s*([^;]+);`)
	sharedForm = regexp.MustCompile(`^array<(.+),\s*(\w+)>$`)
)

// shared adds up a kernel's workgroup memory.
func shared(t *testing.T, k Kernel) (bytes int) {
	code := comment.ReplaceAllString(k.Source, "")
	constants := map[string]string{}
	for _, m := range constant.FindAllStringSubmatch(code, -1) {
		constants[m[1]] = unsigned.ReplaceAllString(m[2], "$1")
	}
	// S is vec4f at most
	size := map[string]int{"f32": 4, "u32": 4, "i32": 4, "vec2f": 8, "vec4f": 16, "S": 16, "Four": 16}
	for _, m := range sharedVar.FindAllStringSubmatch(code, -1) {
		kind, n := strings.TrimSpace(m[2]), 1
		for a := sharedForm.FindStringSubmatch(kind); a != nil; a = sharedForm.FindStringSubmatch(kind) {
			length, err := evaluate(unsigned.ReplaceAllString(a[2], "$1"), constants)
			if err != nil {
				t.Errorf("%s: the length of %s is neither a number nor a u32 constant: %v", k.Name, m[1], err)
			}
			kind, n = a[1], n*length
		}
		if size[kind] == 0 {
			t.Errorf("%s: workgroup variable %s has the unknown type %s", k.Name, m[1], kind)
		}
		bytes += size[kind] * n
	}
	return bytes
}

// evaluate computes a constant expression, whose syntax is Go's too.
func evaluate(text string, constants map[string]string) (int, error) {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return 0, err
	}
	var value func(ast.Expr) (int, error)
	value = func(e ast.Expr) (int, error) {
		switch e := e.(type) {
		case *ast.BasicLit:
			return strconv.Atoi(e.Value)
		case *ast.ParenExpr:
			return value(e.X)
		case *ast.Ident:
			return evaluate(constants[e.Name], constants)
		case *ast.BinaryExpr:
			x, err := value(e.X)
			if err != nil {
				return 0, err
			}
			y, err := value(e.Y)
			switch {
			case err != nil:
				return 0, err
			case e.Op == gotoken.ADD:
				return x + y, nil
			case e.Op == gotoken.SUB:
				return x - y, nil
			case e.Op == gotoken.MUL:
				return x * y, nil
			case e.Op == gotoken.QUO:
				return x / y, nil
			}
		}
		return 0, fmt.Errorf("%q is no expression of numbers", text)
	}
	return value(e)
}

// forms are all that a host may ask of a kernel.
func forms(k Kernel) map[string]Kernel {
	list := map[string]Kernel{"": k, "-writable": k.Writable()}
	if strings.Contains(k.Source, number) {
		list["-quads"] = k.Quads()
		list["-quads-writable"] = k.Quads().Writable()
	}
	for _, x := range []struct {
		name  string
		value int
	}{{"THETA", 1}, {"THETA", 2}, {"PARTS", 1}, {"KEYS", 1}, {"KEYS", 128}, {"G", 4}, {"HELD", 7}, {"TERMS", 8}} {
		if strings.Contains(k.Source, "const "+x.name+" : u32") {
			form := fmt.Sprintf("-%s-%d", x.name, x.value)
			list[form] = k.Set(x.name, x.value)
			list[form+"-writable"] = k.Set(x.name, x.value).Writable()
		}
	}
	if strings.Contains(k.Source, "const SLICES : u32") {
		list["-slices"] = k.Set("SLICES", 32).Set("W", maxInvocations)
	}
	return list
}

// TestForms: what Set, Quads and Writable make of a kernel, and that Set names what it cannot do.
func TestForms(t *testing.T) {
	fsys := fstest.MapFS{"a.wgsl": {Data: []byte("alias E = f32;\r\nalias I = i32;\r\nalias U = u32;\nconst W : " +
		"u32 = 8u;\nconst KIND : u32 = 0u; // 1\n" +
		"struct P { n : u32, }\n@group(0) @binding(0) var<uniform> p : " +
		"P;\n@group(0) @binding(1) var<storage, read> x : array<E>;\n" +
		"@group(0) @binding(2) var<storage, read> i : array<i32>;\n@compute @workgroup_size(W) fn main() {}\n")}}
	k, err := load(fsys.ReadFile, "a")
	if err != nil {
		t.Fatal(err)
	}
	got := k.Set("W", 64).Set("KIND", 1).Quads().Writable()
	want := "alias E = vec4f;\nalias I = vec4i;\nalias U = vec4u;\nconst W : " +
		"u32 = 64u;\nconst KIND : u32 = 1u; // 1\n" +
		"struct P { n : u32, }\n@group(0) @binding(0) var<uniform> p : " +
		"P;\n@group(0) @binding(1) var<storage, read_write> x : array<E>;\n" +
		"@group(0) @binding(2) var<storage, read> i : array<i32>;\n@compute @workgroup_size(W) fn main() {}\n"
	if got.Source != want {
		t.Errorf("made\n%s\nwant\n%s", got.Source, want)
	}
	if got.Workgroup != [3]int{64, 1, 1} || !got.Storage[0].Write || got.Storage[1].Write {
		t.Errorf("workgroup %v, bindings %v", got.Workgroup, got.Storage)
	}
	if k.Workgroup[0] != 8 || k.Storage[0].Write {
		t.Error("the kernel itself was changed")
	}
	defer func() {
		if r := recover(); r != "shaders: a has no constant SIZE" {
			t.Errorf("an unknown constant: %v", r)
		}
	}()
	k.Set("SIZE", 1)
}

// TestValidate runs both WGSL front ends over every kernel in all its forms. CI must have them.
func TestValidate(t *testing.T) {
	dir := t.TempDir()
	for _, tool := range []string{"tint", "naga"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			if os.Getenv("CI") == "true" {
				t.Errorf("%s is not on the PATH; CI needs it to validate the shaders", tool)
			} else {
				t.Logf("%s is not on the PATH: shaders are not validated with it", tool)
			}
			continue
		}
		for _, name := range names(files) {
			k, err := Load(name)
			if err != nil {
				t.Error(err)
				continue
			}
			for form, k := range forms(k) {
				file := filepath.Join(dir, name+form+".wgsl")
				if err := os.WriteFile(file, []byte(k.Source), 0o644); err != nil {
					t.Fatal(err)
				}
				args := []string{file}
				if tool == "tint" {
					args = []string{"--format", "wgsl", file}
				}
				if out, err := exec.Command(path, args...).CombinedOutput(); err != nil ||
					bytes.Contains(out, []byte("error:")) {
					t.Errorf("%s refuses %s%s: %v\n%s", tool, name, form, err, out)
				}
			}
		}
	}
}

func TestImports(t *testing.T) {
	const kernel = "struct P { n : u32, }\n@group(0) @binding(0) var<uniform> p : " +
		"P;\n@compute @workgroup_size(64, W) fn main() {}\nconst W : u32 = 2u;\n"
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
	a, err := load(fsys.ReadFile, "a")
	if err != nil {
		t.Fatal(err)
	}
	if want := "// a\nfn x() {}\nfn y() {}\n" + kernel; a.Source != want {
		t.Errorf("resolved to\n%s\nwant\n%s", a.Source, want)
	}
	if a.Workgroup != [3]int{64, 2, 1} || a.Entry != "main" {
		t.Errorf("read %v %q", a.Workgroup, a.Entry)
	}
	e, err := load(fsys.ReadFile, "e")
	if err != nil {
		t.Fatal(err)
	}
	if want := "let a0 = b[0u];\nlet a1 = b[1u];\nlet a2 = b[2u];\n" + kernel; e.Source != want {
		t.Errorf("unrolled to\n%s\nwant\n%s", e.Source, want)
	}
	i, err := load(fsys.ReadFile, "i")
	if err != nil {
		t.Fatal(err)
	}
	if want := "// i\nconst HELD : u32 = 0u;\n" + kernel; i.Source != want {
		t.Errorf("unrolled to\n%s\nwant\n%s", i.Source, want)
	}
	want := "// i\nconst HELD : u32 = 2u;\nlet a0 = b[0u];\nlet a1 = b[1u];\n" + kernel
	if got := i.Set("HELD", 3).Set("HELD", 2).Source; got != want {
		t.Errorf("unrolled to\n%s\nwant\n%s", got, want)
	}
	for name, want := range map[string]string{
		"f": `"#each h 2" stands inside "#each g 3"`, "g": `"#each g 3" has no #end`, "h": "#end without #each",
		"b": "imports go round: b.wgsl → shared/p.wgsl → shared/q.wgsl → shared/p.wgsl",
		"c": "none.wgsl", "d": "not an import", "j": "HELD is neither a number nor a u32 constant",
	} {
		if _, err := load(fsys.ReadFile, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, should contain %q", name, err, want)
		}
	}
	if got := fmt.Sprint(names(fsys)); got != "[a b c d e f g h i j]" {
		t.Errorf("kernels are %s", got)
	}
}

// TestParams: the parameters are read from the text, and what the host could not fill in is refused.
func TestParams(t *testing.T) {
	kernel := func(params string) fstest.MapFS {
		return fstest.MapFS{"a.wgsl": {Data: []byte("// a\n" + params +
			"@group(0) @binding(0) var<uniform> p : Params;\n" +
			"@compute @workgroup_size(1) fn main() {}\nconst MOST : u32 = 3u;\nstruct Other { x : vec2f, }\n")}}
	}
	k, err := load(kernel("struct Params {\n  n : u32, // so many, at : "+
		"f32\n  eps : f32,\n  jobs : array<vec4u, MOST>,\n  last : i32\n}\n").ReadFile, "a")
	if err != nil {
		t.Fatal(err)
	}
	want := []Param{{"n", "u32", 0, 1}, {"eps", "f32", 1, 1}, {"jobs", "u32", 4, 12}, {"last", "i32", 16, 1}}
	if !slices.Equal(k.Params, want) {
		t.Errorf("read %v, want %v", k.Params, want)
	}
	for params, want := range map[string]string{
		"":                               "no uniform block",
		"struct Params { x : vec2f, }\n": "parameter x is neither",
		"struct Params { x : array<vec4u, N>, }\n": "parameter x is neither",
		"struct Params { x : array<u32, 4>, }\n":   "parameter x is neither",
	} {
		if _, err := load(kernel(params).ReadFile, "a"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, should contain %q", params, err, want)
		}
	}
}
