package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"mhacsp/model/backend"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/tasks/strict"
	"mhacsp/tasks/token"
)

// Config is the configuration of MHA-CSP and of CSP, which is MHA-CSP without attention (FORMATS.md). The
// zero value is not valid: start from a preset.
type Config struct {
	Model       string  `json:"model"`        // preset it started from; it decides about Attention
	Layers      int     `json:"layers"`       // L, blocks
	Heads       int     `json:"heads"`        // H; divides Width
	Width       int     `json:"width"`        // N, complex units
	Rotate      string  `json:"rotate"`       // state, input or mixed (SPEC §2)
	RotateShare float64 `json:"rotate_share"` // share of units that turn where Rotate is mixed
	Theta       string  `json:"theta"`        // token, state or product (SPEC §2)
	Fusion      string  `json:"fusion"`       // mesh, pooled or mean (SPEC §5)
	Skip        bool    `json:"skip"`         // gated skip in all blocks but the last (SPEC §6)
	Supervision string  `json:"supervision"`  // final or prefix (SPEC §7)
	Ablation    string  `json:"ablation"`     // none, or what is left out or changed (SPEC §10)

	// Memory is how many of the units, the last ones, are a memory of positions (SPEC §2, memory); MemoryPeriod is the
	// number of tokens after which it begins again, 0: as many as units. The keys are left out where there is none.
	Memory       int `json:"memory,omitempty"`
	MemoryPeriod int `json:"memory_period,omitempty"`

	Vocab   int `json:"vocab"`   // V
	Classes int `json:"classes"` // 0: logits over the vocabulary

	// Start values that SPEC §8 leaves to measurement.
	EmbeddingStd float64 `json:"embedding_std"` // standard deviation of the embeddings
	GateBias     float64 `json:"gate_bias"`     // b_γ
	DeltaBias    float64 `json:"delta_bias"`    // b_δ
}

// MarshalJSON leaves the memory's keys out where there is none, but not where the preset has one, which would come
// back from a file without them.
func (c Config) MarshalJSON() ([]byte, error) {
	type short Config
	if p, err := find(c.Model); err != nil || p.Memory == 0 || c.Memory > 0 && c.MemoryPeriod > 0 {
		return json.Marshal(short(c))
	}
	return json.Marshal(struct {
		short
		Memory       int `json:"memory"`
		MemoryPeriod int `json:"memory_period"`
	}{short(c), c.Memory, c.MemoryPeriod})
}

// preset is a named start of a Config.
type preset struct {
	Config
	attention bool
}

// presets are those of SPEC §8 that this package builds; within 2 % of 119 000 parameters at 21 tokens.
func presets() []preset {
	list := []preset{
		{sized("csp", 1, 136, "state", "token"), false},
		{sized("mha-csp", 1, 132, "state", "token"), true},
		{sized("mha-csp-2", 2, 88, "state", "token"), true},
		{sized("mha-csp-m", 1, 152, "mixed", "product"), true},
		{sized("mha-csp-s", 1, 116, "mixed", "state"), true},
	}
	// Two blocks are badly conditioned with embeddings of 1, where they had not learnt one sum after 4 000 steps of
	// arithmetic; at 0.3 they do. One block learns faster at 1.
	list[2].EmbeddingStd = 0.3
	m := &list[3].Config
	m.Memory, m.MemoryPeriod = 68, 88 // the longest prompt has 85 tokens
	// Small angles and gates that are nearly shut let the rule for signs be found soon; copies bear it.
	m.RotateShare, m.EmbeddingStd, m.GateBias = 0.75, 0.3, gatesNearlyShut
	return list
}

func sized(name string, layers, width int, rotate, theta string) Config {
	return Config{
		Model: name, Layers: layers, Heads: 4, Width: width, Rotate: rotate, RotateShare: 0.5, Theta: theta,
		Fusion: "mesh", Skip: true, Supervision: "final", Ablation: "none", Vocab: 21, Classes: 0,
		EmbeddingStd: 1, GateBias: 0, DeltaBias: -2,
	}
}

// Presets are this family's named configurations, in alphabetical order.
func Presets() []sequence.Preset {
	var list []sequence.Preset
	for _, p := range presets() {
		list = append(list, sequence.Preset{Name: p.Model, New: func() sequence.Config { c := p.Config; return &c }})
	}
	return list
}

// find is the preset of a name.
func find(name string) (preset, error) {
	var names []string
	for _, p := range presets() {
		if p.Model == name {
			return p, nil
		}
		names = append(names, p.Model)
	}
	return preset{}, strict.OneOf("model", name, names)
}

