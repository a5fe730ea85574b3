package main

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"strings"
)

// plainLoops is the source of package vec that is compiled: its plain loops, vectors in place of float32.
type plainLoops struct {
	functions map[string]*ast.FuncDecl
	constants map[string]constant.Value
	fields    []string // of AdamCoef
	names     []string // of loops, as they stand in the files
}

func readLoops(folder string) (*plainLoops, error) {
	p := &plainLoops{functions: map[string]*ast.FuncDecl{}, constants: map[string]constant.Value{}}
	for _, name := range []string{"consts.go", "loops.go", "loops_norm.go", "loops_heads.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				p.functions[d.Name.Name] = d
				if name, ok := strings.CutSuffix(d.Name.Name, "Go"); ok {
					p.names = append(p.names, name)
				}
			case *ast.GenDecl:
				p.declare(d)
			}
		}
	}
	return p, nil
}

// declare notes constants and the fields of AdamCoef.
func (p *plainLoops) declare(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.ValueSpec:
			for i, v := range s.Values {
				if x := p.constant(v); d.Tok == token.CONST && x != nil {
					p.constants[s.Names[i].Name] = x
				}
			}
		case *ast.TypeSpec:
			if t, ok := s.Type.(*ast.StructType); ok && s.Name.Name == "AdamCoef" {
				for _, f := range t.Fields.List {
					for _, n := range f.Names {
						p.fields = append(p.fields, n.Name)
					}
				}
			}
		}
	}
}

// constant is what e is worth, nil where that is no constant.
func (p *plainLoops) constant(e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.Ident:
		return p.constants[e.Name]
	case *ast.ParenExpr:
		return p.constant(e.X)
	case *ast.SelectorExpr:
		switch e.Sel.Name {
		case "Pi":
			return constant.MakeFloat64(math.Pi)
		case "Log2E":
			return constant.MakeFloat64(math.Log2E)
		}
	case *ast.UnaryExpr:
		if x := p.constant(e.X); x != nil {
			return constant.UnaryOp(e.Op, x, 0)
		}
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.Ident); ok && f.Name == "float32" {
			return p.constant(e.Args[0])
		}
	case *ast.BinaryExpr:
		x, y := p.constant(e.X), p.constant(e.Y)
		if x == nil || y == nil {
			return nil
		}
		if e.Op == token.SHL {
			n, _ := constant.Uint64Val(y)
			return constant.Shift(constant.ToInt(x), e.Op, uint(n))
		}
		return constant.BinaryOp(x, e.Op, y)
	}
	return nil
}
