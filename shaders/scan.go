package shaders

import "strings"

// tokens are the words, numbers and signs of a shader without space and comments, just enough to find its
// declarations. (Go's regexp would be a tenth of the browser's trainer.)
type tokens []token

type token struct {
	text string
	at   int // byte offset in the source
}

func scan(source string) tokens {
	var out tokens
	for at := 0; at < len(source); {
		rest := source[at:]
		n := 1
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "//"):
			at += len(rest)
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				at += end - len(rest)
			}
			continue
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			at++
			continue
		case letter(c):
			for n < len(rest) && letter(rest[n]) {
				n++
			}
		}
		out = append(out, token{rest[:n], at})
		at += n
	}
	return out
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// What match takes beside a token's own text: any word or number, and all tokens up to the next closing bracket.
const (
	word = "word…"
	list = "list…"
)

// match compares the beginning of t with a pattern and returns what stood for its words and lists.
func (t tokens) match(pattern ...string) (found []string, ok bool) {
	for _, p := range pattern {
		switch {
		case p == list:
			var text strings.Builder
			for len(t) > 0 && t[0].text != ")" {
				text.WriteString(t[0].text)
				t = t[1:]
			}
			found = append(found, text.String())
			continue
		case len(t) == 0:
			return nil, false
		case p == word && letter(t[0].text[0]):
			found = append(found, t[0].text)
		case p != t[0].text:
			return nil, false
		}
		t = t[1:]
	}
	return found, true
}

// declared is a binding as it is declared.
type declared struct{ group, number, space, access, name, structure, element string }

// binding reads a binding's declaration: the array's element, or the name of the structure or scalar that it is.
func (t tokens) binding() (declared, bool) {
	if t[0].text != "@" { // most tokens
		return declared{}, false
	}
	head := []string{"@", "group", "(", word, ")", "@", "binding", "(", word, ")", "var", "<", word}
	for _, tail := range [][]string{{">", word, ":"}, {",", word, ">", word, ":"}} {
		pattern := append(head[:len(head):len(head)], tail...)
		m, ok := t.match(pattern...)
		if !ok {
			continue
		}
		d := declared{group: m[0], number: m[1], space: m[2], name: m[len(m)-1]}
		if len(m) == 5 {
			d.access = m[3]
		}
		if e, ok := t[len(pattern):].match("array", "<", word, ">"); ok {
			d.element = e[0]
		} else if e, ok := t[len(pattern):].match(word, ";"); ok {
			d.structure = e[0]
		}
		return d, true
	}
	return declared{}, false
}

// field is a member of a structure as it is declared; length is empty where it is no array.
type field struct{ name, element, length string }

// structure reads the members of the structure that the code begins with; ok is false where it begins otherwise.
func (t tokens) structure() (name string, members []field, ok bool) {
	head, ok := t.match("struct", word, "{")
	if !ok {
		return "", nil, false
	}
	t = t[3:]
	for len(t) > 0 && t[0].text != "}" {
		var f field
		if m, ok := t.match(word, ":", "array", "<", word, ",", word, ">"); ok {
			f, t = field{m[0], m[1], m[2]}, t[8:]
		} else if m, ok := t.match(word, ":", word); ok {
			f, t = field{name: m[0], element: m[1]}, t[3:]
		} else {
			return "", nil, false
		}
		members = append(members, f)
		if len(t) > 0 && t[0].text == "," {
			t = t[1:]
		}
	}
	return head[0], members, len(t) > 0
}
