package tasks

import (
	"slices"
	"strconv"
)

// Lack is a kind of what a prompt has and a task's training samples never have.
type Lack string

// The kinds. Of all but the last five Least to Most is what is practised.
const (
	LackNumber   Lack = "number"   // Value is a number; Same is a practised one of the same remainder
	LackOperands Lack = "operands" // Value numbers
	LackTerms    Lack = "terms"    // Value numbers or brackets in a row
	LackDepth    Lack = "depth"    // Value brackets open at the deepest place
	LackLength   Lack = "length"   // Value characters; of the user's own data tokens
	LackOdd      Lack = "odd"      // Value characters, where all practised numbers of them are even
	LackOperator Lack = "operator" // Value is one that is not drawn, or a minus before a bracket
	LackToken    Lack = "token"    // Value is a token that no training prompt has
	LackPairs    Lack = "pairs"    // two parts without a bracket of their own, where each two have one
	LackForm     Lack = "form"     // all numbers are practised, brackets in such places are not
)

// Unpractised is something of a prompt that training never draws.
type Unpractised struct {
	Kind  Lack   `json:"kind"`
	Value string `json:"value"`          // what stands in the prompt
	Least int    `json:"least"`          // the range that is practised
	Most  int    `json:"most"`           //
	Same  string `json:"same,omitempty"` // what means the same and is practised
}

// Practised is a task that knows what its training draws.
type Practised interface {
	// Unpractised is what a prompt, <SOS> first, has that training never draws: nothing where all of it is practised.
	// Of the preset paper it does not look at the forms of expressions.
	// instead is a prompt that is practised and has the same right answer; empty where none is known.
	Unpractised(prompt []int32) (list []Unpractised, instead string)
}

// outside is a count that is out of its range, or nothing.
func outside(kind Lack, value, least, most int) []Unpractised {
	if value >= least && value <= most {
		return nil
	}
	return []Unpractised{{Kind: kind, Value: strconv.Itoa(value), Least: least, Most: most}}
}

// longestMended bounds the prompts, in tokens, for which another is looked for: the time grows with the square.
const longestMended = 512

// Unpractised of a string of digits is its length alone: prompts have no other characters.
func (t *counting) Unpractised(prompt []int32) (list []Unpractised, instead string) {
	text := prompt[1:]
	l := t.lengths
	if list = outside(LackLength, len(text), l.low, l.high); list == nil {
		return nil, ""
	}
	other := append([]int32{}, text[:min(len(text), l.high)]...)
	for len(other) < l.low {
		other = append(other, 0)
	}
	left := 0
	for _, digit := range text {
		left += int(digit)
	}
	for _, digit := range other[:len(other)-1] {
		left -= int(digit)
	}
	other[len(other)-1] = int32((left%t.modulus + t.modulus) % t.modulus)
	return list, t.vocabulary.Detokenise(other)
}

// Unpractised of a string of brackets is its length, an odd one too, and its depth.
func (t *parenthesis) Unpractised(prompt []int32) (list []Unpractised, instead string) {
	text := prompt[1:]
	if list = t.lacks(text); list == nil {
		return nil, ""
	}
	right := isBalanced(text)
	other, open := []int32{}, 0
	for _, id := range text { // brackets deeper than the limit go, in pairs where they have one
		if id == openToken {
			open++
		}
		if open <= parenthesisDepth {
			other = append(other, id)
		}
		if id != openToken {
			open--
		}
	}
	if other = other[:min(len(other), t.lengths.high)]; len(other)%2 == 1 {
		other = other[:len(other)-1]
	}
	shortest := []int32{openToken, closeToken}
	if !right {
		shortest = []int32{closeToken, openToken}
	}
	if len(other) == 0 || isBalanced(other) != right {
		other = shortest
	}
	for len(other) < t.lengths.low {
		other = append(other, openToken, closeToken)
	}
	if t.lacks(other) != nil || isBalanced(other) != right {
		return list, ""
	}
	return list, t.vocabulary.Detokenise(other)
}

func (t *parenthesis) lacks(text []int32) []Unpractised {
	_, depth, _ := heights(text)
	list := outside(LackLength, len(text), t.lengths.low, t.lengths.high)
	list = append(list, outside(LackDepth, depth, 0, parenthesisDepth)...)
	if len(text)%2 == 1 {
		list = append(list, Unpractised{Kind: LackOdd, Value: strconv.Itoa(len(text))})
	}
	return list
}

