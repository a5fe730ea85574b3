//go:build !js

package native

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mhacsp/model/metric"
	"mhacsp/model/train"
	"mhacsp/native/words"
	"mhacsp/tasks"
	"mhacsp/tasks/own"
	"mhacsp/tasks/show"
	"mhacsp/tasks/strict"
)

type evalFlags struct {
	device                       deviceFlags
	dir, checkpoint, data, split string
	n, minLength, maxLength      int
	seed                         uint64
	json, lengths                bool
	groups                       []string
	fields                       []string
}

func newEval(out *bufio.Writer) *cobra.Command {
	f := evalFlags{split: "test"}
	c := &cobra.Command{
		Use:   "eval",
		Short: "Evaluate a run on drawn samples or on a file",
		Long: "Evaluate a run's model, free-running, and print loss, " +
			"exact match and answer accuracy with their breakdown by\n" +
			"operand count and depth, or by length, " +
			"next to what a constant guess gets (model/SPEC.md §9).\n\n" +
			"--data reads JSON lines as \"mhacsp data\" writes them, or another program's: " +
			"prompt with target or label, as text\n" +
			"or as ids (prompt_ids, target_ids, label_id), or both; " +
			"the ids count where there are any. Prompt ids start with\n" +
			"<SOS> (16), target ids end with <EOS> (17); in text both may be left out.",
		Example: "  mhacsp eval --run runs/arithmetic-mha-csp-m-0\n" +
			"  mhacsp eval --run DIR --min-length 256 --max-length 256\n" +
			"  mhacsp eval --run DIR --lengths\n" +
			"  mhacsp eval --run DIR --data FILE.jsonl --json",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return evaluate(out, c, f) },
	}
	addFile(c, &f.dir, "run", "", "`folder` of the run, or a checkpoint file (default: the newest under "+
		runsFolder+"/)")
	addFile(c, &f.checkpoint, "checkpoint", "", "checkpoint `file` in place of the run's model", "safetensors")
	addChoice(c, &f.split, "split", splitNames(), "what is drawn; iid: test samples without held-out expressions")
	c.Flags().IntVar(&f.n, "n", 4096, "`samples` to draw")
	c.Flags().Uint64Var(&f.seed, "seed", 0, "`number` that fixes the samples (default: the run's)")
	c.Flags().IntVar(&f.minLength, "min-length", 0,
		"shortest string in `characters` (not arithmetic; default: the run's)")
	c.Flags().IntVar(&f.maxLength, "max-length", 0,
		"longest string in `characters` (not arithmetic; default: the run's)")
	addFile(c, &f.data, "data", "", "`file` to evaluate on, in place of drawn samples: JSON lines or, in a run with "+
		"data of its own, a table (CSV, TSV) too", dataEndings...)
	addGroup(c, &f.groups, "of lines, in a run with data of its own,")
	addFields(c, &f.fields, "of --data, in a run with data of its own,")
	c.Flags().BoolVar(&f.lengths, "lengths", false,
		"evaluate on the task's length-generalisation sets, one after another (model/SPEC.md §9; default false)")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON, a line for each set (default false)")
	addBackend(c, &f.device, "auto")
	return c
}

// evaluation is what eval --json prints.
type evaluation struct {
	Time    string  `json:"time"`    // when it began
	Seconds float64 `json:"seconds"` // wall time that it took
	train.Origin
	Run        string `json:"run,omitempty"`
	Checkpoint string `json:"checkpoint"`
	Step       *int   `json:"step,omitempty"` // of the checkpoint, where it is known
	train.Subject
	Ablation string  `json:"ablation,omitempty"` // what is left out of the model
	Source   string  `json:"source"`             // "drawn", or the data file
	Split    string  `json:"split,omitempty"`
	IID      bool    `json:"iid,omitempty"`  // drawn as training is: by --split iid, or because the run's split is
	Seed     *uint64 `json:"seed,omitempty"` // of drawn samples
	N        int     `json:"n"`
	train.Rates
	Note string `json:"note,omitempty"`
	metric.Report

	task     string   // in words
	warnings []string // of the file
}

