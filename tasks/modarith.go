package tasks

import (
	"cmp"

	"mhacsp/tasks/strict"
)

const modArithModulus = 5

// modArith labels an expression over the digits 0 to 4 with its value modulo
// 5, under the strict length protocol (SPEC §9; Delétang et al. 2023).
//
// With brackets every length has expressions: one character is a digit, two a signed digit, three and four the same in
// brackets, and n ≥ 5 is "(L∘R)" with the n-3 characters inside divided at random, uniformly. Without brackets digits
// and operators alternate, so the length is odd and an even draw of the range is never made; * binds tighter than +
// and -.
type modArith struct {
	classifier
	brackets  bool
	operators []int32 // that are drawn, with equal chance
}

// ModArithOperators are the sets that modarith draws from, the default first.
func ModArithOperators() []string { return []string{"+-*", "+-"} }

func newModArith(o Options) (Task, error) {
	brackets := o.Brackets == nil || *o.Brackets
	defaults, stream := lengths{low: 3, high: strictShort, step: 1, shortest: 1}, "modarith/brackets"
	if !brackets {
		defaults.step, stream = 2, "modarith/plain"
	}
	l, err := newLengths(o, defaults)
	if err != nil {
		return nil, err
	}
	sets := ModArithOperators()
	o.Operators = cmp.Or(o.Operators, sets[0])
	if err := strict.OneOf("operators", o.Operators, sets); err != nil {
		return nil, err
	}
	operators, example := []int32{plusToken, minusToken, timesToken}, "((1+2)*(-4))"
	if o.Operators == sets[1] {
		operators, example = operators[:2], "((1+2)-(-4))"
	}
	if !brackets {
		example = "1+2-4"
	}
	return &modArith{classifier{
		name: "modarith", example: example, characters: "01234", vocabulary: ExtendedVocabulary(),
		classes: []string{"0", "1", "2", "3", "4"}, lengths: l, stream: hashed(stream),
	}, brackets, operators}, nil
}

func (t *modArith) Sample(s *Sample, d Draw, index uint64) {
	r := t.begin(s, d, index)
	var value int
	if t.brackets {
		value = t.term(s, &r, s.Length, 0)
	} else {
		value = t.plain(s, &r, s.Length)
	}
	s.Label = int32(value)
	s.Trivial = s.Operands == 1
}

// term appends a term of exactly length characters inside nest brackets and returns its value, 0 to 4.
func (t *modArith) term(s *Sample, r *stream, length, nest int) int {
	if length <= 2 {
		return modArithDigit(s, r, length == 2)
	}
	s.Depth = max(s.Depth, nest+1)
	s.Prompt = append(s.Prompt, openToken)
	var value int
	if length <= 4 {
		value = modArithDigit(s, r, length == 4)
	} else {
		left := r.between(1, length-4)
		value = t.term(s, r, left, nest+1)
		operator := t.operator(s, r)
		value = modArithApply(operator, value, t.term(s, r, length-3-left, nest+1))
	}
	s.Prompt = append(s.Prompt, closeToken)
	return value
}

// plain appends digits and operators in turn.
func (t *modArith) plain(s *Sample, r *stream, length int) int {
	sum, product, sign := 0, modArithDigit(s, r, false), plusToken
	for range length / 2 {
		operator := t.operator(s, r)
		digit := modArithDigit(s, r, false)
		if operator == timesToken {
			product = modArithApply(operator, product, digit)
			continue
		}
		sum = modArithApply(sign, sum, product)
		product, sign = digit, operator
	}
	return modArithApply(sign, sum, product)
}

func modArithDigit(s *Sample, r *stream, negative bool) int {
	digit := r.intn(modArithModulus)
	s.Operands++
	if negative {
		s.Prompt = append(s.Prompt, minusToken, int32(digit))
		return (modArithModulus - digit) % modArithModulus
	}
	s.Prompt = append(s.Prompt, int32(digit))
	return digit
}

func (t *modArith) operator(s *Sample, r *stream) int32 {
	operator := t.operators[r.intn(len(t.operators))]
	s.Prompt = append(s.Prompt, operator)
	return operator
}

func modArithApply(operator int32, a, b int) int {
	switch operator {
	case plusToken:
		return (a + b) % modArithModulus
	case minusToken:
		return (a + modArithModulus - b) % modArithModulus
	default:
		return a * b % modArithModulus
	}
}
