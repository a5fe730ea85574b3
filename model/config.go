package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"
)

// Config is a model's configuration (SPEC §12). The zero value is not valid: start from Preset or ParseConfig.
type Config struct {
	Model       string  `json:"model"`        // preset it started from; "csp" has no attention
	Layers      int     `json:"layers"`       // L, blocks
	Heads       int     `json:"heads"`        // H; divides Width
	Width       int     `json:"width"`        // N, complex units
	Rotate      string  `json:"rotate"`       // state, input or mixed (SPEC §2)
	RotateShare float64 `json:"rotate_share"` // share of units that turn where Rotate is mixed
	Theta       string  `json:"theta"`        // token or state (SPEC §2)
	Fusion      string  `json:"fusion"`       // mesh, pooled or mean (SPEC §5)
	Skip        bool    `json:"skip"`         // gated skip in all blocks but the last (SPEC §6)
	Supervision string  `json:"supervision"`  // final or prefix (SPEC §7)
	Ablation    string  `json:"ablation"`     // none, no-tree, no-lse, no-B or no-norm (SPEC §10)
	Vocab       int     `json:"vocab"`        // V
	Classes     int     `json:"classes"`      // 0: logits over the vocabulary

	// Start values that SPEC §8 leaves to measurement.
	EmbeddingStd float64 `json:"embedding_std"` // standard deviation of the embeddings
	GateBias     float64 `json:"gate_bias"`     // b_γ
	DeltaBias    float64 `json:"delta_bias"`    // b_δ
}

// Presets of SPEC §8 that this package builds; within 2 % of 119 000 parameters at 21 tokens.
var presets = map[string]Config{
	"mha-csp":   preset("mha-csp", 1, 132, "state", "token"),
	"mha-csp-2": smaller(preset("mha-csp-2", 2, 88, "state", "token")),
	"mha-csp-s": preset("mha-csp-s", 1, 116, "mixed", "state"),
	"csp":       preset("csp", 1, 136, "state", "token"),
}

func preset(name string, layers, width int, rotate, theta string) Config {
	return Config{
		Model: name, Layers: layers, Heads: 4, Width: width, Rotate: rotate, RotateShare: 0.5, Theta: theta,
		Fusion: "mesh", Skip: true, Supervision: "final", Ablation: "none", Vocab: 21, Classes: 0,
		EmbeddingStd: 1, GateBias: 0, DeltaBias: -2,
	}
}

// smaller starts with embeddings of 0.3: two blocks are badly conditioned at 1, where they had not learnt one sum after
// 4 000 steps of arithmetic; at 0.3 they do. One block learns faster at 1.
func smaller(c Config) Config {
	c.EmbeddingStd = 0.3
	return c
}

// PresetNames lists the presets in alphabetical order.
func PresetNames() []string {
	names := make([]string, 0, len(presets))
	for n := range presets {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Preset returns a named configuration.
func Preset(name string) (Config, error) {
	c, ok := presets[name]
	if !ok {
		return Config{}, choice("model", name, PresetNames())
	}
	return c, nil
}

func choice(field, value string, allowed []string) error {
	return fmt.Errorf("%s is %q; choose one of %s", field, value, strings.Join(allowed, ", "))
}

// WrongType says in a reader's words which key of a configuration holds what, and what it must hold.
func WrongType(e *json.UnmarshalTypeError) string {
	held, needed := "a "+e.Value, "a text in quotation marks"
	if e.Value == "array" || e.Value == "object" {
		held = "an " + e.Value
	}
	switch e.Type.Kind() {
	case reflect.Bool:
		needed = "true or false"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		needed = "a whole number"
	case reflect.Float64:
		needed = "a number"
	}
	return fmt.Sprintf("key %q holds %s; %s is needed", e.Field[strings.LastIndexByte(e.Field, '.')+1:], held, needed)
}

// ParseConfig reads a configuration: a preset's name under "model" and any keys that override it. An unknown key
// is an error that names it, unless others is set (the keys of a run that stand beside the model's).
func ParseConfig(data []byte, others bool) (Config, error) {
	var head struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &kind) && kind.Field == "":
			return Config{}, fmt.Errorf("configuration is a JSON %s; an object is needed", kind.Value)
		case errors.As(err, &kind):
			return Config{}, fmt.Errorf("configuration %s", WrongType(kind))
		}
		return Config{}, fmt.Errorf("configuration is not valid JSON: %w; mend the text, or copy the file again", err)
	}
	if head.Model == "" {
		return Config{}, fmt.Errorf(`configuration has no "model"; give one of %s`, strings.Join(PresetNames(), ", "))
	}
	c, err := Preset(head.Model)
	if err != nil {
		return Config{}, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if !others {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(&c); err != nil {
		if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return Config{}, fmt.Errorf("configuration has an unknown key %s; known keys: %s", key, strings.Join(keys(c), ", "))
		}
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return Config{}, fmt.Errorf("configuration %s", WrongType(kind))
		}
		return Config{}, fmt.Errorf("configuration: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return Config{}, errors.New("configuration: text after the JSON object; remove it")
	}
	return c, c.Validate()
}

