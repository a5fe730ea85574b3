//go:build !js

package runs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/tasks"
	"mhacsp/tasks/own"
	"mhacsp/tasks/show"
	"mhacsp/tasks/strict"
)

// OwnFlags are the flags for the user's own data (.github/your-own-data.md).
type OwnFlags struct {
	train, validation, test, tokens, vocabulary string
	groups, fields                              []string
	known                                       *own.Task // of these files, once they were read
}

// ownOnly are flags that say nothing without --data.
var ownOnly = []string{"validation", "test", "tokens", "vocabulary", "group", "fields"}

// drawnOnly are flags about samples that the program draws.
var drawnOnly = []string{"task", "preset", "format", "min-length", "max-length", "brackets", "operators",
	"split", "curriculum", "long-share", "answer-weight"}

// AddOwn adds the flags for the user's own data to a command with settings.
func AddOwn(c *cobra.Command, s *Settings) {
	f := &OwnFlags{tokens: own.Characters}
	s.Own = f
	cli.AddFile(c, &f.train, "data", "",
		"train on the samples of this `file` of JSON lines or a table (CSV, TSV), in "+
			"place of a task's; a line has prompt and target, or prompt and label (.github/your-own-data.md)",
		DataEndings...)
	cli.AddFile(c, &f.validation, "validation", "", "such a `file`, on which training is measured; needed with --data",
		DataEndings...)
	cli.AddFile(c, &f.test, "test", "", "such a `file`, used once at the end; may be left out", DataEndings...)
	cli.AddChoice(c, &f.tokens, "tokens", []string{own.Characters, own.Words},
		"how the texts of --data are cut into tokens")
	cli.AddFile(c, &f.vocabulary, "vocabulary", "", "JSON list of the tokens of --data, a `file` "+
		"(default: those of the training file)", "json")
	AddGroup(c, &f.groups, "of --data", "group, where lines have it")
	AddFields(c, &f.fields, "of --data")
	for _, name := range []string{"tokens", "vocabulary", "group", "fields"} {
		s.Set[name] = func(*train.Run) error { return nil } // begin reads it; a resumed run cannot have another
	}
}

// AddGroup adds --group, whose default is said in words.
func AddGroup(c *cobra.Command, groups *[]string, of, usual string) {
	c.Flags().StringSliceVar(groups, "group", nil, "`fields` or columns "+of+" that results are broken down by, "+
		"as in style,country; \"\" for none (default: "+usual+")")
}

// AddFields adds --fields.
func AddFields(c *cobra.Command, fields *[]string, of string) {
	c.Flags().StringSliceVar(fields, "fields", nil, "which `fields` or columns "+of+" to use, yours on the right, "+
		"as in prompt=text,label=intent (default: prompt, target, label)")
}

// ParseFields reads what --fields was given.
func ParseFields(list []string) (*own.Fields, error) {
	names := map[string]string{}
	for _, x := range list {
		key, name, ok := strings.Cut(x, "=")
		key, name = strings.TrimSpace(key), strings.TrimSpace(name)
		_, doubled := names[key]
		switch {
		case !ok:
			return nil, fmt.Errorf("--fields: %s has no \"=\"; write what a field is for, and its name, "+
				"as in prompt=text,label=intent", show.Exact(x))
		case doubled:
			return nil, fmt.Errorf("--fields: %s is given twice, %s and %s; leave one of them out",
				key, show.Exact(names[key]), show.Exact(name))
		case key == "group":
			return nil, fmt.Errorf("--fields: results are broken down by --group %s", cli.Quote(name))
		}
		names[key] = name
	}
	fields, err := own.ParseFields(names)
	if err != nil {
		return nil, fmt.Errorf("--fields: %w", err)
	}
	return fields, nil
}

// DataEndings are those of files of samples.
var DataEndings = []string{"jsonl", "csv", "tsv"}

// check refuses flags that contradict each other.
func (f *OwnFlags) check(c *cobra.Command) error {
	if f.train == "" {
		for _, name := range ownOnly {
			if c.Flags().Changed(name) {
				return fmt.Errorf("--%s is about files of your own and needs --data FILE as well", name)
			}
		}
		return nil
	}
	if f.validation == "" {
		return errors.New("--data needs --validation FILE, samples that are not trained on")
	}
	return cli.Apart(c, "data", "is in place of samples that the program draws", drawnOnly...)
}

// task reads the files that the flags name.
func (f *OwnFlags) task() (*own.Task, error) {
	fields, err := ParseFields(f.fields)
	if err != nil {
		return nil, err
	}
	o := own.Options{
		Train: f.train, Validation: f.validation, Test: f.test, Tokens: f.tokens, Groups: f.groups, Fields: fields,
	}
	if f.vocabulary != "" {
		text, err := cli.ReadText(f.vocabulary)
		if err != nil {
			return nil, err
		}
		if err := strict.Check(text); err != nil {
			return nil, fmt.Errorf("%s: %w", f.vocabulary, strict.Placed(text, err))
		}
		if json.Unmarshal(text, &o.Vocabulary) != nil || o.Vocabulary == nil {
			return nil, fmt.Errorf(`%s: a JSON list of texts is needed, as in ["(", ")"]`, f.vocabulary)
		}
	}
	return own.Read(o, OpenSource)
}

