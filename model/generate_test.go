package model_test

import (
	"math"
	"slices"
	"testing"

	"mhacsp/model"
	"mhacsp/model/sequence"
)

const endOfSequence = 17 // <EOS>, SPEC §9

// setBias adds x to the logit of one token.
func setBias(t *testing.T, m *model.Model, token int, x float32) {
	t.Helper()
	flat, err := m.Params().Download(m.Params().Values())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Params().Tensors {
		if p.Name == "head.bias" {
			flat[p.Offset+token] = x
			m.Params().Upload(flat)
			return
		}
	}
	t.Fatal("no head.bias")
}

func generate(t *testing.T, m *model.Model, prompts [][]int32, limit int, probs bool) []sequence.Generation {
	t.Helper()
	out, err := m.Generate(prompts, limit, probs)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// right tells at which positions of the batch's targets the teacher-forced logits have the target on top.
func right(t *testing.T, m *model.Model, b *sequence.Batch) [][]bool {
	t.Helper()
	logits, err := m.Logits(b)
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]bool, len(b.Targets))
	for s, target := range b.Targets {
		for _, id := range target {
			out[s] = append(out[s], sequence.Argmax(logits[:m.Own().Vocab]) == id)
			logits = logits[m.Own().Vocab:]
		}
	}
	if len(logits) > 0 {
		t.Fatalf("%d logits too many", len(logits))
	}
	return out
}

// TestTeacherForcing: the free-running output equals a target exactly when the teacher-forced logits are right at
// each of its positions. What the model wrote is one target, with one token changed it is another, and the first
// position at which teacher forcing is wrong is where the free-running output leaves the target.
func TestTeacherForcing(t *testing.T) {
	for _, c := range switches(t) {
		if c.Classes > 0 {
			continue
		}
		t.Run(label(c), func(t *testing.T) {
			for name, m := range models(t, c, 17, 0.5) {
				setBias(t, m, endOfSequence, 0.3)
				prompts := randomBatch(c, 5, 4, 1, 9, 6, 13, 2).Prompts
				const limit = 7
				out := generate(t, m, prompts, limit, false)
				b := &sequence.Batch{Prompts: prompts}
				for _, g := range out {
					b.Targets = append(b.Targets, g.Tokens)
				}
				for s, ok := range right(t, m, b) {
					if slices.Contains(ok, false) {
						t.Errorf("%s: sample %d wrote %v, teacher-forced right at %v", name, s, b.Targets[s], ok)
					}
				}
				for s, g := range out {
					for at := range g.Tokens {
						target := slices.Clone(g.Tokens)
						if target[at] = (target[at] + 1) % endOfSequence; target[at] == g.Tokens[at] {
							continue
						}
						ok := right(t, m, &sequence.Batch{Prompts: prompts[s : s+1], Targets: [][]int32{target}})[0]
						if first := slices.Index(ok, false); first != at {
							t.Errorf("%s: sample %d differs from its output at %d, teacher forcing is first wrong at %d", name, s, at, first)
						}
					}
				}
			}
		})
	}
}

// TestGenerate: an output ends with <EOS> or has limit tokens, holds no other <EOS>, and comes with the distribution
// that each token tops; a prompt in a batch is answered as alone; a lower limit cuts the output short.
func TestGenerate(t *testing.T) {
	const limit = 8
	inside, full := 0, 0
	for _, c := range switches(t) {
		if c.Classes > 0 {
			continue
		}
		t.Run(label(c), func(t *testing.T) {
			for name, m := range models(t, c, 23, 0.5) {
				setBias(t, m, endOfSequence, 0.5)
				prompts := randomBatch(c, 6, 3, 1, 8, 5, 12, 2, 1, 7).Prompts
				out := generate(t, m, prompts, limit, true)
				for s, g := range out {
					end := slices.Index(g.Tokens, endOfSequence)
					switch {
					case len(g.Tokens) == 0 || len(g.Tokens) > limit:
						t.Errorf("%s: sample %d has %d tokens", name, s, len(g.Tokens))
					case end >= 0 && end != len(g.Tokens)-1:
						t.Errorf("%s: sample %d goes on after <EOS>: %v", name, s, g.Tokens)
					case end < 0 && len(g.Tokens) < limit:
						t.Errorf("%s: sample %d stops early without <EOS>: %v", name, s, g.Tokens)
					case end > 0:
						inside++
					case end < 0:
						full++
					}
					if len(g.Probs) != len(g.Tokens) {
						t.Fatalf("%s: sample %d has %d tokens and %d distributions", name, s, len(g.Tokens), len(g.Probs))
					}
					for i, p := range g.Probs {
						var sum float64
						for _, x := range p {
							sum += float64(x)
							if !(x >= 0) {
								t.Errorf("%s: sample %d, token %d: probability %v", name, s, i, x)
							}
						}
						if len(p) != c.Vocab || math.Abs(sum-1) > 1e-5 || sequence.Argmax(p) != g.Tokens[i] {
							t.Errorf("%s: sample %d, token %d: %d probabilities that sum to %v, greatest at %d, token %d", name, s, i, len(p), sum, sequence.Argmax(p), g.Tokens[i])
						}
					}
					alone := generate(t, m, prompts[s:s+1], limit, true)[0]
					if !slices.Equal(alone.Tokens, g.Tokens) {
						t.Errorf("%s: sample %d writes %v in the batch and %v alone", name, s, g.Tokens, alone.Tokens)
					} else {
						for i := range alone.Probs {
							if !sameBits(alone.Probs[i], g.Probs[i]) {
								t.Errorf("%s: sample %d, token %d: the batch changes the distribution", name, s, i)
							}
						}
					}
				}
				for s, g := range generate(t, m, prompts, 2, false) {
					if want := out[s].Tokens[:min(2, len(out[s].Tokens))]; !slices.Equal(g.Tokens, want) || g.Probs != nil {
						t.Errorf("%s: sample %d with limit 2 writes %v, %v", name, s, g.Tokens, out[s].Tokens)
					}
				}
				for s, g := range generate(t, m, prompts, 0, true) {
					if len(g.Tokens) > 0 {
						t.Errorf("%s: sample %d with limit 0 writes %v", name, s, g.Tokens)
					}
				}
			}
		})
	}
	if inside == 0 || full == 0 {
		t.Errorf("%d outputs ended inside the limit and %d reached it: the test does not test both", inside, full)
	}
}

