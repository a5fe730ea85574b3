package tasks

import (
	"cmp"

	"mhacsp/tasks/strict"
)

// promptTail is the number of tokens in " mod 9 = ".
const promptTail = 7

// The fewest numbers of samples that are drawn long (Curriculum): from three on there is more than one sign to keep,
// and from six on a text is so rare that nothing longer would ever be copied right.
const longOperands, longestOperands = 3, 6

// Presets and target formats (SPEC §9).
const (
	author, paper = "author", "paper"

	repeat = "repeat" // 8 repeat EXPR mod 9 = 8<EOS>
	copied = "copy"   // EXPR mod 9 = 8<EOS>
	direct = "direct" // 8<EOS>
)

// arithmetic is the paper's main task: "EXPR mod 9 = " and its answer, the Euclidean remainder 0 to 8, in one of three
// formats. All formats of a preset draw the same expressions.
type arithmetic struct {
	vocabulary     *Vocabulary
	preset, format string
	stream         uint64
}

func newArithmetic(o Options) (Task, error) {
	o.Preset, o.Format = cmp.Or(o.Preset, author), cmp.Or(o.Format, repeat)
	if err := cmp.Or(
		strict.OneOf("preset", o.Preset, []string{author, paper}),
		strict.OneOf("format", o.Format, []string{repeat, copied, direct}),
	); err != nil {
		return nil, err
	}
	return &arithmetic{BaseVocabulary(), o.Preset, o.Format, hashed("arithmetic/" + o.Preset)}, nil
}

func (t *arithmetic) Name() string            { return "arithmetic" }
func (t *arithmetic) Vocabulary() *Vocabulary { return t.vocabulary }
func (t *arithmetic) Classes() int            { return 0 }

func (t *arithmetic) Example() string    { return "((2 + 3) - 4) mod 9 =" }
func (t *arithmetic) Characters() string { return "0123456789" }

func (t *arithmetic) ClassName(int32) string { panic("tasks: arithmetic has no classes") }

// expressionTokens bounds the tokens of EXPR.
func (t *arithmetic) expressionTokens() int {
	if t.preset == paper {
		return paperTokens
	}
	return authorTokens
}

func (t *arithmetic) MaxPrompt() int { return 1 + t.expressionTokens() + promptTail }

func (t *arithmetic) MaxTarget() int {
	switch t.format {
	case direct:
		return 2
	case copied:
		return t.expressionTokens() + promptTail + 2
	default:
		return 2 + t.expressionTokens() + promptTail + 2
	}
}

func (t *arithmetic) Curriculum() Curriculum {
	if t.preset == paper {
		return Curriculum{Operands, paperFewest, paperMost, longOperands, longestOperands}
	}
	return Curriculum{Operands, 2, authorOperands, longOperands, longestOperands}
}

func (t *arithmetic) Sample(s *Sample, draw Draw, index uint64) {
	s.Reset()
	d := draft{random: newStream(t.stream, draw, index), tokens: s.Prompt, start: len(s.Prompt)}
	var value int
	if t.preset == paper {
		value = d.paperDraw(draw)
	} else {
		value = d.authorDraw(draw)
	}
	d.put(spaceToken, MOD, spaceToken, Modulus, spaceToken, equalToken, spaceToken)
	s.Prompt = d.tokens
	s.Operands, s.Depth, s.Trivial = d.operands, d.depth, d.operands == 1
	t.answer(s, int32((value%Modulus+Modulus)%Modulus))
}

// answer writes the target for a prompt.
func (t *arithmetic) answer(s *Sample, digit int32) {
	switch t.format {
	case direct:
		s.AnswerAt = 0
		s.Target = append(s.Target, digit, EOS)
	case copied:
		s.Target = append(s.Target, s.Prompt[1:]...)
		s.AnswerAt = len(s.Target)
		s.Target = append(s.Target, digit, EOS)
	default:
		s.AnswerAt = 0
		s.Target = append(s.Target, digit, REPEAT)
		s.Target = append(s.Target, s.Prompt[1:]...)
		s.Target = append(s.Target, digit, EOS)
	}
}

// Answer reads the first token in formats direct and repeat, and in copy the token after the first "= ".
func (t *arithmetic) Answer(output []int32) (answer int32, ok bool) {
	at := 0
	if t.format == copied {
		for at < len(output) && output[at] != equalToken && output[at] != EOS {
			at++
		}
		if at+1 >= len(output) || output[at] != equalToken || output[at+1] != spaceToken {
			return 0, false
		}
		at += 2
	}
	if at >= len(output) || output[at] < 0 || output[at] >= Modulus {
		return 0, false
	}
	return output[at], true
}
