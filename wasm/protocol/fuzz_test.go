package protocol

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// FuzzParseCommand: a command is refused with an *Error in one line, or is read again as it was written.
func FuzzParseCommand(f *testing.F) {
	for _, text := range []string{
		``, `null`, `[]`, `{}`, `{"type":"open","id":1,"run":{"task":"parity"},"backend":"gpu"}`,
		`{"type":"open","data":{"train":"a.jsonl","tokens":"words","groups":["a"]}}`,
		`{"type":"step","count":20}`, `{"type":"step","count":0}`, `{"type":"speed","stepsPerSecond":2.5}`,
		`{"type":"evaluate","n":64,"role":"train"}`, `{"type":"read","text":"1 + 1"}`, `{"type":"read","n":1}`,
		`{"type":"bench","n":8,"count":2,"backend":"cpu"}`, `{"type":"save","full":true}`, `{"TYPE":"reset"}`,
		`{"type":"seek","step":1e3}`, `{"id":"a"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseCommand(text)
		if err != nil {
			told := Refused(err)
			assert.Need(t, told.Text != "" && !strings.Contains(told.Text, "\n"), "%q: the error is %#v", text, err)
			return
		}
		written := assert.Must(json.Marshal(c))(t)
		again, err := ParseCommand(written)
		assert.Need(t, err == nil, "%q is written as %s, which is refused: %v", text, written, err)
		rewritten, err := json.Marshal(again)
		assert.Need(t, err == nil && bytes.Equal(written, rewritten), "%q is written as %s, and that as %s, %v",
			text, written, rewritten, err)
	})
}
