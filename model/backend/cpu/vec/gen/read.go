package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// plainLoops is the source of package vec that is compiled: its plain loops, vectors in place of float32.
type plainLoops struct {
	functions map[string]*ast.FuncDecl
	info      types.Info // of expressions: their types, and what constants are worth
	names     []string   // of loops, as they stand in the files
}

func readLoops(folder string) (*plainLoops, error) {
	p := &plainLoops{functions: map[string]*ast.FuncDecl{}, info: types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
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

func (p *plainLoops) loops() (all []*loop) {
	for _, name := range p.names {
		all = append(all, p.read(name, 0))
	}
	return all
}

// A value is what a name stands for: the result of an op, or a part of a slice.
type value struct {
	op    *op
	not   bool // a mask's opposite
	place place
}

// A reader makes the ops of a loop out of its text. The order of the text stays the order of loads and stores.
type reader struct {
	*plainLoops
	*loop
	newton  int
	vars    map[string]value
	sum     map[string]*sum // accumulators by name
	index   string          // of the loop over elements; none: outside
	element map[place]*op   // what the elements are by now
	stored  map[place]*op   // the last store of each
	same    map[string]*op  // ops that compute the same are one
}

// read makes a loop of the plain function nameGo; inverses are estimates with that many of Newton's steps.
func (p *plainLoops) read(name string, newton int) *loop {
	f := p.functions[name+"Go"]
	r := &reader{plainLoops: p, loop: &loop{name: name, doc: f.Doc}, newton: newton, vars: map[string]value{},
		sum: map[string]*sum{}, element: map[place]*op{}, stored: map[place]*op{}, same: map[string]*op{}}
	signature := p.typeOf(f)
	for v := range signature.Params().Variables() {
		switch name := v.Name(); v.Type().String() {
		case "int":
			r.lengths = append(r.lengths, name)
		case "float32":
			r.vars[name] = value{op: r.add(op{kind: opNumber, place: place{slice: len(r.numbers)}})}
			r.numbers = append(r.numbers, name)
		default:
			r.vars[name] = value{place: place{slice: len(r.slices)}}
			r.slices = append(r.slices, name)
		}
	}
	for v := range signature.Results().Variables() {
		r.results = append(r.results, v.Type().String())
		if v.Name() != "" {
			r.declareSum(v.Name(), 0)
		}
	}
	r.statements(f.Body.List)
	r.drop()
	return r.loop
}

func (p *plainLoops) typeOf(f *ast.FuncDecl) *types.Signature {
	return p.info.Defs[f.Name].Type().(*types.Signature)
}

// refusal is what a panic says of a loop that the generator does not know how to compile.
func (r *reader) refusal(n ast.Node, why string) string {
	return fmt.Sprintf("%sGo: %T: %s", r.name, n, why)
}

// add appends an op, or finds the one that computes the same.
func (r *reader) add(o op) *op {
	o.fixed = o.kind == opConst || o.kind == opNumber
	if o.kind >= opCopy {
		o.fixed = !slices.ContainsFunc(o.args, func(a *op) bool { return !a.fixed })
	}
	key := fmt.Sprint(o.kind, o.args, o.bits, o.place)
	if old := r.same[key]; old != nil && o.kind != opLoad && o.kind != opStore {
		return old
	}
	r.ops = append(r.ops, &o)
	r.same[key] = &o
	return &o
}

func (r *reader) make(k kind, args ...*op) *op { return r.add(op{kind: k, args: args}) }

func (r *reader) bits(b uint32) *op { return r.add(op{kind: opConst, bits: b}) }

func (r *reader) declareSum(name string, init uint32) {
	was := r.add(op{kind: opSum, place: place{slice: len(r.sums)}})
	r.sum[name], r.vars[name] = &sum{init: init, was: was, next: was}, value{op: was}
	r.sums = append(r.sums, r.sum[name])
}

// statements reads statements, and returns what they do.
func (r *reader) statements(list []ast.Stmt) []value {
	for i, s := range list {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			return r.values(s.Results)
		case *ast.AssignStmt:
			r.assign(s, nil)
		case *ast.DeclStmt:
			for _, n := range s.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Names {
				r.declareSum(n.Name, 0)
			}
		case *ast.ExprStmt: // another loop
			r.values([]ast.Expr{s.X})
		case *ast.ForStmt: // several elements a turn, for plain Go alone; the loop behind it says what each adds
		case *ast.RangeStmt:
			r.ranged(s)
		case *ast.IfStmt:
			mask := r.expr(s.Cond)
			outer := r.vars
			r.vars = maps.Clone(outer)
			if _, ok := s.Body.List[len(s.Body.List)-1].(*ast.ReturnStmt); ok {
				yes := r.statements(s.Body.List)
				r.vars = outer
				no := r.statements(list[i+1:])
				for k := range yes {
					yes[k] = r.choose(mask, yes[k], no[k])
				}
				return yes
			}
			for _, b := range s.Body.List {
				r.assign(b.(*ast.AssignStmt), &mask)
			}
			for _, k := range slices.Sorted(maps.Keys(outer)) {
				if v, now := outer[k], r.vars[k]; now != v {
					outer[k] = r.choose(mask, now, v)
				}
			}
			r.vars = outer
		default:
			panic(r.refusal(s, "unknown statement"))
		}
	}
	return nil
}

// ranged reads a loop over n elements. A second loop over them goes on where the first one ended, element by element.
func (r *reader) ranged(s *ast.RangeStmt) {
	outer := r.vars
	r.vars = maps.Clone(outer)
	r.index = s.Key.(*ast.Ident).Name
	if s.Value != nil {
		r.vars[s.Value.(*ast.Ident).Name] = value{op: r.load(r.expr(s.X).place)}
	}
	r.statements(s.Body.List)
	r.index = ""
	for name, sum := range r.sum {
		if _, ok := outer[name]; ok && r.vars[name].op != sum.next {
			sum.next, sum.join = r.vars[name].op, opAdd
			if sum.next.kind == opMax {
				sum.join = opMax
			}
		}
	}
	r.vars = outer
}

// multiple is how many times n, or m, an index or a slice's lower bound has.
func (r *reader) multiple(e ast.Expr) int {
	switch e := e.(type) {
	case nil:
		return 0
	case *ast.Ident:
		return 1
	case *ast.BinaryExpr:
		k, _ := constant.Int64Val(r.info.Types[e.X].Value)
		return int(k)
	}
	panic(r.refusal(e, "not a multiple of n"))
}

func (r *reader) load(at place) *op {
	if r.element[at] == nil {
		r.element[at] = r.add(op{kind: opLoad, place: at})
	}
	return r.element[at]
}

func (r *reader) store(at place, v *op) {
	if old := r.stored[at]; old != nil {
		old.args = nil // nobody sees it
	}
	if v.fixed {
		v = &op{kind: opCopy, args: []*op{v}}
		r.ops = append(r.ops, v)
	}
	r.element[at] = v
	r.stored[at] = r.add(op{kind: opStore, args: []*op{v}, place: at})
}

// at is the element that x[j] or x[n+j] means.
func (r *reader) at(e *ast.IndexExpr) place {
	p := r.vars[e.X.(*ast.Ident).Name].place
	if b, ok := e.Index.(*ast.BinaryExpr); ok {
		p.part += r.multiple(b.X)
	} else if e.Index.(*ast.Ident).Name != r.index {
		panic(r.refusal(e, "not the loop's element"))
	}
	return p
}

// choose is yes where the mask is set and no elsewhere.
func (r *reader) choose(mask, yes, no value) value {
	if mask.not {
		yes, no = no, yes
	}
	return value{op: r.make(opSelect, mask.op, yes.op, no.op)}
}

// values are those of expressions, several where one call has them.
func (r *reader) values(list []ast.Expr) (out []value) {
	if call, ok := list[0].(*ast.CallExpr); ok && len(list) == 1 {
		if f := r.functions[funcName(call)]; f != nil && f.Name.Name != approximate {
			return r.call(f, call.Args)
		}
	}
	for _, e := range list {
		out = append(out, r.expr(e))
	}
	return out
}

// assign reads an assignment; elements are stored where the mask, if there is one, is set. A constant that a variable
// starts from, outside the loop, makes it a sum.
func (r *reader) assign(s *ast.AssignStmt, mask *value) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		op := map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB,
			token.MUL_ASSIGN: token.MUL}[s.Tok]
		s = &ast.AssignStmt{Lhs: s.Lhs, Rhs: []ast.Expr{&ast.BinaryExpr{X: s.Lhs[0], Op: op, Y: s.Rhs[0]}}}
	}
	for i, v := range r.values(s.Rhs) {
		switch l := s.Lhs[i].(type) {
		case *ast.Ident:
			switch {
			case r.index == "" && s.Tok == token.DEFINE && v.op != nil && v.op.kind == opConst:
				r.declareSum(l.Name, v.op.bits)
			case l.Name != "_":
				r.vars[l.Name] = v
			}
		case *ast.IndexExpr:
			to := r.at(l)
			if mask != nil {
				v = r.choose(*mask, v, value{op: r.load(to)})
			}
			r.store(to, v.op)
		}
	}
}

