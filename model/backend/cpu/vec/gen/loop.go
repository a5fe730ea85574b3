package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"maps"
	"math"
	"slices"
	"strings"
)

// A kind is what an op does with its operands, lane by lane.
type kind uint8

const (
	opConst  kind = iota // the float32 of bits
	opNumber             // a parameter, or a field of the coefficients: its index is in place
	opLoad               // the element of a slice
	opStore              // the operand becomes the element of a slice
	opSum                // an accumulator as it was before this element: its index is in place
	opCopy
	opAdd
	opSub
	opMul
	opDiv
	opMulAdd // a·b + c, rounded once
	opMulSub // c − a·b, rounded once
	opSqrt
	opInverse // 1/a, which may be an estimate with Newton's step
	opMin     // the second where either is a NaN
	opMax
	opAnd
	opOr
	opXor
	opAddInt
	opShl   // by bits
	opLess  // a mask: a < b
	opEqual // a mask: a = b, as integers
	opSelect
)

// An op is one step that every element of a loop goes through; its operands are earlier ones.
type op struct {
	kind  kind
	args  []int
	bits  uint32
	place place
	fixed bool // the same for all elements
}

// A place is an element of a slice parameter: of its part, the first n values or the second and so on. Where m is a
// parameter, parts begin m elements apart.
type place struct{ slice, part int }

// A sum is an accumulator of a loop: it starts at init, and its next value is the op next.
type sum struct {
	init uint32
	next int
	join kind // opAdd or opMax: how two accumulators become one
}

// A loop is a plain loop as data.
type loop struct {
	name    string
	lengths string // "n", or "n, m"
	slices  []string
	numbers []string // float32 parameters, or the fields of coef
	coef    string   // the type that coef points at
	results []string // their types
	ops     []op
	sums    []sum
	doc     *ast.CommentGroup
}

// A value is what a name stands for: the result of an op, or a part of a slice.
type value struct {
	op    int
	not   bool // a mask's opposite
	slice bool
	place place
}

// A reader makes the ops of a loop out of its text. The order of the text stays the order of loads and stores.
type reader struct {
	*plainLoops
	*loop
	vars    map[string]value
	sum     map[string]int // accumulators by name
	index   string         // of the loop
	element map[place]int  // what the elements are by now
	stored  map[place]int  // the last store of each
	same    map[string]int // ops that compute the same are one
}

// read makes a loop of the plain function nameGo.
func (p *plainLoops) read(name string) *loop {
	f := p.functions[name+"Go"]
	if f == nil {
		panic("there is no " + name + "Go")
	}
	r := &reader{plainLoops: p, loop: &loop{name: name, lengths: "n", doc: f.Doc}, vars: map[string]value{},
		sum: map[string]int{}, element: map[place]int{}, stored: map[place]int{}, same: map[string]int{}}
	for _, field := range f.Type.Params.List {
		for _, n := range field.Names {
			switch t := field.Type.(type) {
			case *ast.ArrayType:
				r.vars[n.Name] = value{slice: true, place: place{slice: len(r.slices)}}
				r.slices = append(r.slices, n.Name)
			case *ast.StarExpr:
				r.coef = t.X.(*ast.Ident).Name
				r.numbers = p.fields(t.X)
				for i, field := range r.numbers {
					r.vars[n.Name+"."+field] = value{op: r.add(op{kind: opNumber, place: place{slice: i}})}
				}
			case *ast.Ident:
				switch n.Name {
				case "n":
				case "m":
					r.lengths = "n, m"
				default:
					r.vars[n.Name] = value{op: r.add(op{kind: opNumber, place: place{slice: len(r.numbers)}})}
					r.numbers = append(r.numbers, n.Name)
				}
			}
		}
	}
	if f.Type.Results != nil {
		for _, field := range f.Type.Results.List {
			for range max(1, len(field.Names)) {
				r.results = append(r.results, field.Type.(*ast.Ident).Name)
			}
			for _, n := range field.Names {
				r.declareSum(n.Name, 0)
			}
		}
	}
	r.block(f.Body.List)
	r.drop()
	return r.loop
}

