package own

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mhacsp/tasks"
)

// How a text is cut into tokens.
const (
	Characters = "characters" // at each place the longest token that fits
	Words      = "words"      // at white space, which is one space where tokens are joined
)

// below is how many tokens stand under <SOS>, <EOS> and <PAD>, which keep their numbers in every vocabulary.
const below = int(tasks.SOS)

// tokenID is the number of a vocabulary's token i (.github/your-own-data.md).
func tokenID(i int) int32 {
	if i < below {
		return int32(i)
	}
	return int32(i) + tasks.PAD - tasks.SOS + 1
}

// tokenPlace is the place in a vocabulary of the token with a number.
func tokenPlace(id int32) int {
	if int(id) < below {
		return int(id)
	}
	return int(id - (tasks.PAD - tasks.SOS + 1))
}

// vocabulary numbers the tokens of d. A word has a space before it: so joined words stay apart.
func vocabulary(d Data) *tasks.Vocabulary {
	names := []string{}
	for i := range below {
		names = append(names, tasks.Unused(i))
	}
	names = append(names, "<SOS>", "<EOS>", "<PAD>")
	for i, token := range d.Vocabulary {
		if d.words() {
			token = " " + token
		}
		if i < below {
			names[i] = token
		} else {
			names = append(names, token)
		}
	}
	return tasks.NewVocabulary(names)
}

// cutter cuts texts into tokens.
type cutter struct {
	words   map[string]int32 // nil: characters
	byFirst map[rune][]int32 // places in texts by the token's first character, longest token first
	texts   []string         // the vocabulary
}

func newCutter(d Data) cutter {
	c := cutter{texts: d.Vocabulary}
	if d.words() {
		c.words = map[string]int32{}
		for i, token := range d.Vocabulary {
			c.words[token] = tokenID(i)
		}
		return c
	}
	c.byFirst = map[rune][]int32{}
	for i, token := range d.Vocabulary {
		r, _ := utf8.DecodeRuneInString(token)
		c.byFirst[r] = append(c.byFirst[r], int32(i))
	}
	for _, list := range c.byFirst {
		slices.SortFunc(list, func(a, b int32) int { return len(d.Vocabulary[b]) - len(d.Vocabulary[a]) })
	}
	return c
}

// add appends the tokens of text to ids. bad is the offset of the first place where no token stands, or −1.
func (c *cutter) add(ids []int32, text []byte) (_ []int32, bad int) {
	if c.words != nil {
		bad = -1
		eachWord(text, func(at int, word []byte) bool {
			id, ok := c.words[string(word)]
			if !ok {
				bad = at
				return false
			}
			ids = append(ids, id)
			return true
		})
		return ids, bad
	}
	for at := 0; at < len(text); {
		r, _ := utf8.DecodeRune(text[at:])
		size := 0
		for _, i := range c.byFirst[r] {
			if n := len(c.texts[i]); n <= len(text)-at && string(text[at:at+n]) == c.texts[i] {
				ids, size = append(ids, tokenID(int(i))), n
				break
			}
		}
		if size == 0 {
			return ids, at
		}
		at += size
	}
	return ids, -1
}

// eachWord calls f with the words of text and their offsets until it returns false.
func eachWord(text []byte, f func(at int, word []byte) bool) {
	for at := 0; ; {
		rest := bytes.TrimLeftFunc(text[at:], unicode.IsSpace)
		if len(rest) == 0 {
			return
		}
		at = len(text) - len(rest)
		n := bytes.IndexFunc(rest, unicode.IsSpace)
		if n < 0 {
			n = len(rest)
		}
		if !f(at, rest[:n]) {
			return
		}
		at += n
	}
}

// found names the character or word that a text begins with.
func (c *cutter) found(text string) string {
	if c.words != nil {
		return strconv.Quote(clipTo([]byte(strings.Fields(text)[0]), 40))
	}
	r, _ := utf8.DecodeRuneInString(text)
	return strconv.Quote(string(r))
}

// expected lists the tokens for a message, where they are few.
func (d *Data) expected() string {
	what, n := "character", len(d.Vocabulary)
	switch {
	case d.words():
		what = "word"
	case slices.ContainsFunc(d.Vocabulary, func(s string) bool { return utf8.RuneCountInString(s) > 1 }):
		what = "token"
	}
	shown := make([]string, min(n, 30))
	for i := range shown {
		shown[i] = strconv.Quote(d.Vocabulary[i])
	}
	text := fmt.Sprintf("one of the %d %ss of the training data: %s", n, what, strings.Join(shown, " "))
	if n > len(shown) {
		text += " …"
	}
	return text
}
