package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/bits"
	"slices"
	"strings"
)

// Key is what a record holds for.
type Key struct {
	Adapter string `json:"adapter"`          // its name
	Driver  string `json:"driver,omitempty"` // its version, or what stands for it; empty where nothing does
	Kernels string `json:"kernels"`          // Hash of their texts
	Width   int    `json:"width"`            // units of the recurrence
	Angle   string `json:"angle"`            // what steers it: token, state or product
	Batch   int    `json:"batch"`            // BatchClass
}

// BatchClass is the power of two that so many sequences do not exceed: what was measured with the one is taken for the
// other.
func BatchClass(n int) int { return 1 << bits.Len(uint(max(1, n)-1)) }

// Hash is a short name for texts. It is no defence against anybody.
func Hash(texts ...string) string {
	h := fnv.New64a()
	for _, t := range texts {
		h.Write([]byte(t))
		h.Write([]byte{0})
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// Time is what a step took with one knob at a value and those before it at their best.
type Time struct {
	Value string  `json:"value"`
	Ms    float64 `json:"ms"` // a step at its median; 0: it was not measured
}

// Choice is what was found for a knob.
type Choice struct {
	Knob  string `json:"knob"`
	Value string `json:"value"`
	Times []Time `json:"times"` // the default first
}

// Record is what was found.
type Record struct {
	Key
	Choices []Choice `json:"choices,omitempty"` // none: the measurement did not come to its end
	Tries   int      `json:"tries,omitempty"`   // measurements that began and neither ended nor were put off
	Clock   string   `json:"clock,omitempty"`   // that was read: device or wall
	Notes   []string `json:"notes,omitempty"`   // what went wrong, a sentence each
}

// Tries is how many measurements may begin and not come to their end until none is begun any more: one of the forms may
// be what ends the program.
const Tries = 3

// Value is the choice for a knob; ok tells whether there is one.
func (r Record) Value(knob string) (value string, ok bool) {
	for _, c := range r.Choices {
		if c.Knob == knob {
			return c.Value, true
		}
	}
	return "", false
}

// Text is the record's choices in words: "forward registers (31 % less time a step), backward streamed".
func (r Record) Text() string {
	var parts []string
	for _, c := range r.Choices {
		part := c.Knob + " " + c.Value
		if first, ms := c.ms(0), c.of(c.Value); first > 0 && ms > 0 && ms < first {
			part += fmt.Sprintf(" (%.0f %% less time a step)", 100*(1-ms/first))
		}
		parts = append(parts, part)
	}
	switch {
	case len(parts) > 0:
	case r.Tries >= Tries:
		parts = []string{fmt.Sprintf("the usual forms: %d measurements did not come to their end", r.Tries)}
	default:
		parts = []string{"not measured yet"}
	}
	text := strings.Join(parts, ", ")
	if len(r.Notes) > 0 {
		text += "; " + strings.Join(r.Notes, "; ")
	}
	return text
}

func (c Choice) ms(i int) float64 {
	if i >= len(c.Times) {
		return 0
	}
	return c.Times[i].Ms
}

func (c Choice) of(value string) float64 {
	return c.ms(slices.IndexFunc(c.Times, func(t Time) bool { return t.Value == value }))
}

// Records are what is kept in one place, the newest last.
type Records []Record

const (
	version     = 1
	recordsMost = 200 // then the oldest is dropped
)

// file is how records are written.
type file struct {
	Version int     `json:"version"`
	Records Records `json:"records"`
}

// ErrForeign is wrapped by the error of Parse.
var ErrForeign = errors.New("is no table of kernel forms that this program wrote")

// Parse reads records. Text that another version or another program wrote is an error, and there are none then.
func Parse(text []byte) (Records, error) {
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForeign, err)
	}
	if f.Version != version {
		return nil, fmt.Errorf("%w: version %d, %d is read", ErrForeign, f.Version, version)
	}
	return f.Records, nil
}

// Encode writes records as Parse reads them.
func (l Records) Encode() ([]byte, error) { return json.Marshal(file{version, l}) }

// Find is the record of a key, or one without choices.
func (l Records) Find(k Key) Record {
	for _, r := range l {
		if r.Key == k {
			return r
		}
	}
	return Record{Key: k}
}

// With are the records with r in place of that of its key, and of those that it outdates: of the same choices by
// another driver or for other kernels.
func (l Records) With(r Record) Records {
	l = slices.DeleteFunc(slices.Clone(l), func(o Record) bool {
		k := o.Key
		k.Driver, k.Kernels = r.Driver, r.Kernels
		return o.Key == r.Key || k == r.Key && o.Choices != nil && slices.EqualFunc(o.Choices, r.Choices,
			func(x, y Choice) bool { return x.Knob == y.Knob })
	})
	if r.Choices != nil || r.Tries > 0 {
		l = append(l, r)
	}
	return l[max(0, len(l)-recordsMost):]
}
