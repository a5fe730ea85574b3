// Package shaders holds every kernel as WGSL, resolves the imports among them and reads from their text what a host
// must know: bindings and workgroup size stand in the .wgsl files alone.
//
// A line `#import "shared/x.wgsl"` is replaced by that file, once per kernel however often it is named. The lines between
// `#each g 8` and `#end` stand eight times, with 0 to 7 for $g: WGSL has no arrays of registers, so a kernel that keeps a
// row's sum in each of eight registers must name eight variables. Binding 0 of group 0 is the uniform block of parameters; storage bindings follow from 1 without gaps.
package shaders

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.wgsl shared/*.wgsl
var files embed.FS

// Binding is one storage binding of a kernel.
type Binding struct {
	Name  string
	Type  string // f32, vec4f, i32, or E, an alias of f32 or vec4f: the element of the array
	Write bool   // read_write
}

// Kernel is one compute shader, imports resolved.
type Kernel struct {
	Name      string
	Source    string
	Entry     string
	Workgroup [3]int
	Storage   []Binding // binding number is index + 1
}

// Names lists the kernels in alphabetical order.
func Names() []string { return names(files) }

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

// Load resolves and reads the kernel of a name.
func Load(name string) (Kernel, error) { return load(files, name) }

var (
	importLine = regexp.MustCompile(`^#import\s+"([^"]+)"\s*$`)
	bindingRE  = regexp.MustCompile(`@group\((\d+)\)\s*@binding\((\d+)\)\s*var<(\w+)(?:\s*,\s*(\w+))?>\s*(\w+)\s*:\s*([\w<>]+)`)
	computeRE  = regexp.MustCompile(`@compute\s*@workgroup_size\(([^)]*)\)\s*fn\s+(\w+)`)
	constRE    = regexp.MustCompile(`(?m)^const\s+(\w+)\s*:\s*u32\s*=\s*(\d+)u\s*;`)
	arrayRE    = regexp.MustCompile(`^array<(\w+)>$`)
)

func load(files fs.FS, name string) (Kernel, error) {
	var out strings.Builder
	if err := resolve(files, name+".wgsl", map[string]bool{}, nil, &out); err != nil {
		return Kernel{}, err
	}
	source, err := unroll(name, out.String())
	if err != nil {
		return Kernel{}, err
	}
	k := Kernel{Name: name, Source: source}
	code := stripComments(k.Source)
	uniform := false
	for _, m := range bindingRE.FindAllStringSubmatch(code, -1) {
		number, _ := strconv.Atoi(m[2])
		switch {
		case m[1] != "0":
			return Kernel{}, fmt.Errorf("shaders: %s: binding %s is in group %s, only group 0 is used", name, m[5], m[1])
		case m[3] == "uniform" && number == 0:
			uniform = true
		case m[3] == "storage" && number == len(k.Storage)+1:
			element := arrayRE.FindStringSubmatch(m[6])
			if element == nil {
				return Kernel{}, fmt.Errorf("shaders: %s: binding %s is no array of numbers", name, m[5])
			}
			k.Storage = append(k.Storage, Binding{Name: m[5], Type: element[1], Write: m[4] == "read_write"})
		default:
			return Kernel{}, fmt.Errorf("shaders: %s: binding %s (%s) has number %d; 0 is the uniform block, storage follows in order", name, m[5], m[3], number)
		}
	}
	if !uniform {
		return Kernel{}, fmt.Errorf("shaders: %s has no uniform block at binding 0", name)
	}
	entry := computeRE.FindAllStringSubmatch(code, -1)
	if len(entry) != 1 {
		return Kernel{}, fmt.Errorf("shaders: %s has %d entry points, one is needed", name, len(entry))
	}
	k.Entry = entry[0][2]
	constants := map[string]string{}
	for _, m := range constRE.FindAllStringSubmatch(code, -1) {
		constants[m[1]] = m[2]
	}
	k.Workgroup = [3]int{1, 1, 1}
	for i, s := range strings.Split(entry[0][1], ",") {
		s = strings.TrimSpace(s)
		if c, ok := constants[s]; ok {
			s = c
		}
		n, err := strconv.Atoi(strings.TrimSuffix(s, "u"))
		if err != nil || i > 2 {
			return Kernel{}, fmt.Errorf("shaders: %s: workgroup size %q is neither a number nor a u32 constant", name, entry[0][1])
		}
		k.Workgroup[i] = n
	}
	return k, nil
}

// resolve appends a file to out, its imports before the lines that follow them. open is the chain of files that are
// being resolved.
func resolve(files fs.FS, path string, done map[string]bool, open []string, out *strings.Builder) error {
	if slices.Contains(open, path) {
		return fmt.Errorf("shaders: imports go round: %s", strings.Join(append(open, path), " → "))
	}
	if done[path] {
		return nil
	}
	text, err := fs.ReadFile(files, path)
	if err != nil {
		return fmt.Errorf("shaders: %s: %w", strings.Join(append(open, path), " → "), err)
	}
	open = append(slices.Clone(open), path)
	for line := range strings.Lines(string(text)) {
		if m := importLine.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			if err := resolve(files, m[1], done, open, out); err != nil {
				return err
			}
			continue
		}
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "#") && text != endLine && !eachLine.MatchString(text) {
			return fmt.Errorf("shaders: %s: not an import: %s", path, strings.TrimSpace(line))
		}
		out.WriteString(line)
	}
	done[path] = true
	return nil
}

var eachLine = regexp.MustCompile(`^#each ([a-z]) (\d+)$`)

const endLine = "#end"

// unroll repeats what stands between #each and #end. One #each does not stand in another.
func unroll(name, source string) (string, error) {
	var out, block strings.Builder
	var each []string // the #each that is open
	for line := range strings.Lines(source) {
		text := strings.TrimSpace(line)
		m := eachLine.FindStringSubmatch(text)
		switch {
		case m != nil && each != nil:
			return "", fmt.Errorf("shaders: %s: %q stands inside %q", name, text, each[0])
		case m != nil:
			each = m
		case text == endLine && each == nil:
			return "", fmt.Errorf("shaders: %s: #end without #each", name)
		case text == endLine:
			times, _ := strconv.Atoi(each[2])
			for i := range times {
				out.WriteString(strings.ReplaceAll(block.String(), "$"+each[1], strconv.Itoa(i)))
			}
			each = nil
			block.Reset()
		case each != nil:
			block.WriteString(line)
		default:
			out.WriteString(line)
		}
	}
	if each != nil {
		return "", fmt.Errorf("shaders: %s: %q has no #end", name, each[0])
	}
	return out.String(), nil
}

var comment = regexp.MustCompile(`//[^\n]*`)

func stripComments(s string) string { return comment.ReplaceAllString(s, "") }

// Writable returns the kernel with every floating-point binding declared read_write: WebGPU lets a buffer be bound in
// one dispatch either for reading or for writing, so this is the form for calls whose inputs and outputs lie in
// different windows of one buffer.
func (k Kernel) Writable() Kernel {
	k.Storage = slices.Clone(k.Storage)
	k.Source = readOnly.ReplaceAllString(k.Source, "var<storage, read_write>$1")
	for i := range k.Storage {
		if k.Storage[i].Type != "i32" {
			k.Storage[i].Write = true
		}
	}
	return k
}

// Quads returns the kernel over quads of numbers instead of numbers: E, an alias of f32 in its text, becomes vec4f. The
// host gives sizes in quads.
func (k Kernel) Quads() Kernel {
	if !strings.Contains(k.Source, number) {
		panic("shaders: " + k.Name + " has no element type E")
	}
	k.Source = strings.NewReplacer(number, quad, integer, integers).Replace(k.Source)
	return k
}

const (
	number   = "alias E = f32;"
	quad     = "alias E = vec4f;"
	integer  = "alias I = i32;\nalias U = u32;"
	integers = "alias I = vec4i;\nalias U = vec4u;"
)

// Set returns the kernel with another value of a constant, `const NAME : u32 = 8u;` in its text, for kernels that are right
// with any: the workgroup size W, which adapters differ about, or a switch between two forms, which a software adapter
// would compute both of, one for nothing, were it a parameter.
func (k Kernel) Set(name string, value int) Kernel {
	line := regexp.MustCompile(`(?m)^const ` + name + ` : u32 = \d+u;`)
	if len(line.FindAllString(k.Source, 2)) != 1 {
		panic("shaders: " + k.Name + " has no constant " + name)
	}
	k.Source = line.ReplaceAllString(k.Source, fmt.Sprintf("const %s : u32 = %du;", name, value))
	if name == "W" {
		if k.Workgroup[1]*k.Workgroup[2] != 1 {
			panic("shaders: " + k.Name + " has more than one dimension")
		}
		k.Workgroup[0] = value
	}
	return k
}

var readOnly = regexp.MustCompile(`var<storage,\s*read>(\s*\w+\s*:\s*array<(?:f32|vec4f|E)>)`)