// call reads a function, or another loop, in place.
func (r *reader) call(f *ast.FuncDecl, args []ast.Expr) []value {
	given := map[string]value{}
	for i, a := range args {
		if name := r.typeOf(f).Params().At(i).Name(); name != "n" {
			given[name] = r.expr(a)
		}
	}
	outer := r.vars
	r.vars = given
	out := r.statements(f.Body.List)
	r.vars = outer
	return out
}

// approximate is the function whose result may be an estimate with Newton's step.
const approximate = "inversef"

func (r *reader) isWhole(e ast.Expr) bool {
	t, ok := r.info.TypeOf(e).(*types.Basic)
	return ok && t.Info()&types.IsInteger != 0
}

func (r *reader) expr(e ast.Expr) value {
	switch v := r.info.Types[e].Value; {
	case v == nil:
	case r.isWhole(e):
		n, _ := constant.Uint64Val(v)
		return value{op: r.bits(uint32(n))}
	default:
		f, _ := constant.Float32Val(v)
		return value{op: r.bits(math.Float32bits(f))}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.expr(e.X)
	case *ast.Ident:
		if v, ok := r.vars[e.Name]; ok {
			return v
		}
	case *ast.SliceExpr:
		v := r.expr(e.X)
		v.place.part += r.multiple(e.Low)
		return v
	case *ast.IndexExpr:
		return value{op: r.load(r.at(e))}
	case *ast.UnaryExpr:
		v := r.expr(e.X)
		if e.Op == token.NOT {
			v.not = !v.not
			return v
		}
		return value{op: r.make(opXor, v.op, r.bits(1<<31))}
	case *ast.BinaryExpr:
		return r.binary(e)
	case *ast.CallExpr:
		return r.callExpr(e)
	}
	panic(r.refusal(e, "unknown expression"))
}

