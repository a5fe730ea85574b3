package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

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

// With are the records with r in place of that of its key, and of those of another driver or of other kernels.
func (l Records) With(r Record) Records {
	l = slices.DeleteFunc(slices.Clone(l), func(o Record) bool {
		k := o.Key
		k.Driver, k.Kernels = r.Driver, r.Kernels
		return k == r.Key && (o.Choices != nil || o.Key == r.Key)
	})
	if r.Choices != nil || r.Tries > 0 {
		l = append(l, r)
	}
	return l[max(0, len(l)-recordsMost):]
}

// Text is a record's choices in words: "forward registers (31 % less time a step), backward streamed".
func Text(r Record) string {
	var parts []string
	for _, c := range r.Choices {
		part := c.Knob + " " + c.Value
		i := slices.IndexFunc(c.Times, func(t Time) bool { return t.Value == c.Value })
		if i > 0 && c.Times[i].Ms > 0 && c.Times[i].Ms < c.Times[0].Ms {
			part += fmt.Sprintf(" (%.0f %% less time a step)", 100*(1-c.Times[i].Ms/c.Times[0].Ms))
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
	return strings.Join(append([]string{strings.Join(parts, ", ")}, r.Notes...), "; ")
}