func keys(c Config) []string {
	var m map[string]json.RawMessage
	data, _ := json.Marshal(c)
	_ = json.Unmarshal(data, &m)
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	sort.Strings(names)
	return names
}

// Limits of a configuration, so that a typing error does not ask for all memory.
const (
	maxLayers = 64
	maxWidth  = 8192
	maxVocab  = 1 << 16
	maxBias   = 100
)

// Validate names the first field that does not fit, its value and what would.
func (c Config) Validate() error {
	for _, x := range []struct {
		field    string
		value    int
		from, to int
	}{
		{"layers", c.Layers, 1, maxLayers}, {"width", c.Width, 1, maxWidth}, {"heads", c.Heads, 1, c.Width},
		{"vocab", c.Vocab, 19, maxVocab}, {"classes", c.Classes, 0, maxVocab},
	} {
		if x.value < x.from || x.value > x.to {
			return fmt.Errorf("%s is %d; choose a number from %d to %d", x.field, x.value, x.from, x.to)
		}
	}
	for _, x := range []struct {
		field, value string
		allowed      []string
	}{
		{"model", c.Model, PresetNames()}, {"rotate", c.Rotate, []string{"state", "input", "mixed"}},
		{"theta", c.Theta, []string{"token", "state"}}, {"fusion", c.Fusion, []string{"mesh", "pooled", "mean"}},
		{"supervision", c.Supervision, []string{"final", "prefix"}},
		{"ablation", c.Ablation, []string{"none", "no-tree", "no-lse", "no-B", "no-norm"}},
	} {
		if !slices.Contains(x.allowed, x.value) {
			return choice(x.field, x.value, x.allowed)
		}
	}
	switch {
	case c.Attention() && c.Width%c.Heads != 0:
		return fmt.Errorf("width is %d, no multiple of heads (%d); choose %d or %d", c.Width, c.Heads, c.Width/c.Heads*c.Heads, (c.Width/c.Heads+1)*c.Heads)
	case !(c.RotateShare >= 0 && c.RotateShare <= 1):
		return fmt.Errorf("rotate_share is %v; choose a number from 0 to 1", c.RotateShare)
	case c.Theta == "state" && c.Rotate == "input":
		return errors.New(`theta is "state" but rotate is "input", where no unit turns; choose rotate "state" or "mixed", or theta "token"`)
	case !(math.Abs(c.GateBias) <= maxBias):
		return fmt.Errorf("gate_bias is %v; choose a number from %d to %d", c.GateBias, -maxBias, maxBias)
	case !(math.Abs(c.DeltaBias) <= maxBias):
		return fmt.Errorf("delta_bias is %v; choose a number from %d to %d", c.DeltaBias, -maxBias, maxBias)
	case !(c.EmbeddingStd > 0 && c.EmbeddingStd < 1e3):
		return fmt.Errorf("embedding_std is %v; choose a number above 0 (1 and 0.3 are usual)", c.EmbeddingStd)
	}
	return nil
}

// Attention tells whether the blocks compare positions; "csp" does without.
func (c Config) Attention() bool { return c.Model != "csp" }

// Turn is the number of units whose state turns (SPEC §2).
func (c Config) Turn() int {
	switch c.Rotate {
	case "input":
		return 0
	case "mixed":
		return int(c.RotateShare * float64(c.Width))
	}
	return c.Width
}

// Outputs is the number of logits: the classes, or the vocabulary.
func (c Config) Outputs() int {
	if c.Classes > 0 {
		return c.Classes
	}
	return c.Vocab
}
