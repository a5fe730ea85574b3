// Package trace records what a network computes while it reads a text: the numbers that the phase circle draws.
package trace

import (
	"fmt"
	"strconv"

	"mhacsp/model/ask"
	"mhacsp/model/sequence"
	"mhacsp/tasks"
)

// Network is what a reading needs of a network.
type Network interface {
	ask.Network
	Config() sequence.Config
	Dump(*sequence.Batch) ([]sequence.Tensor, error)
}

// Reading is everything about one text of T tokens in a network of N units, M memory units, H heads and C outcomes;
// states and matrices are those of the last block. A network without phases (sequence.Traits) has no states, and of
// matrices the attention at most. Every number is one that the model computed.
type Reading struct {
	Text    string   `json:"text"`    // as the model read it
	Tokens  []string `json:"tokens"`  // T; the first is "<SOS>"
	Width   int      `json:"width"`   // N; 0 without phases
	Heads   int      `json:"heads"`   // H; 0 without attention, and of a long text where it has nothing else
	Turning int      `json:"turning"` // units [0, Turning) turn with the state, the rest hold (SPEC §2)

	State [][]float32 `json:"state"` // [T][2N] after each token, real plane first; empty rows without phases

	// SPEC §2, memory; left out where the network has none.
	Memory [][]float32 `json:"memory,omitempty"` // [T][2M] after each token, real plane first; of any length
	Period int         `json:"period,omitempty"` // P: a token turns unit j by 2πj/P, clockwise; 0: at other rates

	Outcomes []string `json:"outcomes"` // C labels of the readout
	Modulus  int      `json:"modulus"`  // where outcomes 0..Modulus−1 are residues, which lie on the circle; else 0

	// Probabilities [T][C]: what the model would answer if the text ended at this token, of the softmax over all its
	// outputs. A row sums to less than 1 where tokens that are no outcome take a share.
	Probabilities [][]float32 `json:"probabilities"`

	// SPEC §3–§6; row i, column j ≤ i, 0 above the diagonal. What the network does not have is empty.
	Distance  [][][]float32 `json:"distance"`  // [H][T][T]: D
	Tree      [][][]float32 `json:"tree"`      // [H][T][T]: C̃
	Attention [][][]float32 `json:"attention"` // [H][T][T]: P
	Fusion    [][][]float32 `json:"fusion"`    // [T][H][H]: A

	Answer   string `json:"answer"`   // free-running
	Expected string `json:"expected"` // empty where nobody knows it: of the user's own data
	Right    bool   `json:"right"`
	Step     int    `json:"step"` // training steps behind the weights, for the caller to fill in
}

// The longest prompts that are read, in tokens. Every prefix is asked, so that time grows with the square of the
// length; with attention with its cube, and what is kept with its square. Longer ones would stop training for minutes.
const (
	longest          = 1025 // <SOS> and 1 024 characters, the longest of the tests
	longestAttention = 257
)

// Fits refuses a prompt that is too long for Read.
func Fits(t sequence.Traits, q ask.Question) error {
	most := longest
	if t.Heads > 0 {
		most = longestAttention
	}
	if n := len(q.Tokens); n > most {
		return fmt.Errorf("the text has %d tokens as the model reads it (%d can be shown); shorten it", n-1, most-1)
	}
	return nil
}

// Read runs the network over a question that Fits. format is that of the run's targets.
func Read(n Network, t tasks.Task, format string, q ask.Question) (*Reading, error) {
	traits := n.Config().Traits()
	if err := Fits(traits, q); err != nil {
		return nil, err
	}
	a, err := ask.Put(n, t, format, q)
	if err != nil {
		return nil, err
	}
	outcomes, modulus := Outcomes(t, format)
	r := &Reading{
		Text: q.Prompt, Tokens: texts(t.Vocabulary().Token, q.Tokens), Width: traits.Units, Turning: traits.Turning,
		Period: traits.Period, Heads: traits.Heads, Outcomes: names(t, outcomes), Modulus: modulus,
		Distance: [][][]float32{}, Tree: [][][]float32{}, Attention: [][][]float32{}, Fusion: [][][]float32{},
		Answer: a.Answer, Expected: a.Expected, Right: a.Right,
	}
	if q.Expected == "" { // of the user's own data no token stands for the answer
		r.Answer = a.Output
	}
	if err := r.matrices(n, q.Tokens); err != nil {
		return nil, err
	}
	r.Probabilities, err = prefixes(n, t, q.Tokens, outcomes)
	return r, err
}

