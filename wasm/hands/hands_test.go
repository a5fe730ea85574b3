package hands

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"mhacsp/model/probe"
	"mhacsp/tasks/assert"
)

// do sends a command and reads its reply as the page does.
func do(t *testing.T, h *Hands, c Command) map[string]any {
	t.Helper()
	kind, reply := h.Do(c)
	text := assert.Must(Encode(kind, c.ID, reply))(t)
	var m map[string]any
	err := json.Unmarshal(text, &m)
	assert.Need(t, err == nil, "%s: %v", text, err)
	assert.Need(t, m["id"] == float64(c.ID), "the reply has id %v, the command %d", m["id"], c.ID)
	return m
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	return assert.Must(os.ReadFile("../../site/demo/" + name + ".safetensors"))(t)
}

// TestHands: a model's clocks are found, a text is read, a cut and a turn change what is read, and each mistake is
// told in a line; another model can be opened, and a file that is none leaves the one that is open.
func TestHands(t *testing.T) {
	var h Hands
	m := do(t, &h, Command{Type: "read", ID: 1, Text: "1 + 1"})
	assert.True(t, m["type"] == "error", "a text without a model: %v", m)
	m = do(t, &h, Command{Type: "open", ID: 2, Samples: 60, Checkpoint: file(t, "clocks")})
	assert.Need(t, m["type"] == "opened" && len(m["clocks"].([]any)) == 4 && m["samples"] == 60.0 &&
		m["chance"].(float64) > 0, "opened: %v", m)
	read := func(c Command) (best string, m map[string]any) {
		t.Helper()
		c.Type, c.ID = "read", 3
		m = do(t, &h, c)
		assert.Need(t, m["type"] == "dials", "%+v: %v", c, m)
		top := -1.0
		for a, p := range m["probabilities"].([]any) {
			if p := p.(float64); p > top {
				top, best = p, m["answers"].([]any)[a].(string)
			}
		}
		return best, m
	}
	const text = "4-(3+5)"
	answer, whole := read(Command{Text: text})
	assert.True(t, answer == "5" && whole["expected"] == "5" &&
		len(whole["tokens"].([]any)) == len(whole["moments"].([]any)), "%s: %v", text, whole)
	answer, _ = read(Command{Text: text, Cut: []int{4, 56, 38, 7}})
	assert.True(t, answer != "5", "nothing is lost with all clocks cut")
	turns := []probe.Turn{}
	after := len(whole["tokens"].([]any)) - 4
	for _, c := range m["clocks"].([]any) { // the page turns a hand by the step that it is sent
		c := c.(map[string]any)
		turns = append(turns, probe.Turn{Unit: int(c["unit"].(float64)), After: after, Angle: c["step"].(float64)})
	}
	answer, _ = read(Command{Text: text, Turns: turns})
	assert.Is(t, answer, "6", "all hands turned by one: it answers")
	for kind, list := range map[string]string{"sums": "values", "table": "answers"} {
		m := do(t, &h, Command{Type: kind, ID: 4})
		assert.True(t, m["type"] == kind && len(m[list].([]any)) == 81, "%s: %v", kind, m["type"])
	}
	for _, c := range []Command{
		{Type: "read", ID: 5, Text: "(3 + "}, {Type: "dance", ID: 6}, {Type: "read", ID: 7, Text: "1", Cut: []int{999}},
		{Type: "open", ID: 8, Checkpoint: []byte("no model")},
		{Type: "open", ID: 9, Samples: 60, Checkpoint: file(t, "clocks")[:4000]},
	} {
		m := do(t, &h, c)
		text, _ := m["text"].(string)
		assert.True(t, m["type"] == "error" && text != "" && !strings.Contains(text, "\n"), "%+v: %v", c.Type, m)
		at := m["at"].(float64)
		assert.True(t, (at >= 0) == (c.ID == 5), "%+v: at %v", c.Type, at)
	}
	answer, _ = read(Command{Text: text})
	assert.True(t, answer == "5", "the model that was open is not there any more")
	m = do(t, &h, Command{Type: "open", ID: 10, Samples: 60, Checkpoint: file(t, "arithmetic")})
	lines, ok := m["half_turns"].([]any)
	assert.True(t, len(m["clocks"].([]any)) == 0 && ok && len(lines) == 3,
		"a model with half-turn clocks alone: %v, %v", m["clocks"], lines)
	answer, m = read(Command{Text: text})
	assert.True(t, answer == "5" && len(m["dials"].([]any)) == 3,
		"%s: the model with half-turn clocks answers %s", text, answer)
}
