// Package shaders holds every kernel as WGSL, resolves the imports among them and reads from their text what a host
// must know: bindings, parameters and workgroup size stand in the .wgsl files alone.
//
// A line `#import "shared/x.wgsl"` is replaced by that file, once per kernel however often it is named. The lines
// between `#each g 8` and `#end` stand eight times, with 0 to 7 for $g: WGSL has no arrays of registers, so a kernel
// that keeps a row's sum in each of eight registers must name eight variables. Binding 0 of group 0 is the uniform
// block of parameters, a structure of u32, i32, f32 and arrays of vec4u; storage bindings follow from 1 without gaps.
package shaders

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Binding is one storage binding of a kernel.
type Binding struct {
	Name  string
	Type  string // f32, vec4f, i32, or E, an alias of f32 or vec4f: the element of the array
	Write bool   // read_write
}

// Param is one parameter of a kernel: a field of its uniform block.
type Param struct {
	Name  string
	Type  string // u32, i32 or f32
	At    int    // where it begins, in words of 4 bytes
	Words int    // 1, or those of an array
}

// Kernel is one compute shader, imports resolved.
type Kernel struct {
	Name      string
	Source    string
	text      string // Source before #each
	Entry     string
	Workgroup [3]int
	Params    []Param   // in the order of the uniform block
	Storage   []Binding // binding number is index + 1
}

// Load resolves and reads the kernel of a name.
func Load(name string) (Kernel, error) { return load(files.ReadFile, name) }

// reader returns the text of a file. With an fs.FS in its place the program that the page loads would have all that
// package time can write and read, for fs.FileInfo names time.Time.
type reader func(path string) ([]byte, error)

func load(read reader, name string) (Kernel, error) {
	var out strings.Builder
	if err := resolve(read, name+".wgsl", map[string]bool{}, nil, &out); err != nil {
		return Kernel{}, err
	}
	k := Kernel{Name: name, text: out.String()}
	var err error
	if k.Source, err = unroll(name, k.text); err != nil {
		return Kernel{}, err
	}
	uniform, entries, size := "", 0, ""
	constants, structures := constantsOf(k.Source), map[string][]field{}
	for code := scan(k.Source); len(code) > 0; code = code[1:] {
		if m, ok := code.match("@", "compute", "@", "workgroup_size", "(", list, ")", "fn", word); ok {
			entries++
			size, k.Entry = m[0], m[1]
		}
		if name, members, ok := code.structure(); ok {
			structures[name] = members
		}
		b, ok := code.binding()
		if !ok {
			continue
		}
		number, _ := strconv.Atoi(b.number)
		switch {
		case b.group != "0":
			return Kernel{}, fmt.Errorf("shaders: %s: binding %s is in group %s, only group 0 is used",
				name, b.name, b.group)
		case b.space == "uniform" && number == 0:
			uniform = b.structure
		case b.space == "storage" && number == len(k.Storage)+1:
			if b.element == "" {
				return Kernel{}, fmt.Errorf("shaders: %s: binding %s is no array of numbers", name, b.name)
			}
			k.Storage = append(k.Storage, Binding{Name: b.name, Type: b.element, Write: b.access == "read_write"})
		default:
			return Kernel{}, fmt.Errorf("shaders: %s: binding %s (%s) has number %d; "+
				"0 is the uniform block, storage follows in order", name, b.name, b.space, number)
		}
	}
	if structures[uniform] == nil {
		return Kernel{}, fmt.Errorf("shaders: %s has no uniform block, a structure at binding 0", name)
	}
	if k.Params, err = layOut(structures[uniform], constants); err != nil {
		return Kernel{}, fmt.Errorf("shaders: %s: %w", name, err)
	}
	if entries != 1 {
		return Kernel{}, fmt.Errorf("shaders: %s has %d entry points, one is needed", name, entries)
	}
	k.Workgroup = [3]int{1, 1, 1}
	for i, s := range strings.Split(size, ",") {
		n, ok := numberOf(s, constants)
		if !ok || i > 2 {
			return Kernel{}, fmt.Errorf("shaders: %s: workgroup size %q is neither a number nor a u32 constant",
				name, size)
		}
		k.Workgroup[i] = n
	}
	return k, nil
}

// constantsOf finds the constants whose values are plain numbers.
func constantsOf(source string) map[string]string {
	constants := map[string]string{}
	for code := scan(source); len(code) > 0; code = code[1:] {
		if m, ok := code.match("const", word, ":", "u32", "=", word, ";"); ok {
			constants[m[0]] = m[1]
		}
	}
	return constants
}

// edited is the kernel with another text.
func (k Kernel) edited(text string) Kernel {
	source, err := unroll(k.Name, text)
	if err != nil {
		panic(err.Error())
	}
	k.text, k.Source = text, source
	return k
}

// numberOf reads a number, or the constant of that name.
func numberOf(text string, constants map[string]string) (n int, ok bool) {
	if c, ok := constants[text]; ok {
		text = c
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, "u"))
	return n, err == nil
}

// layOut places a uniform block's fields as WGSL does: numbers one after another, arrays of vec4u at multiples of 16
// bytes.
func layOut(members []field, constants map[string]string) (list []Param, err error) {
	at := 0
	for _, f := range members {
		p := Param{Name: f.name, Type: f.element, Words: 1}
		length, ok := numberOf(f.length, constants)
		switch {
		case f.length == "" && (f.element == "u32" || f.element == "i32" || f.element == "f32"):
		case f.element == "vec4u" && ok:
			at = (at + 3) / 4 * 4
			p.Type, p.Words = "u32", 4*length
		default:
			return nil, fmt.Errorf("parameter %s is neither u32, i32, f32 nor an array of so many vec4u", f.name)
		}
		p.At = at
		at += p.Words
		list = append(list, p)
	}
	return list, nil
}

