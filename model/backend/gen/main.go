// Command gen writes generated.go of package backend: the list of kernels, what Around does of each, and for each
// argument struct On and Check. It reads the interfaces of backend.go for the kernels, and the remarks on fields for
// the checks:
//
//	[M, 2N]        a window, or an index, that is given and holds as many numbers; · stands for any number
//	optional       it need not be given
//	given with X   it is given where X is; "given without X": where X is not
//	at least 1     of a number
//
// A size is a field, a method or a constant by its name; rows are those of Seq, S is how many sequences it covers, H
// the number of heads and d a head's width. A method "also" of an argument struct, or of one that it embeds, checks
// what no remark says, before the windows.
//
// Run go generate ./model/backend.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// source is what is read of package backend.
type source struct {
	interfaces map[string]*ast.InterfaceType
	structs    map[string]*ast.StructType
	methods    map[string]bool // as in "Cell.also"
	constants  map[string]bool
}

func read(folder string) (*source, error) {
	s := &source{interfaces: map[string]*ast.InterfaceType{}, structs: map[string]*ast.StructType{},
		methods: map[string]bool{}, constants: map[string]bool{}}
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if filepath.Base(path) == file || strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.TypeSpec:
				switch of := x.Type.(type) {
				case *ast.InterfaceType:
					s.interfaces[x.Name.Name] = of
				case *ast.StructType:
					s.structs[x.Name.Name] = of
				}
			case *ast.FuncDecl:
				if x.Recv != nil {
					s.methods[typeName(x.Recv.List[0].Type)+"."+x.Name.Name] = true
				}
				return false
			case *ast.GenDecl:
				for _, spec := range x.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && x.Tok == token.CONST {
						for _, name := range v.Names {
							s.constants[name.Name] = true
						}
					}
				}
			}
			return true
		})
	}
	return s, nil
}

func typeName(t ast.Expr) string { return strings.TrimPrefix(types.ExprString(t), "*") }

// kernels are the methods of an interface of which each takes the struct of its name.
func (s *source) kernels(group string) (names []string) {
	for _, m := range s.interfaces[group].Methods.List {
		if len(m.Names) == 1 && s.structs[m.Names[0].Name] != nil {
			names = append(names, m.Names[0].Name)
		}
	}
	return names
}

// size is what a word of a shape stands for among the fields of a struct.
func (s *source) size(of, word string) string {
	first, _, _ := strings.Cut(word, ".")
	short := map[string]string{"rows": "a.Seq.Rows", "S": "(a.Seq.Hi-a.Seq.Lo)"}
	switch {
	case s.has(of, first):
		return "a." + word
	case s.constants[word]:
		return word
	case short[word] != "":
		return short[word]
	case word == "H" && s.has(of, "Heads"):
		return "a.Heads"
	case word == "H" && s.has(of, "Head"):
		return "a.Head"
	case word == "d" && s.has(of, "D"):
		return "a.D"
	case word == "d":
		return "(a.N/" + s.size(of, "H") + ")"
	case s.method(of, word):
		return "a." + word + "()"
	}
	log.Fatalf("%s: a shape has the size %q, which is no field, method or constant", of, word)
	return ""
}

// has reports whether a struct has a field, its own or one that it embeds.
func (s *source) has(of, name string) bool {
	for _, f := range s.structs[of].Fields.List {
		if len(f.Names) == 0 && s.has(typeName(f.Type), name) ||
			slices.ContainsFunc(f.Names, func(x *ast.Ident) bool { return x.Name == name }) {
			return true
		}
	}
	return false
}

func (s *source) method(of, name string) bool {
	return s.methods[of+"."+name] || slices.ContainsFunc(s.structs[of].Fields.List, func(f *ast.Field) bool {
		return len(f.Names) == 0 && s.method(typeName(f.Type), name)
	})
}

var (
	shape     = regexp.MustCompile(`\[([^\]]*)\]`)
	word      = regexp.MustCompile(`[A-Za-z][\w.]*`)
	factor    = regexp.MustCompile(`(\d)([A-Za-z])`)
	condition = regexp.MustCompile(`given (with|without) (\w+)`)
)

