package probe

import (
	"cmp"
	"fmt"

	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// heights is the modulus that brackets are counted with: a text of the task parenthesis has 0 to 8 of them open.
const heights = 9

// Modulus is the number that a task's values are counted with: 9, 3 or 2, and 9 for the heights of brackets. A task
// whose value so far is not a plain sum is an error.
func Modulus(t tasks.Task) (int, error) {
	switch t.Name() {
	case "arithmetic":
		return tasks.Modulus, nil
	case "mod3", "parity":
		return t.Classes(), nil
	case "parenthesis":
		return heights, nil
	}
	return 0, strict.Unfit("task", t.Name(), ", whose value so far is no plain sum of what was read; "+
		"probe a run of arithmetic, mod3, parity or parenthesis")
}

// Quantity is what a task's values are, in a word: the sum of the digits, the depth of the brackets, a count.
func Quantity(t tasks.Task) string {
	return cmp.Or(map[string]string{"arithmetic": "sum", "parenthesis": "depth"}[t.Name()], "count")
}

// Kind is what the offset of a clock depends on in addition to the value: the kind of the token that was read, and the
// sign that rules there.
type Kind struct {
	After string `json:"after"` // a token; a digit is "digit", a space "space after X", a minus before a number "sign"
	Sign  int    `json:"sign"`  // a digit's own, else that of Moment
}

// Moment is what is known of a text when one of its tokens was read.
type Moment struct {
	Value  int  `json:"value"`  // v, 0 to Modulus−1: the digits so far, each with its sign
	Change int  `json:"change"` // what this token added to it: a digit with its sign, for brackets +1 or −1, else 0
	Sign   int  `json:"sign"`   // +1 or −1: what a digit would be multiplied with if it came next
	Depth  int  `json:"depth"`  // brackets open
	Kind   Kind `json:"kind"`
	// Operand says that the token is the first after an operand of a sum; in a string, that it is one of its own.
	Operand bool `json:"operand"`
}

// Follow reads a prompt, <SOS> first, token by token (CLOCKS.md, the value so far). The prompt is one of the task's
// own: tokens that the task does not write have no meaning here.
func Follow(t tasks.Task, prompt []int32) ([]Moment, error) {
	modulus, err := Modulus(t)
	if err != nil {
		return nil, err
	}
	f := follower{modulus: modulus, brackets: t.Name() == "parenthesis", sign: 1, frames: []int{1}}
	f.sums = t.Name() == "arithmetic"
	v, moments := t.Vocabulary(), make([]Moment, len(prompt))
	for i, id := range prompt {
		if !v.Contains(id) {
			return nil, fmt.Errorf("prompt[%d] is token %d; the vocabulary has tokens 0 to %d", i, id, v.Size()-1)
		}
		moments[i] = f.read(v.Token(id))
	}
	return moments, nil
}

// follower is the state of Follow between two tokens.
type follower struct {
	modulus        int
	sums, brackets bool // arithmetic; parenthesis

	value, sign int
	frames      []int  // the sign of each open bracket's content, that of the whole text first
	complete    bool   // what stands last is an operand or a closed bracket: a minus now takes away
	ended       bool   // "mod" was read: nothing counts any more
	last        string // the token before, a digit as "digit"
}

func (f *follower) read(token string) Moment {
	before, name, change, ruling := f.value, token, 0, 0
	digit := len(token) == 1 && token[0] >= '0' && token[0] <= '9'
	if digit {
		name = "digit"
	}
	switch {
	case f.brackets:
		change = map[string]int{"(": 1, ")": -1}[token]
	case digit && f.ended:
		name = "modulus"
	case digit:
		ruling = f.sign
		change = f.sign * int(token[0]-'0')
		f.settle(f.sums)
	case !f.sums || f.ended:
	case token == "+" && f.complete:
		f.settle(false)
	case token == "-": // turns the sign of the bracket around it where it takes away, else what is pending
		if f.complete {
			f.settle(false)
		} else {
			name = "sign"
		}
		f.sign = -f.sign
	case token == "(":
		f.frames, f.complete = append(f.frames, f.sign), false
	case token == ")" && len(f.frames) > 1:
		f.frames = f.frames[:len(f.frames)-1]
		f.settle(true)
	case token == "mod":
		f.ended = true
		f.settle(false)
	}
	if token == " " {
		name = "space after " + f.last
	}
	f.value = ((before+change)%f.modulus + f.modulus) % f.modulus
	m := Moment{
		Value: f.value, Change: change, Sign: f.sign, Depth: len(f.frames) - 1,
		Kind:    Kind{name, cmp.Or(ruling, f.sign)},
		Operand: f.sums && f.last == "digit" || !f.sums && token != "<SOS>",
	}
	if f.brackets {
		m.Depth = f.value
	}
	f.last = name
	return m
}

// settle ends an operand: what comes next has the sign of the bracket around it until an operator says otherwise.
func (f *follower) settle(complete bool) { f.sign, f.complete = f.frames[len(f.frames)-1], complete }
