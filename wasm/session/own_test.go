package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
	"mhacsp/wasm/protocol"
)

const tinyOwn = `{"type":"open","run":{"task":"own","model":"csp","width":8,"batch":8,"steps":40,"eval_every":20,` +
	`"warmup":5,"seed":4},"data":{"train":"ends.jsonl"}}`

// lines are samples: does the text begin as it ends? field is label or target.
func lines(field string) []byte {
	var b bytes.Buffer
	for i := range 64 {
		text := fmt.Sprintf("%06b", i)
		answer := map[bool]string{true: "same", false: "other"}[text[0] == text[5]]
		fmt.Fprintf(&b, "{\"prompt\": %q, %q: %q, \"group\": %d}\n", text, field, answer, text[1]-'0')
	}
	return b.Bytes()
}

// TestOwn: a file becomes a run that trains, is tested by group, answers, and goes on bit for bit after a reload.
func TestOwn(t *testing.T) {
	for _, field := range []string{"label", "target"} {
		t.Run(field, func(t *testing.T) {
			c := newClient(t)
			files := map[string][]byte{"train": lines(field)}
			config := tinyOwn
			if field == "target" {
				config = strings.Replace(config, `"csp"`, `"mha-csp-s","heads":2`, 1)
			}
			opened := ok[protocol.Opened](c, config, files)
			var run struct {
				Classes int
				Data    struct {
					Train, Validation struct{ Samples int }
					Vocabulary        []string
				}
			}
			assert.NoError(t, json.Unmarshal(opened.Run, &run))
			d := run.Data
			assert.True(t, d.Train.Samples == 58 && d.Validation.Samples == 6 && opened.Filed,
				"a tenth of 64 lines: %+v, filed %v", d, opened.Filed)
			_ = ok[protocol.Status](c, `{"type":"step","count":20}`, nil)
			weights, state, _ := c.weights()
			e := ok[protocol.Eval](c, `{"type":"evaluate","n":6,"role":"validation"}`, nil)
			assert.True(t, len(e.ByGroup) == 2 && strings.HasPrefix(e.ByGroup[0].Group, "group="),
				"groups %+v", e.ByGroup)
			list := ok[protocol.SampleList](c, `{"type":"samples","n":12}`, nil)
			assert.True(t, len(list.Samples) == 6 && list.Samples[0].Target != "", "samples %+v", list)
			r := ok[protocol.Reading](c, `{"type":"read","text":"01"}`, nil)
			assert.True(t, len(r.Probabilities) == 3 && len(r.Outcomes) == len(r.Probabilities[0]) &&
				r.Answer != "" && r.Expected == "", "reading %+v", r)
			assert.Is(t, c.fails(`{"type":"read","text":"01x"}`, nil, "x").At, 2, "the mistake is at")
			_ = ok[protocol.Embedding](c, `{"type":"embedding"}`, nil)
			c.fails(`{"type":"lengths","n":8}`, nil, "data of its own")
			_ = ok[protocol.Status](c, `{"type":"step","count":20}`, nil)
			end, _, _ := c.weights()

			again := map[string][]byte{"train": files["train"], "checkpoint": weights, "state": state}
			resume := fmt.Sprintf(`{"type":"open","run":%s}`, opened.Run)
			_ = ok[protocol.Opened](c, resume, again)
			_ = ok[protocol.Status](c, `{"type":"step","count":20}`, nil)
			got, _, step := c.weights()
			assert.True(t, step == 40 && bytes.Equal(got, end), "at step %d, resumed, the weights are others", step)

			changed := bytes.Replace(files["train"], []byte("000001"), []byte("000011"), 1)
			again["train"] = changed
			c.fails(resume, again, "is not the file that the run began with")

			// Without the file the model answers and does nothing else.
			opened = ok[protocol.Opened](c, `{"type":"load"}`, map[string][]byte{"checkpoint": weights})
			_ = ok[protocol.Reading](c, `{"type":"read","text":"010101"}`, nil)
			c.fails(`{"type":"start"}`, nil, "drop the file on the page")
			c.fails(`{"type":"samples","n":4}`, nil, "ends.jsonl")
			assert.True(t, !opened.Filed, "a model without its file is filed")
		})
	}
}

