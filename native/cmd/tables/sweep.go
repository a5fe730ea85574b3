//go:build !js

package tables

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mhacsp/model/checkpoint"
	"mhacsp/model/study"
	"mhacsp/model/study/sweep"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/runs"
	"mhacsp/native/words"
	"mhacsp/tasks/strict"
)

// SweepFile holds what a sweep is, next to the plan of its runs.
const SweepFile = "sweep.json"

// sweepPlan is SweepFile.
type sweepPlan struct {
	Method string   `json:"method"`
	Vary   []string `json:"vary"` // KEY=VALUES
	Runs   int      `json:"runs"` // configurations that are drawn, 0: all of a grid
	Seeds  int      `json:"seeds"`
}

// NewSweep makes the command sweep, which prints to out.
func NewSweep(out *bufio.Writer) *cobra.Command {
	w := &sweeping{studying: studying{out: out, begin: time.Now(), patience: lockPatience}, shares: 1}
	c := &cobra.Command{
		Use:   "sweep",
		Short: "Train runs that differ in a few settings, and show what each does",
		Long: "Train runs that differ in a few settings, with several seeds each, and report which is best by\n" +
			"validation and what each setting does, with intervals of 95 %: a table here, and SWEEP.md, sweep.svg\n" +
			"and sweep.png in the folder of --out. --vary names a flag of train and the values that it takes:\n\n" +
			"  batch=32,64,128       a list\n" +
			"  gate_bias=-2..0       a range\n" +
			"  lr=0.0005..0.004:log  a range whose even steps are factors\n" +
			"  lr=1e-4..1e-2:log:5   five points of it\n\n" +
			"The other flags of train that describe a run hold for all, --data too. The methods:\n\n" +
			"  grid     all combinations of lists and points, the default where there are no other ranges\n" +
			"  random   --runs configurations, spread evenly; else the default\n" +
			"  halving  the same (of lists without --runs: all), each first for a ninth of its steps; one goes on,\n" +
			"           to a third and then to the end, once it is in the best third of those that came as far\n" +
			"           (asynchronous successive halving)\n\n" +
			"The same command goes on, as does \"mhacsp sweep --out FOLDER\": finished runs are kept, half ones\n" +
			"resumed. With more --seeds or --runs it adds those. Processes may share a folder, also on a shared\n" +
			"disk; with --shard one begins its share only (native/cluster). The folder is a study's, with the runs\n" +
			"under cells/: \"mhacsp figures --run\" draws it, \"mhacsp tables --records\" records it. To undo a\n" +
			"sweep, delete its folder.\n\n" + cli.ExitCodesUntimed,
		Example: "  mhacsp sweep --out runs/s --task parity --vary lr=0.0005,0.002 --vary batch=32,64 --seeds 2\n" +
			"  mhacsp sweep --out runs/r --vary lr=0.0005..0.004:log --vary gate_bias=-2..0 --runs 20\n" +
			"  mhacsp sweep --out runs/h --vary lr=1e-4..1e-2:log --vary batch=16..128 --method halving\n" +
			"  mhacsp sweep --out runs/d --data T.jsonl --validation V.jsonl --vary model=lstm,mha-csp\n" +
			"  mhacsp sweep --out runs/h --report --target 0.99",
		Args: cli.NoArguments,
	}
	s := runs.AddSettings(c, runs.RunSettings())
	runs.AddOwn(c, s)
	config, f := "", &w.f
	cli.AddFile(c, &config, "config", "", "configuration of a run, a JSON `file`; flags override it", "json")
	cli.AddOut(c, &f.out, "", "`folder` of the sweep")
	cli.Must(c.MarkFlagRequired("out"))
	c.Flags().StringArrayVar(&w.Vary, "vary", nil, "`KEY=VALUES`, once for each key (default: the sweep in --out)")
	cli.AddChoice(c, &w.Method, "method", []string{"grid", "random", "halving"}, "how configurations are chosen")
	c.Flags().IntVar(&w.Runs, "runs", 0, "`number` of configurations that are drawn (default: 16, with halving 27)")
	c.Flags().IntVar(&w.Seeds, "seeds", 1, "`number` of seeds of each configuration, from --seed on")
	c.Flags().Float64Var(&w.target, "target", 0, "also report the steps to this `share`, as in 0.99 (default: none)")
	c.Flags().IntVar(&f.jobs, "jobs", 0, "`number` of runs side by side (default: the cores that the process may "+
		"use; on a GPU 1)")
	c.Flags().StringVar(&f.shard, "shard", "", "`share` i/n of the configurations, i from 0 (default: all)")
	c.Flags().BoolVar(&f.report, "report", false, "report on what is there; nothing is trained (default false)")
	f.device.Backend = "auto"
	cli.AddChoice(c, &f.device.Backend, "backend", hardware.Names(), "what computes, as in train")
	c.RunE = func(*cobra.Command, []string) error { return w.do(s, config) }
	return c
}

