package model_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mhacsp/model"
)

// TestPresetCounts: every preset is within 2 % of 119 000 parameters at 21 tokens (SPEC §8), and Describe's total
// is the sum of its lines.
func TestPresetCounts(t *testing.T) {
	names := model.PresetNames()
	for _, want := range []string{"csp", "mha-csp", "mha-csp-2", "mha-csp-s"} {
		if !slices.Contains(names, want) {
			t.Errorf("no preset %s", want)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("presets are not sorted: %v", names)
	}
	for _, name := range names {
		c, err := model.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		if c.Vocab != 21 || c.Model != name {
			t.Errorf("%s: vocab %d, model %s", name, c.Vocab, c.Model)
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		m := fastModel(t, c)
		if n := m.Params().Count(); math.Abs(float64(n)-119000) > 0.02*119000 {
			t.Errorf("%s has %d parameters", name, n)
		}
		describe(t, m)
	}
	for _, x := range []struct {
		name, theta, rotate  string
		layers, width, heads int
	}{
		{"mha-csp", "token", "state", 1, 132, 4}, {"mha-csp-2", "token", "state", 2, 88, 4}, {"mha-csp-s", "state", "mixed", 1, 116, 4},
	} {
		c, err := model.Preset(x.name)
		if err != nil {
			t.Fatal(err)
		}
		if c.Theta != x.theta || c.Rotate != x.rotate || c.Layers != x.layers || c.Width != x.width || c.Heads != x.heads {
			t.Errorf("preset %s is %+v", x.name, c)
		}
	}
}

// describe checks Describe against the parameters themselves.
func describe(t *testing.T, m *model.Model) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(model.Describe(m.Params()), "\n"), "\n")
	if len(lines) != len(m.Params().Tensors)+1 {
		t.Fatalf("%d lines for %d tensors", len(lines), len(m.Params().Tensors))
	}
	sum := 0
	for i, p := range m.Params().Tensors {
		fields := strings.Fields(lines[i])
		want := []string{p.Name}
		count := 1
		for _, d := range p.Shape {
			want = append(want, fmt.Sprint(d))
			count *= d
		}
		if want = append(want, fmt.Sprint(count)); !slices.Equal(fields, want) {
			t.Errorf("line %q, %v wanted", lines[i], want)
		}
		sum += count
	}
	if want := []string{"total", fmt.Sprint(sum)}; !slices.Equal(strings.Fields(lines[len(lines)-1]), want) || sum != m.Params().Count() {
		t.Errorf("last line %q, %v wanted", lines[len(lines)-1], want)
	}
}

// TestTensors holds names, shapes and order against the table of SPEC §12.
func TestTensors(t *testing.T) {
	type entry struct {
		name  string
		shape []int
	}
	table := func(layers int, attention, stateTheta, skip bool, v, n, h, outputs int) []entry {
		d := n / h
		list := []entry{{"embedding.weight", []int{v, n}}}
		for l := range layers {
			add := func(name string, shape ...int) {
				list = append(list, entry{fmt.Sprintf("blocks.%d.%s", l, name), shape})
			}
			if l >= 1 {
				add("drive.weight", n, 2*n)
			}
			add("theta.weight", n, n)
			add("theta.bias", n)
			if stateTheta {
				add("theta_h.weight", n, 2*n)
			}
			add("gamma.weight", n, n)
			add("gamma.bias", n)
			add("input.weight", n, n)
			add("delta_h.weight", n, 2*n)
			add("delta_u.weight", n, n)
			add("delta.bias", n)
			if attention {
				add("metric.factor", h, d, d)
				add("metric.rho", h)
				add("fusion.weight", h, h)
				if skip && l < layers-1 {
					add("skip.gate", n)
				}
			}
		}
		return append(list, entry{"head.weight", []int{outputs, 2 * n}}, entry{"head.bias", []int{outputs}})
	}
	for _, x := range []struct {
		label string
		json  string
		want  []entry
	}{
		{"mha-csp-2, theta state", `{"model": "mha-csp-2", "theta": "state"}`, table(2, true, true, true, 21, 88, 4, 21)},
		{"mha-csp-2", `{"model": "mha-csp-2"}`, table(2, true, false, true, 21, 88, 4, 21)},
		{"mha-csp-2 without skip", `{"model": "mha-csp-2", "skip": false}`, table(2, true, false, false, 21, 88, 4, 21)},
		{"three classes", `{"model": "mha-csp", "classes": 3, "vocab": 22}`, table(1, true, false, true, 22, 132, 4, 3)},
		{"csp", `{"model": "csp", "layers": 2}`, table(2, false, false, true, 21, 136, 4, 21)},
	} {
		c, err := model.ParseConfig([]byte(x.json), false)
		if err != nil {
			t.Fatal(err)
		}
		m := fastModel(t, c)
		var got []entry
		for _, p := range m.Params().Tensors {
			got = append(got, entry{p.Name, p.Shape})
		}
		if !reflect.DeepEqual(got, x.want) {
			t.Errorf("%s:\n got %v\nwant %v", x.label, got, x.want)
		}
		describe(t, m)
	}
}

