package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// plainLoops is the source of package vec that is compiled: its plain loops, vectors in place of float32.
type plainLoops struct {
	functions map[string]*ast.FuncDecl
	info      types.Info // of expressions: their types, and what constants are worth
	names     []string   // of loops, as they stand in the files
}

func readLoops(folder string) (*plainLoops, error) {
	p := &plainLoops{functions: map[string]*ast.FuncDecl{},
		info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}}
	var parsed []*ast.File
	set := token.NewFileSet()
	for _, name := range []string{"consts.go", "loops.go", "loops_norm.go", "loops_heads.go"} {
		file, err := parser.ParseFile(set, filepath.Join(folder, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				p.functions[d.Name.Name] = d
				if name, ok := strings.CutSuffix(d.Name.Name, "Go"); ok {
					p.names = append(p.names, name)
				}
			}
		}
	}
	config := types.Config{Importer: importer.ForCompiler(set, "source", nil)}
	_, err := config.Check("vec", set, parsed, &p.info)
	return p, err
}

// fields are those of a struct type.
func (p *plainLoops) fields(t ast.Expr) (names []string) {
	s := p.info.TypeOf(t).Underlying().(*types.Struct)
	for f := range s.Fields() {
		names = append(names, f.Name())
	}
	return names
}

// isWhole reports whether an expression is of integers.
func (p *plainLoops) isWhole(e ast.Expr) bool {
	t, ok := p.info.TypeOf(e).(*types.Basic)
	return ok && t.Info()&types.IsInteger != 0
}
