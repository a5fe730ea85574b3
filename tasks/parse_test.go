package tasks

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, printed, structure string
		value, operands, depth   int // value modulo 9
	}{
		{"0", "0", "#", 0, 1, 0},
		{"9", "9", "#", 0, 1, 0},
		{"-5", "-5", "-#", 4, 1, 0},
		{"((2 + (0 - 3)) + 4)", "((2 + (0 - 3)) + 4)", "((# + (# - #)) + #)", 3, 4, 3},
		{"3 - -5", "3 - -5", "# - -#", 8, 2, 0},
		{"3--5", "3 - -5", "# - -#", 8, 2, 0},
		{" ( 3 )- ( - 5 ) ", "(3) - (-5)", "(#) - (-#)", 8, 2, 1},
		{"1-2-3", "1 - 2 - 3", "# - # - #", 5, 3, 0},
		{"2+3*4", "2 + 3 * 4", "# + # * #", 5, 3, 0},
		{"2*3+4", "2 * 3 + 4", "# * # + #", 1, 3, 0},
		{"2*(3+4)", "2 * (3 + 4)", "# * (# + #)", 5, 3, 1},
		{"-(3 + 4) * -2", "-(3 + 4) * -2", "-(# + #) * -#", 5, 3, 1},
		{"8 - 2 * 3 - 1", "8 - 2 * 3 - 1", "# - # * # - #", 1, 4, 0},
		{"(((((7)))))", "(((((7)))))", "(((((#)))))", 7, 1, 5},
		{"\t1 +\t1", "1 + 1", "# + #", 2, 2, 0},
	} {
		e, _, err := ParsePrompt(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if e.String() != c.printed || e.Structure() != c.structure {
			t.Errorf("%q: prints %q, structure %q", c.text, e, e.Structure())
		}
		if e.Eval(9) != c.value || e.Operands() != c.operands || e.Depth() != c.depth {
			t.Errorf("%q: value %d, operands %d, depth %d", c.text, e.Eval(9), e.Operands(), e.Depth())
		}
	}
}

func TestParseError(t *testing.T) {
	for _, c := range []struct {
		text    string
		message string
	}{
		{"", `column 1: found the end, expected a digit, "-" or "("`},
		{"   ", `column 4: found the end, expected a digit, "-" or "("`},
		{"2 +", `column 4: found the end, expected a digit, "-" or "("`},
		{"2 + x", `column 5: found "x", expected a digit, "-" or "("`},
		{"2 + +3", `column 5: found "+", expected a digit, "-" or "("`},
		{"2 - --3", `column 6: found "-", expected a digit or "("`},
		{"12", `column 2: found "2", expected an operator, "mod", "=" or the end (an operand has one digit)`},
		{"(12)", `column 3: found "2", expected an operator or ")" (an operand has one digit)`},
		{"(2 + 3", `column 7: found the end, expected an operator or ")"`},
		{"2 + 3)", `column 6: found ")", expected an operator, "mod", "=" or the end`},
		{"()", `column 2: found ")", expected a digit, "-" or "("`},
		{"2(3)", `column 2: found "(", expected an operator, "mod", "=" or the end`},
		{"2 / 3", `column 3: found "/", expected an operator, "mod", "=" or the end`},
		{"2 − 3", `column 3: found "−", expected an operator, "mod", "=" or the end`},
		{"2 \xff", `column 3: found byte 0xff, expected an operator, "mod", "=" or the end`},
	} {
		_, _, err := ParsePrompt(c.text)
		var parse *ParseError
		if !errors.As(err, &parse) {
			t.Errorf("%q: error %v", c.text, err)
			continue
		}
		if err.Error() != c.message {
			t.Errorf("%q:\n got %s\nwant %s", c.text, err, c.message)
		}
	}
}

func TestParsePrompt(t *testing.T) {
	for _, c := range []struct {
		text    string
		mod     int
		message string
	}{
		{"2 + 3 mod 9 = ", 9, ""},
		{"2 + 3 mod 9 =", 9, ""},
		{"2 + 3 mod 9", 9, ""},
		{"2 + 3", 9, ""},
		{"2 + 3 ", 9, ""},
		{"2+3=", 9, ""},
		{"2+3mod5=", 5, ""},
		{"2 + 3 mod 12 = ", 12, ""},
		{"2 + 3 mo", 0, `column 7: found "m", expected an operator, "mod", "=" or the end`},
		{"2 + 3) mod 9", 0, `column 6: found ")", expected an operator, "mod", "=" or the end`},
		{"2 + 3 mod", 0, `column 10: found the end, expected a modulus from 1 to 1000000000`},
		{"2 + 3 mod x", 0, `column 11: found "x", expected a modulus from 1 to 1000000000`},
		{"2 + 3 mod 0 =", 0, `column 11: found "0", expected a modulus from 1 to 1000000000`},
		{"2 mod 99999999999999999999", 0, `column 7: found "9999999999", expected a modulus from 1 to 1000000000`},
		{"2 + 3 mod 9 8", 0, `column 13: found "8", expected "=" or the end`},
		{"2 + 3 mod 9 = 5", 0, `column 15: found "5", expected the end`},
	} {
		e, mod, err := ParsePrompt(c.text)
		if c.message != "" {
			if err == nil || err.Error() != c.message {
				t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.message)
			}
			continue
		}
		if err != nil || mod != c.mod || e.Eval(mod) != 5%c.mod {
			t.Errorf("%q: %v mod %d, error %v", c.text, e, mod, err)
		}
	}
}

// No depth of brackets and no length is too much for the parser.
func TestParseDeep(t *testing.T) {
	const depth = 1 << 18
	deep := strings.Repeat("-(", depth) + "7" + strings.Repeat(")", depth)
	e, _, err := ParsePrompt(deep + strings.Repeat("*7", depth))
	if err != nil {
		t.Fatal(err)
	}
	if e.Depth() != depth || e.Operands() != depth+1 {
		t.Errorf("depth %d, operands %d", e.Depth(), e.Operands())
	}
	if got := e.Eval(maxModulus); got < 0 || got >= maxModulus {
		t.Errorf("value %d out of range", got)
	}
}