// The values that texts of a configuration may have.
var (
	rotates      = []string{"state", "input", "mixed"}
	thetas       = []string{"token", "state", "product"}
	fusions      = []string{"mesh", "pooled", "mean"}
	supervisions = []string{"final", "prefix"}

	// The ablations (SPEC §10), and those that a model must have attention or a memory for.
	ablations = []string{"none", "no-tree", "no-lse", "no-B", "no-norm",
		"no-omega", "random-omega", "learned-omega", "no-pi", "fixed-psi", "no-zeta", "norm-memory"}
	attentionAblations, memoryAblations = ablations[1:4], ablations[5:]
)

// Keys implements sequence.Config.
func (c *Config) Keys() []sequence.Key {
	return []sequence.Key{
		{Name: "layers", Usage: "`blocks`, L", Value: &c.Layers},
		{Name: "heads", Usage: "attention `heads`, H; divide the width", Value: &c.Heads},
		{Name: "width", Usage: "complex `units`, N", Value: &c.Width},
		{Name: "rotate", Usage: "what a token turns", Choices: rotates, Value: &c.Rotate},
		{Name: "rotate_share", Usage: "`share` of the units that turn where rotate is mixed, 0 to 1", Value: &c.RotateShare},
		{Name: "theta", Usage: "what the angle of a turn depends on", Choices: thetas, Value: &c.Theta},
		{Name: "fusion", Usage: "how heads share their distances", Choices: fusions, Value: &c.Fusion},
		{Name: "skip", Usage: "gated skip connections in all blocks but the last", Value: &c.Skip},
		{Name: "supervision", Usage: "where the answer is read", Choices: supervisions, Value: &c.Supervision},
		{Name: "ablation", Usage: "part of the model to leave out or change", Choices: ablations, Value: &c.Ablation},
		{Name: "memory", Usage: "`units` of the width that remember positions, 0: none", Value: &c.Memory},
		{Name: "memory_period", Usage: "`tokens` after which the memory starts again, 0: as many as its units", Value: &c.MemoryPeriod},
		{Name: "embedding_std", Usage: "standard `deviation` of the first embeddings", Value: &c.EmbeddingStd},
		{Name: "gate_bias", Usage: "first `bias` of the input gates γ", Value: &c.GateBias},
		{Name: "delta_bias", Usage: "first `bias` of the forgetting δ", Value: &c.DeltaBias},
	}
}

// Name implements sequence.Config.
func (c *Config) Name() string { return c.Model }

// Shape implements sequence.Config.
func (c *Config) Shape() sequence.Shape {
	return sequence.Shape{Vocab: c.Vocab, Classes: c.Classes, Prefix: c.Supervision == "prefix" && c.Classes == 0}
}

// Traits implements sequence.Config.
func (c *Config) Traits() sequence.Traits {
	t := sequence.Traits{Blocks: c.Layers, Units: c.Core(), Turning: c.Turn(), Steered: c.Steered()}
	if c.Memory > 0 {
		t.Reach = c.Period()
		if !strings.HasSuffix(c.Ablation, "-omega") { // which gives the units other rates
			t.Period = c.Period()
		}
	}
	if c.Attention() {
		t.Heads = c.Heads
	}
	return t
}

// Fit implements sequence.Config.
func (c *Config) Fit(vocab, classes int) { c.Vocab, c.Classes = vocab, classes }

// gatesNearlyShut starts the input gates at 0.03 of their range: for tasks with labels, where it goes with the length
// curriculum, and for mha-csp-m (SPEC §8).
const gatesNearlyShut = -1.2

// Suit implements sequence.Config.
func (c *Config) Suit(labels bool) {
	if labels {
		c.GateBias = gatesNearlyShut
	}
}

// Parameters implements sequence.Config.
func (c *Config) Parameters() (*param.Set, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return declared(*c).params, nil
}

// Open implements sequence.Config.
func (c *Config) Open(b backend.Backend) (sequence.Network, error) {
	m, err := New(*c, b)
	if err != nil {
		return nil, err // no *Model in the interface
	}
	return m, nil
}

// Limits of a configuration, so that a typing error does not ask for all memory.
const maxLayers, maxWidth, maxVocab, maxBias = 64, 8192, 1 << 16, 100

