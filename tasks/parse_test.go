package tasks

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// structure is an expression with every digit replaced by "#"; signs stay.
func structure(e *Expression) string { return digit.ReplaceAllString(e.text, "#") }

var digit = regexp.MustCompile(`[0-9]`)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, printed, structure string
		value, operands, depth   int // value modulo 9
	}{
		{"0", "0", "#", 0, 1, 0}, {"9", "9", "#", 0, 1, 0}, {"-5", "-5", "-#", 4, 1, 0},
		{"((2 + (0 - 3)) + 4)", "((2 + (0 - 3)) + 4)", "((# + (# - #)) + #)", 3, 4, 3},
		{"3 - -5", "3 - -5", "# - -#", 8, 2, 0}, {"3--5", "3 - -5", "# - -#", 8, 2, 0},
		{" ( 3 )- ( - 5 ) ", "(3) - (-5)", "(#) - (-#)", 8, 2, 1},
		{"1-2-3", "1 - 2 - 3", "# - # - #", 5, 3, 0}, {"2+3*4", "2 + 3 * 4", "# + # * #", 5, 3, 0},
		{"2*3+4", "2 * 3 + 4", "# * # + #", 1, 3, 0}, {"2*(3+4)", "2 * (3 + 4)", "# * (# + #)", 5, 3, 1},
		{"-(3 + 4) * -2", "-(3 + 4) * -2", "-(# + #) * -#", 5, 3, 1},
		{"8 - 2 * 3 - 1", "8 - 2 * 3 - 1", "# - # * # - #", 1, 4, 0},
		{"(((((7)))))", "(((((7)))))", "(((((#)))))", 7, 1, 5}, {"\t1 +\t1", "1 + 1", "# + #", 2, 2, 0},
	} {
		e, _, err := ParsePrompt(c.text)
		assert.Need(t, err == nil, "%q: %v", c.text, err)
		assert.True(t, e.String() == c.printed && structure(e) == c.structure,
			"%q: prints %q, structure %q", c.text, e, structure(e))
		assert.True(t, e.Eval(9) == c.value && e.Operands() == c.operands && e.Depth() == c.depth,
			"%q: value %d, operands %d, depth %d", c.text, e.Eval(9), e.Operands(), e.Depth())
	}
}

// What may stand somewhere in an expression.
const (
	operand  = `a digit, "-" or "("`
	operator = `an operator, "mod", "=" or the end`
	aModulus = "a modulus from 1 to 1000000000"
)

func TestParseError(t *testing.T) {
	for _, c := range []struct {
		text string
		want ParseError
	}{
		{"", ParseError{0, "the end", operand}}, {"   ", ParseError{3, "the end", operand}},
		{"2 +", ParseError{3, "the end", operand}}, {"2 + x", ParseError{4, `"x"`, operand}},
		{"2 + +3", ParseError{4, `"+"`, operand}}, {"2 - --3", ParseError{5, `"-"`, `a digit or "("`}},
		{"12", ParseError{1, `"2"`, operator + " (an operand has one digit)"}},
		{"(12)", ParseError{2, `"2"`, `an operator or ")" (an operand has one digit)`}},
		{"(2 + 3", ParseError{6, "the end", `an operator or ")"`}}, {"2 + 3)", ParseError{5, `")"`, operator}},
		{"()", ParseError{1, `")"`, operand}}, {"2(3)", ParseError{1, `"("`, operator}},
		{"2 / 3", ParseError{2, `"/"`, operator}}, {"2 − 3", ParseError{2, `"−"`, operator}},
		{"2 \xff", ParseError{2, "byte 0xff", operator}}, {"2 + 3 mo", ParseError{6, `"m"`, operator}},
		{"2 + 3) mod 9", ParseError{5, `")"`, operator}}, {"2 + 3 mod", ParseError{9, "the end", aModulus}},
		{"2 + 3 mod x", ParseError{10, `"x"`, aModulus}}, {"2 + 3 mod 0 =", ParseError{10, `"0"`, aModulus}},
		{"2 mod 99999999999999999999", ParseError{6, `"9999999999"`, aModulus}},
		{"2 + 3 mod 9 8", ParseError{12, `"8"`, `"=" or the end`}}, {"2 + 3 mod 9 = 5", ParseError{14, `"5"`, "the end"}},
	} {
		_, _, err := ParsePrompt(c.text)
		var parse *ParseError
		assert.True(t, errors.As(err, &parse) && *parse == c.want, "%q: %v, want %v", c.text, err, &c.want)
	}
}

func TestParsePrompt(t *testing.T) {
	for text, modulus := range map[string]int{
		"2 + 3 mod 9 = ": 9, "2 + 3 mod 9 =": 9, "2 + 3 mod 9": 9, "2 + 3": 9, "2 + 3 ": 9, "2+3=": 9, "2+3mod5=": 5,
		"2 + 3 mod 12 = ": 12,
	} {
		e, mod, err := ParsePrompt(text)
		assert.True(t, err == nil && mod == modulus && e.Eval(mod) == 5%modulus,
			"%q: %v mod %d, error %v", text, e, mod, err)
	}
}

// No depth of brackets and no length is too much for the parser.
func TestParseDeep(t *testing.T) {
	const depth = 1 << 18
	deep := strings.Repeat("-(", depth) + "7" + strings.Repeat(")", depth)
	e, _, err := ParsePrompt(deep + strings.Repeat("*7", depth))
	assert.NoError(t, err)
	assert.True(t, e.Depth() == depth && e.Operands() == depth+1, "depth %d, operands %d", e.Depth(), e.Operands())
	got := e.Eval(maxModulus)
	assert.True(t, got >= 0 && got < maxModulus, "value %d out of range", got)
}
