package ask

import "mhacsp/tasks"

// Sample is a test sample with the model's answer.
type Sample struct {
	Prompt   string `json:"prompt"`
	Target   string `json:"target"` // the output that is asked for; a label for tasks about strings
	Output   string `json:"output"`
	Answer   string `json:"answer"`
	Expected string `json:"expected"`
	Right    bool   `json:"right"`
	Exact    bool   `json:"exact"`
	Operands int    `json:"operands"`
}

// Samples lets the model answer samples.
func Samples(n Network, t tasks.Task, list []tasks.Sample) ([]Sample, error) {
	v := t.Vocabulary()
	out := make([]Sample, len(list))
	prompts := make([][]int32, len(list))
	longest := 0
	for i, x := range list {
		prompts[i] = x.Prompt
		longest = max(longest, len(x.Target))
		y := &out[i]
		y.Prompt, y.Operands = v.Detokenise(x.Prompt[1:]), x.Operands
		switch {
		case x.Label >= 0:
			y.Expected = t.ClassName(x.Label)
			y.Target = y.Expected
		case x.AnswerAt < 0:
			y.Target = v.Detokenise(x.Target)
			y.Expected = y.Target
		default:
			y.Expected, y.Target = v.Token(x.Target[x.AnswerAt]), v.Detokenise(x.Target)
		}
	}
	if t.Classes() > 0 {
		labels, _, err := n.Classify(prompts)
		if err != nil {
			return nil, err
		}
		for i, label := range labels {
			y := &out[i]
			y.Answer = t.ClassName(label)
			y.Output, y.Right = y.Answer, y.Answer == y.Expected
			y.Exact = y.Right
		}
		return out, nil
	}
	written, err := n.Generate(prompts, longest+1, false)
	if err != nil {
		return nil, err
	}
	for i, w := range written {
		y := &out[i]
		y.Output = v.Detokenise(w.Tokens)
		if id, ok := t.Answer(w.Tokens); ok {
			y.Answer = v.Token(id)
		} else if list[i].AnswerAt < 0 {
			y.Answer = y.Output
		}
		y.Right, y.Exact = y.Answer == y.Expected, y.Output == y.Target
	}
	return out, nil
}
