//go:build !js

// Package tables implements mhacsp tables and sweep, which train many runs, each in its own process: tables from a
// plan, sweep from lists of settings.
package tables

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mhacsp/model/checkpoint"
	"mhacsp/model/study"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/runs"
	"mhacsp/native/words"
	"mhacsp/tasks/strict"
)

type tablesFlags struct {
	out, plan, budget, shard string
	records                  string
	only                     []string
	seeds, jobs              int
	device                   hardware.Flags
	dry, report              bool
}

// NewTables makes the command tables, which prints to out.
func NewTables(out *bufio.Writer) *cobra.Command {
	var f tablesFlags
	c := &cobra.Command{
		Use:   "tables",
		Short: "Check the paper's tables: train every model on every task, and report",
		Long: "Train the models of the paper and of this program on its tasks, over several seeds, and write a\n" +
			"report in which each claim of the paper stands next to what was measured: report.md, report.csv and\n" +
			"report.json in the folder of --out. A cell of the tables is a run's folder under cells/ there,\n" +
			"trained by \"mhacsp train\", on one thread where there are as many jobs as cores, and evaluated by\n" +
			"\"mhacsp eval\" and \"mhacsp probe\" (model/study/STUDIES.md).\n\n" +
			"The plan comes first, with the time that it takes by steps and answers measured now; --dry-run\n" +
			"ends there. A budget is what this call may take, evaluations included:\n" +
			"  * If it is enough for all cells, all get their steps.\n" +
			"  * If it is enough for the first seed, the cells of the others get their steps in the order of\n" +
			"    their worth, each that still fits.\n" +
			"  * Else the first seed's cells get all of their steps, in that order, for half of the budget.\n" +
			"    What is left goes to the rest of them, each the same share of its steps; below a fiftieth the\n" +
			"    last ones do not run. Where whole runs are there that differ in their seed alone, a cell gets all\n" +
			"    of its steps or none.\n" +
			"  * A run as long as the paper's 50 epochs gets all of its steps or none.\n" +
			"  * What is left in the end, since cells took less than was foreseen, is spent by the same rules.\n" +
			"A cell with fewer steps than asked for is marked thin, and no verdict rests on it. The same\n" +
			"command goes on: finished cells are kept, half ones resumed, damaged ones named and made again, and\n" +
			"thin ones made again where there is room for all of their steps.\n\n" +
			"A study's folder is large. With --records a small file of each finished cell is kept in another\n" +
			"folder: all that the report and the figures need. What is recorded there counts as finished, so\n" +
			"that a pass goes on where the last one ended, also where that one's folder is lost.\n\n" +
			"On a cluster --shard i/n does every n-th cell from the i-th on, i from 0, without a word to the\n" +
			"others, on a shared folder or on several, whose cells/ are copied together then (native/cluster).\n\n" +
			"A cell that another process trains comes last, and is waited for, 17 seconds at most. If that\n" +
			"process was killed, the cell goes on here; if it lives, the exit code is 75. A spent budget ends\n" +
			"with 0: the same command goes on with what is left; one that is too short to measure steps is\n" +
			"refused, with how much is needed. Ctrl-C ends with a report, other signals do not.\n" +
			cli.ExitCodesUntimed,
		Example: "  mhacsp tables --dry-run\n" +
			"  mhacsp tables --budget 10m\n" +
			"  mhacsp tables --budget 1h --only table3\n" +
			"  mhacsp tables --report --out runs/tables\n" +
			"  mhacsp tables --budget 1d --records study --out runs/tables\n" +
			"  mhacsp tables --shard 3/8 --out /scratch/study",
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return tables(out, c, f) },
	}
	cli.AddOut(c, &f.out, filepath.Join(runs.Folder, "tables"), "`folder` of the study")
	c.Flags().StringVar(&f.budget, "budget", "full", "`time` that this call may take, as in 10m, 1h, 1d; full: no "+
		"bound")
	c.Flags().IntVar(&f.seeds, "seeds", 3, "`number` of seeds, from 1 on")
	c.Flags().StringSliceVar(&f.only, "only", nil,
		"`words`, with commas between: run what any of them names alone: a cell, a column, a row, COLUMN-ROW, "+
			"or table1 to table3 (default: all)")
	c.Flags().IntVar(&f.jobs, "jobs", 0, "`number` of cells side by side (default: the cores that the process may "+
		"use; on a GPU 1)")
	cli.AddFile(c, &f.plan, "plan", "", "a plan of your own, a JSON `file` as plan.json in a study's folder", "json")
	c.Flags().StringVar(&f.shard, "shard", "", "`share` i/n of the plan, i from 0 (default: all of it)")
	cli.AddFile(c, &f.records, "records", "",
		"`folder` of records: what is there counts as finished, what finishes is added (default: none)")
	c.Flags().BoolVar(&f.dry, "dry-run", false, "print the plan and the time that it takes, and write nothing "+
		"(default false)")
	c.Flags().BoolVar(&f.report, "report", false, "report on what is there; nothing is trained, no record added "+
		"(default false)")
	f.device.Backend = "auto"
	cli.AddChoice(c, &f.device.Backend, "backend", hardware.Names(), "what computes, as in train")
	return c
}

