// Package shaders holds every kernel as WGSL, resolves the imports among them and reads from their text what a host
// must know: bindings, parameters and workgroup size stand in the .wgsl files alone.
//
// WGSL has the lines of these files that begin with # from here:
//
//	#import "shared/x.wgsl"    that file, once per kernel however often it is named
//	#params n, rows : u32      fields of the uniform block p, binding 0, in their order: u32, i32, f32 or, as
//	                           array<vec4u, 12>, what the host gives a list of numbers for
//	#read x, ints : f32        storage bindings from 1 on, in their order: arrays of that element
//	#write y : f32             likewise, read and written
//	#each g 8 … #end           the lines between eight times, with 0 to 7 for $g: WGSL has no arrays of registers, so a
//	                           kernel that keeps a row's sum in each of eight registers must name eight variables
package shaders

import (
	"embed"
	"errors"
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
	text      string // Source before the lines with # are made WGSL
	writable  bool
	Entry     string
	Workgroup [3]int
	Params    []Param   // in the order of the uniform block
	Storage   []Binding // binding number is index + 1
}

// files are the kernels and what they import.
//
//go:embed *.wgsl shared/*.wgsl
var files embed.FS

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
	if err := k.expand(); err != nil {
		return Kernel{}, fmt.Errorf("shaders: %s: %w", name, err)
	}
	const mark = "@compute @workgroup_size("
	if n := strings.Count(k.Source, mark); n != 1 {
		return Kernel{}, fmt.Errorf("shaders: %s has %d entry points, one is needed", name, n)
	}
	_, entry, _ := strings.Cut(k.Source, mark)
	size, entry, _ := strings.Cut(entry, ")")
	entry, _, _ = strings.Cut(entry, "(")
	k.Entry = strings.TrimPrefix(strings.TrimSpace(entry), "fn ")
	k.Workgroup = [3]int{1, 1, 1}
	for i, s := range strings.Split(size, ",") {
		n, ok := numberOf(strings.TrimSpace(s), constantsOf(k.Source))
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
	for line := range strings.Lines(source) {
		if rest, ok := strings.CutPrefix(line, "const "); ok {
			declared, _, _ := strings.Cut(rest, ";")
			if name, value, ok := strings.Cut(declared, " : u32 = "); ok {
				constants[name] = value
			}
		}
	}
	return constants
}

// edited is the kernel with another text.
func (k Kernel) edited(text string) Kernel {
	k.text = text
	if err := k.expand(); err != nil {
		panic("shaders: " + k.Name + ": " + err.Error())
	}
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

// parameter adds one to the uniform block, as WGSL places them: numbers one after another, arrays of vec4u at
// multiples of 16 bytes.
func (k *Kernel) parameter(name, kind string, constants map[string]string) error {
	p := Param{Name: name, Type: kind, Words: 1}
	if len(k.Params) > 0 {
		last := k.Params[len(k.Params)-1]
		p.At = last.At + last.Words
	}
	length, array := strings.CutPrefix(strings.TrimSuffix(kind, ">"), "array<vec4u, ")
	n, ok := numberOf(length, constants)
	switch {
	case kind == "u32" || kind == "i32" || kind == "f32":
	case array && ok:
		p.Type, p.At, p.Words = "u32", (p.At+3)/4*4, 4*n
	default:
		return fmt.Errorf("parameter %s is neither u32, i32, f32 nor an array of that many vec4u", name)
	}
	k.Params = append(k.Params, p)
	return nil
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
		out.WriteString(line)
	}
	done[path] = true
	return nil
}

// each reads a line "#each i 8": the letter, and how often, or the name of a constant.
func each(line string) (name, times string, ok bool) {
	rest, ok := strings.CutPrefix(line, "#each ")
	name, times, cut := strings.Cut(rest, " ")
	return name, times, ok && cut && len(name) == 1 && name >= "a" && name <= "z"
}