// do is the command.
func (w *sweeping) do(s *runs.Settings, config string) error {
	w.stderr = s.Command.ErrOrStderr()
	err := cmp.Or(cli.Apart(s.Command, "report", "trains nothing", "jobs", "backend", "shard"),
		strict.Within("seeds", w.Seeds, 1, 1000), strict.Within("jobs", w.f.jobs, 0, 1024),
		strict.Within("runs", w.Runs, 0, sweep.Most))
	switch {
	case err != nil:
		return err
	case !(w.target >= 0 && w.target <= 1):
		return fmt.Errorf("--target is %v; give a share from 0 to 1, as in 0.99", w.target)
	case config == "-":
		return errors.New("--config is -, and a sweep reads its configuration more than once; give a file")
	case w.f.shard != "":
		_, w.first, w.shares, err = shardOf(study.Plan{}, w.f.shard) // of configurations, not of runs
	}
	if err == nil {
		err = w.design(s, config)
	}
	if err = cmp.Or(err, w.climb()); err != nil {
		return err
	}
	fmt.Fprintf(w.out, "sweep    %s: %s, %s, %s\n", w.f.out, w.Method, words.Plural(len(w.values), "configuration"),
		words.Plural(w.Seeds, "seed"))
	if w.f.report {
		return w.tell()
	}
	if err := cmp.Or(w.out.Flush(), w.keep(), w.share(len(w.plan.Cells))); err != nil {
		return err
	}
	ctx, release := cli.WhenToStop(s.Command.Context(), 0, func(text string) { io.WriteString(w.stderr, text) })
	defer release()
	ended := w.trainAll(ctx)
	if errors.Is(ended, cli.ErrPreempted) { // what sent the signal kills soon
		return ended
	}
	return errors.Join(w.tell(), ended)
}

// design makes the runs that the flags ask for, or takes those of the folder, which must be the same.
func (w *sweeping) design(s *runs.Settings, config string) error {
	there, plan, err := w.read()
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return err
	case missing && w.f.report:
		return fmt.Errorf("--out is %s, where no sweep was begun; leave out --report to begin one", w.f.out)
	case missing && len(w.Vary) == 0:
		return fmt.Errorf("--out is %s, where no sweep was begun; say what to vary, as in --vary batch=32,64", w.f.out)
	case len(w.Vary) == 0:
		for _, name := range append(s.Describing()[:len(s.Set)], "config", "data", "validation", "test",
			"method", "runs", "seeds") {
			if s.Given(name) {
				return fmt.Errorf("--%s is given and no --vary; give both for a new sweep, or neither to go on "+
					"with %s", name, w.f.out)
			}
		}
		w.sweepPlan, w.plan = there, plan
		return w.choose(s)
	}
	if err := w.choose(s); err != nil {
		return err
	}
	for i, values := range w.values {
		row := ""
		for j, k := range w.keys {
			row += " " + k.Name + "=" + values[j]
			if err := s.Command.Flags().Set(cli.FlagOf(k.Name), values[j]); err != nil {
				return cli.FlagError(s.Command, err)
			}
		}
		r, _, err := s.Resolve(config)
		if err != nil {
			return fmt.Errorf("configuration%s: %w", row, err)
		}
		for range w.Seeds {
			keys, err := json.Marshal(r)
			cli.Must(err)
			w.plan.Cells = append(w.plan.Cells, study.Spec{Name: fmt.Sprintf("%03d-seed%d", i+1, r.Training.Seed),
				Column: r.Training.Task, Row: strings.TrimSpace(row), Keys: keys})
			r.Training.Seed++
		}
	}
	if missing {
		return nil
	}
	return w.wider(there, plan)
}

// choose makes the keys and the configurations of the plan.
func (w *sweeping) choose(s *runs.Settings) error {
	free := false // some key is a range without points
	for _, text := range w.Vary {
		k, err := varied(s, text)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(w.keys, func(other sweep.Key) bool { return other.Name == k.Name }) {
			return fmt.Errorf("--vary %s is given twice; put all values into one list", k.Name)
		}
		w.keys, free = append(w.keys, k), free || k.Values == nil
	}
	switch {
	case w.Method == "" && (free || w.Runs > 0):
		w.Method = "random"
	case w.Method == "":
		w.Method = "grid"
	case w.Method == "grid" && w.Runs > 0:
		return errors.New("--runs is of configurations that are drawn, and --method grid takes all; leave one out")
	}
	var err error
	if w.Runs == 0 && (w.Method == "grid" || w.Method == "halving" && !free) {
		if w.values, err = sweep.Grid(w.keys); err != nil {
			return fmt.Errorf("--method is %s: %w", w.Method, err)
		}
		return nil
	}
	w.Runs = cmp.Or(w.Runs, map[string]int{"random": 16, "halving": 27}[w.Method])
	w.values = sweep.Random(w.keys, w.Runs)
	return nil
}