// studying is one call of tables.
type studying struct {
	out      *bufio.Writer
	stderr   io.Writer
	f        tablesFlags
	program  string // this executable
	begin    time.Time
	budget   time.Duration // 0: no bound
	side     int           // cells that are trained side by side
	threads  int           // of a cell
	patience time.Duration // with cells that another process holds, at the end

	plan    study.Plan // the whole one
	mine    []study.Cell
	speeds  []study.Speed
	lengths study.Lengths         // under curricula, of what is finished
	shown   map[study.Need]bool   // rows that have whole cells
	costs   map[string]study.Cost // by cell
	steps   map[string]int        // that a cell gets in this call
	failed  []string              // cells
	twice   []string              // cells that are another run in --out than in --records
}

func tables(out *bufio.Writer, c *cobra.Command, f tablesFlags) error {
	t := &studying{out: out, stderr: c.ErrOrStderr(), f: f, begin: time.Now(), patience: lockPatience}
	if err := t.check(c); err != nil {
		return err
	}
	ctx, release := cli.WhenToStop(c.Context(), 0, func(text string) { io.WriteString(t.stderr, text) })
	defer release()
	if err := t.readPlan(c); err != nil {
		return err
	}
	for _, c := range t.plan.Cells { // a sweep does without
		if r, err := c.Asked(); err != nil || r.Training.TestSamples == 0 {
			return cmp.Or(err, fmt.Errorf("cell %s has test_samples 0, and a study reads the test; give a number, "+
				"or begin a sweep of your own data with --test", c.Name))
		}
	}
	if f.report {
		return t.report()
	}
	if err := t.choose(); err != nil {
		return err
	}
	limited := ctx
	if t.budget > 0 { // the rest is for the checkpoints of cells that it ends, and for the report
		rest := max(cli.MarginOf(t.budget), min(5*time.Second, t.budget/3))
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadlineCause(ctx, t.begin.Add(t.budget-rest), errBudget)
		defer cancel()
	}
	if err := t.prepare(limited); err != nil {
		return err
	}
	if err := t.printPlan(); err != nil || f.dry {
		return err
	}
	if err := t.keepPlan("out", t.f.out); err != nil {
		return err
	}
	ended := t.finish(ctx, limited)
	if errors.Is(ended, cli.ErrPreempted) {
		// What sent the signal kills soon, and reads no report, which may take minutes: all logs are read for it. Who
		// pressed Ctrl-C sits there, and sees how far all is.
		return ended
	}
	return errors.Join(t.report(), ended)
}

// check refuses flags that do not fit.
func (t *studying) check(c *cobra.Command) error {
	f := t.f
	err := cmp.Or(cli.Apart(c, "report", "is of all cells", "shard", "only"),
		cli.Apart(c, "report", "trains nothing", "budget", "jobs", "backend", "dry-run"),
		cli.Apart(c, "plan", "has cells with their seeds", "seeds"),
		strict.Within("seeds", f.seeds, 1, 1000), strict.Within("jobs", f.jobs, 0, 1024))
	if err != nil {
		return err
	}
	if f.records != "" && filepath.Clean(f.records) == filepath.Clean(f.out) {
		return errors.New("--records and --out are one folder; give another for the records")
	}
	if f.records != "" && !f.report && !f.dry {
		if err := cli.WritableFolder("records", f.records); err != nil {
			return err
		}
	}
	t.budget, err = parseBudget(f.budget)
	return err
}

// parseBudget reads a time, in which d is a day too. full is 0.
func parseBudget(text string) (time.Duration, error) {
	if text == "full" {
		return 0, nil
	}
	days, found := strings.CutSuffix(text, "d")
	plain := text
	if n, err := strconv.ParseFloat(days, 64); found && err == nil {
		plain = fmt.Sprintf("%gh", 24*n)
	}
	d, err := time.ParseDuration(plain)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("--budget is %q; a time with its unit is needed, as in 10m, 1h or 1d, or full", text)
	}
	return d, nil
}

