package probe

import (
	"math/cmplx"

	"mhacsp/tasks"
)

// Vote is what a unit gives one answer: Weight·cos(φ − Angle) is added to the answer's logit, with φ the phase of the
// unit where the head reads it. What the unit adds to all answers alike is taken away, since it moves none.
type Vote struct {
	Answer string  `json:"answer"`
	Weight float64 `json:"weight"`
	Angle  float64 `json:"angle"` // radians, −π to π
}

// Votes are those of a unit for every answer of a task, from its columns of W_out (SPEC §7).
func Votes(n Network, t tasks.Task, unit int) ([]Vote, error) {
	flat, err := n.Params().Download(n.Params().Values())
	if err != nil {
		return nil, err
	}
	answers := Answers(t)
	w, columns := n.Params().Find(flat, "head.weight")
	list := make([]complex128, len(answers))
	var common complex128
	for i := range list {
		list[i] = complex(float64(w[i*columns+unit]), float64(w[i*columns+columns/2+unit]))
		common += list[i] / complex(float64(len(list)), 0)
	}
	out := make([]Vote, len(list))
	for i, z := range list {
		out[i] = Vote{answers[i], cmplx.Abs(z - common), cmplx.Phase(z - common)}
	}
	return out, nil
}

// Answers are what a task can answer, in the order of the head's outputs: the residues, or the labels.
func Answers(t tasks.Task) []string {
	var list []string
	for id := range int32(t.Classes()) {
		list = append(list, t.ClassName(id))
	}
	if t.Classes() == 0 {
		for id := range int32(tasks.Modulus) {
			list = append(list, t.Vocabulary().Token(id))
		}
	}
	return list
}
