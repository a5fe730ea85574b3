package tune

import (
	"errors"
	"testing"

	"mhacsp/tasks/assert"
)

func recordOf(batch int) Record {
	return Record{
		Key: Key{"An adapter", "1.2", Hash("a", "b"), 128, "token", batch},
		Choices: []Choice{
			{"forward", "registers", []Time{{"streamed", 2}, {"registers", 1.5}, {"pairs", 0}}},
			{"backward", "streamed", []Time{{"streamed", 2}, {"registers", 1.99}}},
		},
	}
}

// TestRecords: what is written is read again; a record takes the place of the one with its key, and one without
// choices leaves none.
func TestRecords(t *testing.T) {
	l := Records{}.With(recordOf(64)).With(recordOf(128))
	changed := recordOf(64)
	changed.Choices = changed.Choices[1:]
	l = l.With(changed)
	got := assert.Must(Parse(assert.Must(l.Encode())(t)))(t)
	assert.Is(t, got, Records{recordOf(128), changed}, "read")
	other := recordOf(128)
	other.Driver = "1.3"
	assert.Is(t, got.With(other), Records{changed, other}, "a record by a new driver leaves")
	assert.Is(t, len(got.With(Record{Key: changed.Key})), 1, "a record of nothing leaves … records")
	for i := range 2 * recordsMost {
		l = l.With(recordOf(1000 + i))
	}
	assert.True(t, len(l) == recordsMost && l[len(l)-1].Batch == 999+2*recordsMost,
		"%d records are kept, the last of batch %d", len(l), l[len(l)-1].Batch)
}

// TestForeign: a file of another version, another program or half written is an error, and gives nothing.
func TestForeign(t *testing.T) {
	text := assert.Must(Records{recordOf(64)}.Encode())(t)
	for _, wrong := range []string{
		"", "{", "[]", "null", "{}", `{"version":2,"records":[]}`, `{"version":1,"records":[{"width":"x"}]}`,
		string(text[:len(text)/2]), "\x00\x01",
	} {
		l, err := Parse([]byte(wrong))
		assert.True(t, errors.Is(err, ErrForeign) && l == nil, "%q gives %v, %v", wrong, l, err)
	}
}

func TestRecordText(t *testing.T) {
	for want, r := range map[string]Record{
		"forward registers (25 % less time a step), backward streamed": recordOf(64),
		"not measured yet": {}, "forward registers": {Choices: []Choice{{Knob: "forward", Value: "registers"}}},
		"the usual forms: 3 measurements did not come to their end": {Tries: 3},
		"not measured yet; forward pairs: the device refuses kernel x": {
			Notes: []string{"forward pairs: the device refuses kernel x"}},
	} {
		assert.Is(t, Text(r), want, "%+v", r)
	}
}

func TestBatchClass(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 2: 2, 3: 4, 64: 64, 65: 128, 128: 128, 129: 256, 1024: 1024} {
		assert.Is(t, BatchClass(n), want, "%d samples are of class", n)
	}
	assert.True(t, Hash("ab", "c") != Hash("a", "bc") && Hash("a") == Hash("a"), "the hash does not tell texts apart")
}
