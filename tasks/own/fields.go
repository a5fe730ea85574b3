package own

import (
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

// prompt is the name of the prompt's field.
func (f *Fields) prompt() string {
	if f != nil && f.Prompt != "" {
		return f.Prompt
	}
	return "prompt"
}

// target is the name of the target's field, "" where none is looked for.
func (f *Fields) target() string {
	return f.outcome(func(f Fields) string { return f.Target }, "target")
}

// label is the name of the label's field, "" where none is looked for.
func (f *Fields) label() string { return f.outcome(func(f Fields) string { return f.Label }, "label") }

func (f *Fields) outcome(of func(Fields) string, usual string) string {
	if f == nil || f.Target == "" && f.Label == "" {
		return usual
	}
	return of(*f)
}

// outcomes names in words what a line needs in addition to a prompt.
func (f *Fields) outcomes() string {
	names := slices.DeleteFunc([]string{f.target(), f.label()}, func(s string) bool { return s == "" })
	if len(names) == 1 {
		return show.Exact(names[0])
	}
	return fmt.Sprintf("%s or %s", show.Exact(names[0]), show.Exact(names[1]))
}
