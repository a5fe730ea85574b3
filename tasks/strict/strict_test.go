package strict

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"mhacsp/tasks/assert"
)

// TestCheck: what could be read in two ways, or is no JSON, is a mistake at its byte, in words of this package.
func TestCheck(t *testing.T) {
	for _, text := range []string{
		`{}`, ` [ ] `, `"\ud83d\ude00"`, `"😀"`, `{"a":{"b":1},"b":{"b":[{}]}}`, `-0.5e+3`, "\"\u2028\"",
		`[1,2]`, `"\\ud83d"`,
		strings.Repeat("[", 1000) + strings.Repeat("]", 1000), `{"":1,"\u0000":2}`, `"\udbff\udfff"`,
	} {
		assert.Is(t, Check([]byte(text)), nil, "%.40q", text)
	}
	many := strings.Builder{}
	for i := range 100 {
		many.WriteString(`"` + strings.Repeat("x", i) + `":1,`)
	}
	for _, c := range []struct {
		text string
		at   int
		says string
	}{
		{``, 0, "ends too early"}, {`{"a"`, 4, "ends too early"}, {`[1,`, 3, "ends too early"}, {`"a`, 2, "ends too early"},
		{`"\`, 2, "ends too early"}, {`{"a":1} x`, 8, `"x" stands behind`}, {"{\"a\":1}\r{", 8, "end lines with LF, not with CR alone"}, {`{'a':1}`, 1, "double quotation marks"},
		{`['a']`, 1, "single quotation mark"}, {`{"a":1,}`, 7, "a comma stands before }"}, {`[1,]`, 3, "before ]"},
		{`{"a" 1}`, 5, `found "1" where : behind a key is needed`}, {`{"a" ""}`, 5, "found a quotation mark where : "},
		{`[1 2]`, 3, `found "2" where a comma or ]`}, {`{a:1}`, 1, `found "a"`},
		{`[NaN]`, 1, `"NaN"`}, {`[True]`, 1, `"True"`}, {`[01]`, 1, "a number that JSON has not"}, {`[.5]`, 1, `"."`},
		{`[1.]`, 1, "a number"}, {`[-]`, 1, "a number"}, {`[1e]`, 1, "a number"}, {"\"a\tb\"", 2, `itself; write it as \t`},
		{`"\x41"`, 1, `"\x" is no escape`}, {`"\u12g4"`, 1, "hexadecimal"}, {"\"\xff\"", 1, "0xff is no UTF-8"},
		{"\x1f\x8b\b", 0, "packed with gzip"}, {"\xff\xfe{\x00}\x00", 0, "UTF-16"}, {"PK\x03\x04\xfe", 0, "a ZIP archive"},
		{"\"\xed\xa0\x80\"", 1, "0xed is no UTF-8"},
		{`"a\ud83d"`, 2, `\ud83d is half`}, {`"\ude00\ud83d"`, 1, `\ude00 is half`}, {`"\ud83d\ud83d\ude00"`, 1, `\ud83d is half`},
		{`{"\uDC00":1}`, 2, `\uDC00 is half`},
		{`{"a":1,"a":2}`, 7, `key "a" stands twice`}, {`[{"b":{"a":1,"\u0061":2}}]`, 13, `key "a" stands twice`},
		{"{" + many.String() + `"xxx":1}`, many.Len() + 1, `key "xxx" stands twice`},
		{strings.Repeat("[", 20000), maxDepth + 1, "brackets"}, {"{\"a\u200b\":1,\"a\u200b\":2}", 10, `"a<U+200B>"`},
	} {
		err := Check([]byte(c.text))
		var bad *Error
		assert.True(t, errors.As(err, &bad) && bad.At == c.at && strings.Contains(bad.Text, c.says) &&
			!strings.Contains(bad.Text, "\n"), "%.60q: %+v, want at %d: %s", c.text, err, c.at, c.says)
	}
	assert.True(t, strings.HasSuffix(Check([]byte("{}\n{}")).Error(), "; remove it"), "it begins a line already")
	line, column := Place([]byte("a\nébc"), 5)
	assert.True(t, line == 2 && column == 3, "line %d, column %d", line, column)
}

// TestUnmarshal: keys are spelt as the type has them, at any depth; those of another type's own reading are left to
// it.
func TestUnmarshal(t *testing.T) {
	type part struct{ Steps int }
	type inner struct {
		Count int             `json:"count"`
		Free  json.RawMessage `json:"free"`
	}
	type outer struct {
		part
		Inner *inner           `json:"inner"`
		List  []inner          `json:"list,omitempty"`
		By    map[string]inner `json:"by"`
	}
	for _, c := range []struct{ text, open, closed string }{ // the key that is unknown
		{`{"Steps": 3, "inner": {"count": 1, "free": {"Count": 1}}, "by": {"Count": {"count": 2}}, "list": null}`, "", ""},
		{`{"steps": 3}`, "steps", "steps"}, {`{"inner": {"Count": 1}}`, "Count", "Count"},
		{`{"list": [{}, {"COUNT": 1}]}`, "COUNT", "COUNT"}, {`{"by": {"x": {"counts": 1}}}`, "", "counts"},
		{`{"other": 1}`, "", "other"},
	} {
		for _, x := range []struct {
			read func([]byte, any) error
			want string
		}{{Unmarshal, c.open}, {UnmarshalKnown, c.closed}} {
			var got, want outer
			err := x.read([]byte(c.text), &got)
			var bad *Error
			if x.want == "" {
				_ = json.Unmarshal([]byte(c.text), &want)
				assert.True(t, err == nil && reflect.DeepEqual(got, want), "%s: %+v, %v", c.text, got, err)
				continue
			}
			assert.True(t, errors.As(err, &bad) && bad.Key == x.want && bad.Unknown &&
				strings.HasPrefix(c.text[bad.At:], `"`+x.want+`"`), "%s: %+v, want the key %s", c.text, err, x.want)
		}
	}
}

// FuzzCheck: what is taken is what package json takes, but for what could be read in two ways.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-2.5e3,"\u00e9\"",null,true],"b":{}}`, `"\ud83d"`, `{"a":1,"a":2}`, "[1,]", "\xff", "-0",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := Check(text)
		valid := json.Valid(text) && utf8.Valid(text)
		assert.Need(t, err != nil || valid, "%q is taken", text)
		assert.Need(t, err == nil || !valid || strings.Contains(err.Error(), "stands twice") ||
			strings.Contains(err.Error(), "is half"), "%q: %v", text, err)
		if err == nil && text[Begin(text)] == '{' {
			var want map[string]json.RawMessage
			n := 0
			assert.NoError(t, json.Unmarshal(text, &want))
			_ = Fields(text, Begin(text), func(f Field) error {
				n++
				value := string(f.Value)
				assert.Need(t, string(want[string(f.Name)]) == value && string(text[f.From:][:len(value)]) == value,
					"%q: field %q is %q", text, f.Name, value)
				return nil
			})
			assert.Need(t, n == len(want), "%q: %d fields of %d", text, n, len(want))
		}
	})
}
