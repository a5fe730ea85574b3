package train

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"

	"mhacsp/model"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

func defaultRun(t *testing.T, task string) Run {
	t.Helper()
	r := assert.Must(Default(task))(t)
	assert.Must(r.Fit())(t)
	return r
}

// own is the network's part of a run, of the family that the tests are with.
func own(r Run) *model.Config { return r.Config.(*model.Config) }

// changed is a run with another network; r keeps its own.
func changed(r Run, edit func(*model.Config)) Run {
	c := *own(r)
	edit(&c)
	r.Config = &c
	return r
}

func TestDefault(t *testing.T) {
	for _, task := range tasks.Names() {
		r := defaultRun(t, task)
		assert.Is(t, r.Validate(), nil, "%s", task)
		x := assert.Must(tasks.New(task, r.Training.Options))(t)
		name := map[bool]string{true: zoo.Labels, false: zoo.Default}[x.Classes() > 0]
		s := r.Config.Shape()
		assert.True(t, r.Config.Name() == name && s.Classes == x.Classes() && s.Vocab == x.Vocabulary().Size() &&
			r.Training.Task == task, "%s: %+v", task, r)
		c, strings := r.Training, x.Classes() > 0
		assert.True(t, c.Curriculum && (c.Beta2 == 0.98) == strings && own(r).GateBias == -1.2 &&
			(c.LongShare == 0.75) != strings && c.StateClip == 0.2 && (c.LR == 1.4e-3) != strings &&
			(c.Batch == 64) != strings && (c.Steps == 6000) != strings && (c.AnswerWeight == 10) != strings &&
			c.EvalBatch == 64 && (c.WeightDecay == 1e-4) == strings && (c.Clip == 1) == strings,
			"%s: not the settings of SPEC §8 together: %+v", task, r)
	}
	r, err := Begin(Head{Task: "arithmetic", Model: "mha-csp"})
	assert.True(t, err == nil && !r.Training.Curriculum && r.Training.LongShare == 0 && r.Training.StateClip == 0.2 &&
		r.Training.AnswerWeight == 3, "without a memory: %+v, %v", r, err)
	sequencetest.Unfit(t, "unknown task", errOf(Default("sums")), "task", "sums")
}

// TestRunJSON: a run comes back from its JSON as it was, and the JSON is one flat object with the keys of FORMATS.md.
func TestRunJSON(t *testing.T) {
	brackets := false
	edits := map[string]func(*Run){
		"arithmetic": func(r *Run) {
			r.Training.Options = tasks.Options{Preset: "paper", Format: "direct"}
			r.Training.Split, r.Training.Seed = "iid", math.MaxUint64
			r.Training.Optimizer, r.Training.LR = "adamw", 1e-300
			c := own(*r)
			c.Supervision, c.Skip, c.Rotate, c.RotateShare = "prefix", false, "mixed", 1./3
			r.Training.Patience, r.Training.Clip, r.Training.AnswerWeight = 3, 0, 20
			r.Training.LongShare, r.Training.StateClip = 0.25, 0.5
		},
		"modarith": func(r *Run) {
			r.Training.Options = tasks.Options{MinLength: 3, MaxLength: 41, Brackets: &brackets, Operators: "+-"}
		},
		"parity": func(r *Run) { r.Training.Options.MaxLength = 16 },
		"mod3":   func(*Run) {},
	}
	for task, edit := range edits {
		r := tiny(t, task)
		edit(&r)
		text := assert.Must(json.Marshal(r))(t)
		got, err := ParseRun(text)
		assert.Need(t, err == nil, "%s: %v", task, err)
		assert.Is(t, got, r, "%s", task)
		var flat map[string]any
		assert.NoError(t, json.Unmarshal(text, &flat))
		for _, key := range []string{
			"model", "layers", "heads", "width", "rotate", "rotate_share", "theta", "fusion", "skip",
			"supervision", "ablation", "vocab", "classes", "task", "seed", "steps", "batch", "lr",
		} {
			_, ok := flat[key]
			assert.True(t, ok, "%s: no key %q", task, key)
		}
		n := strings.Count(string(text), `":`)
		assert.True(t, n == len(flat), "%s: %d keys written, %d of them different", task, n, len(flat))
	}
}

// TestRunJSONAgain: what JSON leaves out, being 0, stays 0 where the preset or its recommended run has a value.
func TestRunJSONAgain(t *testing.T) {
	r := defaultRun(t, "arithmetic")
	own(r).MemoryPeriod, r.Training.LongShare, r.Training.StateClip = 0, 0, 0
	without := changed(r, func(c *model.Config) { c.Memory = 0 })
	for _, want := range []Run{r, without, defaultRun(t, "arithmetic")} {
		text := assert.Must(json.Marshal(want))(t)
		got, err := ParseRun(text)
		assert.True(t, err == nil && reflect.DeepEqual(got, want),
			"read as a run: %v\n got %+v %+v\nwant %+v %+v", err, got.Config, got, want.Config, want)
		got, _, err = Resolve(text)
		assert.True(t, err == nil && reflect.DeepEqual(got, want),
			"resolved: %v\n got %+v %+v\nwant %+v %+v", err, got.Config, got, want.Config, want)
	}
}

