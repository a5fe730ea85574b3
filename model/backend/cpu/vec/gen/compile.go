package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// plainLoops is the source of package vec that is compiled for WebAssembly: its plain loops, vectors of four in place
// of float32. An element goes through the same operations in the same order, so it has the same bits.
type plainLoops struct {
	functions map[string]*ast.FuncDecl
	constants map[string]constant.Value
	fields    []string // of AdamCoef
}

func readLoops(folder string) (*plainLoops, error) {
	p := &plainLoops{functions: map[string]*ast.FuncDecl{}, constants: map[string]constant.Value{}}
	for _, name := range []string{"consts.go", "vec.go", "portable.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				p.functions[d.Name.Name] = d
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

// value is what a name stands for: a local with a vector, or a part of a slice.
type value struct {
	local int
	whole bool // lanes of int32
	slice bool // local is the pointer, part the offset in multiples of n
	part  int
}

// compiler makes one function out of a plain loop. Its argument points at a command: the function's number, the
// command's size, n and the number of rows, a pointer for each slice and one for the numbers, then as many distances
// in bytes, by which a pointer goes on from row to row.
type compiler struct {
	*plainLoops
	code      // of what is being compiled
	before    code
	known     map[uint32]int // locals that hold a constant's bits in every lane
	parts     map[[2]int]int // locals with the pointer to a part of a slice
	vars      map[string]value
	index     string // of the loop
	tail      bool   // one lane at a time
	ints      int    // locals in use
	vectors   int
	most      int // locals that were in use
	functions map[string]*ast.FuncDecl
}

const (
	lArgs   = iota
	lN      // bytes
	lRows   // left
	lI      // bytes
	lEnd    // of whole vectors
	lFirst  // of the pointers
	lInts   = 40
	lConsts = lInts      // vectors: constants and numbers
	lValues = lInts + 48 // the rest
)

// headWords is how many words of a command come before its pointers.
const headWords = 4

// loop compiles a plain loop; its parameters are n, slices and numbers.
func (p *plainLoops) loop(name string) []byte {
	c := &compiler{plainLoops: p, functions: p.functions, known: map[uint32]int{}, parts: map[[2]int]int{},
		vars: map[string]value{}, ints: lFirst, vectors: lValues, most: lValues}
	f := p.functions[name]
	var pointers, numbers []string
	coef := false
	for _, field := range f.Type.Params.List {
		for _, n := range field.Names {
			switch field.Type.(type) {
			case *ast.ArrayType:
				pointers = append(pointers, n.Name)
			case *ast.StarExpr:
				coef = true
			case *ast.Ident:
				if n.Name != "n" {
					numbers = append(numbers, n.Name)
				}
			}
		}
	}
	load := func(i int) { // the word i of the command
		c.before.get(lArgs)
		c.before.op(0x28)
		c.before.at(2, 4*i)
	}
	for i, n := range pointers {
		load(headWords + i)
		c.before.set(c.ints)
		c.vars[n] = value{local: c.ints, slice: true}
		c.ints++
	}
	count := len(pointers)
	if coef || len(numbers) > 0 {
		at := c.ints
		c.ints++
		load(headWords + count)
		c.before.set(at)
		number := func(name string, i int) {
			c.before.get(at)
			c.before.vector(9) // v128.load32_splat
			c.before.at(2, 4*i)
			c.vars[name] = value{local: c.constLocal()}
			c.before.set(c.vars[name].local)
		}
		for i, n := range numbers {
			number(n, i)
		}
		for i, n := range p.fields {
			if coef {
				number("k."+n, i)
			}
		}
		count++
	}
	c.block(f.Body.List)
	x := &code{}
	x.op(2)
	x.op(leb(lInts - 1)...)
	x.op(i32)
	x.op(leb(c.most - lInts)...)
	x.op(v128)
	word := func(i, to, shift int) {
		x.get(lArgs)
		x.op(0x28)
		x.at(2, 4*i)
		if shift > 0 {
			x.number(shift)
			x.op(0x74)
		}
		x.set(to)
	}
	word(2, lN, 2)
	word(3, lRows, 0)
	x.get(lN)
	x.number(-16)
	x.op(and)
	x.set(lEnd)
	x.repeat(lRows, func() {
		x.op(c.before...)
		x.op(c.code...)
		for i := range count {
			x.get(lArgs)
			x.get(lArgs)
			x.op(0x28)
			x.at(2, 4*(headWords+i))
			x.get(lArgs)
			x.op(0x28)
			x.at(2, 4*(headWords+count+i))
			x.op(plus, 0x36)
			x.at(2, 4*(headWords+i))
		}
		x.move(lRows, -1)
	})
	x.op(0x0b)
	return *x
}

func (c *compiler) fail(n ast.Node, why string) {
	panic(fmt.Sprintf("wide loop: %T: %s", n, why)) // a loop that the generator does not know how to compile
}

// constLocal is a local that keeps its value all through the loops of a row.
func (c *compiler) constLocal() int {
	n := lConsts + len(c.known)
	c.known[uint32(0xffc00000)+uint32(len(c.known))] = n // a key that no constant has
	if n >= lValues {
		panic("wide loop: too many constants")
	}
	return n
}

// bits pushes a constant, in every lane.
func (c *compiler) bits(b uint32) {
	at, ok := c.known[b]
	if !ok {
		at = lConsts + len(c.known)
		c.known[b] = at
		c.before.op(0x41)
		c.before.op(signed(int32(b))...)
		c.before.vector(17) // i32x4.splat
		c.before.set(at)
	}
	c.get(at)
}

// signed is a number in LEB128.
func signed(n int32) (out []byte) {
	for {
		b := byte(n & 127)
		n >>= 7
		if n == 0 && b&64 == 0 || n == -1 && b&64 != 0 {
			return append(out, b)
		}
		out = append(out, b|128)
	}
}

func (c *compiler) fresh() int {
	c.vectors++
	c.most = max(c.most, c.vectors)
	return c.vectors - 1
}

// block compiles the statements outside loops.
func (c *compiler) block(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			var made []value
			for _, e := range s.Rhs {
				made = append(made, c.outside(e))
			}
			for i, l := range s.Lhs {
				c.vars[l.(*ast.Ident).Name] = made[i]
			}
		case *ast.DeclStmt:
			c.declare(s.Decl.(*ast.GenDecl))
		case *ast.ExprStmt: // another loop
			call := s.X.(*ast.CallExpr)
			f, inner := c.functions[call.Fun.(*ast.Ident).Name], map[string]value{}
			i := 0
			for _, field := range f.Type.Params.List {
				for _, n := range field.Names {
					if n.Name != "n" {
						inner[n.Name] = c.outside(call.Args[i])
					}
					i++
				}
			}
			outer := c.vars
			c.vars = inner
			c.block(f.Body.List)
			c.vars = outer
		case *ast.RangeStmt:
			c.ranged(s)
		default:
			c.fail(s, "not outside a loop")
		}
	}
}

