package tasks

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"mhacsp/tasks/show"
)

// Modulus is the modulus of the arithmetic task (SPEC §9).
const Modulus = 9

// What messages say of the end of a text, and of what may follow a whole expression.
const (
	endOfText  = "the end"
	afterWhole = `an operator, "mod", "=" or ` + endOfText
)

// ParseError says where a text stops making sense and what could stand there.
type ParseError struct {
	Offset   int    // characters of the text before it
	Found    string // what stands there, quoted, or "the end"
	Expected string // what could stand there instead
}

// Error gives the place as a column counted from 1.
func (e *ParseError) Error() string {
	return fmt.Sprintf("column %d: found %s, expected %s", e.Offset+1, e.Found, e.Expected)
}

// found describes the character of text at a byte offset.
func found(text string, at int) string {
	if at >= len(text) {
		return endOfText
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	if r == utf8.RuneError && size <= 1 {
		return fmt.Sprintf("byte 0x%02x", text[at])
	}
	return show.Exact(string(r))
}

// ParsePrompt reads "EXPR mod 9 =" or any beginning of it that holds a whole expression; without "mod" the modulus is
// 9. EXPR has single-digit operands with + - *, brackets, and a unary minus before a digit or a bracket; * binds
// tighter than + and -, the unary minus tightest. Spaces may stand anywhere between. An error is a *ParseError.
func ParsePrompt(text string) (e *Expression, mod int, err error) {
	p := parser{text: text}
	if err := p.expression(); err != nil {
		return nil, 0, err
	}
	mod = Modulus
	expected := afterWhole
	if strings.HasPrefix(p.rest(), "mod") {
		p.at += len("mod")
		p.skipSpaces()
		if mod, err = p.modulus(); err != nil {
			return nil, 0, err
		}
		p.skipSpaces()
		expected = `"=" or ` + endOfText
	}
	if strings.HasPrefix(p.rest(), "=") {
		p.at++
		p.skipSpaces()
		expected = endOfText
	}
	if p.at < len(text) {
		return nil, 0, p.unexpected(expected)
	}
	p.emitDownTo(1)
	return &Expression{text: string(p.printed), code: p.code, operands: p.operands, depth: p.depth}, mod, nil
}

// parser is a shunting yard: no recursion, so that no depth of brackets can exhaust the stack.
type parser struct {
	text     string
	at       int
	printed  []byte // the expression as Expression.String gives it
	code     []byte // the postfix code so far
	pending  []byte // operators and open brackets that wait for an operand
	operands int
	nest     int // brackets now open
	depth    int
}

// expression reads as far as an expression goes and stops, past any spaces,
// at the first character that cannot continue it.
func (p *parser) expression() error {
	for {
		if err := p.operand(); err != nil {
			return err
		}
		p.closeBrackets()
		switch c := p.peek(); {
		case c == '+' || c == '-' || c == '*':
			p.at++
			p.printed = append(p.printed, ' ', c, ' ')
			p.emitDownTo(precedence(c))
			p.pending = append(p.pending, c)
		case c >= '0' && c <= '9':
			return p.unexpected(p.after() + " (an operand has one digit)")
		case p.nest > 0 || c == ')':
			return p.unexpected(p.after())
		default:
			return nil
		}
	}
}

// operand reads open brackets and signs up to and including one digit.
func (p *parser) operand() error {
	signed := false
	for {
		switch c := p.peek(); {
		case c >= '0' && c <= '9':
			p.at++
			p.printed = append(p.printed, c)
			p.code = append(p.code, c)
			p.operands++
			p.applySign()
			return nil
		case c == '(':
			p.at++
			p.printed = append(p.printed, c)
			p.pending = append(p.pending, c)
			p.nest++
			p.depth = max(p.depth, p.nest)
			signed = false
		case c == '-' && !signed:
			p.at++
			p.printed = append(p.printed, c)
			p.pending = append(p.pending, negate)
			signed = true
		case signed:
			return p.unexpected(`a digit or "("`)
		default:
			return p.unexpected(`a digit, "-" or "("`)
		}
	}
}

// closeBrackets reads the closing brackets that match an open one.
func (p *parser) closeBrackets() {
	for p.nest > 0 && p.peek() == ')' {
		p.at++
		p.printed = append(p.printed, ')')
		p.emitDownTo(1)
		p.code, p.pending = append(p.code, bracket), p.pending[:len(p.pending)-1]
		p.nest--
		p.applySign()
	}
}

// applySign ends an operand: a unary minus before it takes effect.
func (p *parser) applySign() {
	if n := len(p.pending); n > 0 && p.pending[n-1] == negate {
		p.code = append(p.code, negate)
		p.pending = p.pending[:n-1]
	}
}

// emitDownTo moves pending operators that bind at least so tightly to the code.
func (p *parser) emitDownTo(least int) {
	n := len(p.pending)
	for n > 0 && precedence(p.pending[n-1]) >= least {
		n--
		p.code = append(p.code, p.pending[n])
	}
	p.pending = p.pending[:n]
}

// precedence ranks binary operators; an open bracket has 0 and stops them all.
func precedence(c byte) int {
	switch c {
	case '*':
		return 2
	case '+', '-':
		return 1
	}
	return 0
}

// modulus reads a number from 1 to maxModulus.
func (p *parser) modulus() (int, error) {
	start, value := p.at, 0
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' && value <= maxModulus {
		value = value*10 + int(p.text[p.at]-'0')
		p.at++
	}
	if value < 1 || value > maxModulus {
		expected := fmt.Sprintf("a modulus from 1 to %d", maxModulus)
		if p.at == start {
			return 0, p.unexpected(expected)
		}
		return 0, &ParseError{Offset: start, Found: strconv.Quote(p.text[start:p.at]), Expected: expected}
	}
	return value, nil
}

// peek skips spaces and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	p.skipSpaces()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) skipSpaces() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

func (p *parser) rest() string { return p.text[p.at:] }

// after names what may follow a complete operand.
func (p *parser) after() string {
	if p.nest > 0 {
		return `an operator or ")"`
	}
	return afterWhole
}

func (p *parser) unexpected(expected string) error {
	return &ParseError{Offset: p.at, Found: found(p.text, p.at), Expected: expected}
}
