package own

import (
	"bytes"
	"fmt"

	"mhacsp/tasks"
)

// splitKey numbers the permutation that splits a file. It is one for all seeds, so that runs of two seeds compare.
const splitKey = 0x5eed

// Split takes a tenth of a file's samples, one at least, for validation and leaves the rest for training. Which they
// are depends on the place and the number of the samples alone. Each part keeps the other's lines as empty ones, so
// that the numbers of lines stay.
func Split(text []byte) (training, validation []byte, err error) {
	n := uint64(0)
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
	}
	if n < 2 {
		return nil, nil, fmt.Errorf("samples are %d, and a tenth of them is for validation; 2 at least are needed", n)
	}
	held, i := max(n/10, 1), uint64(0)
	for line := range bytes.Lines(text) {
		to, other := &training, &validation
		if len(bytes.TrimSpace(line)) > 0 {
			if place(splitKey, n, i) < held {
				to, other = other, to
			}
			i++
		}
		*to = append(*to, line...)
		*other = append(*other, '\n')
	}
	return training, validation, nil
}

// ReadSplit is Read of one file that is Split. The vocabulary and the classes are those of the whole file.
// o.Validation and o.Test are of no meaning.
func ReadSplit(o Options, text []byte) (*Task, error) {
	o.Validation, o.Test = o.Train, ""
	t, err := Read(o, func(string) (Source, error) { return bytes.NewReader(text), nil })
	if err != nil {
		return nil, err
	}
	training, validation, err := Split(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Train, err)
	}
	for role, part := range map[tasks.Role][]byte{tasks.Train: training, tasks.Validation: validation} {
		f, err := open(o.Train, bytes.NewReader(part), nil)
		if err != nil {
			return nil, err
		}
		d := t.data.file(role)
		d.Bytes, d.SHA256, d.Samples = f.end, f.sum, f.samples
		t.files[role] = f
	}
	return t, nil
}