// isBalanced reports whether each bracket has its partner.
func isBalanced(text []int32) bool {
	lowest, _, last := heights(text)
	return lowest == 0 && last == 0
}

// node is a part of an expression as it was typed, its own brackets included.
type node struct {
	op    int32   // a leaf: -1; openToken: brackets; minusToken with one kid: a sign; plusToken: a sum; timesToken
	value int     // of a leaf
	kids  []*node // of a sum each with its sign
	minus []bool
}

const leaf int32 = -1

// tree is the expression as nodes.
func (e *Expression) tree() *node {
	var parts []*node // that no operator has joined yet
	for _, c := range e.code {
		top := len(parts) - 1
		switch c {
		case bracket:
			parts[top] = &node{op: openToken, kids: []*node{parts[top]}}
		case negate:
			parts[top] = &node{op: minusToken, kids: []*node{parts[top]}}
		case '+', '-':
			parts[top-1] = parts[top-1].with(plusToken, parts[top], c == '-')
			parts = parts[:top]
		case '*':
			parts[top-1] = parts[top-1].with(timesToken, parts[top], false)
			parts = parts[:top]
		default:
			parts = append(parts, &node{op: leaf, value: int(c - '0')})
		}
	}
	return parts[0]
}

// with is the sum or product of a part and another behind it.
func (n *node) with(op int32, part *node, minus bool) *node {
	if n.op != op {
		n = &node{op: op, kids: []*node{n}, minus: []bool{false}}
	}
	n.kids, n.minus = append(n.kids, part), append(n.minus, minus)
	return n
}

// number reports whether a part is a digit, with a sign or without.
func (n *node) number() bool { return n.op == leaf || n.op == minusToken && n.kids[0].op == leaf }

// eval is the remainder of the value.
func (n *node) eval(mod int) int {
	if n.op == leaf {
		return n.value % mod
	}
	v := n.kids[0].eval(mod)
	switch n.op {
	case minusToken:
		v = mod - v
	case plusToken:
		for i, k := range n.kids[1:] {
			if w := k.eval(mod); n.minus[i+1] {
				v += mod - w
			} else {
				v += w
			}
		}
	case timesToken:
		for _, k := range n.kids[1:] {
			v = v * k.eval(mod) % mod
		}
	}
	return v % mod
}

// facts are what is counted of an expression.
type facts struct {
	terms                 int           // of the longest sum
	pairs                 int           // brackets around two parts
	characters, operators int           // without spaces
	times                 bool          // there is a product
	list                  []Unpractised // numbers and signs that are not drawn
}

// add notes what is not drawn, once.
func (f *facts) add(u Unpractised) {
	if !slices.Contains(f.list, u) {
		f.list = append(f.list, u)
	}
}

// count goes over an expression; number tells of one that is not drawn.
func (f *facts) count(n *node, number func(n *node, value int, signed bool) (u Unpractised, odd bool)) {
	switch {
	case n.number():
		f.characters++
		digit, signed := n, n.op == minusToken
		if signed {
			digit = n.kids[0]
			f.characters++
		}
		if u, odd := number(n, digit.value, signed); odd {
			u.Kind, u.Value = LackNumber, strconv.Itoa(digit.value)
			if signed {
				u.Value = "-" + u.Value
			}
			f.add(u)
		}
		return
	case n.op == openToken:
		f.characters += 2
		if len(n.kids[0].kids) == 2 {
			f.pairs++
		}
	case n.op == minusToken:
		f.characters++
		f.add(Unpractised{Kind: LackOperator, Value: "-("})
	default:
		f.characters += len(n.kids) - 1
		f.operators += len(n.kids) - 1
		f.times = f.times || n.op == timesToken
		if n.op == plusToken {
			f.terms = max(f.terms, len(n.kids))
		}
	}
	for _, k := range n.kids {
		f.count(k, number)
	}
}

// rewritten is the expression with other numbers and, where it is to be bare, without brackets and signs of its own:
// sums and products of numbers.
func (n *node) rewritten(number func(*node) *node, bare bool) *node {
	other := &node{op: n.op, minus: n.minus}
	switch {
	case n.number():
		return number(n)
	case bare && n.op == openToken:
		return n.kids[0].rewritten(number, bare)
	case bare && n.op == minusToken: // from 0
		other = &node{op: plusToken, kids: []*node{{op: leaf}}, minus: []bool{false, true}}
	}
	for _, k := range n.kids {
		other.kids = append(other.kids, k.rewritten(number, bare))
	}
	return other
}

