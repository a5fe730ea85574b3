// Package own makes a task of files: JSON lines or tables (CSV, TSV) with a prompt and either a target or a label
// (.github/your-own-data.md). Read looks through the files once, tells every mistake by file, line and column, and
// finds the vocabulary and the classes. What it found is the [Data] of a run's configuration, of which Parse makes the
// task again; Load then opens the files that samples are drawn from.
//
// A file is never held in memory: the task keeps 16 bytes for each KiB of it and reads a line when it is drawn. Sample
// i of a role is a line of the file, each once before any comes again, in an order that seed, role and i alone decide.
package own

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// Name is the task's name in a run's configuration.
const Name = "own"

// MaxTokens bounds a prompt and a target, in tokens of the text: <SOS> and <EOS> do not count.
const MaxTokens = 1 << 16

// Task draws the samples of files. It is safe for concurrent use once it is loaded.
type Task struct {
	data       Data
	vocabulary *tasks.Vocabulary
	cut        cutter
	classes    map[string]int32
	files      [3]*file // by role
	warnings   []error
	columns    []string

	failed atomic.Pointer[error]
}

var _ interface {
	tasks.Task
	tasks.Placed
	tasks.Practised
} = (*Task)(nil)

// newTask is the task of data that is valid.
func newTask(d Data) *Task {
	t := &Task{data: d, vocabulary: vocabulary(d), cut: newCutter(d), classes: map[string]int32{}}
	for i, name := range d.Classes {
		t.classes[name] = int32(i)
	}
	return t
}

// Data is what a run's configuration keeps of the task.
func (t *Task) Data() Data { return t.data }

// Warnings are what Read found odd in the files: samples of training in other files, a field that makes no breakdown
// (an *Error).
func (t *Task) Warnings() []error { return t.warnings }

// Columns are the fields that the first line of the training file has, or a table's columns, where Read made the task.
func (t *Task) Columns() []string { return t.columns }

// Samples is the number of a role's samples, 0 where it has no file.
func (t *Task) Samples(r tasks.Role) int {
	if f := t.data.files()[r]; f != nil {
		return f.Samples
	}
	return 0
}

// Has refuses to take more samples than a role has, as a key of a run asks, with a *strict.FieldError.
func (t *Task) Has(key string, asked int, r tasks.Role) error {
	if n := t.Samples(r); asked > n {
		return strict.Unfit(key, asked, ", but the data has %d %s samples; choose fewer", n, r)
	}
	return nil
}

// File is a role's file. The role has one.
func (t *Task) File(r tasks.Role) File { return *t.data.files()[r] }

// Name is that of every task of this package.
func (t *Task) Name() string { return Name }

// Vocabulary has the tokens of the data, and <SOS>, <EOS> and <PAD> under their own numbers.
func (t *Task) Vocabulary() *tasks.Vocabulary { return t.vocabulary }

// Classes is the number of labels, 0 where the lines have targets.
func (t *Task) Classes() int { return len(t.data.Classes) }

// ClassName is a label as the files have it.
func (t *Task) ClassName(label int32) string { return t.data.Classes[label] }

// Example is a prompt of the training file.
func (t *Task) Example() string { return t.data.Example }

// Characters are the tokens, one after another.
func (t *Task) Characters() string {
	if t.data.words() {
		return " " + strings.Join(t.data.Vocabulary, " ")
	}
	return strings.Join(t.data.Vocabulary, "")
}

// MaxPrompt is the most tokens of a prompt in any of the files, <SOS> included.
func (t *Task) MaxPrompt() int { return t.data.longest(func(f *File) int { return f.Prompt }) }

// MaxTarget is the most tokens of a target in any of the files, <EOS> included; 0 with labels.
func (t *Task) MaxTarget() int { return t.data.longest(func(f *File) int { return f.Target }) }

// Answer finds nothing: no token of a target stands for the answer. An answer is right when the target is.
func (t *Task) Answer([]int32) (int32, bool) { return 0, false }

// Curriculum has no limit.
func (t *Task) Curriculum() tasks.Curriculum { return tasks.Curriculum{} }

// Sample reads a line of the role's file. Where it cannot be read, or is not what Load saw, the sample is empty and
// Err tells why. It panics where the role was not loaded.
func (t *Task) Sample(s *tasks.Sample, d tasks.Draw, index uint64) {
	f := t.files[d.Role]
	if f == nil {
		panic(fmt.Sprintf("own: a %s sample is drawn before Load", d.Role))
	}
	err := f.line(f.number(d, index), func(line []byte) error {
		r, err := f.row(line, &t.data)
		if err != nil {
			return err
		}
		return t.take(s, r)
	})
	if err != nil {
		failed := fmt.Errorf("%s changed while it was read: %w; put the file back as it was", f.name, err)
		t.failed.CompareAndSwap(nil, &failed) // the first one stays
		t.Blank(s)
	}
}

// Blank makes a sample that has no text, and the first label or an empty target.
func (t *Task) Blank(s *tasks.Sample) {
	s.Reset()
	if t.Classes() > 0 {
		s.Label = 0
	} else {
		s.Target = append(s.Target, tasks.EOS)
	}
}

// Place is the line of a sample's file. It reads the file from its beginning, and panics where the role was not
// loaded.
func (t *Task) Place(d tasks.Draw, index uint64) (path string, line int, err error) {
	f := t.files[d.Role]
	left, found := f.number(d, index), errors.New("found")
	_, err = open(f.name, f.source, &t.data, func(_ *file, number int, _ []byte) error {
		if line, left = number, left-1; left < 0 {
			return found
		}
		return nil
	})
	if errors.Is(err, found) {
		err = nil
	}
	return f.name, line, err
}

// Err is the first mistake that Sample met. What was drawn since is worth nothing.
func (t *Task) Err() error {
	if failed := t.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}

// Prompt cuts a typed text into tokens, <SOS> first. An error is a *tasks.ParseError, or says that the text is empty.
func (t *Task) Prompt(text string) ([]int32, error) {
	ids, bad := t.cut.add([]int32{tasks.SOS}, []byte(text))
	if bad >= 0 {
		return nil, &tasks.ParseError{Offset: utf8.RuneCountInString(text[:bad]), Found: t.cut.found(text[bad:]),
			Expected: t.data.expected()}
	}
	if len(ids) == 1 {
		return nil, fmt.Errorf("the prompt is empty; write for example %q", t.Example())
	}
	return ids, nil
}

// Unpractised of a prompt are tokens that no training prompt has, where the data tells them, and its length, where it
// is longer than all of these. What would be right in its place nobody knows.
func (t *Task) Unpractised(prompt []int32) (list []tasks.Unpractised, instead string) {
	if n, most := len(prompt)-1, t.data.Train.Prompt-1; n > most {
		list = append(list, tasks.Unpractised{Kind: tasks.LackLength, Value: fmt.Sprint(n), Least: 1, Most: most})
	}
	for _, id := range prompt[1:] {
		token := t.data.Vocabulary[tokenPlace(id)]
		u := tasks.Unpractised{Kind: tasks.LackToken, Value: token}
		if slices.Contains(t.data.Unasked, token) && !slices.Contains(list, u) {
			list = append(list, u)
		}
	}
	return list, ""
}

// Text is what tokens are in a file: without <SOS> and <EOS>.
func (t *Task) Text(ids []int32) string {
	var text strings.Builder
	for _, id := range ids {
		if id != tasks.SOS && id != tasks.EOS {
			text.WriteString(t.vocabulary.Token(id))
		}
	}
	if t.data.words() {
		return strings.TrimPrefix(text.String(), " ")
	}
	return text.String()
}
