//go:build !js

package input

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"

	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// FuzzBatch: a batch file is refused in one line, or holds what it holds when it is written and read again.
func FuzzBatch(f *testing.F) {
	for _, text := range []string{
		``, `null`, `{}`, `[]`, `{"prompts": [[16, 3], [16]], "targets": [[8, 17], [1]]}`,
		`{"prompts": [[1]], "labels": [0]}`,
		`{"prompts": [[1.5]]}`, `{"prompts": [[2147483648]]}`, `{"prompts": {"a": 1}}`, `{"prompt": []}`,
		`{"prompts": [null], "labels": null}`,
		"{\"prompts\": [\n7]}", "{\"prompts\": {\"a\":\n1}}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := parseBatch(text)
		if err != nil {
			inOneLine(t, text, err)
			return
		}
		fields := map[string]any{"prompts": b.Prompts, "targets": b.Targets, "labels": b.Labels}
		maps.DeleteFunc(fields, func(_ string, x any) bool { return reflect.ValueOf(x).IsNil() })
		written := assert.Must(json.Marshal(fields))(t)
		assert.Is(t, assert.Must(parseBatch(written))(t), b, "%s is read back as", written)
	})
}

// FuzzSample: a line of data is refused in one line, or is read again as it was written.
func FuzzSample(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `{"prompt": "1 + 2 mod 9 =", "target": "3"}`, `{"prompt_ids": [16, 14, 3], "target_ids": [8, 17]}`,
		`{"prompt": "0 1 1", "label": "odd"}`,
		`{"prompt": "((", "label_id": 1}`, `{"prompt": 7}`, `{"prompt_ids": null, "prompt": ""}`,
		`{"prompt_ids": [99]}`, "{\"prompt\": [\n1]}",
	} {
		f.Add([]byte(text))
	}
	var list []tasks.Task
	for _, name := range tasks.Names() {
		t := assert.Must(tasks.New(name, tasks.Options{}))(f)
		list = append(list, t)
		var s tasks.Sample
		t.Sample(&s, tasks.Draw{Seed: 1}, 0)
		var line bytes.Buffer
		assert.NoError(f, WriteSample(&line, t, &s))
		f.Add(line.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, task := range list {
			s, err := parseSample(text, task)
			if err != nil {
				inOneLine(t, text, err)
				continue
			}
			var line bytes.Buffer
			assert.NoError(t, WriteSample(&line, task, &s))
			again := assert.Must(parseSample(line.Bytes(), task))(t)
			assert.Is(t, again, s, "%s: %s is read back as", task.Name(), line.Bytes())
		}
	})
}

// inOneLine wants an error to have words, in one line.
func inOneLine(t *testing.T, text []byte, err error) {
	t.Helper()
	assert.Need(t, err.Error() != "" && !strings.Contains(err.Error(), "\n"), "%q: the error is %q", text, err)
}
