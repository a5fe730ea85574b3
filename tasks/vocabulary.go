package tasks

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mhacsp/tasks/token"
)

// Token ids that are the same in both vocabularies (SPEC §9). The ids 0 to 9 are the digits themselves.
const (
	plusToken  int32 = 10
	minusToken int32 = 11
	equalToken int32 = 12
	spaceToken int32 = 13
	openToken        = token.Open
	closeToken       = token.Close

	SOS          = token.SOS
	EOS          = token.EOS
	PAD          = token.PAD
	MOD    int32 = 19 // the word "mod"
	REPEAT int32 = 20 // the word " repeat ", both spaces included

	timesToken int32 = 21 // extended vocabulary only
)

// Vocabulary is an immutable table of tokens. No text has two tokenisations:
// Tokenise and Detokenise are each other's inverse.
type Vocabulary struct {
	tokens  []string
	byFirst [256][]int32 // ids by the token's first byte, longest token first
}

// BaseVocabulary returns the 21 tokens of SPEC §9.
func BaseVocabulary() *Vocabulary {
	return NewVocabulary([]string{
		"0", "1", "2", "3", "4", "5", "6", "7", "8", "9",
		"+", "-", "=", " ", "(", ")",
		"<SOS>", "<EOS>", "<PAD>", "mod", " repeat ",
	})
}

// ExtendedVocabulary returns the base vocabulary with "*" as token 21.
func ExtendedVocabulary() *Vocabulary { return NewVocabulary(append(BaseVocabulary().tokens, "*")) }

// NewVocabulary numbers tokens in their order, for a custom task. None may be empty or stand twice, and <SOS>,
// <EOS> and <PAD> keep their numbers.
func NewVocabulary(tokens []string) *Vocabulary {
	v := &Vocabulary{tokens: tokens}
	for id, token := range tokens {
		v.byFirst[token[0]] = append(v.byFirst[token[0]], int32(id))
	}
	for _, ids := range v.byFirst {
		slices.SortFunc(ids, func(a, b int32) int { return len(tokens[b]) - len(tokens[a]) })
	}
	return v
}

// Size returns the number of tokens, V.
func (v *Vocabulary) Size() int { return len(v.tokens) }

// Contains reports whether id is a token of this vocabulary. Ids that come from
// a file must pass it before they go to Token or Detokenise.
func (v *Vocabulary) Contains(id int32) bool { return id >= 0 && int(id) < len(v.tokens) }

// Token returns the text of one token. It panics if id is not in the vocabulary.
func (v *Vocabulary) Token(id int32) string {
	if !v.Contains(id) {
		panic("tasks: token id outside the vocabulary")
	}
	return v.tokens[id]
}

// Unused is the token at a number that a vocabulary leaves free below <SOS>.
func Unused(i int) string { return fmt.Sprintf("<unused %d>", i) }

// Stands reports whether a token stands for text in a prompt or a target: not <SOS>, <EOS>, <PAD> or what is unused.
func (v *Vocabulary) Stands(id int32) bool {
	return v.Contains(id) && id != SOS && id != EOS && id != PAD && (id > SOS || v.tokens[id] != Unused(int(id)))
}

// Tokenise cuts text into tokens, at each place the longest that fits. An error is a *ParseError with the place of the
// first character that starts no token.
func (v *Vocabulary) Tokenise(text string) ([]int32, error) {
	ids := make([]int32, 0, len(text))
	for at := 0; at < len(text); {
		list := v.byFirst[text[at]]
		i := slices.IndexFunc(list, func(id int32) bool { return strings.HasPrefix(text[at:], v.tokens[id]) })
		if i < 0 {
			return nil, &ParseError{utf8.RuneCountInString(text[:at]), found(text, at), v.alphabet()}
		}
		ids = append(ids, list[i])
		at += len(v.tokens[list[i]])
	}
	return ids, nil
}

// Detokenise joins the texts of the tokens. It panics if an id is not in the vocabulary.
func (v *Vocabulary) Detokenise(ids []int32) string {
	var text strings.Builder
	for _, id := range ids {
		text.WriteString(v.Token(id))
	}
	return text.String()
}

// alphabet lists every token for an error message.
func (v *Vocabulary) alphabet() string {
	var list []string
	for _, token := range v.tokens {
		if strings.Contains(token, " ") {
			token = `"` + token + `"`
		}
		list = append(list, token)
	}
	return "a token (" + strings.Join(list, " ") + ")"
}