// TestStartValues holds the start values of SPEC §8.
func TestStartValues(t *testing.T) {
	c, err := model.Preset("mha-csp-2")
	if err != nil {
		t.Fatal(err)
	}
	c.Theta = "state"
	m := fastModel(t, c)
	m.Initialise(7)
	flat, err := m.Params().Download(m.Params().Values())
	if err != nil {
		t.Fatal(err)
	}
	n := float64(c.Width)
	xavier := func(in, out float64) float64 { return math.Sqrt(6/(in+out)) / math.Sqrt(3) } // standard deviation
	want := map[string][2]float64{                                                          // mean, standard deviation; two blocks start at 0.3
		"embedding.weight": {0, 0.3}, "drive.weight": {0, xavier(2*n, n)}, "theta.weight": {0, xavier(n, n)}, "theta.bias": {0, 0},
		"theta_h.weight": {0, 0.002}, "gamma.weight": {0, xavier(n, n)}, "gamma.bias": {0, 0}, "input.weight": {0, xavier(n, n)},
		"delta_h.weight": {0, 0.02}, "delta_u.weight": {0, xavier(n, n)}, "delta.bias": {-2, 0}, "metric.rho": {-1, 0},
		"fusion.weight": {0, 0.01}, "skip.gate": {0, 0}, "head.weight": {0, xavier(2*n, 21)}, "head.bias": {0, 0},
	}
	for _, p := range m.Params().Tensors {
		key := p.Name
		if after, ok := strings.CutPrefix(key, "blocks."); ok {
			key = after[strings.Index(after, ".")+1:]
		}
		values := flat[p.Offset:][:p.Len]
		if key == "metric.factor" {
			d := p.Shape[1]
			scale := 1 / math.Sqrt(2*float64(d))
			for i, x := range values {
				row, col := i/d%d, i%d
				got, mean := float64(x), 0.0
				if row == col {
					got, mean = math.Log1p(math.Exp(got)), scale
				}
				if bound := 0.02 * scale * 5; math.Abs(got-mean) > bound || col > row && got != 0 || col <= row && got == mean {
					t.Fatalf("%s[%d,%d] is %v, near %v wanted", p.Name, row, col, got, mean)
				}
			}
			continue
		}
		w, ok := want[key]
		if !ok {
			t.Errorf("no start value for %s in this test", p.Name)
			continue
		}
		var sum, square float64
		for _, x := range values {
			sum += float64(x)
		}
		mean := sum / float64(p.Len)
		for _, x := range values {
			square += (float64(x) - mean) * (float64(x) - mean)
		}
		std, slack := math.Sqrt(square/float64(p.Len)), 5*w[1]/math.Sqrt(float64(p.Len))
		if math.Abs(mean-w[0]) > slack+1e-7 || math.Abs(std-w[1]) > slack+1e-7 {
			t.Errorf("%s has mean %.4g and standard deviation %.4g, wanted %.4g and %.4g", p.Name, mean, std, w[0], w[1])
		}
	}
}

