//go:build !js

package tables

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mhacsp/model/checkpoint"
	"mhacsp/model/probe"
	"mhacsp/model/study"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/cmd/bench"
	"mhacsp/native/runs"
	"mhacsp/native/words"
	"mhacsp/tasks"
)

// errBudget ends the cells that a budget has no time for.
var errBudget = errors.New("the budget is spent")

// child runs this program, with a run's configuration for --config=-. When ctx ends it stops with a checkpoint.
func (t *studying) child(ctx context.Context, config []byte, args ...string) (code int, out []byte, last string) {
	args = append(args, "--threads="+strconv.Itoa(t.threads), "--backend="+t.f.device.Backend)
	return cli.Child{Program: t.program, Args: args, Input: config, Grace: 30 * time.Second}.Run(ctx)
}

// measure times a few steps of each model that the cells need, and adds to speeds.
func (t *studying) measure(ctx context.Context, cells []study.Cell) error {
	type kind struct {
		model  string
		labels bool
	}
	seen := map[kind]bool{}
	for _, s := range t.speeds { // of this call, for cells that came free later
		seen[kind{s.Model, s.Labels}] = true
	}
	var first []study.Cell
	for _, c := range cells {
		k := kind{c.Run.Config.Name(), c.Run.Config.Shape().Classes > 0}
		if !seen[k] {
			seen[k] = true
			first = append(first, c)
		}
	}
	speeds, errs := make([]study.Speed, len(first)), make([]error, len(first))
	t.each(len(first), func(i int) { speeds[i], errs[i] = t.speed(ctx, first[i]) })
	timed := 0
	for i := range first {
		if errs[i] == nil {
			t.speeds = append(t.speeds, speeds[i])
			timed++
		}
	}
	err := cmp.Or(errs...)
	if errors.Is(err, errBudget) {
		need := 2 * time.Since(t.begin) * time.Duration(len(first)) / time.Duration(max(timed, t.f.jobs))
		return fmt.Errorf("--budget is %s: %w, %d of %d models are timed; give about %v or more, half of it for cells",
			t.f.budget, err, timed, len(first), (need + 10*time.Second).Truncate(10*time.Second))
	}
	return err
}

// each calls do for 0 to n−1, as many at once as there are jobs.
func (t *studying) each(n int, do func(i int)) {
	var all errgroup.Group
	all.SetLimit(t.f.jobs)
	for i := range n {
		all.Go(func() error {
			do(i)
			return nil
		})
	}
	all.Wait()
}

// speed measures the model of a cell, as it is set there.
func (t *studying) speed(ctx context.Context, c study.Cell) (s study.Speed, err error) {
	r, err := c.Spec.Run(c.Asked)
	if err != nil {
		return s, err
	}
	config, err := json.Marshal(r)
	cli.Must(err)
	code, out, last := t.child(ctx, config, "bench", "--config=-", "--steps=6", "--warmup=2", "--json")
	if ctx.Err() != nil {
		return s, fmt.Errorf("%w while steps were measured", context.Cause(ctx))
	}
	var b bench.Result
	if err := json.Unmarshal(out, &b); code != 0 || err != nil {
		return s, fmt.Errorf("measuring %s: %s", c.Run.Config.Name(), cmp.Or(last, "no result"))
	}
	version, commit := cli.BuiltOf()
	host, _ := os.Hostname()
	s = study.Speed{
		Model: b.Model, Labels: c.Run.Config.Shape().Classes > 0, Tokens: b.Tokens, Time: train.Stamp(time.Now()),
		Origin: train.Origin{Version: version, Commit: commit, Host: host, Device: b.Device, Threads: t.threads},
	}
	for _, k := range b.Kernels {
		s.Flops += 1e9 * k.Gflop
	}
	s.Flops /= b.Tokens * b.MeanMs / 1000 // tokens of a step
	return s, nil
}