// TestBeforeStateClip: the configuration of a run that was written before there was a state_clip, or a long_share,
// means none of them, whoever reads it; one that names a few keys means the defaults of today.
func TestBeforeStateClip(t *testing.T) {
	for _, head := range []Head{{"parity", "csp", ""}, {"parity", "mha-csp-s", ""}, {"arithmetic", "mha-csp-m", ""}} {
		r := assert.Must(Begin(head))(t)
		assert.Must(r.Fit())(t)
		var keys map[string]any
		assert.NoError(t, json.Unmarshal(assert.Must(json.Marshal(r))(t), &keys))
		delete(keys, "state_clip")
		delete(keys, "long_share")
		old := assert.Must(json.Marshal(keys))(t)
		parsed, err := ParseRun(old)
		resolved, _, failed := Resolve(old)
		for _, x := range []Run{parsed, resolved} {
			c := x.Training
			assert.True(t, err == nil && failed == nil && c.StateClip == 0 && c.LongShare == 0,
				"%+v: state_clip %v, long_share %v; %v, %v", head, c.StateClip, c.LongShare, err, failed)
		}
		few := fmt.Sprintf(`{"task": %q, "model": %q, "batch": 3, "vocab": %d}`, head.Task, head.Model,
			r.Config.Shape().Vocab)
		x, _, err := Resolve([]byte(few))
		assert.NoError(t, err)
		assert.Is(t, x.Training.StateClip, 0.2, "%s: state_clip", few)
	}
}

// TestPaperLonger: with the paper's expressions a network with a memory trains longer, unless told otherwise.
func TestPaperLonger(t *testing.T) {
	for text, want := range map[string]int{
		`{}`: 6000, `{"preset": "paper"}`: 12000, `{"preset": "paper", "steps": 5}`: 5,
		`{"preset": "author"}`: 6000, `{"preset": "paper", "model": "lstm"}`: 12000, `{"model": "lstm"}`: 12000,
	} {
		r, _, err := Resolve([]byte(text))
		x := r.Training
		assert.True(t, err == nil && x.Steps == want && (x.Steps <= 5 || (x.LR == 1e-3) == (want == 12000)),
			"%s: %d steps at %v, %v", text, x.Steps, x.LR, err)
	}
}

func TestParseRunErrors(t *testing.T) {
	var base map[string]any
	assert.NoError(t, json.Unmarshal(assert.Must(json.Marshal(defaultRun(t, "arithmetic")))(t), &base))
	for _, x := range []struct {
		key   string
		value any
		word  string // of an error that is none of a value that does not fit
	}{
		{"width", "wide", "string"}, {"steps", "many", "string"}, {"seed", -1, "-1"},
		{"task", "", `"task"`}, {"task", nil, `"task"`}, {"task", "sums", ""},
		{"preset", "auther", ""}, {"format", "x", ""}, {"min_length", 3, ""}, // arithmetic has none
		{"model", "lstn", ""}, {"width", 0, ""}, {"fusion", "mash", ""},
		{"steps", 0, ""}, {"batch", 0, ""}, {"batch", 1 << 21, ""}, {"split", "random", ""},
		{"eval_every", -1, ""}, {"eval_samples", 0, ""}, {"eval_batch", 0, ""}, {"test_samples", -1, ""},
		{"patience", -1, ""}, {"checkpoint_every", 0, ""},
		{"state_clip", -0.5, ""}, {"long_share", 1.5, ""}, {"answer_weight", -1, ""},
		{"schedule", "linear", ""}, {"lr", 0, ""}, {"warmup", -1, ""}, {"lr_floor", 2, ""},
		{"optimizer", "sgd", ""}, {"optimizer", "", ""}, {"beta1", 1, ""}, {"eps", 0, ""},
		{"weight_decay", -1, ""}, {"clip", -1, ""},
	} {
		m := maps.Clone(base)
		if m[x.key] = x.value; x.value == nil {
			delete(m, x.key)
		}
		text := assert.Must(json.Marshal(m))(t)
		what := fmt.Sprintf("%s %v", x.key, x.value)
		_, err := ParseRun(text)
		if x.word != "" {
			assert.OneLine(t, what, err, x.key, x.word)
			continue
		}
		sequencetest.Unfit(t, what, err, x.key, x.value)
	}
	for text, word := range map[string]string{
		"": "JSON", "{": "JSON", `{"model": "mha-csp"} x`: "JSON", `{"model": "mha-csp"}`: `"task"`,
	} {
		assert.OneLine(t, text, errOf(ParseRun([]byte(text))), word)
	}
}
