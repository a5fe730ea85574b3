//go:build !js

package hardware

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mhacsp/model/backend/tune"
	"mhacsp/tasks/assert"
)

func formRecord(adapter string, batch int) tune.Record {
	times := []tune.Time{{Value: "streamed", Ms: 2}, {Value: "registers", Ms: 1}}
	return tune.Record{
		Key:     tune.Key{Adapter: adapter, Kernels: "1", Width: 132, Angle: "token", Batch: batch},
		Choices: []tune.Choice{{Knob: "forward", Value: "registers", Times: times}},
	}
}

// TestKeptForms: what a tuner tells of is in the file for the next run, and said where it is used. A damaged or
// foreign file is said once, on one line, and written again; a folder that cannot be written is said once, and is no
// error.
func TestKeptForms(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("LocalAppData", cache)
	path := assert.Must(FormsFile())(t)
	var said []string
	say := func(text string) { said = append(said, text) }
	known, tell := keptForms(say)
	assert.Need(t, len(known) == 0 && len(said) == 0, "at first there are %v, said %q", known, said)
	tell(formRecord("a", 64), false)
	tell(formRecord("b", 64), true)
	assert.Is(t, said, []string{"kernels: forward registers (50 % less time a step)\n"}, "said")
	known, _ = keptForms(say)
	assert.True(t, len(known) == 2 && len(FormsOf(known, "b")) == 1, "kept are %+v", known)
	for _, wrong := range []string{"", "{", `{"version":99,"records":[]}`} {
		assert.NoError(t, os.WriteFile(path, []byte(wrong), 0o644))
		said = nil
		known, tell := keptForms(say)
		tell(formRecord("c", 64), false)
		assert.True(t, len(known) == 0 && len(said) == 1 && strings.Count(said[0], "\n") == 1 &&
			strings.Contains(said[0], path), "%q: known %+v, said %q", wrong, known, said)
		assert.Is(t, len(assert.Must(ReadForms(path))(t)), 1, "%q: then the file has", wrong)
	}
	assert.NoError(t, ForgetForms(path))
	assert.Is(t, ForgetForms(path), nil, "nothing to forget")
	assert.NoError(t, os.RemoveAll(filepath.Dir(path)))
	assert.NoError(t, os.WriteFile(filepath.Dir(path), nil, 0o644)) // where the folder should be
	said = nil
	_, tell = keptForms(say)
	tell(formRecord("c", 64), false)
	tell(formRecord("c", 64), false)
	assert.True(t, len(said) == 1 && strings.Count(said[0], "\n") == 1, "no folder: said %q", said)
}
