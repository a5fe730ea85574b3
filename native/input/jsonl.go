//go:build !js

package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/runs"
	"mhacsp/native/words"
	"mhacsp/tasks"
	"mhacsp/tasks/own"
	"mhacsp/tasks/show"
	"mhacsp/tasks/strict"
)

// lineFields are the fields of a line that eval reads.
var lineFields = []string{"prompt", "prompt_ids", "target", "target_ids", "label", "label_id",
	"operands", "depth", "trivial"}

// record is a line that data writes.
type record struct {
	Prompt    string  `json:"prompt"` // without <SOS>
	Target    *string `json:"target,omitempty"`
	Label     *string `json:"label,omitempty"`
	PromptIDs []int32 `json:"prompt_ids"`
	TargetIDs []int32 `json:"target_ids,omitempty"`
	LabelID   *int32  `json:"label_id,omitempty"`
	Operands  int     `json:"operands"`
	Depth     int     `json:"depth"`
	Trivial   bool    `json:"trivial"`
}

// WriteSample writes a sample as a line.
func WriteSample(w io.Writer, t tasks.Task, s *tasks.Sample) error {
	v := t.Vocabulary()
	r := record{
		Prompt: v.Detokenise(s.Prompt[1:]), PromptIDs: s.Prompt,
		Operands: s.Operands, Depth: s.Depth, Trivial: s.Trivial,
	}
	if s.Label >= 0 {
		r.Label, r.LabelID = new(t.ClassName(s.Label)), &s.Label
	} else {
		r.Target, r.TargetIDs = new(v.Detokenise(s.Target[:len(s.Target)-1])), s.Target
	}
	return cli.WriteJSON(w, r)
}

// ReadSamples reads a file of JSON lines, ours or another's, as samples of a task. An error names file, line and
// field.
func ReadSamples(path string, t tasks.Task) ([]tasks.Sample, error) {
	var samples []tasks.Sample
	err := own.EachLine(path, runs.OpenSource, func(number int, line []byte) error {
		s, err := parseSample(line, t)
		if bad, ok := errors.AsType[*strict.Error](err); ok && bad.At >= 0 {
			_, column := strict.Place(line, bad.At)
			return fmt.Errorf("%s: line %d, column %d: %w", path, number, column, err)
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", path, number, err)
		}
		samples = append(samples, s)
		return nil
	})
	// A table's columns cannot be named: the task's own are these.
	if table, ok := errors.AsType[*own.Error](err); ok && table.Fields != nil {
		err = fmt.Errorf("%s: a table is read in runs with data of their own alone; write a JSON object a line, with "+
			"the fields %s", path, strings.Join(lineFields, ", "))
	}
	return samples, err
}

// object is one parsed line.
type object map[string]json.RawMessage

func (o object) has(field string) bool {
	raw, ok := o[field]
	return ok && string(raw) != "null"
}

// lacks says that two fields have no value, one of which is needed.
func (o object) lacks(one, other string) error {
	how := func(field string) string {
		if _, null := o[field]; null {
			return "is null"
		}
		return "is missing"
	}
	return fmt.Errorf("field %q %s, and %q %s; one of them is needed", one, how(one), other, how(other))
}

// read decodes a field; what says in words what it should hold.
func (o object) read(field, what string, into any) error {
	if err := json.Unmarshal(o[field], into); err != nil {
		return fmt.Errorf("field %q holds %s; %s is needed", field, clip(o[field]), what)
	}
	return nil
}

func parseSample(text []byte, t tasks.Task) (tasks.Sample, error) {
	var o object
	if err := strict.Unmarshal(text, &o); err != nil {
		return tasks.Sample{}, err
	}
	for name := range o {
		for _, known := range lineFields {
			if known != name && strings.EqualFold(known, name) {
				return tasks.Sample{}, fmt.Errorf("unknown field %s, did you mean %q?", show.Exact(name), known)
			}
		}
	}
	s := tasks.Sample{Label: -1, AnswerAt: -1}
	var err error
	if s.Prompt, err = o.tokens("prompt", t); err != nil {
		return s, err
	}
	if s.Prompt[0] != tasks.SOS {
		return s, fmt.Errorf("field %q starts with token %d; <SOS> (%d) is needed",
			"prompt_ids", s.Prompt[0], tasks.SOS)
	}
	if t.Classes() > 0 {
		s.Label, err = o.label(t)
		s.Length = len(s.Prompt) - 1
	} else {
		err = o.target(&s, t)
	}
	if err != nil {
		return s, err
	}
	return s, o.describe(&s, t)
}