// fold puts the value of two numbers in their place, where they stand deepest. It reports whether there were two.
func (n *node) fold(mod int) bool {
	for _, k := range n.kids {
		if k.fold(mod) {
			return true
		}
	}
	if len(n.kids) < 2 {
		return false
	}
	two := &node{op: n.op, kids: n.kids[:2], minus: n.minus}
	value := &node{op: leaf, value: two.eval(mod)}
	if len(n.kids) == 2 {
		*n = *value
		return true
	}
	n.kids = append([]*node{value}, n.kids[2:]...)
	if n.op == plusToken {
		n.minus = append([]bool{false}, n.minus[2:]...)
	}
	return true
}

// style is how a task writes expressions, and which it draws.
type style struct {
	modulus int
	spaces  bool                                   // around operators
	pairs   bool                                   // a bracket around every two, the whole included
	number  func(*node) *node                      // a number that is drawn, of the same remainder
	lacks   func(*Expression, *node) []Unpractised // of an expression and its tree
	widen   func(text string) string               // an expression that is longer, of the same value
}

// text writes an expression. Brackets stand where they are needed, or as they stand in it.
func (s *style) text(n *node, inner bool) string {
	switch n.op {
	case leaf:
		return strconv.Itoa(n.value)
	case minusToken:
		return "-" + s.text(n.kids[0], true)
	case openToken:
		return "(" + s.text(n.kids[0], false) + ")"
	}
	bracketed := func(k *node) string { return s.text(k, k.op == plusToken || s.pairs) }
	out := bracketed(n.kids[0])
	for i, k := range n.kids[1:] {
		if s.pairs && i > 0 {
			out = "(" + out + ")"
		}
		op := "+"
		if n.op == timesToken {
			op = "*"
		} else if n.minus[i+1] {
			op = "-"
		}
		if s.spaces {
			op = " " + op + " "
		}
		out += op + bracketed(k)
	}
	if inner || s.pairs {
		return "(" + out + ")"
	}
	return out
}

// mostWider bounds how often an expression is made longer.
const mostWider = 64

// unpractised looks at an expression, and for another with the same answer: with other numbers, without the brackets
// that it does not need, at last with the values of its parts in their place.
func (s *style) unpractised(ids []int32) (list []Unpractised, instead string) {
	e, _, err := ParsePrompt(ExtendedVocabulary().Detokenise(ids))
	if err != nil { // it is no prompt
		return nil, ""
	}
	n := e.tree()
	if list = s.lacks(e, n); list == nil || len(ids) > longestMended {
		return list, ""
	}
	answer := e.Eval(s.modulus)
	good := func(text string) bool {
		other, _, err := ParsePrompt(text)
		return err == nil && s.lacks(other, other.tree()) == nil && other.Eval(s.modulus) == answer
	}
	typed := *s
	typed.pairs = false
	if text := typed.text(n.rewritten(s.number, false), false); good(text) {
		return list, text
	}
	other := n.rewritten(s.number, true)
	text := s.text(other, false)
	for !good(text) && other.fold(s.modulus) {
		text = s.text(other, false)
	}
	for range mostWider {
		if good(text) {
			return list, text
		}
		text = s.widen(text)
	}
	return list, ""
}

// positive is a number without a sign, of the same remainder.
func positive(modulus int) func(*node) *node {
	return func(n *node) *node { return &node{op: leaf, value: n.eval(modulus)} }
}

// Unpractised of an expression are its numbers, and how many there are, in how many brackets, how joined.
func (t *arithmetic) Unpractised(prompt []int32) (list []Unpractised, instead string) {
	s := style{modulus: Modulus, spaces: true, widen: func(text string) string { return text + " + 0" }}
	if t.preset == paper {
		s.number = func(n *node) *node {
			if n.op == leaf {
				return n
			}
			return positive(Modulus)(n)
		}
		s.lacks = paperLacks
	} else {
		s.number, s.lacks = authorNumberOf, authorLacks
	}
	return s.unpractised(prompt[1:])
}

// authorNumberOf is the number of preset author that has the remainder of another.
func authorNumberOf(n *node) *node {
	if n.eval(Modulus) == 0 {
		return &node{op: leaf}
	}
	return n
}

