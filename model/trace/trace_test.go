package trace

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"mhacsp/model/ask"
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

func network(t *testing.T, c sequence.Config, b backend.Backend) sequence.Network {
	t.Helper()
	m := assert.Must(c.Open(b))(t)
	m.Initialise(4)
	return m
}

// configuration is a preset at a small width, made for a task.
func configuration(t *testing.T, preset, supervision string, task tasks.Task) sequence.Config {
	t.Helper()
	c := assert.Must(zoo.Preset(preset))(t)
	c.Fit(task.Vocabulary().Size(), task.Classes())
	return sequencetest.Small(t, c, sequencetest.Keys{"width": 12, "supervision": supervision})
}

// TestReadEachPrefix: row t of a reading is what the network computes when it is
// given the first t+1 tokens and no more.
func TestReadEachPrefix(t *testing.T) {
	for _, task := range []string{"arithmetic", "parity"} {
		for _, p := range zoo.Presets() {
			for _, supervision := range sequencetest.Supervisions(p.New()) {
				t.Run(fmt.Sprintf("%s/%s/%s", task, p.Name, supervision), func(t *testing.T) {
					k := assert.Must(tasks.New(task, tasks.Options{}))(t)
					c := configuration(t, p.Name, supervision, k)
					sequencetest.Usable(t, c)
					m := network(t, c, cpu.New())
					text := map[string]string{"arithmetic": "(3+5)-8", "parity": "10110"}[task]
					q := assert.Must(ask.Parse(k, "", text))(t)
					r := assert.Must(Read(m, k, "", q))(t)
					n, got := len(q.Tokens), [3]int{len(r.State), len(r.Probabilities), len(r.Tokens)}
					assert.Need(t, got == [3]int{n, n, n}, "%d tokens: states, probabilities, texts %v", n, got)
					for i := range q.Tokens {
						checkRow(t, m, k, r, q.Tokens[:i+1])
					}
				})
			}
		}
	}
}

// TestFits: the longest prompts that are read, with attention and without.
func TestFits(t *testing.T) {
	for preset, most := range map[string]int{"mha-csp": longestAttention, "csp": longest} {
		c := assert.Must(zoo.Preset(preset))(t)
		assert.Is(t, Fits(c.Traits(), ask.Question{Tokens: make([]int32, most)}), nil, "%s", preset)
		assert.True(t, Fits(c.Traits(), ask.Question{Tokens: make([]int32, most+1)}) != nil,
			"%s: %d tokens are taken", preset, most+1)
	}
}

// checkRow compares the last row of a prefix, given alone to the network, with that row of the reading. Probabilities
// and states are the same bits; a matrix may be streamed in other blocks where it is larger.
func checkRow(t *testing.T, m sequence.Network, k tasks.Task, r *Reading, prefix []int32) {
	t.Helper()
	i := len(prefix) - 1
	var answers []float32
	if k.Classes() > 0 {
		_, logits, err := m.Classify([][]int32{prefix})
		assert.NoError(t, err)
		answers = sequence.Softmax(logits)
	} else {
		answers = assert.Must(m.Generate([][]int32{prefix}, 1, true))(t)[0].Probs[0][:9]
	}
	assert.Is(t, r.Probabilities[i], answers, "prefix of %d: probabilities, not those alone", i+1)
	dump := assert.Must(m.Dump(&sequence.Batch{Prompts: [][]int32{prefix}}))(t)
	matrix := map[string][][][]float32{"distance": r.Distance, "tree": r.Tree, "attention": r.Attention}
	traits, seen := m.Config().Traits(), 0
	for _, x := range dump {
		var block int
		var name string
		if n, _ := fmt.Sscanf(x.Name, "blocks.%d.%s", &block, &name); n != 2 || block != traits.Blocks-1 {
			continue
		}
		switch units, heads := traits.Units, traits.Heads; name {
		case "state":
			if units == 0 {
				continue // a state without phases is not read
			}
			seen++
			assert.Is(t, r.State[i], x.Data[i*2*units:], "prefix of %d: state, not that alone", i+1)
		case "memory":
			seen++
			assert.Is(t, r.Memory[i], x.Data[i*len(r.Memory[i]):], "prefix of %d: memory, not that alone", i+1)
		case "fusion":
			seen++
			for k := range heads {
				near(t, x.Name, r.Fusion[i][k], x.Data[(i*heads+k)*heads:][:heads])
			}
		case "distance", "tree", "attention":
			heads = max(heads, traits.Weights)
			seen++
			for k := range heads {
				near(t, x.Name, r.row(matrix[name], k, i), x.Data[(k*(i+1)+i)*(i+1):][:i+1])
			}
		}
	}
	want := 0
	for _, x := range [][2]int{{traits.Units, 1}, {traits.Heads, 4}, {traits.Weights, 1}, {traits.Reach, 1}} {
		if x[0] > 0 {
			want += x[1]
		}
	}
	assert.True(t, r.Period == traits.Period && (r.Memory == nil) == (traits.Reach == 0),
		"period %d and %d rows of memory of a network that reaches %d", r.Period, len(r.Memory), traits.Reach)
	assert.Is(t, seen, want, "tensors of the dump compared")
}

// row is the part of a matrix's row that is not above the diagonal, and checks that the rest is 0.
func (r *Reading) row(m [][][]float32, head, i int) []float32 {
	for _, x := range m[head][i][i+1:] {
		if x != 0 {
			return nil
		}
	}
	return m[head][i][:i+1]
}

func near(t *testing.T, name string, got, want []float32) {
	t.Helper()
	same := slices.EqualFunc(got, want, func(x, y float32) bool {
		return math.Abs(float64(x)-float64(y)) <= 1e-5*(1+math.Abs(float64(y)))
	})
	assert.True(t, same, "%s: %v, %v alone", name, got, want)
}

// TestOutcomes: residues lie on the circle where the first token written is the answer.
func TestOutcomes(t *testing.T) {
	for _, x := range []struct {
		task, format   string
		count, modulus int
	}{
		{"arithmetic", "", 9, 9}, {"arithmetic", "direct", 9, 9}, {"arithmetic", "copy", 19, 0}, {"parity", "", 2, 2},
		{"mod3", "", 3, 3}, {"modarith", "", 5, 5}, {"parenthesis", "", 2, 0},
	} {
		k := assert.Must(tasks.New(x.task, tasks.Options{Format: x.format}))(t)
		ids, modulus := Outcomes(k, x.format)
		assert.True(t, len(ids) == x.count && modulus == x.modulus,
			"%s %s: %d outcomes, modulus %d", x.task, x.format, len(ids), modulus)
		for _, name := range names(k, ids) {
			assert.True(t, name != "<SOS>" && name != "<PAD>",
				"%s %s: %s is shown as an answer", x.task, x.format, name)
		}
	}
}

// silent is a network that nobody may ask for a dump.
type silent struct{ sequence.Network }

func (silent) Dump(*sequence.Batch) ([]sequence.Tensor, error) { panic("a dump was asked for") }

// TestReadWithoutPhases: a reading of a network that has no phases holds its answers alone.
func TestReadWithoutPhases(t *testing.T) {
	k := assert.Must(tasks.New("parity", tasks.Options{}))(t)
	m := network(t, configuration(t, "lstm", "final", k), cpu.New())
	q := assert.Must(ask.Parse(k, "", "10110"))(t)
	r := assert.Must(Read(silent{m}, k, "", q))(t)
	assert.True(t, r.Width == 0 && r.Heads == 0 && len(r.State) == len(q.Tokens) && len(r.Attention) == 0 &&
		len(r.Probabilities) == len(q.Tokens), "%+v", r)
}