// TestGenerateStops: a model that prefers <EOS> above all writes nothing else, one that avoids it runs to the limit.
func TestGenerateStops(t *testing.T) {
	for _, supervision := range []string{"final", "prefix"} {
		c, err := model.Preset("mha-csp")
		if err != nil {
			t.Fatal(err)
		}
		c.Width, c.Supervision = 8, supervision
		m := fastModel(t, c)
		m.Initialise(1)
		prompts := randomBatch(c, 1, 3, 5).Prompts
		for _, x := range []struct {
			bias float32
			want int
		}{{1e4, 1}, {-1e4, 6}} {
			setBias(t, m, endOfSequence, x.bias)
			for s, g := range generate(t, m, prompts, 6, false) {
				if len(g.Tokens) != x.want {
					t.Errorf("%s, bias %v: sample %d has %d tokens, %d wanted", supervision, x.bias, s, len(g.Tokens), x.want)
				}
			}
		}
	}
}

// TestGenerateLeavesTraining: an answer between two steps changes neither the loss read afterwards nor the hits.
func TestGenerateLeavesTraining(t *testing.T) {
	for _, c := range switches(t) {
		m := fastModel(t, c)
		m.Initialise(2)
		b := randomBatch(c, 3, 5, 2)
		loss, _ := gradients(t, m, b)
		results := func() []float32 {
			x := make([]float32, m.Results().Len)
			if err := m.Backend().Download(x, m.Results()); err != nil {
				t.Fatal(err)
			}
			return x
		}
		before := results()
		if c.Classes > 0 {
			if _, _, err := m.Classify(randomBatch(c, 8, 20, 1, 3).Prompts); err != nil {
				t.Fatal(err)
			}
		} else {
			generate(t, m, randomBatch(c, 8, 20, 1, 3).Prompts, 4, true)
		}
		if again, err := m.Loss(); err != nil || again != loss || !sameBits(before, results()) {
			t.Errorf("%s: generation changed the last loss (%v, %v, %v) or hits", label(c), loss, again, err)
		}
	}
}

// TestClassify: the class of a prompt is the greatest of its logits, those of training, in a batch and alone.
func TestClassify(t *testing.T) {
	for _, c := range switches(t) {
		if c.Classes == 0 {
			continue
		}
		t.Run(label(c), func(t *testing.T) {
			for name, m := range models(t, c, 3, 0.4) {
				b := randomBatch(c, 4, 6, 1, 17, 3, 2)
				want, err := m.Logits(b)
				if err != nil {
					t.Fatal(err)
				}
				labels, logits, err := m.Classify(b.Prompts)
				if err != nil {
					t.Fatal(err)
				}
				if !sameBits(logits, want) {
					t.Errorf("%s: Classify has other logits than Logits", name)
				}
				for s, l := range labels {
					row := want[s*c.Classes:][:c.Classes]
					if l != sequence.Argmax(row) {
						t.Errorf("%s: sample %d is class %d, logits %v", name, s, l, row)
					}
					_, alone, err := m.Classify(b.Prompts[s : s+1])
					if err != nil {
						t.Fatal(err)
					}
					if !sameBits(alone, row) {
						t.Errorf("%s: sample %d alone gives %v, in the batch %v", name, s, alone, row)
					}
				}
			}
		})
	}
}

// TestSoftmax holds extreme logits.
func TestSoftmax(t *testing.T) {
	for _, x := range []struct {
		logits []float32
		want   []float64
	}{
		{[]float32{0, 0}, []float64{0.5, 0.5}},
		{[]float32{3e38, -3e38}, []float64{1, 0}},
		{[]float32{1000, 1000 - float32(math.Ln2), -1000}, []float64{2. / 3, 1. / 3, 0}},
	} {
		if e := worst(widen(sequence.Softmax(x.logits)), x.want); e > 1e-4 {
			t.Errorf("softmax of %v is off by %.2g", x.logits, e)
		}
	}
	if got := sequence.Argmax([]float32{1, 3, 3, 2}); got != 1 {
		t.Errorf("of two greatest logits %d is taken, the first is 1", got)
	}
}
