//go:build !js

// Package eval implements mhacsp eval, which scores a run on drawn samples or on a file.
package eval

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
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/input"
	"mhacsp/native/runs"
	"mhacsp/native/words"
	"mhacsp/tasks"
	"mhacsp/tasks/own"
	"mhacsp/tasks/show"
	"mhacsp/tasks/strict"
)

type evalFlags struct {
	device                       hardware.Flags
	dir, checkpoint, data, split string
	n, minLength, maxLength      int
	seed                         uint64
	json, lengths                bool
	groups, fields               []string
}

// New makes the command eval, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	f := evalFlags{split: "test"}
	c := &cobra.Command{
		Use:   "eval",
		Short: "Evaluate a run on drawn samples or on a file",
		Long: `Evaluate a run's model, free-running, and print loss, exact match and answer accuracy with their
breakdown by operand count and depth, or by length, next to what a constant guess gets (model/SPEC.md §9).

--data reads JSON lines as "mhacsp data" writes them, or another program's: prompt with target or label, as text or
as ids (prompt_ids, target_ids, label_id), or both; the ids count where there are any. Prompt ids start with <SOS>
(16), target ids end with <EOS> (17); in text both may be left out.`,
		Example: "  mhacsp eval --run runs/arithmetic-mha-csp-m-0\n" +
			"  mhacsp eval --run DIR --min-length 256 --max-length 256\n" +
			"  mhacsp eval --run DIR --lengths\n" +
			"  mhacsp eval --run DIR --data FILE.jsonl --json",
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return evaluate(out, c, f) },
	}
	cli.AddFile(c, &f.dir, "run", "", "`folder` of the run, or a checkpoint file (default: the newest under "+
		runs.Folder+"/)")
	cli.AddFile(c, &f.checkpoint, "checkpoint", "", "checkpoint `file` in place of the run's model", "safetensors")
	cli.AddChoice(c, &f.split, "split", input.Splits(),
		"what is drawn; iid: test samples without held-out expressions")
	c.Flags().IntVar(&f.n, "n", 4096, "`samples` to draw")
	c.Flags().Uint64Var(&f.seed, "seed", 0, "`number` that fixes the samples (default: the run's)")
	c.Flags().IntVar(&f.minLength, "min-length", 0,
		"shortest string in `characters` (not arithmetic; default: the run's)")
	c.Flags().IntVar(&f.maxLength, "max-length", 0,
		"longest string in `characters` (not arithmetic; default: the run's)")
	cli.AddFile(c, &f.data, "data", "",
		"`file` to evaluate on, in place of drawn samples: JSON lines or, in a run with "+
			"data of its own, a table (CSV, TSV) too", runs.DataEndings...)
	runs.AddGroup(c, &f.groups, "of lines, in a run with data of its own,", "the run's")
	runs.AddFields(c, &f.fields, "of --data, in a run with data of its own,")
	c.Flags().BoolVar(&f.lengths, "lengths", false,
		"evaluate on the task's length-generalisation sets, one after another (model/SPEC.md §9; default false)")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON, a line for each set (default false)")
	hardware.AddFlags(c, &f.device, "auto")
	return c
}