// work runs the cells that got steps, until ctx ends, and adds to failed. left are those that others train.
func (t *studying) work(ctx context.Context) (left []study.Spec, err error) {
	if err := keepSpeeds(t.f.out, t.speeds); err != nil {
		return nil, err
	}
	var run []study.Cell
	for _, c := range t.mine {
		if c.State == study.Running {
			left = append(left, c.Spec)
		} else if _, open := t.costs[c.Name]; open && (t.steps[c.Name] > 0 || c.Whole()) {
			run = append(run, c)
		}
	}
	p := newCellProgress(t, run)
	if len(run) > 0 {
		defer p.tell.End()
		defer p.tell.Every(p.line)()
	}
	var mutex sync.Mutex
	t.each(len(run), func(i int) {
		if ctx.Err() != nil {
			return
		}
		err := t.cell(ctx, run[i], p)
		if err == nil || ctx.Err() != nil {
			return
		}
		p.tell.Note(fmt.Sprintf("%s: %v", run[i].Name, err))
		mutex.Lock()
		defer mutex.Unlock()
		if errors.Is(err, cli.ErrElsewhere) {
			left = append(left, run[i].Spec)
		} else {
			t.failed = append(t.failed, run[i].Name)
		}
	})
	return left, nil
}

// keepSpeeds writes what was measured into a study's folder, next to what is known there of other models.
func keepSpeeds(dir string, speeds []study.Speed) error {
	all, err := study.ReadSpeeds(dir)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(study.MergeSpeeds(all, speeds), "", " ")
	if err != nil {
		return cli.Internal(err)
	}
	return checkpoint.WriteText(filepath.Join(dir, study.SpeedFile), append(text, '\n'))
}

// folder is that of a cell.
func (t *studying) folder(name string) string { return filepath.Join(t.f.out, study.CellsFolder, name) }

// cell trains one, where it is not trained, and measures it.
func (t *studying) cell(ctx context.Context, c study.Cell, p *cellProgress) error {
	whole := false
	defer func() { // what was stopped is still to be done
		p.forget(c.Name, whole || ctx.Err() == nil)
		p.tell.Note(p.line())
	}()
	dir := t.folder(c.Name)
	// Another process may have come here since the plan was made.
	c, err := study.Read(c.Spec, dir, time.Now())
	if err != nil {
		return err
	}
	steps := t.fit(ctx, c)
	switch {
	case c.State == study.Running:
		return cli.ErrElsewhere
	case c.State == study.Finished && (c.Whole() || t.steps[c.Name] == 0):
		_, err := checkpoint.ReadFile(filepath.Join(dir, train.ModelFile))
		switch {
		case errors.Is(err, checkpoint.ErrFormat), errors.Is(err, fs.ErrNotExist):
			p.tell.Note(fmt.Sprintf("%s is damaged, and made again: %v", c.Name, err))
			c.State, steps = study.Damaged, max(c.Of, steps)
		case err != nil: // it may be whole
			return err
		}
	}
	if c.State != study.Finished || c.Thin() && t.steps[c.Name] > 0 {
		if steps == 0 {
			p.tell.Note(c.Name + ": no time left for it")
			return nil
		}
		for again := false; ; again = true {
			if err := t.train(ctx, c, steps, p); err != nil {
				return err
			}
			if c, err = study.Read(c.Spec, dir, time.Now()); err != nil {
				return err
			}
			if c.State != study.Damaged || again {
				break
			}
			// it went on from a log with a gap
			p.tell.Note(fmt.Sprintf("%s is damaged, and made again: %s", c.Name, c.Reason))
			steps = c.Asked
		}
		switch c.State {
		case study.Finished:
		case study.Failed: // its files cannot be read
			return errors.New(c.Reason)
		case study.Running:
			return cli.ErrElsewhere
		default:
			return nil // stopped
		}
	}
	thin := ""
	if c.Thin() {
		thin = fmt.Sprintf(" of %s, thin", words.Number(c.Asked))
	}
	p.tell.Note(fmt.Sprintf("%s: exact match %s after %s%s", c.Name, cli.Percent(c.Test.ExactRate()),
		words.Plural(c.Steps, "step"), thin))
	if c.Whole() && !c.Evaluated {
		if err := t.measureCell(ctx, c); err != nil {
			return err
		}
		if c, err = study.Read(c.Spec, dir, time.Now()); err != nil {
			return err
		}
	}
	whole = true
	return t.keepRecord(c)
}