// expand makes Source, Params and Storage of text. One #each does not stand in another, nor a declaration in one.
func (k *Kernel) expand() error {
	var out, block, fields strings.Builder
	open := "" // the #each whose #end has not come
	constants := constantsOf(k.text)
	k.Params, k.Storage = nil, nil
	for line := range strings.Lines(k.text) {
		text := strings.TrimSpace(line)
		_, _, begins := each(text)
		word, rest, _ := strings.Cut(text, " ")
		rest, _, _ = strings.Cut(rest, "//")
		list, kind, typed := strings.Cut(rest, " : ")
		names, kind := strings.Split(list, ", "), strings.TrimSpace(kind)
		switch {
		case begins && open != "":
			return fmt.Errorf("%q stands inside %q", text, open)
		case begins:
			open = text
		case text == "#end" && open == "":
			return errors.New("#end without #each")
		case text == "#end":
			letter, times, _ := each(open)
			count, ok := numberOf(times, constants)
			if !ok || count < 0 {
				return fmt.Errorf("%q: %s is neither a number nor a u32 constant", open, times)
			}
			for i := range count {
				out.WriteString(strings.ReplaceAll(block.String(), "$"+letter, strconv.Itoa(i)))
			}
			open = ""
			block.Reset()
		case open != "":
			block.WriteString(line)
		case typed && word == "#params":
			for _, name := range names {
				if err := k.parameter(name, kind, constants); err != nil {
					return err
				}
				fmt.Fprintf(&fields, "  %s : %s,\n", name, kind)
			}
		case typed && word == "#read":
			k.bind(&out, names, kind, k.writable && kind != "i32")
		case typed && word == "#write":
			k.bind(&out, names, kind, true)
		case strings.HasPrefix(text, "#"):
			return fmt.Errorf("%q is no line that is known", text)
		default:
			out.WriteString(line)
		}
	}
	if open != "" {
		return fmt.Errorf("%q has no #end", open)
	}
	if len(k.Params) == 0 {
		return errors.New("no parameters: a uniform block has one at least")
	}
	fmt.Fprintf(&out, "\nstruct Params {\n%s}\n\n@group(0) @binding(0) var<uniform> p : Params;\n", &fields)
	k.Source = out.String()
	return nil
}

// bind declares the next storage bindings.
func (k *Kernel) bind(out *strings.Builder, names []string, element string, write bool) {
	access := "read"
	if write {
		access = "read_write"
	}
	for _, name := range names {
		k.Storage = append(k.Storage, Binding{Name: name, Type: element, Write: write})
		fmt.Fprintf(out, "@group(0) @binding(%d) var<storage, %s> %s : array<%s>;\n",
			len(k.Storage), access, name, element)
	}
}

// imported is the file that an import line names.
func imported(line string) (file string, ok bool) {
	quoted, ok := strings.CutPrefix(strings.TrimSpace(line), "#import ")
	file, err := strconv.Unquote(quoted)
	return file, ok && err == nil
}

// Writable returns the kernel with every floating-point binding declared read_write: WebGPU lets a buffer be bound in
// one dispatch either for reading or for writing, so this is the form for calls whose inputs and outputs lie in
// different windows of one buffer.
func (k Kernel) Writable() Kernel {
	k.writable = true
	return k.edited(k.text)
}

// Quads returns the kernel over quads of numbers instead of numbers: E, an alias of f32 in its text, becomes vec4f.
// The host gives sizes in quads.
func (k Kernel) Quads() Kernel {
	if !strings.Contains(k.text, number) {
		panic("shaders: " + k.Name + " has no element type E")
	}
	return k.edited(strings.NewReplacer(number, "alias E = vec4f;",
		"alias I = i32;\nalias U = u32;", "alias I = vec4i;\nalias U = vec4u;",
		"fn sumE(x : E) -> f32 { return x; }", "fn sumE(x : E) -> f32 { return dot(x, E(1.0)); }").Replace(k.text))
}

const number = "alias E = f32;"

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