func (r *reader) fail(n ast.Node, why string) {
	panic(fmt.Sprintf("%sGo: %T: %s", r.name, n, why)) // a loop that the generator does not know how to compile
}

// add appends an op, or finds the one that computes the same.
func (r *reader) add(o op) int {
	o.fixed = o.kind == opConst || o.kind == opNumber
	if o.kind >= opCopy {
		o.fixed = true
		for _, a := range o.args {
			o.fixed = o.fixed && r.ops[a].fixed
		}
	}
	key := fmt.Sprint(o.kind, o.args, o.bits, o.place)
	if i, ok := r.same[key]; ok && o.kind != opLoad && o.kind != opStore {
		return i
	}
	r.ops = append(r.ops, o)
	r.same[key] = len(r.ops) - 1
	return len(r.ops) - 1
}

func (r *reader) make(k kind, args ...int) int { return r.add(op{kind: k, args: args}) }

func (r *reader) bits(b uint32) int { return r.add(op{kind: opConst, bits: b}) }

func (r *reader) declareSum(name string, init float32) {
	i := len(r.sums)
	at := r.add(op{kind: opSum, place: place{slice: i}})
	r.sums = append(r.sums, sum{init: math.Float32bits(init), next: at})
	r.sum[name], r.vars[name] = i, value{op: at}
}

// block reads the statements outside loops.
func (r *reader) block(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			var made []value
			for _, e := range s.Rhs {
				made = append(made, r.outside(e))
			}
			for i, l := range s.Lhs {
				name := l.(*ast.Ident).Name
				if v := made[i]; !v.slice && r.ops[v.op].kind == opConst && s.Tok == token.DEFINE {
					r.declareSum(name, math.Float32frombits(r.ops[v.op].bits))
				} else {
					r.vars[name] = v
				}
			}
		case *ast.DeclStmt:
			if d := s.Decl.(*ast.GenDecl); d.Tok == token.VAR {
				for _, n := range d.Specs[0].(*ast.ValueSpec).Names {
					r.declareSum(n.Name, 0)
				}
			}
		case *ast.ExprStmt: // another loop
			call := s.X.(*ast.CallExpr)
			inner := map[string]value{}
			f, i := r.functions[call.Fun.(*ast.Ident).Name], 0
			for _, field := range f.Type.Params.List {
				for _, n := range field.Names {
					if n.Name != "n" {
						inner[n.Name] = r.outside(call.Args[i])
					}
					i++
				}
			}
			outer := r.vars
			r.vars = inner
			r.block(f.Body.List)
			r.vars = outer
		case *ast.ForStmt: // several elements a turn, for plain Go alone; the loop behind it says what each adds
		case *ast.RangeStmt:
			r.ranged(s)
		case *ast.ReturnStmt: // the partial sums are joined by the caller
		default:
			r.fail(s, "not outside a loop")
		}
	}
}

// outside is a slice, or a number that is the same for all elements.
func (r *reader) outside(e ast.Expr) value {
	switch e := e.(type) {
	case *ast.Ident:
		if v, ok := r.vars[e.Name]; ok {
			return v
		}
	case *ast.SliceExpr:
		v := r.vars[e.X.(*ast.Ident).Name]
		v.place.part += multiple(e.Low)
		return v
	}
	return r.expr(e)
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
	panic("a slice that starts elsewhere than at a multiple of n")
}

// ranged reads a loop over n elements. A second loop over them goes on where the first one ended, element by element.
func (r *reader) ranged(s *ast.RangeStmt) {
	outer := r.vars
	r.vars = maps.Clone(outer)
	if s.Key != nil {
		r.index = s.Key.(*ast.Ident).Name
	}
	if s.Value != nil {
		r.vars[s.Value.(*ast.Ident).Name] = value{op: r.load(r.outside(s.X).place)}
	}
	r.inside(s.Body.List)
	for name, i := range r.sum {
		if _, ok := outer[name]; ok && r.vars[name].op != r.sums[i].next {
			next := r.vars[name].op
			join := r.ops[next].kind
			if join != opMax {
				join = opAdd
			}
			r.sums[i].next, r.sums[i].join = next, join
		}
	}
	r.vars = outer
}

