package ask

import (
	"errors"
	"sort"

	"mhacsp/model/sequence"
	"mhacsp/tasks"
)

// Network is what a question needs of a model.
type Network interface {
	Generate(prompts [][]int32, limit int, probs bool) ([]sequence.Generation, error)
	Classify(prompts [][]int32) ([]int32, []float32, error)
}

// Scored is a token or label with its probability.
type Scored struct {
	Text        string  `json:"text"`
	Probability float32 `json:"probability"`
}

// Reply is what a network makes of a question.
type Reply struct {
	Prompt   string   `json:"prompt"` // as the model read it
	Output   string   `json:"output"` // what it wrote, or the label
	Tokens   []Scored `json:"tokens,omitempty"`
	Answer   string   `json:"answer"` // empty where the output has none
	Expected string   `json:"expected"`
	Right    bool     `json:"right"`
	Exact    *bool    `json:"exact,omitempty"` // of sequences: the whole output is the target
	Top      []Scored `json:"top"`             // the most probable answers, three at most
	Note     string   `json:"note,omitempty"`

	// What the prompt has that training never drew, and a prompt of the same right answer without it, where one is
	// known.
	Unpractised []tasks.Unpractised `json:"unpractised,omitempty"`
	Instead     string              `json:"instead,omitempty"`
}

// ErrNotFinite is what an answer fails with where a probability is not a number.
var ErrNotFinite = errors.New("a probability is not a number; the parameters hold numbers that are not " +
	"finite, or far too large")

// Put asks the network. format is that of the run's targets.
func Put(n Network, t tasks.Task, format string, q Question) (*Reply, error) {
	a := &Reply{Prompt: q.Prompt, Expected: q.Expected}
	if k, ok := t.(tasks.Practised); ok {
		a.Unpractised, a.Instead = k.Unpractised(q.Tokens)
	}
	var err error
	if t.Classes() > 0 {
		err = a.classify(n, t, q)
	} else {
		err = a.generate(n, t, format, q)
	}
	if err != nil {
		return nil, err
	}
	for _, list := range [][]Scored{a.Top, a.Tokens} {
		for _, x := range list {
			if x.Probability != x.Probability {
				return nil, ErrNotFinite
			}
		}
	}
	a.Right = a.Answer == q.Expected && q.Expected != "" // else nobody knows what is right
	return a, nil
}

func (a *Reply) classify(n Network, t tasks.Task, q Question) error {
	labels, logits, err := n.Classify([][]int32{q.Tokens})
	if err != nil {
		return err
	}
	a.Answer = t.ClassName(labels[0])
	a.Output = a.Answer
	a.Top = top(sequence.Softmax(logits), t.ClassName, func(int32) bool { return true })
	return nil
}

func (a *Reply) generate(n Network, t tasks.Task, format string, q Question) error {
	outs, err := n.Generate([][]int32{q.Tokens}, Limit(t, len(q.Tokens)), true)
	if err != nil {
		return err
	}
	v, g := t.Vocabulary(), outs[0]
	a.Output = v.Detokenise(g.Tokens)
	for i, id := range g.Tokens {
		a.Tokens = append(a.Tokens, Scored{v.Token(id), g.Probs[i][id]})
	}
	a.Exact = new(a.Output == q.Target)
	at := sort.Search(len(g.Tokens), func(n int) bool { // the token with which Answer first finds one
		_, ok := t.Answer(g.Tokens[:n+1])
		return ok
	})
	switch {
	case at < len(g.Tokens):
		a.Answer = v.Token(g.Tokens[at])
	case format == "copy":
		return nil // where the answer would be depends on the output
	default:
		at = 0
	}
	a.Top = top(g.Probs[at], v.Token, func(id int32) bool { return id == tasks.EOS || v.Stands(id) })
	return nil
}

// Limit is how many tokens an output may have before it is cut off: more than any right one.
func Limit(t tasks.Task, prompt int) int { return max(t.MaxTarget(), 2*prompt) + 1 }

// top lists the three most probable of those that may be an answer.
func top(probs []float32, name func(int32) string, may func(int32) bool) []Scored {
	var list []Scored
	for i, p := range probs {
		if id := int32(i); may(id) {
			list = append(list, Scored{name(id), p})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Probability > list[j].Probability })
	return list[:min(3, len(list))]
}