// outside is a slice, or a number that a row has once.
func (c *compiler) outside(e ast.Expr) value {
	switch e := e.(type) {
	case *ast.Ident:
		return c.vars[e.Name]
	case *ast.SliceExpr:
		v := c.vars[e.X.(*ast.Ident).Name]
		v.part += multiple(e.Low)
		return v
	}
	main := c.code
	c.code = nil
	c.expr(e)
	c.before = append(c.before, c.code...)
	c.code = main
	v := value{local: c.constLocal()}
	c.before.set(v.local)
	return v
}

// multiple is how many times n a slice's lower bound is.
func multiple(e ast.Expr) int {
	switch e := e.(type) {
	case nil:
		return 0
	case *ast.Ident:
		return 1
	case *ast.BinaryExpr:
		return int(e.X.(*ast.BasicLit).Value[0] - '0')
	}
	panic("wide loop: a slice that starts elsewhere than at a multiple of n")
}

// ranged compiles a loop over n elements: first four at a time, then one.
func (c *compiler) ranged(s *ast.RangeStmt) {
	c.number(0)
	c.set(lI)
	outer := c.vars
	first := c.vectors
	for _, end := range []int{lEnd, lN} {
		c.tail = end == lN
		c.vars, c.vectors = maps.Clone(outer), first
		c.op(0x02, 0x40, 0x03, 0x40) // block, loop
		c.get(lI)
		c.get(end)
		c.op(0x4f, 0x0d, 1) // leave where i ≥ end, unsigned
		if s.Key != nil {
			c.index = s.Key.(*ast.Ident).Name
		}
		if s.Value != nil {
			v := value{local: c.fresh()}
			c.load(c.outside(s.X))
			c.set(v.local)
			c.vars[s.Value.(*ast.Ident).Name] = v
		}
		c.inside(s.Body.List)
		step := 16
		if c.tail {
			step = 4
		}
		c.move(lI, step)
		c.op(0x0c, 0, 0x0b, 0x0b)
	}
	c.vars = outer
}

