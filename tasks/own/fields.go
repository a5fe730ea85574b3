package own

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"mhacsp/tasks/show"
)

// Fields are the names that the fields or columns of files have, where they are not "prompt", "target" and "label".
// Where one of Target and Label is given, the other is not looked for.
type Fields struct {
	Prompt string `json:"prompt,omitempty"`
	Target string `json:"target,omitempty"`
	Label  string `json:"label,omitempty"`
}

// ParseFields makes Fields of names by what they are for.
func ParseFields(names map[string]string) (*Fields, error) {
	var f Fields
	for _, key := range slices.Sorted(maps.Keys(names)) { // of two mistakes always the same is told
		into := map[string]*string{"prompt": &f.Prompt, "target": &f.Target, "label": &f.Label}[key]
		switch {
		case into == nil:
			return nil, fmt.Errorf("there is no %q to name a field for; name one for prompt, target or label, "+
				"as in prompt=text,label=intent", key)
		case names[key] == "":
			return nil, fmt.Errorf("the field for %s has no name; give one, as in %s=text", key, key)
		}
		*into = names[key]
	}
	if f.Target != "" && f.Label != "" {
		return nil, fmt.Errorf("fields for target and for label are named, %s and %s; a file has one of the two",
			show.Exact(f.Target), show.Exact(f.Label))
	}
	if f == (Fields{}) {
		return nil, nil
	}
	return &f, nil
}

// names are the fields' names, the usual ones in place of those that are not given. Of Target and Label one may be
// empty: it is not looked for.
func (f *Fields) names() Fields {
	if f == nil {
		f = &Fields{}
	}
	n := Fields{cmp.Or(f.Prompt, "prompt"), f.Target, f.Label}
	if n.Target == "" && n.Label == "" {
		n.Target, n.Label = "target", "label"
	}
	return n
}

// outcomes tells, of names, in words what a line needs in addition to a prompt.
func (f Fields) outcomes() string {
	if f.Target == "" || f.Label == "" {
		return show.Exact(f.Target + f.Label)
	}
	return show.Exact(f.Target) + " or " + show.Exact(f.Label)
}