func (r *reader) load(at place) int {
	i, ok := r.element[at]
	if !ok {
		i = r.add(op{kind: opLoad, place: at})
		r.element[at] = i
	}
	return i
}

func (r *reader) store(at place, v int) {
	if old, ok := r.stored[at]; ok {
		r.ops[old].args = nil // nobody sees it
	}
	if r.ops[v].fixed {
		r.ops = append(r.ops, op{kind: opCopy, args: []int{v}})
		v = len(r.ops) - 1
	}
	r.element[at] = v
	r.stored[at] = r.add(op{kind: opStore, args: []int{v}, place: at})
}

// at is the element that x[j] or x[n+j] means.
func (r *reader) at(e *ast.IndexExpr) place {
	p := r.vars[e.X.(*ast.Ident).Name].place
	if b, ok := e.Index.(*ast.BinaryExpr); ok {
		p.part += multiple(b.X)
	} else if e.Index.(*ast.Ident).Name != r.index {
		r.fail(e, "not the loop's element")
	}
	return p
}

// inside reads the statements of a loop or of a function that it calls, whose results it returns.
func (r *reader) inside(list []ast.Stmt) []value {
	for i, s := range list {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			return r.values(s.Results)
		case *ast.AssignStmt:
			r.assign(s, nil)
		case *ast.IfStmt:
			if s.Init != nil {
				r.assign(s.Init.(*ast.AssignStmt), nil)
			}
			mask := r.expr(s.Cond)
			outer := r.vars
			r.vars = maps.Clone(outer)
			if _, ok := s.Body.List[len(s.Body.List)-1].(*ast.ReturnStmt); ok {
				yes := r.inside(s.Body.List)
				r.vars = outer
				no := r.inside(list[i+1:])
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
			r.fail(s, "not inside a loop")
		}
	}
	return nil
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
		if f, ok := call.Fun.(*ast.Ident); ok && r.functions[f.Name] != nil && f.Name != approximate {
			return r.call(r.functions[f.Name], call.Args)
		}
	}
	for _, e := range list {
		out = append(out, r.expr(e))
	}
	return out
}