func evaluate(out *bufio.Writer, c *cobra.Command, f evalFlags) error {
	if err := cmp.Or(
		apart(c, "data", "has the samples", "split", "n", "seed", "min-length", "max-length"),
		apart(c, "lengths", "has lengths of its own", "data", "min-length", "max-length"),
	); err != nil {
		return err
	}
	l, err := load(f.dir, f.checkpoint, f.device)
	if err != nil {
		return err
	}
	defer l.device.Close()
	if !c.Flags().Changed("seed") {
		f.seed = l.run.Training.Seed
	}
	if l.run.Own == nil && f.groups != nil {
		return errors.New("--group is for runs with data of their own (train --data), " +
			"and this run has none; leave it out")
	}
	if l.run.Own == nil && f.fields != nil {
		return errors.New("--fields is for runs with data of their own (train --data), " +
			"and this run has none; leave it out")
	}
	if l.run.Own != nil && !c.Flags().Changed("n") {
		f.n = 0
	}
	if !f.lengths {
		return f.report(out, l)
	}
	sets := tasks.LengthSets(l.task.Name(), l.run.Training.Options)
	if len(sets) == 0 {
		var have []string
		for _, name := range tasks.Names() {
			if len(tasks.LengthSets(name, tasks.Options{})) > 0 {
				have = append(have, name)
			}
		}
		return fmt.Errorf("--lengths: the task %s has no length-generalisation sets; these have: %s",
			l.task.Name(), strings.Join(have, ", "))
	}
	for i, set := range sets {
		if i > 0 && !f.json {
			fmt.Fprintln(out)
		}
		f.minLength, f.maxLength = set.MinLength, set.MaxLength
		if err := f.report(out, l); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// report evaluates on one set of samples, and prints the result.
func (f evalFlags) report(out *bufio.Writer, l *loaded) (err error) {
	run, task := l.run, l.task // as asked
	if f.minLength != 0 {
		run.Training.MinLength = f.minLength
	}
	if f.maxLength != 0 {
		run.Training.MaxLength = f.maxLength
	}
	begin := time.Now()
	e := evaluation{
		Time: train.Stamp(begin), Origin: originOf(l.device, f.device), Run: cmp.Or(l.dir, f.dir),
		Checkpoint: l.path, Step: l.step, Ablation: ablationOf(run.Config), task: taskText(run.Training),
	}
	if run.Own == nil {
		if task, err = taskOf(&run); err != nil {
			return err
		}
	}
	e.Subject = train.SubjectOf(run.Config.Name(), l.net.Params().Count(), task, run.Training.Options)
	var samples []tasks.Sample
	if t, ok := l.task.(*own.Task); ok {
		samples, err = f.ownSamples(t, &e)
	} else if f.data != "" {
		e.MinLength, e.MaxLength = 0, 0 // the file's own
		e.Source = f.data
		samples, err = readSamples(f.data, l.task)
	} else {
		e.Source, e.Split, e.Seed = "drawn", f.split, &f.seed
		e.IID = f.split == "iid" || l.run.Training.Split == "iid"
		samples, err = f.draw(l, task)
	}
	if err != nil {
		return err
	}
	e.N = len(samples)
	longest := 0
	for _, s := range samples {
		longest = max(longest, len(s.Prompt))
	}
	if note := l.note(longest); note != "" {
		e.warnings = append(e.warnings, note)
	}
	e.Note = strings.Join(e.warnings, "; ")
	if e.Report, err = train.Evaluate(l.net, l.task, samples, l.run.Training.EvalBatch); err != nil {
		return working(err)
	}
	e.Rates, e.Seconds = train.RatesOf(e.Report), time.Since(begin).Seconds()
	if math.IsNaN(e.Loss) || math.IsInf(e.Loss, 0) {
		return unusable(l.path, l.net, "the loss")
	}
	if f.json {
		return writeJSON(out, e)
	}
	return e.print(out)
}

// draw makes samples of the run's task, or of it with other lengths.
func (f evalFlags) draw(l *loaded, task tasks.Task) ([]tasks.Sample, error) {
	if err := strict.Within("n", f.n, 1, 1<<24); err != nil {
		return nil, err
	}
	d, err := drawOf(f.split, f.seed)
	if err != nil {
		return nil, err
	}
	d.IID = d.IID || l.run.Training.Split == "iid" // as the trainer draws
	return train.Draw(task, d, 0, f.n), nil
}

func (e *evaluation) print(out *bufio.Writer) error {
	source := e.Source
	if e.Seed != nil {
		source = fmt.Sprintf("drawn, split %s, seed %d", e.Split, *e.Seed)
		if e.IID && e.Split != "iid" {
			source += " (the run's split is iid: nothing is held out)"
		}
	}
	fmt.Fprintf(out,
		"checkpoint          %s\ndevice              %s\ntask                %s\nsamples             %s, %s\n",
		show.Line(e.Checkpoint), e.Device, e.task, words.Number(e.N), show.Line(source))
	if e.Note != "" {
		fmt.Fprintf(out, "note                %s\n", e.Note)
	}
	return writeReport(out, e.Report)
}

// writeReport prints a report as a table.
func writeReport(w io.Writer, r metric.Report) error {
	fmt.Fprintf(w, "loss                %.6f\n", r.Loss)
	fmt.Fprintf(w, "a constant guess    %s (of answers: the share of the most common one)\n\n", percent(r.Majority))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "group\tsamples\texact match\tanswer\t\n")
	row := func(name string, x metric.Tally) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", name, words.Number(x.Count), percent(x.ExactRate()),
			percent(x.AnswerRate()))
	}
	row("all", r.Tally)
	if r.Trivial.Count > 0 {
		row("two operands or more", r.Computed)
		row("one number (trivial)", r.Trivial)
	}
	for _, b := range r.Breakdowns() {
		for _, g := range b.Groups {
			row(show.Text(b.Name)+" "+show.Text(g.Name), g.Tally)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeClasses(w, r.Classes())
}

// mostColumns is of how many labels the table of answers has a column each.
const mostColumns = 12

// writeClasses prints how each label fared, and which was given for which.
func writeClasses(w io.Writer, list []metric.Class) error {
	if len(list) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\nlabel\tsamples\tfound\tright when given\t")
	for i, c := range list {
		if len(list) <= mostColumns {
			fmt.Fprintf(t, "%s\t", map[bool]string{true: "given: "}[i == 0]+show.Text(c.Name))
		}
	}
	if len(list) > mostColumns {
		fmt.Fprint(t, "most often taken for\t")
	}
	fmt.Fprintln(t)
	for i, c := range list {
		precision := "none"
		if c.Given > 0 {
			precision = percent(c.Precision())
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t", show.Text(c.Name), words.Number(c.Count), percent(c.Recall()), precision)
		worst := -1
		for j, n := range c.As {
			if len(list) <= mostColumns {
				fmt.Fprintf(t, "%s\t", words.Number(n))
			} else if j != i && n > 0 && (worst < 0 || n > c.As[worst]) {
				worst = j
			}
		}
		switch {
		case worst >= 0:
			fmt.Fprintf(t, "%s (%s)\t", show.Text(list[worst].Name), words.Number(c.As[worst]))
		case len(list) > mostColumns:
			fmt.Fprint(t, "\t")
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// ownSamples are what eval evaluates a run with data of its own on: a file, or that of a role. n 0: all of it.
func (f evalFlags) ownSamples(t *own.Task, e *evaluation) ([]tasks.Sample, error) {
	if f.minLength != 0 || f.maxLength != 0 {
		return nil, errors.New("--min-length and --max-length are about samples that the program draws, " +
			"and this run has data of its own; name a file with --data")
	}
	if f.data != "" {
		e.Source = f.data
		return e.samplesOf(t, f.data, f)
	}
	if f.fields != nil {
		return nil, errors.New("--fields names the fields of a file and needs --data FILE as well")
	}
	if f.split == "iid" {
		return nil, errors.New("--split is iid, and your own data has train, validation and test; " +
			"choose one of these")
	}
	role, err := tasks.ParseRole(f.split)
	if err != nil {
		return nil, err
	}
	if t.Samples(role) == 0 {
		return nil, fmt.Errorf("the run has no %s file; start a run with --%[1]s FILE, or evaluate with --data FILE",
			role)
	}
	if err := t.Load(openSource, role); err != nil {
		return nil, err
	}
	file, n := t.File(role), t.Samples(role)
	e.Source, e.Split = file.Path, f.split
	if f.n == 0 || f.n == n {
		return e.samplesOf(t, file.Path, f)
	}
	if f.groups != nil {
		return nil, errors.New("--group cannot be given with --n here; leave one of the two out")
	}
	if err := strict.Within("n", f.n, 1, n); err != nil {
		return nil, err
	}
	e.Seed = &f.seed
	samples := train.Draw(t, tasks.Draw{Seed: f.seed, Role: role}, 0, f.n)
	return samples, t.Err()
}

// samplesOf are all samples of a file. What is odd in it becomes a note.
func (e *evaluation) samplesOf(t *own.Task, path string, f evalFlags) ([]tasks.Sample, error) {
	fields, err := parseFields(f.fields)
	if err != nil {
		return nil, err
	}
	samples, warnings, err := t.SamplesOf(path, f.groups, fields, openSource)
	for _, w := range warnings {
		e.warnings = append(e.warnings, inWords(w))
	}
	return samples, err
}