func (r *reader) binary(e *ast.BinaryExpr) value {
	if e.Op == token.SHL {
		n, _ := constant.Uint64Val(r.info.Types[e.Y].Value)
		return value{op: r.add(op{kind: opShl, args: []*op{r.expr(e.X).op}, bits: uint32(n)})}
	}
	whole := r.isWhole(e.X) || r.isWhole(e.Y)
	x, y := r.expr(e.X).op, r.expr(e.Y).op
	switch {
	case e.Op == token.GTR:
		return value{op: r.make(opLess, y, x)}
	case e.Op == token.LSS:
		return value{op: r.make(opLess, x, y)}
	case e.Op == token.NEQ && whole:
		return value{op: r.make(opEqual, x, y), not: true}
	case e.Op == token.AND_NOT && y.kind == opConst:
		return value{op: r.make(opAnd, x, r.bits(^y.bits))}
	}
	kinds := map[token.Token]kind{token.ADD: opAdd, token.SUB: opSub, token.MUL: opMul, token.QUO: opDiv}
	if whole {
		kinds = map[token.Token]kind{token.ADD: opAddInt, token.AND: opAnd, token.OR: opOr, token.XOR: opXor}
	}
	k, ok := kinds[e.Op]
	if !ok {
		panic(r.refusal(e, e.Op.String()))
	}
	return value{op: r.make(k, x, y)}
}

// funcName is a function's name without that of its package.
func funcName(e *ast.CallExpr) string {
	name := types.ExprString(e.Fun)
	return name[strings.LastIndexByte(name, '.')+1:]
}

func (r *reader) callExpr(e *ast.CallExpr) value {
	name := funcName(e)
	arg := func(i int) *op { return r.expr(e.Args[i]).op }
	switch name {
	case "float32", "float64", "Float32bits", "Float32frombits": // lanes stay as they are
		return r.expr(e.Args[0])
	case "Sqrt": // of a float32, and rounded to one: the float64 between changes no bit
		return value{op: r.make(opSqrt, arg(0))}
	case approximate: // an estimate has Newton's steps, y(2 − a·y)
		a := arg(0)
		y := r.make(opInverse, a)
		for range r.newton {
			y = r.make(opMul, y, r.add(op{kind: opMulSub, args: []*op{a, y, r.bits(math.Float32bits(2))}}))
		}
		return value{op: y}
	case "min", "max":
		k, x, y := opMin, arg(0), arg(1)
		if name == "max" {
			k = opMax
		}
		if y.fixed { // where either is a NaN the second one stays
			x, y = y, x
		}
		return value{op: r.make(k, x, y)}
	case "Inf":
		sign, _ := constant.Int64Val(r.info.Types[e.Args[0]].Value)
		return value{op: r.bits(math.Float32bits(float32(math.Inf(int(sign)))))}
	}
	f := r.functions[name]
	if f == nil || strings.HasSuffix(name, "Go") {
		panic(r.refusal(e, name))
	}
	return r.call(f, e.Args)[0]
}