// OpenSource opens a data file. It stays open as long as the program runs.
func OpenSource(path string) (own.Source, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil: // a *fs.PathError
		return nil, fmt.Errorf("%s: %w; check the path", path, errors.Unwrap(err))
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; name a file of samples", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file, and samples are read more than once; "+
			"write them to a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w; check who may read it", err)
	}
	return io.NewSectionReader(f, 0, info.Size()), nil
}

// begin is the run that the flags override: of the user's own data where --data or the configuration text asks for it.
func (s *Settings) begin(head train.Head, path string) (train.Run, error) {
	var t *own.Task
	var err error
	switch {
	case s.Own != nil && s.Own.train != "":
		if s.Own.known == nil {
			s.Own.known, err = s.Own.task()
		}
		t = s.Own.known
	case s.Own != nil && head.Task == own.Name && !s.Given("task"):
		var c struct {
			Data json.RawMessage `json:"data"`
		}
		err = train.ReadJSON(s.text, &c)
		if err == nil && c.Data == nil {
			err = errors.New(`task "own" has no "data" with it; name files with --data`)
		} else if err == nil {
			t, err = own.Parse(c.Data)
		}
		if err != nil {
			return train.Run{}, fmt.Errorf("%s: %v", path, err) // no FieldError any more: the file is named once
		}
		for role := tasks.Train; err == nil && role <= tasks.Test; role++ {
			if t.Samples(role) > 0 {
				err = t.Load(OpenSource, role)
			}
		}
	default:
		return train.Begin(head)
	}
	if err != nil {
		return train.Run{}, err
	}
	r, err := train.Recommended(t, head.Model)
	x := &r.Training
	x.EvalSamples = min(x.EvalSamples, t.Samples(tasks.Validation))
	x.TestSamples = min(t.Samples(tasks.Test), 1<<24)
	return r, err
}

// seal writes a run's own data into its configuration, over what the configuration file had, and checks what is asked
// of it.
func seal(r *train.Run) error {
	t, ok := r.Own.(*own.Task)
	if !ok {
		return nil
	}
	raw, err := json.Marshal(t.Data())
	cli.Must(err)
	x := &r.Training
	x.Task, x.Data = own.Name, (*json.RawMessage)(&raw)
	if x.AnswerWeight != 0 || x.Curriculum || x.Options != (tasks.Options{}) {
		return errors.New("the configuration has answer_weight, curriculum or options of a task, " +
			"and your own data has none; remove them")
	}
	return cmp.Or(t.Has("eval_samples", x.EvalSamples, tasks.Validation),
		t.Has("test_samples", x.TestSamples, tasks.Test))
}

// TaskOf is what a run that was read learns. The user's own data has no files open then.
func TaskOf(r *train.Run) (tasks.Task, error) {
	if r.Training.Data != nil && r.Training.Task == own.Name {
		t, err := own.Parse(*r.Training.Data)
		if err != nil {
			return nil, err
		}
		r.Own = t
		return t, r.Validate()
	}
	return tasks.New(r.Training.Task, r.Training.Options)
}

// ReadRun reads the configuration in a run's folder, of the user's own data too, whose files it does not open.
func ReadRun(dir string) (train.Run, error) {
	r, err := train.ReadRun(dir)
	if err != nil {
		return r, err
	}
	of := r
	t, err := TaskOf(&of)
	if err == nil {
		err = fits(of, t)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Join(dir, train.ConfigFile), err)
	}
	return r, err
}

// Resumes refuses the flags of files that the run in a folder has not: they would be passed over.
func (f *OwnFlags) Resumes(dir string, r train.Run) error {
	if f == nil || f.train+f.validation+f.test == "" {
		return nil
	}
	task, _ := TaskOf(&r) // which ReadRun found right
	t, _ := task.(*own.Task)
	for role, path := range [3]string{f.train, f.validation, f.test} {
		role := tasks.Role(role)
		switch {
		case path == "":
		case t == nil:
			return fmt.Errorf("--%s names a file of your own data, and the run in %s has none: its task is %s; "+
				"leave the flag out", fileFlag(role), dir, r.Training.Task)
		case t.Samples(role) == 0:
			return fmt.Errorf("--%s names a file, and the run in %s has no %s file; leave the flag out, "+
				"or evaluate the file with mhacsp eval --data", fileFlag(role), dir, role)
		}
	}
	return nil
}

// fileFlag is the flag that names a role's file.
func fileFlag(r tasks.Role) string {
	if r == tasks.Train {
		return "data"
	}
	return r.String()
}

// Reopen opens the files of a run that goes on. Those that flags name stand for files that were moved.
func (f *OwnFlags) Reopen(r *train.Run) error {
	if r.Training.Data == nil || r.Own != nil {
		return nil
	}
	if _, err := TaskOf(r); err != nil {
		return err
	}
	o := r.Own.(*own.Task) // a valid run with data has no other
	f = cmp.Or(f, &OwnFlags{})
	for role, path := range [3]string{f.train, f.validation, f.test} {
		role := tasks.Role(role)
		if o.Samples(role) == 0 {
			continue
		}
		if err := o.Load(func(recorded string) (own.Source, error) {
			if path != "" {
				return OpenSource(path)
			}
			source, err := OpenSource(recorded)
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("%s: %w; where the file was moved name it with --%s and --resume",
					recorded, errors.Unwrap(err), fileFlag(role))
			}
			return source, err
		}, role); err != nil {
			return err
		}
	}
	return nil
}