// assign reads an assignment; elements are stored where the mask, if there is one, is set.
func (r *reader) assign(s *ast.AssignStmt, mask *value) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		op := map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB,
			token.MUL_ASSIGN: token.MUL}[s.Tok]
		s = &ast.AssignStmt{Lhs: s.Lhs, Rhs: []ast.Expr{&ast.BinaryExpr{X: s.Lhs[0], Op: op, Y: s.Rhs[0]}}}
	}
	for i, v := range r.values(s.Rhs) {
		switch l := s.Lhs[i].(type) {
		case *ast.Ident:
			if l.Name != "_" {
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

// call reads a function in place.
func (r *reader) call(f *ast.FuncDecl, args []ast.Expr) []value {
	given := map[string]value{}
	i := 0
	for _, field := range f.Type.Params.List {
		for _, n := range field.Names {
			given[n.Name] = r.expr(args[i])
			i++
		}
	}
	outer := r.vars
	r.vars = given
	out := r.inside(f.Body.List)
	r.vars = outer
	return out
}

// approximate is the function whose result may be an estimate with Newton's step.
const approximate = "inversef"

// constant is what e is worth, nil where that is no constant.
func (r *reader) constant(e ast.Expr) constant.Value { return r.info.Types[e].Value }

// expr is an expression's value.
func (r *reader) expr(e ast.Expr) value {
	switch v := r.constant(e); {
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
		if v, ok := r.vars[e.Name]; ok && !v.slice {
			return v
		}
		r.fail(e, e.Name)
	case *ast.SelectorExpr: // a field of the coefficients
		return r.vars[e.X.(*ast.Ident).Name+"."+e.Sel.Name]
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
	r.fail(e, "unknown expression")
	panic(0)
}

func (r *reader) binary(e *ast.BinaryExpr) value {
	if e.Op == token.SHL {
		n, _ := constant.Uint64Val(r.constant(e.Y))
		return value{op: r.add(op{kind: opShl, args: []int{r.expr(e.X).op}, bits: uint32(n)})}
	}
	whole := r.isWhole(e.X) || r.isWhole(e.Y)
	x, y := r.expr(e.X), r.expr(e.Y)
	switch {
	case e.Op == token.GTR:
		return value{op: r.make(opLess, y.op, x.op)}
	case e.Op == token.LSS:
		return value{op: r.make(opLess, x.op, y.op)}
	case e.Op == token.NEQ && whole:
		return value{op: r.make(opEqual, x.op, y.op), not: true}
	case e.Op == token.AND_NOT && r.ops[y.op].kind == opConst:
		return value{op: r.make(opAnd, x.op, r.bits(^r.ops[y.op].bits))}
	}
	kinds := map[token.Token]kind{token.ADD: opAdd, token.SUB: opSub, token.MUL: opMul, token.QUO: opDiv}
	if whole {
		kinds = map[token.Token]kind{token.ADD: opAddInt, token.AND: opAnd, token.OR: opOr, token.XOR: opXor}
	}
	k, ok := kinds[e.Op]
	if !ok {
		r.fail(e, e.Op.String())
	}
	return value{op: r.make(k, x.op, y.op)}
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

func (r *reader) callExpr(e *ast.CallExpr) value {
	name := funcName(e)
	arg := func(i int) int { return r.expr(e.Args[i]).op }
	switch name {
	case "float32", "float64", "Float32bits", "Float32frombits": // lanes stay as they are
		return r.expr(e.Args[0])
	case "Sqrt": // of a float32, and rounded to one: the float64 between changes no bit
		return value{op: r.make(opSqrt, arg(0))}
	case approximate:
		return value{op: r.make(opInverse, arg(0))}
	case "min", "max":
		k, x, y := opMin, arg(0), arg(1)
		if name == "max" {
			k = opMax
		}
		if r.ops[y].fixed { // where either is a NaN the second one stays
			x, y = y, x
		}
		return value{op: r.make(k, x, y)}
	case "Inf":
		sign, _ := constant.Int64Val(r.constant(e.Args[0]))
		return value{op: r.bits(math.Float32bits(float32(math.Inf(int(sign)))))}
	}
	f := r.functions[name]
	if f == nil || strings.HasSuffix(name, "Go") {
		r.fail(e, name)
	}
	return r.call(f, e.Args)[0]
}

// users are how many ops and sums read each op.
func (l *loop) users() []int {
	n := make([]int, len(l.ops))
	for _, o := range l.ops {
		for _, a := range o.args {
			n[a]++
		}
	}
	for _, s := range l.sums {
		n[s.next]++
	}
	return n
}

// drop takes away ops whose result nobody reads, stores that are written over, and sums that stay what they are.
func (l *loop) drop() {
	for again := true; again; {
		again = false
		users, to := l.users(), make([]int, len(l.ops))
		var kept []op
		for i, o := range l.ops {
			to[i] = len(kept)
			if o.kind == opStore && len(o.args) == 0 || o.kind != opStore && users[i] == 0 {
				again = true
				continue
			}
			for k, a := range o.args {
				o.args[k] = to[a]
			}
			kept = append(kept, o)
		}
		l.ops = kept
		for i := range l.sums {
			l.sums[i].next = to[l.sums[i].next]
		}
	}
	var sums []sum
	number := map[int]int{}
	for i, s := range l.sums {
		if o := l.ops[s.next]; o.kind != opSum || o.place.slice != i {
			number[i] = len(sums)
			sums = append(sums, s)
		}
	}
	var kept []op
	to := make([]int, len(l.ops))
	for i, o := range l.ops {
		to[i] = len(kept)
		if o.kind == opSum {
			k, ok := number[o.place.slice]
			if !ok {
				continue
			}
			o.place.slice = k
		}
		for k, a := range o.args {
			o.args[k] = to[a]
		}
		kept = append(kept, o)
	}
	for i := range sums {
		sums[i].next = to[sums[i].next]
	}
	l.ops, l.sums = kept, sums
}

// fused is the loop with a product and the sum that alone reads it in one: rounded once.
func (l *loop) fused() *loop {
	f := *l
	f.ops = slices.Clone(l.ops)
	f.sums = slices.Clone(l.sums)
	users := l.users()
	for i, o := range f.ops {
		product := func(k int) bool {
			x := f.ops[o.args[k]]
			return x.kind == opMul && !x.fixed && users[o.args[k]] == 1
		}
		fuse := func(to kind, k int) {
			x := f.ops[o.args[k]]
			f.ops[i] = op{kind: to, args: []int{x.args[0], x.args[1], o.args[1-k]}}
		}
		switch {
		case o.fixed:
		case o.kind == opAdd && product(1) && (!product(0) || o.args[1] > o.args[0]):
			fuse(opMulAdd, 1)
		case o.kind == opAdd && product(0):
			fuse(opMulAdd, 0)
		case o.kind == opSub && product(1):
			fuse(opMulSub, 1)
		}
	}
	for i := range f.ops {
		f.ops[i].args = slices.Clone(f.ops[i].args)
	}
	f.drop()
	return &f
}

// estimated is the loop with inverses as estimates and so many of Newton's steps, y(2 − a·y).
func (l *loop) estimated(steps int) *loop {
	f := *l
	f.ops = nil
	to := make([]int, len(l.ops))
	add := func(o op) int {
		f.ops = append(f.ops, o)
		return len(f.ops) - 1
	}
	two := -1
	for i, o := range l.ops {
		o.args = slices.Clone(o.args)
		for k, a := range o.args {
			o.args[k] = to[a]
		}
		if o.kind == opInverse && two < 0 {
			two = add(op{kind: opConst, bits: math.Float32bits(2), fixed: true})
		}
		to[i] = add(o)
		for range steps {
			if o.kind == opInverse {
				rest := add(op{kind: opMulSub, args: []int{o.args[0], to[i], two}})
				to[i] = add(op{kind: opMul, args: []int{to[i], rest}})
			}
		}
	}
	f.sums = slices.Clone(l.sums)
	for i := range f.sums {
		f.sums[i].next = to[f.sums[i].next]
	}
	return &f
}

// pure reports whether a loop is one sum and no more. Four accumulators of it then hide how long an addition takes.
func (l *loop) pure() bool {
	return len(l.sums) == 1 && !slices.ContainsFunc(l.ops, func(o op) bool { return o.kind == opStore })
}

// The assembly's functions take n, the slices' pointers, a pointer to four partial sums for each sum, one to the
// coefficients, and numbers.

// parameters is the list of an assembly function's parameters, in Go. Their names end in a letter more: g alone means
// a register to Go's assembler.
func (l *loop) parameters() string {
	list := l.lengths + " int, " + strings.Join(l.slices, "P, ") + "P unsafe.Pointer"
	if len(l.sums) > 0 {
		list += fmt.Sprintf(", sums *[%d][4]float32", len(l.sums))
	}
	switch {
	case l.coef != "":
		list += ", k *" + l.coef
	case len(l.numbers) > 0:
		list += ", " + strings.Join(l.numbers, "N, ") + "N float32"
	}
	return list
}

// firstSlice is where the slices' pointers begin among them.
func (l *loop) firstSlice() int { return 8 * len(strings.Split(l.lengths, ",")) }

// argumentBytes is how much memory they take.
func (l *loop) argumentBytes() int {
	n := l.firstSlice() + 8*len(l.slices)
	if len(l.sums) > 0 {
		n += 8
	}
	if l.coef != "" {
		return n + 8
	}
	return n + 4*len(l.numbers)
}
