// Package shaders holds every kernel as WGSL, resolves the imports among them and reads from their text what a host
// must know: bindings and workgroup size stand in the .wgsl files alone.
//
// A line `#import "shared/x.wgsl"` is replaced by that file, once per kernel however often it is named. Binding 0 of
// group 0 is the uniform block of parameters; storage bindings follow from 1 without gaps.
package shaders

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.wgsl shared/*.wgsl
var files embed.FS

// Binding is one storage binding of a kernel.
type Binding struct {
	Name  string
	Type  string // f32, i32 …: the element of the array
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

func load(files fs.FS, name string) (Kernel, error) {
	var out strings.Builder
	if err := resolve(files, name+".wgsl", map[string]bool{}, nil, &out); err != nil {
		return Kernel{}, err
	}
	k := Kernel{Name: name, Source: out.String()}
	uniform, entries, size := false, 0, ""
	constants := map[string]string{}
	for code := scan(k.Source); len(code) > 0; code = code[1:] {
		if m, ok := code.match("const", word, ":", "u32", "=", word, ";"); ok {
			constants[m[0]] = m[1]
		}
		if m, ok := code.match("@", "compute", "@", "workgroup_size", "(", list, ")", "fn", word); ok {
			entries++
			size, k.Entry = m[0], m[1]
		}
		b, ok := code.binding()
		if !ok {
			continue
		}
		number, _ := strconv.Atoi(b.number)
		switch {
		case b.group != "0":
			return Kernel{}, fmt.Errorf("shaders: %s: binding %s is in group %s, only group 0 is used", name, b.name, b.group)
		case b.space == "uniform" && number == 0:
			uniform = true
		case b.space == "storage" && number == len(k.Storage)+1:
			if b.element == "" {
				return Kernel{}, fmt.Errorf("shaders: %s: binding %s is no array of numbers", name, b.name)
			}
			k.Storage = append(k.Storage, Binding{Name: b.name, Type: b.element, Write: b.access == "read_write"})
		default:
			return Kernel{}, fmt.Errorf("shaders: %s: binding %s (%s) has number %d; 0 is the uniform block, storage follows in order", name, b.name, b.space, number)
		}
	}
	if !uniform {
		return Kernel{}, fmt.Errorf("shaders: %s has no uniform block at binding 0", name)
	}
	if entries != 1 {
		return Kernel{}, fmt.Errorf("shaders: %s has %d entry points, one is needed", name, entries)
	}
	k.Workgroup = [3]int{1, 1, 1}
	for i, s := range strings.Split(size, ",") {
		if c, ok := constants[s]; ok {
			s = c
		}
		n, err := strconv.Atoi(strings.TrimSuffix(s, "u"))
		if err != nil || i > 2 {
			return Kernel{}, fmt.Errorf("shaders: %s: workgroup size %q is neither a number nor a u32 constant", name, size)
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
		if file, ok := imported(line); ok {
			if err := resolve(files, file, done, open, out); err != nil {
				return err
			}
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			return fmt.Errorf("shaders: %s: not an import: %s", path, strings.TrimSpace(line))
		}
		out.WriteString(line)
	}
	done[path] = true
	return nil
}

// imported is the file that an import line names.
func imported(line string) (file string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimRight(line, " \t\r\n"), "#import")
	quoted := strings.TrimLeft(rest, " \t")
	if !ok || quoted == rest {
		return "", false
	}
	file, err := strconv.Unquote(quoted)
	return file, err == nil && file != ""
}

// Writable returns the kernel with every floating-point binding declared read_write: WebGPU lets a buffer be bound in
// one dispatch either for reading or for writing, so this is the form for calls whose inputs and outputs lie in
// different windows of one buffer.
func (k Kernel) Writable() Kernel {
	k.Storage = slices.Clone(k.Storage)
	var source strings.Builder
	copied := 0
	for code := scan(k.Source); len(code) > 0; code = code[1:] {
		if _, ok := code.match("var", "<", "storage", ",", "read", ">", word, ":", "array", "<", "f32", ">"); ok {
			read := code[4]
			source.WriteString(k.Source[copied:read.at] + "read_write")
			copied = read.at + len(read.text)
		}
	}
	k.Source = source.String() + k.Source[copied:]
	for i := range k.Storage {
		if k.Storage[i].Type == "f32" {
			k.Storage[i].Write = true
		}
	}
	return k
}
