package tasks

// parity labels a string of bits with the number of ones modulo 2 (SPEC §9).
type parity struct{ classifier }

func newParity(o Options) (Task, error) {
	l, err := newLengths("parity", o, lengths{low: 1, high: 128, step: 1, shortest: 1})
	if err != nil {
		return nil, err
	}
	return &parity{classifier{
		name:       "parity",
		vocabulary: BaseVocabulary(),
		classes:    []string{"0", "1"},
		lengths:    l,
		stream:     fnvString("parity"),
	}}, nil
}

func (t *parity) Sample(s *Sample, d Draw, index uint64) {
	r := t.begin(s, d, index)
	ones := 0
	for range s.Length {
		bit := r.intn(2)
		s.Prompt = append(s.Prompt, int32(bit))
		ones += bit
	}
	s.Label = int32(ones % 2)
}
