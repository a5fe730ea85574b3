//go:build !js

package native

import (
	"encoding/json"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// onlyText drops everything but the texts from JSON lines, as another program may write them.
func onlyText(t *testing.T, lines []byte) string {
	t.Helper()
	var s strings.Builder
	for line := range strings.Lines(string(lines)) {
		var r map[string]any
		assert.NoError(t, json.Unmarshal([]byte(line), &r))
		for key := range r {
			if key != "prompt" && key != "target" && key != "label" {
				delete(r, key)
			}
		}
		s.Write(append(assert.Must(json.Marshal(r))(t), '\n'))
	}
	return s.String()
}