// Evaluation is what eval --json prints.
type Evaluation struct {
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
	err := cmp.Or(cli.Apart(c, "data", "has the samples", "split", "n", "seed", "min-length", "max-length"),
		cli.Apart(c, "lengths", "has lengths of its own", "data", "min-length", "max-length"))
	if err != nil {
		return err
	}
	l, err := runs.Load(f.dir, f.checkpoint, f.device)
	if err != nil {
		return err
	}
	defer l.Device.Close()
	if !c.Flags().Changed("seed") {
		f.seed = l.Run.Training.Seed
	}
	for _, name := range []string{"group", "fields"} {
		if l.Run.Own == nil && c.Flags().Changed(name) {
			return fmt.Errorf("--%s is for runs with data of their own (train --data), and this run has none; leave "+
				"it out", name)
		}
	}
	if l.Run.Own != nil && !c.Flags().Changed("n") {
		f.n = 0
	}
	if !f.lengths {
		return f.report(out, l)
	}
	sets := tasks.LengthSets(l.Task.Name(), l.Run.Training.Options)
	if len(sets) == 0 {
		var have []string
		for _, name := range tasks.Names() {
			if len(tasks.LengthSets(name, tasks.Options{})) > 0 {
				have = append(have, name)
			}
		}
		return fmt.Errorf("--lengths: the task %s has no length-generalisation sets; these have: %s",
			l.Task.Name(), strings.Join(have, ", "))
	}
	if err := l.Net.Config().Shape().Fits(sets[len(sets)-1].MaxLength + 1); err != nil { // the longest, before any
		return err
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
func (f evalFlags) report(out *bufio.Writer, l *runs.Loaded) (err error) {
	run, task := l.Run, l.Task // as asked
	run.Training.MinLength = cmp.Or(f.minLength, run.Training.MinLength)
	run.Training.MaxLength = cmp.Or(f.maxLength, run.Training.MaxLength)
	begin := time.Now()
	e := Evaluation{
		Time: train.Stamp(begin), Origin: hardware.OriginOf(l.Device, f.device), Run: cmp.Or(l.Dir, f.dir),
		Checkpoint: l.Path, Step: l.Step, Ablation: runs.AblationOf(run.Config), task: cli.TaskText(run.Training),
	}
	if run.Own == nil {
		if task, err = runs.TaskOf(&run); err != nil {
			return err
		}
	}
	e.Subject = train.SubjectOf(run.Config.Name(), l.Net.Params().Count(), task, run.Training.Options)
	var samples []tasks.Sample
	if t, ok := l.Task.(*own.Task); ok {
		samples, err = f.ownSamples(t, &e)
	} else if f.data != "" {
		e.MinLength, e.MaxLength = 0, 0 // the file's own
		e.Source = f.data
		samples, err = input.ReadSamples(f.data, l.Task)
	} else {
		e.Source, e.Split, e.Seed = "drawn", f.split, &f.seed
		e.IID = f.split == "iid" || l.Run.Training.Split == "iid"
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
	if note := l.Note(longest); note != "" {
		e.warnings = append(e.warnings, note)
	}
	e.Note = strings.Join(e.warnings, "; ")
	if e.Report, err = train.Evaluate(l.Net, l.Task, samples, l.Run.Training.EvalBatch, nil); err != nil {
		return cli.Working(err)
	}
	e.Rates, e.Seconds = train.RatesOf(e.Report), time.Since(begin).Seconds()
	if math.IsNaN(e.Loss) || math.IsInf(e.Loss, 0) {
		return runs.Unusable(l.Path, l.Net, "the loss")
	}
	if f.json {
		return cli.WriteJSON(out, e)
	}
	return e.print(out)
}

// draw makes samples of the run's task, or of it with other lengths.
func (f evalFlags) draw(l *runs.Loaded, task tasks.Task) ([]tasks.Sample, error) {
	if err := strict.Within("n", f.n, 1, 1<<24); err != nil {
		return nil, err
	}
	d := input.DrawOf(f.split, f.seed)
	d.IID = d.IID || l.Run.Training.Split == "iid" // as the trainer draws
	return train.Draw(task, d, 0, f.n), nil
}

func (e *Evaluation) print(out *bufio.Writer) error {
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
	fmt.Fprintf(w, "a constant guess    %s (of answers: the share of the most common one)\n\n",
		cli.Percent(r.Majority))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "group\tsamples\texact match\tanswer\t\n")
	row := func(name string, x metric.Tally) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", name, words.Number(x.Count), cli.Percent(x.ExactRate()),
			cli.Percent(x.AnswerRate()))
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
		found, precision := "none", "none"
		if c.Count > 0 {
			found = cli.Percent(c.Recall())
		}
		if c.Given > 0 {
			precision = cli.Percent(c.Precision())
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t", show.Text(c.Name), words.Number(c.Count), found, precision)
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
func (f evalFlags) ownSamples(t *own.Task, e *Evaluation) ([]tasks.Sample, error) {
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
		return nil, errors.New("--split is iid, and your own data has train, validation and test; choose one of these")
	}
	d := input.DrawOf(f.split, f.seed)
	role := d.Role
	if t.Samples(role) == 0 {
		return nil, fmt.Errorf("the run has no %s file; start a run with --%[1]s FILE, or evaluate with --data FILE",
			role)
	}
	whole, part := t.File(tasks.Train), t.File(tasks.Validation)
	if role != tasks.Test && whole.Path == part.Path && whole.SHA256 != part.SHA256 {
		return nil, fmt.Errorf("the page split %s into training and validation, which no file is; evaluate with "+
			"--data FILE", whole.Path)
	}
	if err := t.Load(runs.OpenSource, role); err != nil {
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
	samples := train.Draw(t, d, 0, f.n)
	return samples, t.Err()
}

// samplesOf are all samples of a file. What is odd in it becomes a note.
func (e *Evaluation) samplesOf(t *own.Task, path string, f evalFlags) ([]tasks.Sample, error) {
	fields, err := runs.ParseFields(f.fields)
	if err != nil {
		return nil, err
	}
	samples, warnings, err := t.SamplesOf(path, f.groups, fields, runs.OpenSource)
	for _, w := range warnings {
		e.warnings = append(e.warnings, cli.InWords(w))
	}
	return samples, err
}
