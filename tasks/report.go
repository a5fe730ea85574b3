package tasks

import (
	"cmp"
	"maps"
	"slices"
)

// Report describes what a task draws. All shares are parts of Samples, 0 to 1.
type Report struct {
	Task         string  `json:"task"`
	Role         string  `json:"role"`
	IID          bool    `json:"iid"`
	Samples      int     `json:"samples"`
	MostCommon   string  `json:"most_common"`   // the most frequent label or answer
	Majority     float64 `json:"majority"`      // its share: what a constant answer scores
	Labels       []Share `json:"labels"`        // by label or answer digit
	Trivial      float64 `json:"trivial"`       // share of one-number expressions
	PromptTokens float64 `json:"prompt_tokens"` // mean, SOS included
	TargetTokens float64 `json:"target_tokens"` // mean, EOS included
	Operands     []Share `json:"operands"`      // by operand count
	Depth        []Share `json:"depth"`         // by bracket depth
}

// Share is how often a value occurs.
type Share struct {
	Value int     `json:"value"`
	Share float64 `json:"share"`
}

// Describe draws the samples 0 to n-1 and counts.
func Describe(t Task, d Draw, n int) Report {
	report := Report{Task: t.Name(), Role: d.Role.String(), IID: d.IID, Samples: n}
	labels, operands, depth := counter{}, counter{}, counter{}
	trivial, prompt, target := 0, 0, 0
	var s Sample
	for i := range n {
		t.Sample(&s, d, uint64(i))
		label := s.Label
		if s.AnswerAt >= 0 {
			label = s.Target[s.AnswerAt]
		}
		labels[int(label)]++
		operands[s.Operands]++
		depth[s.Depth]++
		prompt += len(s.Prompt)
		target += len(s.Target)
		if s.Trivial {
			trivial++
		}
	}
	if n <= 0 {
		return report
	}
	whole := float64(n)
	report.Labels, report.Operands, report.Depth = labels.shares(whole), operands.shares(whole), depth.shares(whole)
	report.Trivial = float64(trivial) / whole
	report.PromptTokens, report.TargetTokens = float64(prompt)/whole, float64(target)/whole
	most := slices.MaxFunc(report.Labels, func(a, b Share) int { return cmp.Compare(a.Share, b.Share) })
	report.Majority = most.Share
	if t.Classes() > 0 {
		report.MostCommon = t.ClassName(int32(most.Value))
	} else {
		report.MostCommon = t.Vocabulary().Token(int32(most.Value))
	}
	return report
}

// counter counts values.
type counter map[int]int

// shares lists the counts as parts of whole, by rising value.
func (c counter) shares(whole float64) []Share {
	list := make([]Share, 0, len(c))
	for _, value := range slices.Sorted(maps.Keys(c)) {
		list = append(list, Share{Value: value, Share: float64(c[value]) / whole})
	}
	return list
}
