package model_test

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mhacsp/model"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

// ablations are the values that the key may have.
func ablations(t *testing.T) []string {
	keys := new(model.Config).Keys()
	at := slices.IndexFunc(keys, func(k sequence.Key) bool { return k.Name == "ablation" })
	assert.Need(t, at >= 0, "no key ablation")
	return keys[at].Choices
}

// section is the text of a section of a document.
func section(t *testing.T, name, title string) string {
	_, text, found := strings.Cut(string(assert.Must(os.ReadFile(name))(t)), "\n## "+title)
	assert.Need(t, found, "%s has no section %q", name, title)
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// TestAblationsTold: SPEC §10 has a row of each ablation and of nothing else, and FORMATS.md lists the values.
func TestAblationsTold(t *testing.T) {
	told := []string{"none"}
	row := regexp.MustCompile("(?m)^\\| `([a-zA-Z-]+)` \\|")
	for _, m := range row.FindAllStringSubmatch(section(t, "SPEC.md", "10 "), -1) {
		if m[1] != "ablation" {
			told = append(told, m[1])
		}
	}
	assert.Is(t, told, ablations(t), "section 10 does not tell of what the key knows")
	_, line, _ := strings.Cut(section(t, "train/FORMATS.md", "Configuration of a model"), "\n| `ablation` |")
	line, _, _ = strings.Cut(line, "\n")
	for _, a := range ablations(t) {
		assert.True(t, strings.Contains(line, "`"+a+"`"), "FORMATS.md's row of the key does not name %s", a)
	}
}

// memories are mha-csp-m with each ablation that a preset without a memory does not have, and with none, by ablation.
func memories(t *testing.T) map[string]model.Config {
	list := map[string]model.Config{}
	for _, a := range ablations(t) {
		without := preset(t, "mha-csp-s", func(c *model.Config) { c.Ablation = a })
		if a == "none" || without.Validate() != nil {
			list[a] = preset(t, "mha-csp-m", func(c *model.Config) { c.Ablation = a })
		}
	}
	return list
}

// TestMemoryAblations: the parameters are those that SPEC §10 counts, and learned is what it says.
func TestMemoryAblations(t *testing.T) {
	list := memories(t)
	assert.Is(t, len(list), 8, "configurations: %v", list)
	row := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|.*\\| ([0-9 ]+) \\|$")
	rows := row.FindAllStringSubmatch(section(t, "SPEC.md", "10 "), -1)
	assert.Is(t, len(rows), len(list)-1, "section 10 counts")
	for _, row := range rows {
		c := list[row[1]]
		set := assert.Must(c.Parameters())(t)
		count := assert.Must(strconv.Atoi(strings.ReplaceAll(row[2], " ", "")))(t)
		assert.Is(t, set.Count(), count, "%s: parameters, as SPEC counts", row[1])
		var learned []string
		for _, x := range set.Tensors {
			if name, ok := strings.CutPrefix(x.Name, "blocks.0.memory."); ok {
				learned = append(learned, name)
			}
		}
		want := map[string]string{"learned-omega": "phase gate rate", "fixed-psi": "gate", "no-zeta": "phase"}[row[1]]
		if want == "" {
			want = "phase gate"
		}
		assert.Is(t, strings.Join(learned, " "), want, "%s learns", row[1])
	}
}

// TestMemoryAblationsStart: ψ and ω start where SPEC §10 says, and at the start the logits are other ones than those
// of the whole model where the ablation changes what is computed, and the same bits where it changes what is learned.
func TestMemoryAblationsStart(t *testing.T) {
	plain := preset(t, "mha-csp-m", func(*model.Config) {})
	b := sequencetest.RandomBatch(plain.Shape(), 3, 9, 4)
	var whole []float32
	list := memories(t)
	for _, a := range append([]string{"none"}, ablations(t)...) {
		c, ok := list[a]
		if !ok {
			continue
		}
		m := fastModel(t, c)
		m.Initialise(5)
		logits := assert.Must(m.Logits(b))(t)
		if a == "none" {
			whole = logits
		}
		same := sequencetest.SameBits(logits, whole)
		assert.True(t, same == slices.Contains([]string{"none", "learned-omega", "fixed-psi"}, a),
			"%s: the logits are the whole model's: %v", a, same)
		params := oracleParams(t, m)
		clear := math.Pi
		if a == "no-pi" {
			clear = 0
		}
		rates, phases := params["blocks.0.memory.rate"].Data, params["blocks.0.memory.phase"].Data
		for j, psi := range phases {
			omega := 2 * math.Pi * float64(j) / 88
			switch a {
			case "no-omega":
				omega = 0
			case "random-omega":
				omega = []float64{1.697544, 1.636759, 0.464087}[min(j, 2)]
				if j > 2 {
					continue
				}
			case "learned-omega":
				assert.True(t, math.Abs(rates[j]-omega) <= 1e-6,
					"%s: ω_%d starts at %v, want %v", a, j, rates[j], omega)
			}
			want := clear + 2*omega
			assert.True(t, math.Abs(psi-want) <= 1e-6*(1+want), "%s: ψ_%d starts at %v, want %v", a, j, psi, want)
		}
	}
}

// TestRandomRates: the drawn rates are spread over the circle, all different, and P draws others.
func TestRandomRates(t *testing.T) {
	rates := func(period int) []float64 {
		m := fastModel(t, preset(t, "mha-csp-m", func(c *model.Config) {
			c.Ablation, c.MemoryPeriod = "random-omega", period
		}))
		m.Initialise(1)
		x := oracleParams(t, m)["blocks.0.memory.phase"].Data
		for j, psi := range x {
			x[j] = (psi - math.Pi) / 2
		}
		return x
	}
	a, b := rates(96), rates(97)
	slices.Sort(a)
	for j, x := range a {
		even := 2 * math.Pi * (float64(j) + 0.5) / float64(len(a))
		assert.True(t, math.Abs(x-even) <= 1.2, "rate %d in order is %v, an even spread has %v", j, x, even)
		twice := slices.ContainsFunc(b, func(y float64) bool { return math.Abs(x-y) < 1e-5 })
		assert.True(t, !twice && (j == 0 || x-a[j-1] >= 1e-5), "rate %v stands twice", x)
	}
}
