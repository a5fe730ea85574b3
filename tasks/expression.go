package tasks

// maxModulus keeps the product of two remainders within an int64.
const maxModulus = 1_000_000_000

// Postfix codes of what has one part: the unary minus, and brackets.
const negate, bracket = '~', '('

// Expression is a parsed expression over single digits, + - *, unary minus
// and brackets, of any length and depth. It is immutable.
type Expression struct {
	text     string // as String prints it
	code     []byte // postfix: digits, + - *, negate and bracket
	operands int
	depth    int
}

// Eval returns the Euclidean remainder, 0 to mod-1, of the expression's value.
// It reduces at every step, so nothing overflows. It panics unless mod is
// between 1 and 1 000 000 000.
func (e *Expression) Eval(mod int) int {
	if mod < 1 || mod > maxModulus {
		panic("tasks: modulus out of range")
	}
	m := int64(mod)
	stack := make([]int64, 0, 32)
	for _, c := range e.code {
		top := len(stack) - 1
		switch c {
		case bracket:
		case negate:
			stack[top] = (m - stack[top]) % m
		case '+':
			stack[top-1] = (stack[top-1] + stack[top]) % m
			stack = stack[:top]
		case '-':
			stack[top-1] = (stack[top-1] + m - stack[top]) % m
			stack = stack[:top]
		case '*':
			stack[top-1] = stack[top-1] * stack[top] % m
			stack = stack[:top]
		default:
			stack = append(stack, int64(c-'0')%m)
		}
	}
	return int(stack[0])
}

// Operands returns how many numbers the expression has; "-5" is one.
func (e *Expression) Operands() int { return e.operands }

// Depth returns how many brackets are open at the deepest place.
func (e *Expression) Depth() int { return e.depth }

// String prints the expression as the arithmetic task writes it: one space on
// each side of a binary operator, no other space, brackets as they were typed.
func (e *Expression) String() string { return e.text }
