package zoo_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mhacsp/model"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks/assert"
)

// TestPresetCounts: every preset is within 2 % of 119 000 parameters at 21 tokens (SPEC §8), and Describe's total
// is the sum of its lines.
func TestPresetCounts(t *testing.T) {
	names := zoo.Names()
	for _, want := range []string{"csp", "mha-csp", "mha-csp-2", "mha-csp-s"} {
		assert.True(t, slices.Contains(names, want), "no preset %s", want)
	}
	assert.True(t, slices.IsSorted(names), "presets are not sorted: %v", names)
	for _, name := range names {
		c := assert.Must(zoo.Preset(name))(t)
		assert.True(t, c.Shape().Vocab == 21 && c.Name() == name,
			"%s: vocab %d, model %s", name, c.Shape().Vocab, c.Name())
		assert.Is(t, c.Validate(), nil, "%s", name)
		set := assert.Must(c.Parameters())(t)
		n := set.Count()
		assert.True(t, math.Abs(float64(n)-119000) <= 0.02*119000,
			"%s has %d parameters; a preset has 116 620 to 121 380 (SPEC §8): change its width", name, n)
		describe(t, set)
	}
}

// describe checks Describe against the parameters themselves.
func describe(t *testing.T, p *param.Set) {
	t.Helper()
	var want [][]string
	sum := 0
	for _, x := range p.Tensors {
		line, count := []string{x.Name}, 1
		for _, d := range x.Shape {
			line = append(line, fmt.Sprint(d))
			count *= d
		}
		want = append(want, append(line, fmt.Sprint(count)))
		sum += count
	}
	want = append(want, []string{"total", fmt.Sprint(sum)})
	lines := slices.Collect(strings.Lines(zoo.Describe(p)))
	assert.Need(t, len(lines) == len(want), "%d lines for %d tensors", len(lines), len(p.Tensors))
	for i, line := range lines {
		assert.Is(t, strings.Fields(line), want[i], "line %d", i+1)
	}
	assert.Is(t, sum, p.Count(), "the sum of all lines")
}

func TestParse(t *testing.T) {
	preset := func(name string, edit func(*model.Config)) sequence.Config {
		c := assert.Must(zoo.Preset(name))(t)
		edit(c.(*model.Config))
		return c
	}
	for _, x := range []struct {
		json   string
		others bool
		want   sequence.Config
	}{
		{`{"model": "mha-csp-s"}`, false, preset("mha-csp-s", func(*model.Config) {})},
		{` {"model":"csp"} ` + "\n", false, preset("csp", func(*model.Config) {})},
		{`{"layers": 3, "model": "mha-csp", "width": 24, "heads": 2}`, false,
			preset("mha-csp", func(c *model.Config) { c.Layers, c.Width, c.Heads = 3, 24, 2 })},
		{`{"model": "mha-csp", "rotate": "mixed", "rotate_share": 0, "skip": false, "gate_bias": -1.2}`, false,
			preset("mha-csp", func(c *model.Config) {
				c.Rotate, c.RotateShare, c.Skip, c.GateBias = "mixed", 0, false, -1.2
			})},
		{`{"model": "mha-csp", "task": "parity", "steps": 10}`, true, preset("mha-csp", func(*model.Config) {})},
		// The example of FORMATS.md, word for word.
		{`{"model": "mha-csp", "layers": 1, "heads": 4, "width": 132, "rotate": "state", ` +
			`"rotate_share": 0.5, "theta": "token", "fusion": "mesh", "skip": true, ` +
			`"supervision": "final", "ablation": "none", "vocab": 21, "classes": 0}`,
			false, preset("mha-csp", func(*model.Config) {})},
	} {
		assert.Is(t, assert.Must(zoo.Parse([]byte(x.json), x.others))(t), x.want, "%s", x.json)
		text := assert.Must(json.Marshal(x.want))(t)
		assert.Is(t, assert.Must(zoo.Parse(text, false))(t), x.want, "%s does not come back", text)
	}
}

// TestParseErrors: one line that holds all that helps.
func TestParseErrors(t *testing.T) {
	for _, x := range []struct {
		json  string
		words []string
	}{
		{`{"model": "mha-csp", "widht": 12}`, []string{`"widht"`, "unknown", "width"}},
		{`{"model": "mha-csp", "task": "parity"}`, []string{`"task"`, "unknown"}},
		{`{"model": "mha-csp", "width": "12"}`, []string{"width", "string"}},
		{`{"model": "mha-csp", "width": 12.5}`, []string{"width", "12.5"}},
		{`{"model": "mha-csp", "skip": 1}`, []string{"skip", "number", "holds a number; true or false is needed"}},
		{`{"model": "mha-csp", "rotate": {}}`, []string{`"rotate" holds an object; a text in quotation marks is needed`}},
		{`{"model": "mha-cps"}`, []string{"model", `"mha-cps"`, "mha-csp"}},
		{`{"width": 12}`, []string{`"model"`, "mha-csp"}}, {`{}`, []string{`"model"`}},
		{``, []string{"JSON"}}, {`[]`, []string{"JSON"}},
		{`{"model": "mha-csp"`, []string{"JSON"}}, {`{"model": "mha-csp"} {}`, []string{"JSON"}},
		{`{"model": "mha-csp", "layers": 0}`, []string{"layers", "0"}},
	} {
		_, err := zoo.Parse([]byte(x.json), false)
		assert.OneLine(t, x.json, err, x.words...)
	}
}

// TestContract holds every preset of every family, made small, to what a sequence.Network promises: with sequences
// under each supervision that it has, and with labels.
func TestContract(t *testing.T) {
	for _, p := range zoo.Presets() {
		for _, supervision := range sequencetest.Supervisions(p.New()) {
			for _, classes := range []int{0, 3} {
				t.Run(fmt.Sprintf("%s/%s/classes=%d", p.Name, supervision, classes), func(t *testing.T) {
					c := sequencetest.Small(t, p.New(), sequencetest.Keys{
						"width": 6, "heads": 2, "embedding_std": 0.7, "supervision": supervision,
					})
					c.Fit(21, classes)
					sequencetest.Usable(t, c)
					sequencetest.Run(t, c)
				})
			}
		}
	}
}

// TestKeys: each key that a family offers is one of its JSON keys, of a type that flags can have, and says what it is.
func TestKeys(t *testing.T) {
	for _, p := range zoo.Presets() {
		c := p.New()
		for _, k := range c.Keys() {
			if n, ok := k.Value.(*int); ok {
				*n = max(*n, 1) // some are left out of JSON while they are 0
			}
		}
		var fields map[string]any
		assert.NoError(t, json.Unmarshal(assert.Must(json.Marshal(c))(t), &fields))
		for _, k := range c.Keys() {
			assert.True(t, k.Usage != "", "%s: key %q says nothing", p.Name, k.Name)
			var value any
			switch v := k.Value.(type) {
			case *int:
				value = float64(*v)
			case *float64:
				value = *v
			case *bool:
				value = *v
			case *string:
				value = *v
				assert.True(t, slices.Contains(k.Choices, *v),
					"%s: %s is %q, none of its choices", p.Name, k.Name, *v)
			}
			assert.True(t, value != nil && value == fields[k.Name],
				"%s: %s is %v, in JSON %v", p.Name, k.Name, value, fields[k.Name])
		}
		assert.True(t, fields["model"] == p.Name && fields["vocab"] != nil && fields["classes"] != nil,
			"%s: %v has not the keys of every family", p.Name, fields)
	}
}