func TestParseConfig(t *testing.T) {
	preset := func(name string, edit func(*model.Config)) model.Config {
		c, err := model.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		edit(&c)
		return c
	}
	for _, x := range []struct {
		json   string
		others bool
		want   model.Config
	}{
		{`{"model": "mha-csp-s"}`, false, preset("mha-csp-s", func(*model.Config) {})},
		{` {"model":"csp"} ` + "\n", false, preset("csp", func(*model.Config) {})},
		{`{"layers": 3, "model": "mha-csp", "width": 24, "heads": 2}`, false, preset("mha-csp", func(c *model.Config) { c.Layers, c.Width, c.Heads = 3, 24, 2 })},
		{`{"model": "mha-csp", "rotate": "mixed", "rotate_share": 0, "skip": false, "gate_bias": -1.2}`, false, preset("mha-csp", func(c *model.Config) {
			c.Rotate, c.RotateShare, c.Skip, c.GateBias = "mixed", 0, false, -1.2
		})},
		{`{"model": "mha-csp", "task": "parity", "steps": 10}`, true, preset("mha-csp", func(*model.Config) {})},
		// The example of SPEC §12, word for word.
		{`{"model": "mha-csp", "layers": 1, "heads": 4, "width": 132, "rotate": "state", "rotate_share": 0.5, "theta": "token", "fusion": "mesh", "skip": true, "supervision": "final", "ablation": "none", "vocab": 21, "classes": 0}`,
			false, preset("mha-csp", func(*model.Config) {})},
	} {
		got, err := model.ParseConfig([]byte(x.json), x.others)
		if err != nil || got != x.want {
			t.Errorf("%s: %+v, %v; wanted %+v", x.json, got, err, x.want)
		}
		text, err := json.Marshal(x.want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := model.ParseConfig(text, false); err != nil || got != x.want {
			t.Errorf("%s does not come back: %+v, %v", text, got, err)
		}
	}
}

// TestParseConfigErrors: one line that holds all that helps.
func TestParseConfigErrors(t *testing.T) {
	for _, x := range []struct {
		json  string
		words []string
	}{
		{`{"model": "mha-csp", "widht": 12}`, []string{`"widht"`, "unknown", "width"}},
		{`{"model": "mha-csp", "task": "parity"}`, []string{`"task"`, "unknown"}},
		{`{"model": "mha-csp", "width": "12"}`, []string{"width", "string"}},
		{`{"model": "mha-csp", "width": 12.5}`, []string{"width", "12.5"}},
		{`{"model": "mha-csp", "skip": 1}`, []string{"skip", "number", "holds a number; true or false is needed"}},
		{`{"model": "mha-cps"}`, []string{"model", `"mha-cps"`, "mha-csp"}},
		{`{"width": 12}`, []string{`"model"`, "mha-csp"}},
		{`{}`, []string{`"model"`}},
		{``, []string{"JSON"}},
		{`{"model": "mha-csp"`, []string{"JSON"}},
		{`{"model": "mha-csp"} {}`, []string{"JSON"}},
		{`[]`, []string{"JSON"}},
		{`{"model": "mha-csp", "layers": 0}`, []string{"layers", "0"}},
	} {
		_, err := model.ParseConfig([]byte(x.json), false)
		oneLine(t, x.json, err, x.words)
	}
}

func oneLine(t *testing.T, what string, err error, words []string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: the error %q does not say %q", what, err, w)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: the error has more than one line: %q", what, err)
	}
}