// resolve appends a file to out, its imports before the lines that follow them. open is the chain of files that are
// being resolved. Line ends may be those of a checkout on Windows.
func resolve(read reader, path string, done map[string]bool, open []string, out *strings.Builder) error {
	if slices.Contains(open, path) {
		return fmt.Errorf("shaders: imports go round: %s", strings.Join(append(open, path), " → "))
	}
	if done[path] {
		return nil
	}
	text, err := read(path)
	if err != nil {
		return fmt.Errorf("shaders: %s: %w", strings.Join(append(open, path), " → "), err)
	}
	open = append(slices.Clone(open), path)
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\r\n", "\n")) {
		if file, ok := imported(line); ok {
			if err := resolve(read, file, done, open, out); err != nil {
				return err
			}
			continue
		}
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "#") && text != endLine && !isEach(text) {
			return fmt.Errorf("shaders: %s: not an import: %s", path, strings.TrimSpace(line))
		}
		out.WriteString(line)
	}
	done[path] = true
	return nil
}

const endLine = "#end"

// each reads a line "#each i 8": the letter, and how often, or the name of a constant.
func each(line string) (name, times string, ok bool) {
	rest, ok := strings.CutPrefix(line, "#each ")
	name, times, cut := strings.Cut(rest, " ")
	return name, times, ok && cut && len(name) == 1 && name >= "a" && name <= "z"
}

func isEach(line string) bool {
	_, _, ok := each(line)
	return ok
}

// unroll repeats what stands between #each and #end. One #each does not stand in another.
func unroll(name, source string) (string, error) {
	var out, block strings.Builder
	open := "" // the #each whose #end has not come
	var constants map[string]string
	for line := range strings.Lines(source) {
		text := strings.TrimSpace(line)
		switch {
		case isEach(text) && open != "":
			return "", fmt.Errorf("shaders: %s: %q stands inside %q", name, text, open)
		case isEach(text):
			open = text
		case text == endLine && open == "":
			return "", fmt.Errorf("shaders: %s: #end without #each", name)
		case text == endLine:
			letter, times, _ := each(open)
			if constants == nil {
				constants = constantsOf(source)
			}
			count, ok := numberOf(times, constants)
			if !ok || count < 0 {
				return "", fmt.Errorf("shaders: %s: %q: %s is neither a number nor a u32 constant", name, open, times)
			}
			for i := range count {
				out.WriteString(strings.ReplaceAll(block.String(), "$"+letter, strconv.Itoa(i)))
			}
			open = ""
			block.Reset()
		case open != "":
			block.WriteString(line)
		default:
			out.WriteString(line)
		}
	}
	if open != "" {
		return "", fmt.Errorf("shaders: %s: %q has no #end", name, open)
	}
	return out.String(), nil
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
	var text strings.Builder
	copied := 0
	for code := scan(k.text); len(code) > 0; code = code[1:] {
		m, ok := code.match("var", "<", "storage", ",", "read", ">", word, ":", "array", "<", word, ">")
		if ok && m[1] != "i32" {
			read := code[4]
			text.WriteString(k.text[copied:read.at] + "read_write")
			copied = read.at + len(read.text)
		}
	}
	k = k.edited(text.String() + k.text[copied:])
	for i := range k.Storage {
		if k.Storage[i].Type != "i32" {
			k.Storage[i].Write = true
		}
	}
	return k
}

// Quads returns the kernel over quads of numbers instead of numbers: E, an alias of f32 in its text, becomes vec4f.
// The host gives sizes in quads.
func (k Kernel) Quads() Kernel {
	if !strings.Contains(k.text, number) {
		panic("shaders: " + k.Name + " has no element type E")
	}
	return k.edited(strings.NewReplacer(number, quad, integer, integers, same, sum).Replace(k.text))
}

const (
	number   = "alias E = f32;"
	quad     = "alias E = vec4f;"
	integer  = "alias I = i32;\nalias U = u32;"
	integers = "alias I = vec4i;\nalias U = vec4u;"
	same     = "fn sumE(x : E) -> f32 { return x; }"
	sum      = "fn sumE(x : E) -> f32 { return dot(x, E(1.0)); }"
)

// Set returns the kernel with another value of a constant, `const NAME : u32 = 8u;` in its text, for kernels that are
// right with any: the workgroup size W, which adapters differ about, or a switch between two forms, which a software
// adapter would compute both of, one for nothing, were it a parameter; or how often an #each stands there.
func (k Kernel) Set(name string, value int) Kernel {
	before, rest, found := strings.Cut(k.text, "\nconst "+name+" : u32 = ")
	_, after, ended := strings.Cut(rest, ";")
	if !found || !ended || strings.Contains(after, "\nconst "+name+" :") {
		panic("shaders: " + k.Name + " has no constant " + name)
	}
	k = k.edited(before + fmt.Sprintf("\nconst %s : u32 = %du;", name, value) + after)
	if name == "W" {
		if k.Workgroup[1]*k.Workgroup[2] != 1 {
			panic("shaders: " + k.Name + " has more than one dimension")
		}
		k.Workgroup[0] = value
	}
	return k
}
