package tasks

import "strconv"

// counting labels a string of digits 0 to base−1 with their sum modulo a number (SPEC §9): mod3, and parity of bits.
type counting struct {
	classifier
	base, modulus int
}

func newCounting(name, example string, base, modulus int, o Options) (Task, error) {
	l, err := newLengths(o, lengths{low: 1, high: 128, step: 1, shortest: 1})
	if err != nil {
		return nil, err
	}
	t := &counting{classifier{name: name, example: example, characters: "0123456789"[:base],
		vocabulary: BaseVocabulary(), lengths: l, stream: hashed(name)}, base, modulus}
	for k := range modulus {
		t.classes = append(t.classes, strconv.Itoa(k))
	}
	return t, nil
}

func (t *counting) Sample(s *Sample, d Draw, index uint64) {
	r := t.begin(s, d, index)
	sum := 0
	for range s.Length {
		digit := r.intn(t.base)
		s.Prompt = append(s.Prompt, int32(digit))
		sum += digit
	}
	s.Label = int32(sum % t.modulus)
}