// count is the number of elements that a remark asks for.
func (s *source) count(of, remark string) string {
	m := shape.FindStringSubmatch(remark)
	if m == nil || strings.Contains(m[1], "·") {
		return "0"
	}
	x := factor.ReplaceAllString(strings.ReplaceAll(m[1], ", ", "*"), "$1*$2")
	return word.ReplaceAllStringFunc(x, func(w string) string { return s.size(of, w) })
}

// checks writes the checks of a struct's fields. of is the argument struct, at the place of the fields in it.
func (s *source) checks(of, at string, fields *ast.FieldList, out *bytes.Buffer) {
	for _, f := range fields.List {
		kind, remark := typeName(f.Type), f.Doc.Text()+f.Comment.Text()
		for _, name := range f.Names {
			field := at + name.Name
			call := fmt.Sprintf("(k, %q, a.%s, %s)", field, field, s.count(of, remark))
			switch {
			case kind != "Vec" && kind != "Index":
				if inner := s.structs[kind]; inner != nil && !s.methods[kind+".check"] {
					s.checks(of, field+".", inner.Fields, out)
				}
				continue
			case kind == "Index":
				call = "needInts" + call
			case strings.Contains(remark, "optional"):
				call = "maybe" + call
			default:
				call = "need" + call
			}
			if given := condition.FindStringSubmatch(remark); given != nil {
				not := map[string]string{"without": "!"}[given[1]]
				call = fmt.Sprintf("if %sa.%s.Given() {\n%s\n}", not, given[2], call)
			}
			fmt.Fprintln(out, call)
		}
	}
}

// check writes all checks of a struct: those of what it embeds, of its numbers, what no remark says, of its windows.
func (s *source) check(name string, out *bytes.Buffer) {
	fields := s.structs[name].Fields
	for _, f := range fields.List {
		kind := typeName(f.Type)
		switch {
		case len(f.Names) == 0:
			fmt.Fprintf(out, "a.%s.check(k)\n", kind)
		case strings.Contains(f.Comment.Text(), "at least 1"):
			for _, x := range f.Names {
				fmt.Fprintf(out, "positive(k, %q, a.%s)\n", x.Name, x.Name)
			}
		case s.methods[kind+".check"]:
			fmt.Fprintf(out, "a.%s.check(k)\n", f.Names[0].Name)
		}
	}
	if s.methods[name+".also"] {
		fmt.Fprintln(out, "a.also(k)")
	}
	s.checks(name, "", fields, out)
}

const file = "generated.go"

// calls is the text of generated.go.
func calls(folder string) ([]byte, error) {
	s, err := read(folder)
	if err != nil {
		return nil, err
	}
	var list, around, methods bytes.Buffer
	var embedded []string
	for _, group := range []string{"Base", "CSP", "Baseline"} {
		b := map[bool]string{false: "b", true: "b.(Baseline)"}[group == "Baseline"]
		for _, name := range s.kernels(group) {
			fmt.Fprintf(&list, "%s{},\n", name)
			fmt.Fprintf(&around, "func (x Around) %s(a %s) { x.Do(a) }\n", name, name)
			fmt.Fprintf(&methods, `
// On enqueues the call on b.
func (a %[1]s) On(b Backend) { %[2]s.%[1]s(a) }

// Check panics on a shape that does not fit.
func (a %[1]s) Check() {
	const k = %[1]q
`, name, b)
			s.check(name, &methods)
			fmt.Fprintln(&methods, "}")
			for _, f := range s.structs[name].Fields.List {
				if kind := typeName(f.Type); len(f.Names) == 0 && !slices.Contains(embedded, kind) {
					embedded = append(embedded, kind)
				}
			}
		}
	}
	for _, name := range embedded {
		fmt.Fprintf(&methods, "\nfunc (a %s) check(k string) {\n", name)
		s.check(name, &methods)
		fmt.Fprintln(&methods, "}")
	}
	return format.Source(fmt.Appendf(nil, `// Code generated by go generate ./model/backend; DO NOT EDIT.

package backend

// Calls is the list of kernels, each as a call without arguments.
func Calls() []Call {
	return []Call{
		%s}
}

%s
%s`, &list, &around, &methods))
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	text, err := calls(".")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		log.Fatal(err)
	}
}
