package tasks

import (
	"errors"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

func TestVocabularyOrder(t *testing.T) {
	want := []string{
		"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "+", "-", "=", " ", "(", ")",
		"<SOS>", "<EOS>", "<PAD>", "mod", " repeat ", "*",
	}
	for _, c := range []struct {
		v    *Vocabulary
		size int
	}{{BaseVocabulary(), 21}, {ExtendedVocabulary(), 22}} {
		assert.Is(t, c.v.Size(), c.size, "tokens")
		for id := range c.v.Size() {
			assert.Is(t, c.v.Token(int32(id)), want[id], "token %d is", id)
		}
		assert.True(t, !c.v.Contains(-1) && !c.v.Contains(int32(c.size)), "contains an id outside")
	}
	v := ExtendedVocabulary()
	for id, text := range map[int32]string{
		SOS: "<SOS>", EOS: "<EOS>", PAD: "<PAD>", MOD: "mod", REPEAT: " repeat ", timesToken: "*",
	} {
		assert.True(t, v.Token(id) == text, "constant %q is token %q", text, v.Token(id))
	}
}

func TestTokenise(t *testing.T) {
	v := BaseVocabulary()
	text := "<SOS>8 repeat ((2 + (0 - 3)) + 4) mod 9 = 8<EOS>"
	ids := assert.Must(v.Tokenise(text))(t)
	assert.Is(t, ids[:6], []int32{SOS, 8, REPEAT, openToken, openToken, 2}, "starts with")
	assert.Is(t, v.Detokenise(ids), text, "round trip gives")
	assert.Is(t, len(assert.Must(v.Tokenise(""))(t)), 0, "empty text")
}

func TestTokeniseError(t *testing.T) {
	for _, c := range []struct {
		text, found string
		offset      int
	}{
		{"2 * 3", `"*"`, 2}, {"2 + mood", `"m"`, 4}, {"1é", `"é"`, 1}, {`1"`, "a quotation mark", 1},
		{"1\xff", "byte 0xff", 1}, {"2 repeat", `"r"`, 2}, {"<sos>", `"<"`, 0}, {"1ä2x", `"x"`, 3},
	} {
		_, err := NewVocabulary(append(BaseVocabulary().tokens, "ä")).Tokenise(c.text)
		var parse *ParseError
		assert.Need(t, errors.As(err, &parse), "%q: error %v", c.text, err)
		assert.True(t, parse.Offset == c.offset && parse.Found == c.found &&
			strings.Contains(parse.Expected, `" repeat "`), "%q: %v", c.text, err)
	}
}