// TestOwnMistakes: a mistake in a file is reported by line and column, whichever part of the split it falls into.
func TestOwnMistakes(t *testing.T) {
	c := newClient(t)
	good := string(lines("label"))
	for _, x := range []struct{ text, part string }{
		{strings.Replace(good, `"label": "same", "group": 1`, `"lable": "same", "group": 1`, 1), "line 17, column 1: field"},
		{good + "{\"prompt\": 7, \"label\": \"same\"}\n", "ends.jsonl, line 65, column 12:"},
		{good + `{"prompt": "1"`, "line 65, column"}, {"", "line 1, column 1: the file holds no samples"},
		{"{\"prompt\": \"1\", \"target\": \"2\"}\n", "2 at least are needed"},
	} {
		c.forget()
		c.fails(tinyOwn, map[string][]byte{"train": []byte(x.text)}, x.part)
	}
	c.fails(`{"type":"open","run":{"task":"own"}}`, nil, "drop a file")
	c.fails(`{"type":"open","run":{"task":"parity"},"data":{"train":"a"}}`,
		map[string][]byte{"train": []byte(good)}, `choose task "own"`)
	c.fails(strings.Replace(tinyOwn, `"seed":4`, `"eval_samples":7`, 1),
		map[string][]byte{"train": []byte(good)}, "eval_samples is 7, but the data has 6 validation samples")
}

// TestOwnWords: where the command line names a flag, the page says what can be done in it.
func TestOwnWords(t *testing.T) {
	c := newClient(t)
	good := string(lines("label"))
	var groups, words strings.Builder
	for i := range 300 {
		fmt.Fprintf(&groups, "{\"prompt\": \"1\", \"label\": \"same\", \"group\": %d}\n", i)
		fmt.Fprintf(&words, "{\"prompt\": \"")
		for j := range 300 {
			fmt.Fprintf(&words, "%d ", 1000*i+j)
		}
		fmt.Fprintf(&words, "\", \"label\": \"same\"}\n")
	}
	for _, x := range []struct{ train, validation, tokens, groups, want string }{
		{good, strings.Replace(good, "000000", "00000c", 1), "characters", "null", "; give training data that has it too"},
		{good, groups.String(), "characters", `["group"]`, "too many for a breakdown; choose another beneath"},
		{good, good, "characters", `["x"]`, `no line has the field "x"; choose another beneath`},
		{good + words.String(), good, "words", "null", "; choose characters for tokens"},
		{good, "text,intent\n0,same\n", "characters", "null", "choose others beneath the button"},
	} {
		e := c.fails(strings.Replace(tinyOwn, `{"train":"ends.jsonl"}`,
			fmt.Sprintf(`{"train":"a.jsonl","validation":"b.csv","tokens":%q,"groups":%s}`, x.tokens, x.groups), 1),
			map[string][]byte{"train": []byte(x.train), "validation": []byte(x.validation)}, x.want)
		assert.True(t, !strings.Contains(e.Text, "--"), "%q", e.Text)
	}
}

