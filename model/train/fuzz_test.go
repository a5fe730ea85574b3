package train

import (
	"encoding/json"
	"reflect"
	"testing"

	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// FuzzRun: a configuration is refused in one line, or is a run that is read again as it was written.
func FuzzRun(f *testing.F) {
	for _, task := range tasks.Names() {
		r := assert.Must(Default(task))(f)
		f.Add(assert.Must(json.Marshal(r))(f))
	}
	for _, text := range []string{
		``, `null`, `[]`, `{}`, `{} {}`, `{"task": "parity", "model": "csp", "width": 8}`,
		`{"model": "mha-csp", "widht": 12}`, `{"lr": 1e999}`,
		`{"steps": -1}`, `{"task": "arithmetic", "format": "copy", "split": "iid"}`, "{\"rotate\": \"a\nb\"}",
		`{"Model": "csp", "model": 1}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for name, parse := range map[string]func() (Run, error){
			"Resolve":  func() (Run, error) { r, _, err := Resolve(text); return r, err },
			"ParseRun": func() (Run, error) { return ParseRun(text) },
		} {
			r, err := parse()
			if err != nil {
				assert.OneLine(t, name, err)
				continue
			}
			written := assert.Must(json.Marshal(r))(t)
			again, err := ParseRun(written)
			assert.Need(t, err == nil && reflect.DeepEqual(again, r),
				"%s: %s is read back as %+v, %v", name, written, again, err)
		}
	})
}