// readPlan takes the plan of the study's folder, else that of the records, else that of --plan, else the paper's.
func (t *studying) readPlan(c *cobra.Command) error {
	if err := t.noRecords(); err != nil {
		return err
	}
	path := filepath.Join(t.f.out, study.PlanFile)
	there, err := cli.ReadPlan(path)
	if errors.Is(err, fs.ErrNotExist) && t.f.records != "" {
		path = filepath.Join(t.f.records, study.PlanFile)
		there, err = cli.ReadPlan(path)
	}
	known := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	asked := c.Flags().Changed("plan") || c.Flags().Changed("seeds")
	switch {
	case known && !asked:
		t.plan = there
		own, err := study.New(there.Seeds())
		ours := err == nil && own.Cells[0].Name == there.Cells[0].Name // and no sweep
		if ours && own.Differs(there) != "" {
			fmt.Fprintf(t.stderr, "note: the plan is that of %s; this build's own differs: %s\n", path,
				own.Differs(there))
		}
		return nil
	case t.f.plan != "":
		if t.plan, err = cli.ReadPlan(t.f.plan); err != nil {
			if train.OfSystem(err) {
				err = fmt.Errorf("--plan: %w; give a file as %s in a study's folder", err, study.PlanFile)
			}
			return err
		}
	case t.f.report && !known:
		return fmt.Errorf("%s is no study: it has no %s; give a folder that \"mhacsp tables --out\" made", t.f.out,
			study.PlanFile)
	default:
		if t.plan, err = study.New(t.f.seeds); err != nil {
			return cli.Internal(err)
		}
	}
	if known {
		if difference := t.plan.Differs(there); difference != "" {
			return fmt.Errorf("%s is another plan: %s; choose another folder, or leave --seeds and --plan out", path,
				difference)
		}
	}
	return nil
}

// choose reads the cells of this call: what --only names, and of these the share of --shard.
func (t *studying) choose() error {
	part := t.plan
	var err error
	if t.f.only != nil {
		if part, err = part.Only(t.f.only); err != nil {
			return fmt.Errorf("--only: %w", err)
		}
	}
	if t.f.shard != "" {
		if part, _, _, err = shardOf(part, t.f.shard); err != nil {
			return err
		}
	}
	t.mine, err = t.readCells(part)
	return err
}

// shardOf is the share i/n of a plan.
func shardOf(p study.Plan, text string) (share study.Plan, i, n int, err error) {
	if _, err := fmt.Sscanf(text, "%d/%d", &i, &n); err != nil || n < 1 || fmt.Sprintf("%d/%d", i, n) != text {
		return share, 0, 0, fmt.Errorf("--shard is %q; a share is needed, as in 0/8, the first of eight", text)
	}
	if share, err = p.Shard(i, n); err != nil {
		err = fmt.Errorf("--shard: %w", err)
	}
	return share, i, n, err
}

// prepare measures the models, and spends the budget.
func (t *studying) prepare(ctx context.Context) (err error) {
	todo := slices.DeleteFunc(slices.Clone(t.mine), func(c study.Cell) bool {
		return c.Whole() && c.Evaluated || c.State == study.Running
	})
	if err = t.share(len(todo)); err != nil {
		return err
	}
	if err = t.measure(ctx, todo); err != nil {
		return err
	}
	t.costs, t.steps = map[string]study.Cost{}, map[string]int{}
	var list []study.Cost
	var names []string
	measuring := 0.0
	for _, c := range todo {
		cost, err := study.Estimate(c, t.speeds, t.lengths)
		if err != nil {
			return cli.Internal(err)
		}
		cost.Shown = t.shown[c.Need()]
		t.costs[c.Name] = cost
		if c.Whole() { // trained already
			measuring += cost.All(0)
			continue
		}
		list, names = append(list, cost), append(names, c.Name)
	}
	seconds, most := 1e18, 1e18
	if t.budget > 0 { // what measuring took is gone; a tenth stays for what is not foreseen
		most = 0.9 * (t.budget - time.Since(t.begin)).Seconds()
		seconds = most * float64(t.f.jobs)
	}
	for i, n := range study.Spend(list, seconds-measuring, most) {
		t.steps[names[i]] = n
	}
	return nil
}

// share finds this program, and how many of that many cells are trained side by side, on how many threads each.
func (t *studying) share(cells int) (err error) {
	if t.program == "" {
		if t.program, err = os.Executable(); err != nil {
			return cli.Internal(err)
		}
	}
	if t.f.jobs == 0 {
		t.f.jobs = runtime.GOMAXPROCS(0)
		device, err := hardware.Open(t.f.device)
		if err != nil {
			return err
		}
		if device.Info().Name == "gpu" {
			t.f.jobs = 1
		}
		device.Close()
	}
	t.side = max(1, min(t.f.jobs, cells))
	t.threads = max(1, runtime.GOMAXPROCS(0)/t.side)
	return nil
}