// varied reads a --vary.
func varied(s *runs.Settings, text string) (k sweep.Key, err error) {
	name, values, ok := strings.Cut(text, "=")
	key := strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
	if !ok || key == "" {
		return k, fmt.Errorf("--vary is %q; write KEY=VALUES, as in batch=32,64,128", text)
	}
	var names []string
	var found *runs.Setting
	for _, x := range runs.RunSettings() {
		if names = append(names, strings.ReplaceAll(x.Name, "-", "_")); x.Name == cli.FlagOf(key) {
			found = &x
		}
	}
	switch {
	case found == nil:
		return k, fmt.Errorf("--vary is %q, and a run has no key %s%s; \"mhacsp train --help\" lists them", text, key,
			cli.Meant(",", key, names))
	case key == "seed":
		return k, errors.New("--vary seed: results are means over seeds; give their number, as in --seeds 3")
	case s.Given(found.Name):
		return k, fmt.Errorf("--vary %s and --%s are both given; leave one of them out", key, found.Name)
	}
	kind := sweep.Word
	if found.At != nil {
		switch runs.NewDefaults().Field(*found).(type) {
		case *int, *uint64:
			kind = sweep.Whole
		case *float64:
			kind = sweep.Number
		}
	}
	if k, err = sweep.ParseKey(key, values, kind); err != nil {
		err = fmt.Errorf("--vary is %q: %w", text, err)
	}
	return k, err
}

// read is the sweep in the folder.
func (w *sweeping) read() (p sweepPlan, plan study.Plan, err error) {
	path := filepath.Join(w.f.out, SweepFile)
	text, err := checkpoint.ReadText(path)
	for _, other := range []string{study.PlanFile, train.ConfigFile} {
		if _, there := os.Stat(filepath.Join(w.f.out, other)); err != nil && there == nil {
			return p, plan, fmt.Errorf("--out is %s, which has %s and no %s: it is no sweep; choose another folder",
				w.f.out, other, SweepFile)
		}
	}
	if err == nil {
		if err = train.ReadKnownJSON(text, &p); err != nil {
			return p, plan, fmt.Errorf("%s: %w", path, err)
		}
		plan, err = cli.ReadPlan(filepath.Join(w.f.out, study.PlanFile))
	}
	return p, plan, err
}

// wider refuses a sweep that is neither the one in the folder nor that one with more seeds or runs.
func (w *sweeping) wider(there sweepPlan, plan study.Plan) error {
	different := func(what string, here, was any) error {
		return fmt.Errorf("%s holds another sweep: %s is %v there, not %v; choose another --out, or give --out alone "+
			"to go on with that one", w.f.out, what, was, here)
	}
	switch {
	case !slices.Equal(w.Vary, there.Vary):
		return different("--vary", strings.Join(w.Vary, " "), strings.Join(there.Vary, " "))
	case w.Method != there.Method:
		return different("--method", w.Method, there.Method)
	case w.Runs < there.Runs || there.Runs == 0 && w.Runs > 0:
		return different("--runs", w.Runs, there.Runs)
	case w.Seeds < there.Seeds:
		return different("--seeds", w.Seeds, there.Seeds)
	}
	now := map[string]study.Spec{}
	for _, c := range w.plan.Cells {
		now[c.Name] = c
	}
	for _, was := range plan.Cells {
		c, known := now[was.Name]
		if !known {
			_, seed, _ := strings.Cut(was.Name, "-seed")
			return different("--seed", strings.TrimPrefix(w.plan.Cells[0].Name, "001-seed"), seed)
		}
		a, err := c.Asked()
		b, wrong := was.Asked()
		if err = errors.Join(err, wrong); err != nil {
			return err
		}
		if changes, err := a.Changes(b); err != nil || len(changes) > 0 {
			return cmp.Or(err, different(changes[0].Key+" of run "+c.Name, changes[0].Here, changes[0].There))
		}
	}
	return nil
}

// keep writes what the sweep is. A killed process may have written the first of the two files alone.
func (w *sweeping) keep() error {
	text, err := json.Marshal(w.sweepPlan)
	cli.Must(err)
	if err := os.MkdirAll(w.f.out, 0o777); err != nil {
		return fmt.Errorf("--out: %w; choose another folder", err)
	}
	return cmp.Or(checkpoint.WriteText(filepath.Join(w.f.out, SweepFile), append(text, '\n')),
		checkpoint.WriteText(filepath.Join(w.f.out, study.PlanFile), w.plan.Text()))
}