// fit is how many steps a cell gets in the time that is left: fewer than planned where it is short, none if too few.
func (t *studying) fit(ctx context.Context, c study.Cell) int {
	steps, cost := t.steps[c.Name], t.costs[c.Name]
	if cost.Begun {
		return c.Of
	}
	end, bounded := ctx.Deadline()
	if !bounded || cost.All(steps) <= time.Until(end).Seconds() {
		return steps
	}
	return cost.Fit(time.Until(end).Seconds())
}

// train is `mhacsp train` on a cell, with more flags, which may stop it early; ErrElsewhere where others train it.
func (t *studying) train(ctx context.Context, c study.Cell, steps int, p *cellProgress, more ...string) error {
	dir := t.folder(c.Name)
	fresh := c.State == study.Damaged || c.State == study.Finished
	if c.State == study.Absent {
		if left := train.Vacant(dir); left != nil && !train.OfSystem(left) {
			p.tell.Note(fmt.Sprintf("%s is damaged, and made again: %v", c.Name, left))
			fresh = true
		}
	}
	for {
		if c.State == study.Half || c.State == study.Failed {
			steps = c.Of
		}
		r, err := c.Spec.Run(steps)
		if err != nil {
			return err
		}
		config, err := json.Marshal(r)
		cli.Must(err)
		args := append([]string{"train", "--config=-", "--out=" + dir, fmt.Sprint("--overwrite=", fresh)}, more...)
		for _, name := range study.Files() {
			if err := checkpoint.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
		p.trains(c.Name, steps)
		code, _, last := t.child(ctx, config, args...)
		switch {
		case ctx.Err() != nil || code == 0 || code == cli.CodePreempted && len(more) > 0:
			return nil
		case code == cli.CodeBusy, code == cli.CodeUser && study.Held(dir, time.Now()):
			return cli.ErrElsewhere
		case code == cli.CodeUser && !fresh && c.State != study.Absent:
			// Too little memory is the same code, and takes nothing away.
			if damage := train.Damage(dir); damage != nil {
				p.tell.Note(fmt.Sprintf("%s is damaged, and made again: %v", c.Name, damage))
				fresh, c.State, steps = true, study.Damaged, c.Of
				continue
			}
		}
		if _, err := os.Stat(dir); err == nil {
			text, _ := json.Marshal(map[string]any{"code": code, "message": last})
			if err := checkpoint.WriteText(filepath.Join(dir, study.FailedFile), append(text, '\n')); err != nil {
				return err
			}
		}
		return errors.New(last)
	}
}

// measureCell writes what a study adds to a finished run: its heads, longer strings, clocks. What only failed is not
// written, so that the next pass measures it.
func (t *studying) measureCell(ctx context.Context, c study.Cell) error {
	dir := t.folder(c.Name)
	write := func(name string, text []byte) error {
		return checkpoint.WriteText(filepath.Join(dir, name), append(bytes.TrimRight(text, "\n"), '\n'))
	}
	heads, err := headsOf(c, filepath.Join(dir, train.ModelFile))
	if err != nil {
		return err
	}
	text, err := json.Marshal(heads)
	if err == nil {
		err = write(study.HeadsFile, text)
	}
	if err != nil {
		return err
	}
	var lines []byte
	task, err := runs.TaskOf(&c.Run)
	if err != nil {
		return err
	}
	if len(tasks.LengthSets(c.Run.Training.Task, c.Run.Training.Options)) > 0 {
		bounded := c.Run.Config.Shape().Longest > 0 // of some lengths it must say that they are too long for it
		lines, err = t.measured(ctx, bounded, "eval", "--run="+dir, "--lengths", "--json",
			"--n="+strconv.Itoa(c.LengthTests()))
		if err != nil {
			return err
		}
	}
	probed := because("its units have no phase")
	if c.Run.Config.Traits().Units > 0 {
		if _, err := probe.Modulus(task); err != nil {
			probed = because(err.Error())
		} else if probed, err = t.measured(ctx, false, "probe", "--run="+dir, "--quick", "--json"); err != nil {
			return err
		}
	}
	if err := write(study.ProbeFile, probed); err != nil {
		return err
	}
	if len(lines) == 0 {
		return checkpoint.WriteText(filepath.Join(dir, study.EvalFile), nil)
	}
	return write(study.EvalFile, lines)
}

// measured is what a command prints of a finished run; where it may refuse to print more, with a record of why. A
// refusal has the exit code of too little memory, so that only the caller knows whether to expect one.
func (t *studying) measured(ctx context.Context, refuses bool, args ...string) ([]byte, error) {
	code, out, last := t.child(ctx, nil, args...)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case code == cli.CodeUser && refuses:
		return append(out, because(last)...), nil
	case code != cli.CodeOK:
		return nil, fmt.Errorf("it is trained, and %s failed: %s", args[0], cmp.Or(last, "it did not say why"))
	}
	return out, nil
}