// keepPlan writes the plan into the folder that a flag names, where it has none, and refuses another one there.
func (t *studying) keepPlan(flag, dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, study.CellsFolder), 0o777); err != nil {
		return fmt.Errorf("--%s: %w; choose another folder", flag, err)
	}
	path := filepath.Join(dir, study.PlanFile)
	there, err := cli.ReadPlan(path)
	switch difference := t.plan.Differs(there); {
	case errors.Is(err, fs.ErrNotExist):
		return checkpoint.WriteText(path, t.plan.Text())
	case err == nil && difference != "":
		return fmt.Errorf("%s is another plan, which another process has begun just now: %s; choose another folder",
			path, difference)
	}
	return err
}

// printPlan says what this call does, and how long it takes.
func (t *studying) printPlan() error {
	t.printTwice()
	t.printDamaged(t.mine, "it is made", "it is measured")
	counts := map[study.State]int{}
	thin := 0
	for _, c := range t.mine {
		counts[c.State]++
		if c.Thin() {
			thin++
		}
	}
	fmt.Fprintf(t.out, "study    %s: %s of %s, of which finished %d (thin %d), half %d, failed %d, running %d, "+
		"damaged %d\n",
		t.f.out, words.Plural(len(t.mine), "cell"), words.Number(len(t.plan.Cells)), counts[study.Finished], thin,
		counts[study.Half], counts[study.Failed], counts[study.Running], counts[study.Damaged])
	fmt.Fprintf(t.out, "machine  %s side by side, %s each\n", words.Plural(t.side, "cell"), words.Plural(t.threads,
		"thread"))
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\ncolumn\tcells\tdone\twhole\tthin\tnot\tcore time\t\n")
	var all struct{ done, whole, thin, not int }
	total := 0.0
	var columns []string
	for _, c := range t.mine {
		if !slices.Contains(columns, c.Column) {
			columns = append(columns, c.Column)
		}
	}
	for _, name := range columns {
		x := all
		cells, seconds, share := 0, 0.0, 0.0
		for _, c := range t.mine {
			if c.Column != name {
				continue
			}
			cells++
			cost, open := t.costs[c.Name]
			switch n := t.steps[c.Name]; {
			case !open:
				all.done++
				continue
			case n == 0 && c.State == study.Finished: // thin, or to be measured only
				all.done++
			case n == 0:
				all.not++
			case n < cost.Steps:
				all.thin++
				share = float64(n) / float64(cost.Steps)
			default:
				all.whole++
			}
			if n := t.steps[c.Name]; n > 0 || c.Whole() {
				seconds += cost.All(n)
			}
		}
		text := fmt.Sprint(all.thin - x.thin)
		if share > 0 {
			text += fmt.Sprintf(" (%.0f %%)", 100*share)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%d\t%s\t\n", name, cells, all.done-x.done, all.whole-x.whole, text,
			all.not-x.not, took(seconds))
		total += seconds
	}
	fmt.Fprintf(w, "all\t%d\t%d\t%d\t%d\t%d\t%s\t\n", len(t.mine), all.done, all.whole, all.thin, all.not, took(total))
	w.Flush()
	bound := "no bound"
	if t.budget > 0 {
		bound = "the budget is " + t.f.budget
	}
	known := ""
	if len(t.lengths) > 0 {
		known = ", and how long strings were in finished cells"
	}
	fmt.Fprintf(t.out, "\ntime     about %s (%s), by steps and answers measured just now in %s%s\n",
		took(total/float64(t.side)), bound, took(time.Since(t.begin).Seconds()), known)
	t.printTooLong()
	return t.out.Flush()
}

// printTooLong says what the least of the cells would take that get no steps of the budget.
func (t *studying) printTooLong() {
	least, rule := math.Inf(1), ""
	for _, c := range t.mine {
		cost, open := t.costs[c.Name]
		waits := open && t.steps[c.Name] == 0 && c.State != study.Finished
		if seconds := cost.All(cost.Steps); waits && seconds < least {
			least, rule = seconds, ""
			if cost.Long {
				rule = "; so long a run gets all of its steps or none"
			}
		}
	}
	if !math.IsInf(least, 1) {
		fmt.Fprintf(t.out, "not run  the shortest cell that does not fit takes about %s; a tenth of the budget "+
			"is kept for what is not foreseen%s\n", took(least), rule)
	}
}

// printDamaged names the cells of which something is made again, and says when.
func (t *studying) printDamaged(cells []study.Cell, made, measured string) {
	for _, c := range cells {
		if c.State == study.Damaged {
			fmt.Fprintf(t.out, "damaged  %s: %s; %s again\n", c.Name, c.Reason, made)
		}
		if c.Stale != "" {
			fmt.Fprintf(t.out, "damaged  %s: %s; %s again\n", c.Name, c.Stale, measured)
		}
	}
}

// took is a time as people say it.
func took(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Minute:
		return d.Round(time.Second / 10).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
