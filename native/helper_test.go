//go:build !js

package native

import (
	"encoding/json"
	"strings"
	"testing"
)

// onlyText drops everything but the texts from JSON lines, as another program may write them.
func onlyText(t *testing.T, lines []byte) string {
	t.Helper()
	var s strings.Builder
	for line := range strings.Lines(string(lines)) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		for key := range r {
			if key != "prompt" && key != "target" && key != "label" {
				delete(r, key)
			}
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		s.Write(append(text, '\n'))
	}
	return s.String()
}
