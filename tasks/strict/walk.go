package strict

// Field is a field of an object.
type Field struct {
	Name  []byte
	At    int    // the byte of its name in the text
	Value []byte // as the text has it
	From  int    // the byte of its value
}

// Begin is where the value of a text that Check took begins.
func Begin(text []byte) int { return skipSpace(text, 0) }

// Fields calls f with the fields of the object that begins at a byte of a text that Check took; another value has
// none.
func Fields(text []byte, at int, f func(Field) error) error {
	if text[at] != '{' {
		return nil
	}
	for at = skipSpace(text, at+1); text[at] != '}'; at = skipSpace(text, at) {
		if text[at] == ',' {
			at = skipSpace(text, at+1)
		}
		key := at
		at = skipValue(text, at)
		name := String(text[key:at])
		from := skipSpace(text, skipSpace(text, at)+1)
		at = skipValue(text, from)
		if err := f(Field{name, key, text[from:at], from}); err != nil {
			return err
		}
	}
	return nil
}

// items calls f with where the items of the list begin that begins at a byte of a text that Check took.
func items(text []byte, at int, f func(at int) error) error {
	for at = skipSpace(text, at+1); text[at] != ']'; at = skipSpace(text, at) {
		if text[at] == ',' {
			at = skipSpace(text, at+1)
		}
		if err := f(at); err != nil {
			return err
		}
		at = skipValue(text, at)
	}
	return nil
}

// skipValue is where the value that begins at a byte ends.
func skipValue(text []byte, at int) int {
	depth := 0
	for ; at < len(text); at++ {
		switch text[at] {
		case '"':
			for at++; text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
			if depth == 0 {
				return at + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at // the end of what is around a number
			}
			if depth--; depth == 0 {
				return at + 1
			}
		case ',', ' ', '\t', '\r', '\n', ':':
			if depth == 0 {
				return at
			}
		}
	}
	return at
}