// Outcomes are the ids of the tokens or labels that a readout shows: the labels, the residues where the first token
// that the model writes is the answer, else all tokens that stand for text, and <EOS>. modulus is 0 where they do not
// lie on a circle.
func Outcomes(t tasks.Task, format string) (ids []int32, modulus int) {
	count := t.Vocabulary().Size()
	switch {
	case t.Classes() > 0:
		count = t.Classes()
		if residues(t) {
			modulus = count
		}
	case format != "copy":
		count, modulus = tasks.Modulus, tasks.Modulus
	}
	for id := range int32(count) {
		if t.Classes() > 0 || id == tasks.EOS || t.Vocabulary().Stands(id) {
			ids = append(ids, id)
		}
	}
	return ids, modulus
}

// residues reports whether a task's labels are the numbers 0, 1, 2 … by their names too.
func residues(t tasks.Task) bool {
	for id := range int32(t.Classes()) {
		if t.ClassName(id) != strconv.Itoa(int(id)) {
			return false
		}
	}
	return true
}

func names(t tasks.Task, ids []int32) []string {
	if t.Classes() == 0 {
		return texts(t.Vocabulary().Token, ids)
	}
	return texts(t.ClassName, ids)
}

func texts(of func(id int32) string, ids []int32) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = of(id)
	}
	return list
}

// matrices takes the last block's tensors of FORMATS.md's dump.
func (r *Reading) matrices(n Network, tokens []int32) error {
	steps, traits := len(tokens), n.Config().Traits()
	r.State = make([][]float32, steps)
	if r.Heads == 0 && steps <= longestAttention {
		r.Heads = traits.Weights
	}
	if r.Width == 0 && r.Heads == 0 {
		return nil
	}
	dump, err := n.Dump(&sequence.Batch{Prompts: [][]int32{tokens}})
	if err != nil {
		return err
	}
	find := func(name string) ([]float32, error) {
		x, err := sequence.Find(dump, traits.Blocks-1, name)
		return x.Data, err
	}
	if r.Width > 0 {
		state, err := find("state")
		if err != nil {
			return err
		}
		r.State = split(state, steps, 2*r.Width)
	}
	if traits.Reach > 0 {
		memory, err := find("memory")
		if err != nil {
			return err
		}
		r.Memory = split(memory, steps, len(memory)/steps)
	}
	for _, x := range []struct {
		to          *[][][]float32
		name        string
		count, a, b int
	}{
		{&r.Distance, "distance", r.Heads, steps, steps}, {&r.Tree, "tree", r.Heads, steps, steps},
		{&r.Attention, "attention", r.Heads, steps, steps}, {&r.Fusion, "fusion", steps, r.Heads, r.Heads},
	} {
		if r.Heads == 0 || traits.Heads == 0 && x.name != "attention" {
			continue
		}
		data, err := find(x.name)
		if err != nil {
			return err
		}
		for i := range x.count {
			*x.to = append(*x.to, split(data[i*x.a*x.b:][:x.a*x.b], x.a, x.b))
		}
	}
	for _, m := range r.Distance { // the dump's is symmetric; what is read of it is its lower half
		for i, row := range m {
			clear(row[i+1:])
		}
	}
	return nil
}

// split cuts a row-major matrix into its rows.
func split(data []float32, rows, columns int) [][]float32 {
	out := make([][]float32, rows)
	for i := range out {
		out[i] = data[i*columns : (i+1)*columns : (i+1)*columns]
	}
	return out
}

// prefixes are the probabilities of the outcomes after every token, all prefixes in one batch: of the labels, or of
// the first token that the network would write.
func prefixes(n ask.Network, t tasks.Task, tokens []int32, outcomes []int32) ([][]float32, error) {
	prompts, out := make([][]int32, len(tokens)), make([][]float32, len(tokens))
	for i := range tokens {
		prompts[i] = tokens[:i+1]
	}
	if classes := t.Classes(); classes > 0 {
		_, logits, err := n.Classify(prompts)
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i] = sequence.Softmax(logits[i*classes:][:classes])
		}
		return out, nil
	}
	written, err := n.Generate(prompts, 1, true)
	if err != nil {
		return nil, err
	}
	for i, w := range written {
		for _, id := range outcomes {
			out[i] = append(out[i], w.Probs[0][id])
		}
	}
	return out, nil
}