// because is a record of what could not be measured.
func because(text string) []byte {
	line, err := json.Marshal(map[string]string{"error": text})
	cli.Must(err)
	return append(line, '\n')
}

// headsOf compares the heads of a checkpoint. An error is of reading it.
func headsOf(c study.Cell, path string) (r study.HeadsRecord, err error) {
	if c.Run.Config.Traits().Heads == 0 {
		return study.HeadsRecord{Error: "it has no heads with a metric"}, nil
	}
	f, err := checkpoint.ReadFile(path)
	if err != nil {
		return r, err
	}
	for l := range c.Run.Config.Traits().Blocks {
		x, ok := f.Find(fmt.Sprintf("blocks.%d.metric.factor", l))
		if !ok || len(x.Shape) != 3 {
			return study.HeadsRecord{Error: "it has no heads with a metric"}, nil
		}
		h, err := study.MeasureHeads(x.Data, x.Shape[0], x.Shape[1])
		if err != nil {
			return study.HeadsRecord{Error: err.Error()}, nil
		}
		r.Blocks = append(r.Blocks, h)
	}
	return r, nil
}

// cellProgress tells on standard error how far all cells are.
type cellProgress struct {
	t     *studying
	tell  *cli.Ticker
	mutex sync.Mutex
	open  map[string]float64 // seconds of the cells of this call that are not done, by the estimate
	steps map[string]int     // of those that are trained now
	all   int
	total float64
}

func newCellProgress(t *studying, run []study.Cell) *cellProgress {
	p := &cellProgress{t: t, tell: cli.NewTicker(t.stderr), open: map[string]float64{}, steps: map[string]int{},
		all: len(run)}
	p.tell.Plain = 10 * time.Second
	for _, c := range run {
		p.open[c.Name] = t.costs[c.Name].All(t.steps[c.Name])
		p.total += p.open[c.Name]
	}
	return p
}

// trains: a cell is trained for that many steps.
func (p *cellProgress) trains(name string, steps int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.steps[name] = steps
}

// forget: a cell is no longer trained, and is done where it ended.
func (p *cellProgress) forget(name string, ended bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.steps, name)
	if ended {
		delete(p.open, name)
	}
}

// running are the cells that are trained, in words, and what of each is left to do.
func (p *cellProgress) running() (list []string, left map[string]float64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	left = map[string]float64{}
	for name, of := range p.steps {
		last, _ := train.LastEvent(p.t.folder(name)) // nothing yet, where it cannot be read
		if s, ok := last.(train.Step); ok {
			left[name] = 1 - float64(s.Step)/float64(max(of, 1))
			list = append(list, fmt.Sprintf("%s %s/%s", name, words.Number(s.Step), words.Number(of)))
		}
	}
	slices.Sort(list)
	return list, left
}

// line is how far all is.
func (p *cellProgress) line() string {
	running, shares := p.running()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	left := 0.0
	for name, seconds := range p.open {
		if share, trained := shares[name]; trained {
			seconds *= share
		}
		left += seconds
	}
	// The sum differs by a hair from that in another order, which would be −0 %.
	percent := 100 * max(0, 1-left/max(p.total, 1e-9))
	if len(p.open) > 0 { // the last test of a run is none of its steps
		percent = min(percent, 99)
	}
	return fmt.Sprintf("cells %d/%d  %.0f %%  about %s left  %s", p.all-len(p.open), p.all, percent,
		took(left/float64(max(1, min(p.t.f.jobs, len(p.open))))), strings.Join(running, ", "))
}