// TestValidate: each message names the field and its value.
func TestValidate(t *testing.T) {
	for _, x := range []struct {
		field string
		value any
		edit  func(*model.Config)
	}{
		{"layers", 0, func(c *model.Config) { c.Layers = 0 }},
		{"layers", 65, func(c *model.Config) { c.Layers = 65 }},
		{"width", 0, func(c *model.Config) { c.Width = 0 }},
		{"width", 8193, func(c *model.Config) { c.Width = 8193 }},
		{"heads", 0, func(c *model.Config) { c.Heads = 0 }},
		{"heads", -1, func(c *model.Config) { c.Heads = -1 }},
		{"heads", 133, func(c *model.Config) { c.Heads = 133 }},
		{"heads", 5, func(c *model.Config) { c.Heads = 5 }}, // 132 is no multiple
		{"width", 130, func(c *model.Config) { c.Width = 130 }},
		{"vocab", 18, func(c *model.Config) { c.Vocab = 18 }},
		{"vocab", 65537, func(c *model.Config) { c.Vocab = 65537 }},
		{"classes", -1, func(c *model.Config) { c.Classes = -1 }},
		{"model", `"x"`, func(c *model.Config) { c.Model = "x" }},
		{"rotate", `"x"`, func(c *model.Config) { c.Rotate = "x" }},
		{"theta", `""`, func(c *model.Config) { c.Theta = "" }},
		{"fusion", `"mash"`, func(c *model.Config) { c.Fusion = "mash" }},
		{"supervision", `"last"`, func(c *model.Config) { c.Supervision = "last" }},
		{"ablation", `"no-b"`, func(c *model.Config) { c.Ablation = "no-b" }},
		{"rotate_share", 1.5, func(c *model.Config) { c.RotateShare = 1.5 }},
		{"rotate_share", -0.5, func(c *model.Config) { c.RotateShare = -0.5 }},
		{"rotate_share", "NaN", func(c *model.Config) { c.RotateShare = math.NaN() }},
		{"theta", `"state"`, func(c *model.Config) { c.Theta, c.Rotate = "state", "input" }},
		{"embedding_std", 0, func(c *model.Config) { c.EmbeddingStd = 0 }},
		{"embedding_std", "NaN", func(c *model.Config) { c.EmbeddingStd = math.NaN() }},
	} {
		c, err := model.Preset("mha-csp")
		if err != nil {
			t.Fatal(err)
		}
		x.edit(&c)
		oneLine(t, fmt.Sprintf("%s %v", x.field, x.value), c.Validate(), []string{x.field, fmt.Sprint(x.value)})
	}
	for _, edit := range []func(*model.Config){
		func(c *model.Config) { c.Model, c.Heads = "csp", 5 }, // no heads to cut the width for
		func(c *model.Config) { c.Rotate, c.RotateShare = "mixed", 1 },
		func(c *model.Config) { c.Theta, c.Rotate = "state", "mixed" },
		func(c *model.Config) { c.Layers, c.Width, c.Heads, c.Vocab = 64, 1, 1, 19 },
	} {
		c, err := model.Preset("mha-csp")
		if err != nil {
			t.Fatal(err)
		}
		edit(&c)
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestTurn(t *testing.T) {
	for _, x := range []struct {
		rotate string
		share  float64
		width  int
		want   int
	}{{"state", 0.5, 7, 7}, {"input", 0.5, 7, 0}, {"mixed", 0.5, 7, 3}, {"mixed", 0.5, 116, 58}, {"mixed", 0, 8, 0}, {"mixed", 1, 8, 8}, {"mixed", 0.25, 8, 2}} {
		c := model.Config{Rotate: x.rotate, RotateShare: x.share, Width: x.width}
		if got := c.Turn(); got != x.want {
			t.Errorf("%s, share %v of %d: %d units turn, %d wanted", x.rotate, x.share, x.width, got, x.want)
		}
	}
}

// TestBatchValidate: each message names the sample, what it holds and what would fit.
func TestBatchValidate(t *testing.T) {
	sequences, err := model.Preset("mha-csp")
	if err != nil {
		t.Fatal(err)
	}
	classes := sequences
	classes.Classes = 3
	ok := [][]int32{{16, 1}, {16}}
	for _, x := range []struct {
		c     model.Config
		b     model.Batch
		limit int
		words []string // nil: valid
	}{
		{sequences, model.Batch{Prompts: ok, Targets: [][]int32{{17}, {3, 17}}}, 0, nil},
		{sequences, model.Batch{Prompts: ok}, 0, nil},
		{sequences, model.Batch{Prompts: ok, Targets: [][]int32{{17}, {3, 17}}}, 2, nil},
		{classes, model.Batch{Prompts: ok, Labels: []int32{0, 2}}, 0, nil},
		{classes, model.Batch{Prompts: ok}, 0, nil},
		{sequences, model.Batch{}, 0, []string{"no prompts"}},
		{sequences, model.Batch{Prompts: ok, Labels: []int32{1, 1}}, 0, []string{`"labels"`, `"targets"`}},
		{sequences, model.Batch{Prompts: ok, Targets: [][]int32{{17}}}, 0, []string{"2 prompts", "1 targets"}},
		{sequences, model.Batch{Prompts: ok, Targets: [][]int32{{17}, {}}}, 0, []string{"targets[1]", "empty"}},
		{sequences, model.Batch{Prompts: [][]int32{{16}, nil}}, 0, []string{"prompts[1]", "empty"}},
		{sequences, model.Batch{Prompts: [][]int32{{16, 21}}}, 0, []string{"prompts[0][1]", "21", "0 to 20"}},
		{sequences, model.Batch{Prompts: [][]int32{{-1}}}, 0, []string{"prompts[0][0]", "-1"}},
		{sequences, model.Batch{Prompts: ok, Targets: [][]int32{{17}, {17, 99}}}, 0, []string{"targets[1][1]", "99"}},
		{sequences, model.Batch{Prompts: [][]int32{{16, 1, 2}}}, 2, []string{"prompts[0]", "3", "2"}},
		{sequences, model.Batch{Prompts: [][]int32{{16}}, Targets: [][]int32{{1, 2, 17}}}, 2, []string{"targets[0]", "3", "2"}},
		{classes, model.Batch{Prompts: ok, Targets: ok}, 0, []string{`"targets"`, `"labels"`}},
		{classes, model.Batch{Prompts: ok, Labels: []int32{1}}, 0, []string{"2 prompts", "1 labels"}},
		{classes, model.Batch{Prompts: ok, Labels: []int32{0, 3}}, 0, []string{"labels[1]", "3", "0 to 2"}},
		{classes, model.Batch{Prompts: ok, Labels: []int32{-1, 0}}, 0, []string{"labels[0]", "-1"}},
		{classes, model.Batch{Prompts: [][]int32{{16, 30}}, Labels: []int32{0}}, 0, []string{"prompts[0][1]", "30"}},
	} {
		err := x.b.Validate(x.c, x.limit)
		if x.words == nil {
			if err != nil {
				t.Errorf("%+v: %v", x.b, err)
			}
			continue
		}
		oneLine(t, fmt.Sprintf("%+v", x.b), err, x.words)
	}
}
