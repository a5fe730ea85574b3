package tasks

import (
	"errors"
	"testing"

	"mhacsp/tasks/assert"
)

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "7", "-5", "(-5)", "3 - -5", "((2 + (0 - 3)) + 4) mod 9 = ", "-(1+2)*-3", "2+3*4-1",
		"12", "((", "))", "1 mod", "1 mod 0", "1 mod 99999999999999999999", "1\xff", "2 − 3", "--1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, mod, err := ParsePrompt(text)
		checkParseError(t, text, err)
		if err != nil {
			return
		}
		again, _, err := ParsePrompt(e.String())
		assert.Need(t, err == nil, "%q prints as %q, which does not parse: %v", text, e, err)
		assert.Need(t, again.String() == e.String() && again.Operands() == e.Operands() && again.Depth() == e.Depth(),
			"%q prints as %q and then as %q", text, e, again)
		for _, m := range []int{mod, 1, 5, 9, maxModulus} {
			a, b := e.Eval(m), again.Eval(m)
			assert.Need(t, a == b && a >= 0 && a < m, "%q modulo %d: %d, printed and parsed again %d", text, m, a, b)
		}
	})
}

func FuzzTokenise(f *testing.F) {
	for _, text := range []string{
		"", "8 repeat 2 + 3 mod 9 = 8<EOS>", " repeat  repeat ",
		" repeat repeat ", "<SOS", "<PAD>", "mo", "2*3", "\xff", "é",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, v := range []*Vocabulary{BaseVocabulary(), ExtendedVocabulary()} {
			ids, err := v.Tokenise(text)
			checkParseError(t, text, err)
			assert.Need(t, err != nil || v.Detokenise(ids) == text, "%q comes back as %q", text, v.Detokenise(ids))
		}
	})
}

// checkParseError wants every error to be one that points into the text.
func checkParseError(t *testing.T, text string, err error) {
	t.Helper()
	var parse *ParseError
	assert.Need(t, err == nil || errors.As(err, &parse) && parse.Offset >= 0 && parse.Offset <= len(text) &&
		parse.Found != "" && parse.Expected != "", "%q: error of type %T, %+v", text, err, parse)
}