// Validate names the first field that does not fit, its value and what would.
func (c Config) Validate() error {
	heads := maxWidth
	if c.Attention() { // else they say nothing
		heads = c.Width
	}
	if err := cmp.Or(
		strict.Within("layers", c.Layers, 1, maxLayers), strict.Within("width", c.Width, 1, maxWidth),
		strict.Within("heads", c.Heads, 1, heads), strict.Within("vocab", c.Vocab, int(token.PAD)+1, maxVocab),
		strict.Within("classes", c.Classes, 0, maxVocab), strict.Within("memory", c.Memory, 0, maxWidth),
		strict.Within("memory_period", c.MemoryPeriod, 0, maxVocab), strict.OneOf("rotate", c.Rotate, rotates),
		strict.OneOf("theta", c.Theta, thetas), strict.OneOf("fusion", c.Fusion, fusions),
		strict.OneOf("supervision", c.Supervision, supervisions), strict.OneOf("ablation", c.Ablation, ablations),
		strict.Within("rotate_share", c.RotateShare, 0, 1), strict.Within("gate_bias", c.GateBias, -maxBias, maxBias),
		strict.Within("delta_bias", c.DeltaBias, -maxBias, maxBias),
	); err != nil {
		return err
	}
	if _, err := find(c.Model); err != nil {
		return err
	}
	memory := func(want string, args ...any) error { return strict.Unfit("memory", c.Memory, want, args...) }
	ablation := func(want string, args ...any) error { return strict.Unfit("ablation", c.Ablation, want, args...) }
	switch {
	case c.Memory >= c.Width:
		return memory(", which leaves nothing of $width %d; choose a greater width, "+
			"a memory from 0 to %d, or a model without one", c.Width, c.Width-1)
	case c.Memory > 0 && c.Core() < c.Heads:
		return memory(", which leaves %d of %d units to %d heads; choose $memory %d or less",
			c.Core(), c.Width, c.Heads, (c.Width-c.Heads)/c.Heads*c.Heads+c.Width%c.Heads)
	case c.Attention() && c.Memory > 0 && c.Core()%c.Heads != 0:
		rest := c.Core() % c.Heads
		return memory(", which leaves %d of %d units, no multiple of $heads (%d); choose $memory %d, or $width %d",
			c.Core(), c.Width, c.Heads, c.Memory+rest, c.Width+c.Heads-rest)
	case c.Attention() && c.Width%c.Heads != 0 && c.Memory == 0:
		return strict.Unfit("width", c.Width, ", no multiple of $heads (%d); choose %d or %d",
			c.Heads, c.Width/c.Heads*c.Heads, (c.Width/c.Heads+1)*c.Heads)
	case c.Memory > 0 && c.Rotate != "mixed":
		return memory(", which needs $rotate \"mixed\", not %q; change one of them", c.Rotate)
	case c.Memory > 0 && c.Steered() && c.Turn() == 0:
		return strict.Unfit("rotate_share", c.RotateShare, ", so that none of the %d units outside the memory turns; "+
			"choose a greater share, or $theta \"token\"", c.Core())
	case c.Memory > 0 && c.Layers > 1:
		return memory(", which is made for one block, and $layers is %d; change one of them", c.Layers)
	case c.Memory > 0 && (c.Supervision != "final" || c.Classes > 0):
		if p, _ := find(c.Model); p.Memory == c.Memory { // nobody chose the number
			return strict.Unfit("model", c.Model, ", whose memory hands a text on to the answer that is "+
				"written after it; choose another model, or a task that writes sequences and $supervision \"final\"")
		}
		return memory(": it hands a text on to the answer that is written after it, " +
			"so it needs a task that writes sequences and $supervision \"final\"; " +
			"choose $memory 0, or another model (mha-csp-s has none)")
	case !c.Attention() && slices.Contains(attentionAblations, c.Ablation):
		return ablation(", a change of the attention, which model %q has none of; choose none or "+
			"no-norm, or a model with attention", c.Model)
	case c.Ablation == "no-B" && c.Heads == 1:
		return ablation(", a change of how heads share their distances, and $heads is 1; choose more " +
			"heads, or $ablation none")
	case c.Memory == 0 && slices.Contains(memoryAblations, c.Ablation):
		return ablation(", a change of the memory, and $memory is 0; choose a model with a memory, " +
			"mha-csp-m, or another ablation")
	case c.Steered() && c.Rotate == "input":
		return strict.Unfit("theta", c.Theta, ` but $rotate is "input", where no unit turns; `+
			`choose $rotate "state" or "mixed", or $theta "token"`)
	case !(c.EmbeddingStd > 0 && c.EmbeddingStd < 1e3):
		return strict.Unfit("embedding_std", c.EmbeddingStd, "; choose a number above 0 and below 1000 "+
			"(1 and 0.3 are usual)")
	}
	return nil
}

// Attention reports whether the blocks compare positions.
func (c Config) Attention() bool {
	p, _ := find(c.Model)
	return p.attention
}

// Steered reports whether the angle of a turn depends on the state too (SPEC §2).
func (c Config) Steered() bool { return c.Theta != "token" }

// Core is the number of units that are no memory: they have a phase, and are compared.
func (c Config) Core() int { return c.Width - c.Memory }

// Period is the number of tokens after which the memory begins again.
func (c Config) Period() int {
	if c.MemoryPeriod > 0 {
		return c.MemoryPeriod
	}
	return c.Memory
}

// Turn is the number of units whose state turns (SPEC §2).
func (c Config) Turn() int {
	switch c.Rotate {
	case "input":
		return 0
	case "mixed":
		return int(c.RotateShare * float64(c.Core()))
	}
	return c.Core()
}