// address pushes where the present elements of a slice are.
func (c *compiler) address(v value) {
	at := v.local
	if v.part > 0 {
		key := [2]int{v.local, v.part}
		if at = c.parts[key]; at == 0 {
			at = c.ints
			c.ints++
			if c.ints > lInts {
				panic("wide loop: too many slices")
			}
			c.parts[key] = at
			c.before.get(v.local)
			c.before.get(lN)
			c.before.number(v.part)
			c.before.op(times, plus)
			c.before.set(at)
		}
	}
	c.get(at)
	c.get(lI)
	c.op(plus)
}

func (c *compiler) load(v value) {
	c.address(v)
	if c.tail {
		c.vector(92) // v128.load32_zero
	} else {
		c.vector(0)
	}
	c.at(2, 0)
}

// store writes what a local holds.
func (c *compiler) store(v value, local int) {
	c.address(v)
	c.get(local)
	if c.tail {
		c.vector(90) // v128.store32_lane
		c.at(2, 0)
		c.op(0)
	} else {
		c.vector(11)
		c.at(2, 0)
	}
}

// element is the part of a slice that x[j] or x[n+j] means.
func (c *compiler) element(e *ast.IndexExpr) value {
	v := c.vars[e.X.(*ast.Ident).Name]
	if b, ok := e.Index.(*ast.BinaryExpr); ok {
		v.part += multiple(b.X)
	} else if e.Index.(*ast.Ident).Name != c.index {
		c.fail(e, "not the loop's element")
	}
	return v
}

// inside compiles the statements of a loop or of a function that it calls, whose results it returns.
func (c *compiler) inside(list []ast.Stmt) []value {
	for i, s := range list {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			return c.results(s.Results)
		case *ast.AssignStmt:
			c.assign(s, -1)
		case *ast.IfStmt:
			if s.Init != nil {
				c.assign(s.Init.(*ast.AssignStmt), -1)
			}
			mask := c.fresh()
			c.expr(s.Cond)
			c.set(mask)
			outer := c.vars
			c.vars = maps.Clone(outer)
			if _, ok := s.Body.List[len(s.Body.List)-1].(*ast.ReturnStmt); ok {
				yes := c.inside(s.Body.List)
				c.vars = outer
				no := c.inside(list[i+1:])
				for k := range yes {
					yes[k] = c.choose(yes[k], no[k], mask)
				}
				return yes
			}
			for _, b := range s.Body.List {
				c.assign(b.(*ast.AssignStmt), mask)
			}
			for _, k := range slices.Sorted(maps.Keys(outer)) {
				if v, now := outer[k], c.vars[k]; now != v {
					outer[k] = c.choose(now, v, mask)
				}
			}
			c.vars = outer
		default:
			c.fail(s, "not inside a loop")
		}
	}
	return nil
}

// choose is yes where the mask is set and no elsewhere.
func (c *compiler) choose(yes, no value, mask int) value {
	c.get(yes.local)
	c.get(no.local)
	c.get(mask)
	c.vector(82) // v128.bitselect
	v := value{local: c.fresh(), whole: yes.whole}
	c.set(v.local)
	return v
}

// results are expressions' values, several where one call has them.
func (c *compiler) results(list []ast.Expr) (out []value) {
	if call, ok := list[0].(*ast.CallExpr); ok && len(list) == 1 {
		if f, ok := call.Fun.(*ast.Ident); ok && c.functions[f.Name] != nil {
			return c.call(c.functions[f.Name], call.Args)
		}
	}
	for _, e := range list {
		whole := c.isWhole(e)
		c.expr(e)
		v := value{local: c.fresh(), whole: whole}
		c.set(v.local)
		out = append(out, v)
	}
	return out
}

// assign compiles an assignment; elements are stored where the mask, if there is one, is set.
func (c *compiler) assign(s *ast.AssignStmt, mask int) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		op := map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB,
			token.MUL_ASSIGN: token.MUL}[s.Tok]
		s = &ast.AssignStmt{Lhs: s.Lhs, Rhs: []ast.Expr{&ast.BinaryExpr{X: s.Lhs[0], Op: op, Y: s.Rhs[0]}}}
	}
	for i, v := range c.results(s.Rhs) {
		switch l := s.Lhs[i].(type) {
		case *ast.Ident:
			if l.Name != "_" {
				c.vars[l.Name] = v
			}
		case *ast.IndexExpr:
			to := c.element(l)
			if mask >= 0 {
				old := value{local: c.fresh()}
				c.load(to)
				c.set(old.local)
				v = c.choose(v, old, mask)
			}
			c.store(to, v.local)
		}
	}
}

