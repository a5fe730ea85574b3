package tasks

// mod3 labels a string of digits with their sum modulo 3 (SPEC §9).
type mod3 struct{ classifier }

func newMod3(o Options) (Task, error) {
	l, err := newLengths("mod3", o, lengths{low: 1, high: 128, step: 1, shortest: 1})
	if err != nil {
		return nil, err
	}
	return &mod3{classifier{
		name:       "mod3",
		vocabulary: BaseVocabulary(),
		classes:    []string{"0", "1", "2"},
		lengths:    l,
		stream:     fnvString("mod3"),
	}}, nil
}

func (t *mod3) Sample(s *Sample, d Draw, index uint64) {
	r := t.begin(s, d, index)
	sum := 0
	for range s.Length {
		digit := r.intn(10)
		s.Prompt = append(s.Prompt, int32(digit))
		sum += digit
	}
	s.Label = int32(sum % 3)
}