// TestOwnTable: a table of columns with names of their own is refused with those names, and taken where they are
// given; what is odd in files is reported; a group can be switched off; the run goes on from the same file.
func TestOwnTable(t *testing.T) {
	c := newClient(t)
	table := "\ufefftext,intent,group\r\n"
	for i := range 64 {
		table += fmt.Sprintf("\"%d,\n\",%d,0.%d\r\n", i%8, i%2, i)
	}
	files := map[string][]byte{"train": []byte(table)}
	open := func(more string) string {
		return strings.Replace(tinyOwn, `"data":{"train":"ends.jsonl"`, `"data":{"train":"ends.csv"`+more, 1)
	}
	e := c.fails(open(""), files, `column "prompt" is missing`)
	assert.Is(t, e.Columns, []string{"text", "intent", "group"}, "the columns are")
	const fields = `,"fields":{"prompt":"text","label":"intent"}`
	many := table
	for i := range 2100 { // of which a tenth is for validation
		many += fmt.Sprintf("1,1,%d\n", i)
	}
	for _, x := range []struct {
		text, groups string
		warnings     []string
	}{
		{table, "", []string{"6 of the 6 samples for validation"}},
		{many, "", []string{"more than 200 values", "samples for validation"}},
		{many, `,"groups":[]`, []string{"samples for validation"}},
	} {
		opened := ok[protocol.Opened](c, open(fields+x.groups), map[string][]byte{"train": []byte(x.text)})
		assert.Need(t, len(opened.Columns) == 3 && len(opened.Warnings) == len(x.warnings),
			"columns %q, warnings %q", opened.Columns, opened.Warnings)
		for i, w := range x.warnings {
			assert.True(t, strings.Contains(opened.Warnings[i], w) && !strings.Contains(opened.Warnings[i], "--"),
				"the page is warned: %s", opened.Warnings[i])
		}
		weights, state, _ := c.weights()
		_ = ok[protocol.Opened](c, fmt.Sprintf(`{"type":"open","run":%s}`, opened.Run),
			map[string][]byte{"train": []byte(x.text), "checkpoint": weights, "state": state})
		_ = ok[protocol.Status](c, `{"type":"step","count":2}`, nil)
	}
	c.fails(open(`,"fields":{"promt":"text"}`), files, `no "promt" to name a field for`)
	half := bytes.Replace(lines("label"), []byte("\"000001\""), []byte(`"\ud83d"`), 1)
	c.fails(tinyOwn, map[string][]byte{"train": half}, "ends.jsonl, line 2, column 13:")
	c.fails(`{"type":"open","run":{"task":"parity","Steps":3}}`, nil, `"Steps", did you mean "steps"`)
}

// TestOwnFiles: files of their own for validation and test are taken as they are, even of one name.
func TestOwnFiles(t *testing.T) {
	c := newClient(t)
	text := lines("label")
	opened := ok[protocol.Opened](c, strings.Replace(tinyOwn, `"train":"ends.jsonl"`,
		`"train":"a.jsonl","validation":"a.jsonl","test":"c.jsonl"`, 1),
		map[string][]byte{"train": text, "validation": text[:bytes.IndexByte(text, '\n')+1], "test": text})
	for _, part := range []string{`"samples":64`, `"samples":1,`, `"test_samples":64`, `"eval_samples":1,`} {
		assert.True(t, strings.Contains(string(opened.Run), part), "%s lacks %s", opened.Run, part)
	}
	_ = ok[protocol.Status](c, `{"type":"step","count":2}`, nil)
	c.fails(fmt.Sprintf(`{"type":"open","run":%s}`, opened.Run), map[string][]byte{"train": text},
		"a.jsonl, too; drop all")
}

// TestOwnEmbedding: tokens that are words, and one that is alone, have places.
func TestOwnEmbedding(t *testing.T) {
	for tokens, prompts := range map[string][2]string{"words": {"ca", "cb ca"}, "characters": {"a", "aa"}} {
		var text string
		for i := range 40 {
			text += fmt.Sprintf("{\"prompt\": %q, \"label\": \"%d\"}\n", prompts[i%2], i%2)
		}
		c := newClient(t)
		open := strings.Replace(tinyOwn, `"ends.jsonl"`, `"a.jsonl","tokens":"`+tokens+`"`, 1)
		_ = ok[protocol.Opened](c, open, map[string][]byte{"train": []byte(text)})
		e := ok[protocol.Embedding](c, `{"type":"embedding"}`, nil)
		assert.Is(t, len(e.Points), map[string]int{"words": 2, "characters": 1}[tokens], "%s: %+v", tokens, e.Points)
	}
}