// call compiles a function in place.
func (c *compiler) call(f *ast.FuncDecl, args []ast.Expr) []value {
	given := map[string]value{}
	i := 0
	for _, field := range f.Type.Params.List {
		for _, n := range field.Names {
			given[n.Name] = c.results(args[i : i+1])[0]
			i++
		}
	}
	outer := c.vars
	c.vars = given
	out := c.inside(f.Body.List)
	c.vars = outer
	return out
}

// isWhole tells whether an expression is of integers.
func (c *compiler) isWhole(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return c.vars[e.Name].whole
	case *ast.ParenExpr:
		return c.isWhole(e.X)
	case *ast.BinaryExpr:
		return c.isWhole(e.X) || c.isWhole(e.Y)
	case *ast.CallExpr:
		return funcName(e) == "Float32bits"
	}
	return false
}

func funcName(e *ast.CallExpr) string {
	switch f := e.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// operators are the instructions for floats and for integers.
var operators = map[token.Token][2]int{
	token.ADD: {228, 174}, token.SUB: {229, 177}, token.MUL: {230}, token.QUO: {231},
	token.AND: {78, 78}, token.OR: {80, 80}, token.XOR: {81, 81}, token.AND_NOT: {79, 79},
	token.NEQ: {66, 56}, token.LSS: {67}, token.GTR: {68},
}

// expr pushes an expression's value.
func (c *compiler) expr(e ast.Expr) { c.typed(e, c.isWhole(e)) }

func (c *compiler) typed(e ast.Expr, whole bool) {
	if v := c.constant(e); v != nil && !c.isLocal(e) {
		if whole {
			n, _ := constant.Uint64Val(v)
			c.bits(uint32(n))
			return
		}
		f, _ := constant.Float32Val(v)
		c.bits(math.Float32bits(f))
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		c.typed(e.X, whole)
	case *ast.Ident:
		v, ok := c.vars[e.Name]
		if !ok || v.slice {
			c.fail(e, e.Name)
		}
		c.get(v.local)
	case *ast.SelectorExpr: // a field of AdamCoef
		c.get(c.vars["k."+e.Sel.Name].local)
	case *ast.IndexExpr:
		c.load(c.element(e))
	case *ast.UnaryExpr:
		c.typed(e.X, whole)
		c.vector(225) // f32x4.neg
	case *ast.BinaryExpr:
		inner := c.isWhole(e)
		if e.Op == token.SHL {
			n, _ := constant.Uint64Val(c.constant(e.Y))
			c.typed(e.X, true)
			c.number(int(n))
			c.vector(171) // i32x4.shl
			return
		}
		c.typed(e.X, inner)
		c.typed(e.Y, inner)
		kind := 0
		if inner {
			kind = 1
		}
		op := operators[e.Op][kind]
		if op == 0 {
			c.fail(e, e.Op.String())
		}
		c.vector(op)
	case *ast.CallExpr:
		c.callExpr(e)
	default:
		c.fail(e, "unknown expression")
	}
}

// isLocal tells whether a name that a constant has means something else here.
func (c *compiler) isLocal(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = c.vars[id.Name]
	return ok
}

func (c *compiler) callExpr(e *ast.CallExpr) {
	name := funcName(e)
	switch name {
	case "float32", "float64", "Float32bits", "Float32frombits": // lanes stay as they are
		c.expr(e.Args[0])
	case "Sqrt": // of a float32, and rounded to one: the float64 between changes no bit
		c.expr(e.Args[0])
		c.vector(227)
	case "min", "max":
		x, y := e.Args[0], e.Args[1]
		instruction := 232
		if c.constant(x) != nil && !c.isLocal(x) {
			// With a constant the quick forms do as Go does: they return their first operand where it is a NaN.
			x, y, instruction = y, x, 234
		}
		if name == "max" {
			instruction++
		}
		c.expr(x)
		c.expr(y)
		c.vector(instruction)
	default:
		f := c.functions[name]
		if f == nil || strings.HasSuffix(name, "Go") {
			c.fail(e, name)
		}
		c.get(c.call(f, e.Args)[0].local)
	}
}