func authorLacks(e *Expression, n *node) []Unpractised {
	f := facts{}
	f.count(n, func(n *node, value int, signed bool) (Unpractised, bool) {
		return Unpractised{Most: authorNumber, Same: "0"}, value > authorNumber || signed && value == 0
	})
	f.list = append(f.list, outside(LackOperands, e.operands, 1, authorOperands)...)
	f.list = append(f.list, outside(LackTerms, f.terms, 0, authorTerms)...)
	f.list = append(f.list, outside(LackDepth, e.depth, 0, authorNesting+1)...)
	drawn := authorSequences(n) || n.op == openToken && authorSequences(n.kids[0]) // by draft.author
	if f.list == nil && !drawn {
		f.list = []Unpractised{{Kind: LackForm}}
	}
	return f.list
}

func authorSequences(n *node) bool {
	level := 0
	if n.op == openToken && len(n.kids[0].kids) == authorTerms {
		n, level = n.kids[0], 1
	}
	if n.op != plusToken {
		return authorTermDraws(n, level)
	}
	return !slices.ContainsFunc(n.kids, func(k *node) bool { return !authorTermDraws(k, level) })
}

func authorTermDraws(n *node, level int) bool {
	if n.number() {
		return true
	}
	if level == authorNesting || n.op != openToken || n.kids[0].op != plusToken || len(n.kids[0].kids) != 2 {
		return false
	}
	return authorTermDraws(n.kids[0].kids[0], level+1) && authorTermDraws(n.kids[0].kids[1], level+1)
}

func paperLacks(e *Expression, n *node) []Unpractised {
	f := facts{}
	f.count(n, func(n *node, _ int, signed bool) (Unpractised, bool) {
		return Unpractised{Most: 9, Same: strconv.Itoa(n.eval(Modulus))}, signed
	})
	f.list = append(f.list, outside(LackOperands, e.operands, paperFewest, paperMost)...)
	f.list = append(f.list, outside(LackDepth, e.depth, 0, paperDepth)...)
	if f.list == nil {
		f.list = outside(LackLength, f.characters+2*f.operators, 5, paperTokens) // with its spaces
	}
	return f.list
}

// Unpractised of an expression are its numbers, its operators, its length and its brackets.
func (t *modArith) Unpractised(prompt []int32) (list []Unpractised, instead string) {
	s := style{modulus: modArithModulus, pairs: t.brackets, number: positive(modArithModulus), lacks: t.lacks}
	s.widen = func(text string) string { return text + "+0" }
	if t.brackets {
		s.number = func(n *node) *node {
			if n.op == leaf {
				return &node{op: leaf, value: n.value % modArithModulus}
			}
			return &node{op: minusToken, kids: []*node{s.number(n.kids[0])}}
		}
		s.widen = func(text string) string {
			if len(text) <= 2 {
				return "(" + text + ")"
			}
			return "(" + text + "+0)"
		}
	}
	return s.unpractised(prompt[1:])
}

func (t *modArith) lacks(e *Expression, n *node) []Unpractised {
	f := facts{}
	f.count(n, func(n *node, value int, signed bool) (Unpractised, bool) {
		same := strconv.Itoa(value % modArithModulus)
		if signed && t.brackets {
			same = "-" + same
		} else if signed {
			same = strconv.Itoa(n.eval(modArithModulus))
		}
		return Unpractised{Most: modArithModulus - 1, Same: same}, value >= modArithModulus || signed && !t.brackets
	})
	if f.times && !slices.Contains(t.operators, timesToken) {
		f.add(Unpractised{Kind: LackOperator, Value: "*"})
	}
	f.list = append(f.list, outside(LackLength, f.characters, t.lengths.low, t.lengths.high)...)
	if !t.brackets {
		f.list = append(f.list, outside(LackDepth, e.depth, 0, 0)...)
	}
	switch {
	case f.list != nil || !t.brackets || paired(n):
	case f.pairs < f.operators:
		f.list = []Unpractised{{Kind: LackPairs}}
	default:
		f.list = []Unpractised{{Kind: LackForm}}
	}
	return f.list
}

// paired reports whether every two parts of an expression have brackets of their own, and nothing else has, but one
// pair around a number.
func paired(n *node) bool {
	if n.number() {
		return true
	}
	if n.op != openToken {
		return false
	}
	inner := n.kids[0]
	return inner.number() || len(inner.kids) == 2 && paired(inner.kids[0]) && paired(inner.kids[1])
}
