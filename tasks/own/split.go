package own

import (
	"bytes"
	"fmt"
	"slices"

	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// splitKey numbers the permutation that splits a file. It is one for all seeds, so that runs of two seeds compare.
const splitKey = 0x5eed

// Split takes a tenth of a file's samples, one at least, for validation and leaves the rest for training. Which they
// are depends on the place and the number of the samples alone. Each part keeps the other's lines as empty ones, so
// that the numbers of lines stay. The text is that of the training file.
func (t *Task) Split(text []byte) (training, validation []byte, err error) {
	text = strict.TrimBOM(text)
	f, err := recognise(t.data.Train.Path, text, &t.data)
	if err != nil {
		return nil, nil, err
	}
	n := uint64(0)
	each := func(use func(record []byte, sample bool)) {
		named := f.comma == 0
		for rest := text; len(rest) > 0; {
			var record []byte
			record, rest = f.cut(rest)
			blank := len(bytes.TrimSpace(record)) == 0
			use(record, named && !blank)
			named = named || !blank
		}
	}
	each(func(_ []byte, sample bool) {
		if sample {
			n++
		}
	})
	if n < 2 {
		return nil, nil, fmt.Errorf("samples are %d, and a tenth of them is for validation; 2 at least are needed", n)
	}
	held, i := max(n/10, 1), uint64(0)
	each(func(record []byte, sample bool) {
		if !sample { // a blank line, or a table's first one
			training, validation = append(training, record...), append(validation, record...)
			return
		}
		to, other := &training, &validation
		if place(splitKey, n, i) < held {
			to, other = other, to
		}
		i++
		*to = append(*to, record...)
		*other = append(*other, bytes.Repeat([]byte("\n"), max(1, bytes.Count(record, []byte("\n"))))...)
	})
	return training, validation, nil
}

// ReadSplit is Read of one file that is Split. The vocabulary and the classes are those of the whole file.
// o.Validation and o.Test are of no meaning.
func ReadSplit(o Options, text []byte) (*Task, error) {
	o.Validation, o.Test = o.Train, ""
	t, s, err := look(o, func(string) (Source, error) { return bytes.NewReader(text), nil })
	if err != nil {
		return nil, err
	}
	training, validation, err := t.Split(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Train, err)
	}
	s.data, s.training, s.shared = &t.data, nil, [3]int{}
	for _, x := range []struct {
		role tasks.Role
		part []byte
		use  func(row)
	}{
		{tasks.Train, training, func(r row) { s.training = append(s.training, s.number(r)) }},
		{tasks.Validation, validation, func(r row) { s.look(tasks.Validation, r) }},
	} {
		f, err := open(o.Train, bytes.NewReader(x.part), &t.data, func(f *file, _ int, line []byte) error {
			r, err := f.row(line, &t.data)
			x.use(r)
			return err
		})
		if err != nil {
			return nil, err
		}
		slices.Sort(s.training)
		d := t.data.files()[x.role]
		d.Bytes, d.SHA256, d.Samples = f.end, f.sum, f.samples
		t.files[x.role] = f
	}
	s.compare(tasks.Validation)
	t.warnings = s.warnings
	return t, nil
}