// target reads a sequence's target and finds its answer.
func (o object) target(s *tasks.Sample, t tasks.Task) error {
	var err error
	if s.Target, err = o.tokens("target", t); err != nil {
		return err
	}
	if last := s.Target[len(s.Target)-1]; last != tasks.EOS {
		return fmt.Errorf("field %q ends with token %d; <EOS> (%d) is needed", "target_ids", last, tasks.EOS)
	}
	// The answer is the token with which Answer first finds one.
	n := sort.Search(len(s.Target)+1, func(n int) bool {
		_, ok := t.Answer(s.Target[:n])
		return ok
	})
	if n > len(s.Target) {
		return fmt.Errorf("field %q has no answer digit where the run's target format puts it; "+
			"use data of the same --format", "target")
	}
	s.AnswerAt = n - 1
	var drawn tasks.Sample // of the run's format
	t.Sample(&drawn, tasks.Draw{}, 0)
	if has, wants := formatOf(s.Target), formatOf(drawn.Target); t.Name() == train.DefaultTask && has != wants {
		return fmt.Errorf("field %q is of the format %s, and the run writes %s; use data of the same --format",
			"target", has, wants)
	}
	return nil
}

// formatOf tells the format of an arithmetic target (SPEC §9).
func formatOf(target []int32) string {
	switch {
	case len(target) == 2:
		return "direct"
	case len(target) > 1 && target[1] == tasks.REPEAT:
		return "repeat"
	}
	return "copy"
}

// tokens reads field_ids or, without them, tokenises the text in field; the text may leave out <SOS> and <EOS>.
func (o object) tokens(field string, t tasks.Task) ([]int32, error) {
	v := t.Vocabulary()
	if name := field + "_ids"; o.has(name) {
		ids, err := numbers(fmt.Sprintf("field %q", name), o[name])
		if err != nil {
			return nil, err
		}
		for i, id := range ids {
			if !v.Contains(id) {
				return nil, fmt.Errorf("field %q: [%d] is token %d; the vocabulary has tokens 0 to %d",
					name, i, id, v.Size()-1)
			}
		}
		return ids, limited(name, ids)
	}
	if !o.has(field) {
		return nil, o.lacks(field, field+"_ids")
	}
	var text string
	if err := o.read(field, "text", &text); err != nil {
		return nil, err
	}
	ids, err := v.Tokenise(text)
	if err != nil {
		return nil, fmt.Errorf("field %q: %w; the run learned task %s: use data of that task", field, err, t.Name())
	}
	switch {
	case field == "prompt" && (len(ids) == 0 || ids[0] != tasks.SOS):
		ids = append([]int32{tasks.SOS}, ids...)
	case field == "target" && (len(ids) == 0 || ids[len(ids)-1] != tasks.EOS):
		ids = append(ids, tasks.EOS)
	}
	return ids, limited(field, ids)
}

func limited(field string, ids []int32) error {
	switch {
	case len(ids) == 0:
		return fmt.Errorf("field %q is empty; at least one token is needed", field)
	case len(ids) > MaxTokens:
		return fmt.Errorf("field %q has %s tokens, at most %s are possible; shorten it",
			field, words.Number(len(ids)), words.Number(MaxTokens))
	}
	return nil
}

// label reads label_id, or label as a class's name or number.
func (o object) label(t tasks.Task) (int32, error) {
	field := "label_id"
	if !o.has(field) {
		field = "label"
		if !o.has(field) {
			return 0, o.lacks("label", "label_id")
		}
	}
	number := string(o[field])
	var name string
	if json.Unmarshal(o[field], &name) == nil {
		for id := range int32(t.Classes()) {
			if t.ClassName(id) == name {
				return id, nil
			}
		}
		number = name
	}
	id, err := strconv.Atoi(number)
	if err != nil || id < 0 || id >= t.Classes() {
		return 0, fmt.Errorf("field %q holds %s; a class of task %s is needed: %s",
			field, clip(o[field]), t.Name(), classNames(t))
	}
	return int32(id), nil
}

func classNames(t tasks.Task) string {
	var list []string
	for id := range t.Classes() {
		text := strconv.Itoa(id)
		if name := t.ClassName(int32(id)); name != text {
			text = name + " or " + text
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// describe takes operands, depth and trivial from the line or, where it does not tell, from the expression.
func (o object) describe(s *tasks.Sample, t tasks.Task) error {
	// The prompt is in the vocabulary; whether it is an expression shows in parsing.
	if e, _, err := tasks.ParsePrompt(t.Vocabulary().Detokenise(s.Prompt[1:])); err == nil &&
		(t.Classes() == 0 || t.Name() == "modarith") {
		s.Operands, s.Depth = e.Operands(), e.Depth()
	}
	s.Trivial = s.Operands == 1
	for _, x := range []struct {
		field, what string
		into        any
	}{
		{"operands", "a whole number", &s.Operands}, {"depth", "a whole number", &s.Depth},
		{"trivial", "true or false", &s.Trivial},
	} {
		if o.has(x.field) {
			if err := o.read(x.field, x.what, x.into); err != nil {
				return err
			}
		}
	}
	return nil
}
