//go:build !js

package tables

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mhacsp/model/study"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

func TestMain(m *testing.M) { os.Exit(nativetest.Main(m)) }

// place is a folder that commands run in.
type place struct{ nativetest.Place }

func newPlace(t *testing.T) place { return place{nativetest.New(t)} }

func parallelPlace(t *testing.T) place { return place{nativetest.Parallel(t)} }

// TestTables: a plan runs to a report; the same command does nothing more; what is damaged is named and made again, to
// the same bytes; a report is made of what there is.
func TestTables(t *testing.T) {
	p := parallelPlace(t)
	names := p.TinyPlan(6)
	assert.Says(t, p.OK("tables", "--plan", "plan.json", "--out", "study", "--dry-run"), "4 cells of 4")
	p.Absent("study")
	p.OK("tables", "--backend", "cpu", "--plan", "plan.json", "--out", "study")
	r := p.Reported("study")
	assert.Need(t, r.Counts.Whole == 4 && r.Counts.All == 4 && len(r.Tables) >= 5, "%+v", r.Counts)
	for _, c := range r.Cells {
		assert.True(t, c.State == study.Finished && c.Steps == 6 && c.Host != "" && c.Version != "" && c.Wall > 0 &&
			c.Threads >= 1, "%+v", c)
	}
	for _, v := range r.Verdicts { // nothing of this is the paper's study
		assert.True(t, v.Word == study.NotYet || v.Word == study.NotTestable, "%s: %s, %s", v.Name, v.Word, v.Reason)
	}
	assert.Says(t, string(p.Read("study/report.md")), "| mha-csp |", "/ 50.3")
	model := func(name string) string { return string(p.Read("study/cells/" + name + "/model.safetensors")) }
	want := map[string]string{}
	for _, name := range names {
		want[name] = model(name)
		p.Read("study/cells/" + name + "/heads.json")
	}
	text := string(p.Read("study/cells/parity-mha-csp-1/eval.jsonl"))
	assert.True(t, strings.Count(text, `"min_length"`) == 4, "the longer strings of parity are\n%s", text)
	old := p.Read("study/cells/parity-csp-1/metrics.jsonl")
	code, out, errs := p.Try("tables", "--backend", "cpu", "--out", "study")
	assert.True(t, code == 0 && !strings.Contains(errs, "exact match"),
		"a study that is done trains again: exit code %d\n%s", code, errs)
	assert.Is(t, old, p.Read("study/cells/parity-csp-1/metrics.jsonl"), "a finished cell was trained again")

	// One is damaged in its log, one in its model behind missing measurements, one in what was measured, and one has a
	// log that ends before its checkpoint, which shows when it goes on.
	log := string(p.Read("study/cells/parity-csp-1/metrics.jsonl"))
	p.Write("study/cells/parity-csp-1/metrics.jsonl", strings.Replace(log, `"exact"`, `"exat`, 1))
	p.Write("study/cells/repeat-mha-csp-1/model.safetensors", want["repeat-mha-csp-1"][:300])
	assert.NoError(t, os.Remove(p.Path("study/cells/repeat-mha-csp-1/probe.json")))
	p.Write("study/cells/parity-mha-csp-1/eval.jsonl", `{"model"`)
	half := "study/cells/mod3-csp-1/"
	lines := strings.SplitAfter(string(p.Read(half+"metrics.jsonl")), "\n")
	p.Write(half+"metrics.jsonl", strings.Join(lines[:7], ""))
	assert.Says(t, p.OK("tables", "--report", "--out", "study"), "damaged  parity-csp-1: line ", "1 half")
	r = p.Reported("study")
	assert.True(t, r.Counts.Damaged == 2 && r.Counts.Half == 1 && r.Counts.Whole == 1, "%+v", r.Counts)
	code, out, errs = p.Try("tables", "--backend", "cpu", "--out", "study")
	assert.Is(t, code, 0, "%s%s\nexit code", out, errs)
	assert.Says(t, out, "damaged  parity-csp-1: ", "eval.jsonl: a line is no JSON")
	assert.Says(t, errs, "repeat-mha-csp-1 is damaged, and made again: ",
		"mod3-csp-1 is damaged, and made again: metrics.jsonl says finished after 3 of 6 steps")
	for _, name := range names {
		assert.True(t, model(name) == want[name], "%s ends in another model", name)
	}
	r = p.Reported("study")
	assert.True(t, r.Counts.Whole == 4, "%+v\n%s", r.Cells, errs)
}

// TestTablesFailure: a cell that cannot be trained is named with its reason; the others are not lost.
func TestTablesFailure(t *testing.T) {
	p := parallelPlace(t)
	p.TinyPlan(6)
	text := string(p.Read("plan.json"))
	p.Write("plan.json", strings.Replace(text, `"steps":6,`,
		`"steps":300,"lr":10,"clip":0,"weight_decay":10,"optimizer":"adamw",`, 1))
	code, _, errs := p.Try("tables", "--backend", "cpu", "--plan", "plan.json", "--out", "study")
	assert.True(t, code == cli.CodeInternal && strings.Contains(errs, "mhacsp: 1 cell failed: parity-csp-1; "),
		"exit code %d\n%s", code, errs)
	r := p.Reported("study")
	assert.True(t, r.Counts.Failed == 1 && r.Counts.Whole == 3 && r.Cells[0].State == study.Failed &&
		r.Cells[0].Reason != "", "%+v %+v", r.Counts, r.Cells[0])
}

// studies is a call of tables on the folder study that has come to its cells, whose commands another program carries
// out.
func (p place) studies(script string) (t *studying, c study.Cell, errs *bytes.Buffer) {
	p.Helper()
	if runtime.GOOS == "windows" {
		p.Skip("needs a shell")
	}
	p.Write("program", "#!/bin/sh\n"+script+"\n")
	assert.NoError(p, os.Chmod(p.Path("program"), 0o755))
	plan := assert.Must(cli.ReadPlan(p.Path("plan.json")))(p)
	errs = new(bytes.Buffer)
	t = &studying{stderr: errs, program: p.Path("program"), threads: 1, plan: plan,
		f: tablesFlags{out: p.Path("study"), jobs: 1, device: hardware.Flags{Backend: "cpu"}}}
	c = assert.Must(study.Read(plan.Cells[0], t.folder(plan.Cells[0].Name), time.Now()))(p)
	return t, c, errs
}

// finishedCell is a place with a study whose first cell has all of its steps; the command that made it, and its
// folder.
func finishedCell(t *testing.T, steps int) (p place, pass []string, dir string) {
	p = parallelPlace(t)
	p.TinyPlan(steps)
	pass = []string{"tables", "--backend", "cpu", "--plan", "plan.json", "--out", "study", "--only", "parity-csp-1"}
	p.OK(pass...)
	return p, pass, "study/cells/parity-csp-1/"
}

// TestTablesHalf: a cell that was stopped in its test, with all of its steps, is finished by the next pass. Without
// space all files stay; where they are damaged, or the configuration is lost, the cell is made again.
func TestTablesHalf(t *testing.T) {
	p, pass, dir := finishedCell(t, 60)
	model := p.Read(dir + "model.safetensors")
	stop := func() { // in the test
		lines := strings.SplitAfter(string(p.Read(dir+"metrics.jsonl")), "\n")
		p.Write(dir+"metrics.jsonl", strings.Join(lines[:len(lines)-3], ""))
	}
	finish := func() (errs string) {
		t.Helper()
		code, out, errs := p.Try(pass...)
		n, same := p.Reported("study").Counts, bytes.Equal(p.Read(dir+"model.safetensors"), model)
		assert.True(t, code == 0 && n.Whole == 1 && same,
			"exit code %d, the same model: %t, %+v\n%s%s", code, same, n, out, errs)
		return errs
	}
	stop()
	text := finish()
	assert.True(t, !strings.Contains(text, "damaged"), "%s", text)

	stop()
	s, c, errs := p.studies("ulimit -f 8 && exec " + nativetest.Binary() + ` "$@"`) // no room for a second log
	before := p.Files(dir + "*.*")
	err := s.train(t.Context(), c, c.Of, newCellProgress(s, nil))
	assert.True(t, err != nil && strings.Contains(err.Error(), "metrics.jsonl: not written: ") &&
		!strings.Contains(errs.String(), "damaged"), "%v\n%s", err, errs)
	for name, text := range before {
		assert.True(t, slices.Contains(study.Files(), filepath.Base(name)) || bytes.Equal(p.Read(name), text),
			"%s was changed", name)
	}
	c, _ = study.Read(c.Spec, p.Path(dir), time.Now())
	assert.True(t, c.State == study.Failed && c.Steps == 60, "%s after %d steps, %s", c.State, c.Steps, c.Reason)
	finish()

	for _, lost := range []func(){
		func() { p.Write(dir+"optimizer.safetensors", string(p.Read(dir + "optimizer.safetensors")[:300])) },
		func() { os.Remove(p.Path(dir + "config.json")) },
	} {
		stop()
		lost()
		assert.Says(t, finish(), "parity-csp-1 is damaged, and made again: ")
	}
}

// TestTablesMeasured: what a measurement refuses is recorded; where it only failed, the next pass measures again.
func TestTablesMeasured(t *testing.T) {
	p, pass, dir := finishedCell(t, 6)
	for _, x := range []struct{ script, want string }{
		{"kill -9 $$", "eval failed: signal: killed"},
		{"echo mhacsp: no device >&2; exit 1", "eval failed: no device"},
		{`test $1 = eval || kill -9 $$`, "probe failed: signal: killed"},
		{"echo mhacsp: disk full >&2; exit 2", "eval failed: disk full"}, // it reads texts of any length
	} {
		for _, name := range study.Files() {
			os.Remove(p.Path(dir + name))
		}
		s, c, _ := p.studies(x.script)
		assert.OneLine(t, x.script, s.measureCell(t.Context(), c), x.want)
		c, err := study.Read(c.Spec, p.Path(dir), time.Now())
		assert.True(t, err == nil && !c.Evaluated && c.Stale == "",
			"%s: measured %t, %q, %v", x.script, c.Evaluated, c.Stale, err)
	}
	s, _, _ := p.studies(`echo '{"n":1}'; echo mhacsp: too long >&2; exit 2`)
	out, err := s.measured(t.Context(), true, "eval")
	assert.True(t, err == nil && string(out) == "{\"n\":1}\n{\"error\":\"too long\"}\n",
		"what was refused is recorded as %q, %v", out, err)
	p.OK(pass...)
	text := string(p.Read(dir + "eval.jsonl"))
	assert.True(t, strings.Count(text, `"min_length"`) == 4, "the longer strings are\n%s", text)
}

// begun starts tables, and waits until a cell has a checkpoint behind the first.
func (p place) begun(args ...string) (*exec.Cmd, *bytes.Buffer) {
	p.Helper()
	c := p.Command(args...)
	var errs bytes.Buffer
	c.Stderr = &errs
	assert.NoError(p, c.Start())
	out := args[len(args)-1]
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		found, _ := filepath.Glob(p.Path(filepath.Join(out, study.CellsFolder, "*", train.LockFile)))
		for _, name := range found {
			name = filepath.Join(filepath.Dir(name), train.MetricsFile)
			if text, err := os.ReadFile(name); err == nil && nativetest.Steps(text) > 60 {
				return c, &errs
			}
		}
	}
	p.Fatalf("no cell began:\n%s", errs.String())
	return nil, nil
}

// sameModels holds a study's cells to the models of another's.
func (p place) sameModels(want, got string, names []string) {
	p.Helper()
	for _, name := range names {
		model := filepath.Join(study.CellsFolder, name, train.ModelFile)
		p.Same(filepath.Join(want, model), filepath.Join(got, model))
	}
}

// refused holds a command line to a mistake that one clear line names.
func (p place) refused(want string, args ...string) {
	p.Helper()
	code, _, errs := p.Try(args...)
	assert.True(p, code == cli.CodeUser && strings.Count(errs, "\n") == 1 && strings.Contains(errs, want) &&
		len(errs) <= 500, "%v: exit code %d, %s, want %q", args, code, errs, want)
}

// TestTablesStop: SIGTERM and Ctrl-C end all cells with checkpoints, a kill without; the same command goes on, and
// ends in the bytes of a study that was left alone. Ctrl-C makes a report, what a scheduler sends does not.
func TestTablesStop(t *testing.T) {
	p := parallelPlace(t)
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot send a signal to one process")
	}
	names := p.TinyPlan(600) // long enough to be stopped
	p.OK("tables", "--backend", "cpu", "--plan", "plan.json", "--out", "whole")
	for _, x := range []struct {
		signal os.Signal
		code   int
	}{{syscall.SIGTERM, cli.CodePreempted}, {os.Interrupt, cli.CodeInterrupted}, {os.Kill, -1}} {
		c, errs := p.begun("tables", "--backend", "cpu", "--plan", "plan.json", "--out", "study")
		c.Process.Signal(x.signal)
		c.Wait()
		assert.Is(t, c.ProcessState.ExitCode(), x.code, "%v, %s: exit code", x.signal, errs.String())
		if x.signal == os.Kill {
			break
		}
		assert.True(t, strings.Contains(errs.String(), "the same command goes on"),
			"%v: nothing is said of going on:\n%s", x.signal, errs.String())
		if x.signal == syscall.SIGTERM {
			p.Absent("study/report.json") // it takes time that a scheduler does not give
			p.OK("tables", "--report", "--out", "study")
		}
		for _, c := range p.Reported("study").Cells {
			assert.True(t, c.State != study.Running, "%v: %s is left running", x.signal, c.Name)
			assert.True(t, c.State == study.Finished || !strings.Contains(errs.String(), " 100 % "),
				"%v: %s is not finished, and all is said to be done:\n%s", x.signal, c.Name, errs.String())
			if c.State == study.Half {
				log := string(p.Read("study/cells/" + c.Name + "/metrics.jsonl"))
				assert.True(t, strings.Contains(log, `"reason":"interrupted"`),
					"%v: %s was not told to stop", x.signal, c.Name)
			}
		}
	}
	// The killed one's cells notice at their next line, or come to their end: they are waited for.
	code, _, errs := p.Try("tables", "--backend", "cpu", "--plan", "plan.json", "--out", "study")
	r := p.Reported("study")
	assert.Need(t, code == 0 && r.Counts.Whole == len(names), "exit code %d, %+v\n%s", code, r.Counts, errs)
	p.sameModels("whole", "study", names)
}

// held puts a lock into a cell's folder that was renewed so long ago.
func (p place) held(dir string, ago time.Duration) {
	p.Helper()
	p.Write(dir+"/lock", "{}")
	p.renewed(dir, ago)
}

func (p place) renewed(dir string, ago time.Duration) {
	then := time.Now().Add(-ago)
	assert.NoError(p, os.Chtimes(p.Path(dir+"/lock"), then, then))
}

// TestTablesKilled: the lock of a process that was killed a moment ago, as in a pod without memory, is waited for, and
// its cell done: the exit code 0 says that the share is whole. A signal ends the waiting at once.
func TestTablesKilled(t *testing.T) {
	p := parallelPlace(t)
	p.TinyPlan(6)
	share := []string{"tables", "--plan", "plan.json", "--backend", "cpu", "--shard", "0/2", "--out", "study"}
	dir := "study/cells/parity-csp-1"
	if runtime.GOOS != "windows" { // it cannot send a signal to one process
		p.held(dir, 0)
		c := p.Command(share...)
		stderr := assert.Must(c.StderrPipe())(t)
		assert.NoError(t, c.Start())
		defer time.AfterFunc(time.Minute, func() { c.Process.Kill() }).Stop()
		words := bufio.NewScanner(stderr)
		words.Split(bufio.ScanWords)
		for words.Scan() && words.Text() != "waiting" {
		}
		begin := time.Now()
		c.Process.Signal(syscall.SIGTERM)
		errs, _ := io.ReadAll(stderr)
		c.Wait()
		code, took := c.ProcessState.ExitCode(), time.Since(begin)
		assert.True(t, code == cli.CodePreempted && took <= 5*time.Second,
			"exit code %d after %v\n%s", code, took, errs)
	}
	p.held(dir, 13*time.Second)
	begin := time.Now()
	code, out, errs := p.Try(share...)
	took, n := time.Since(begin), p.Reported("study").Counts
	assert.True(t, code == cli.CodeOK && took >= 2*time.Second && n.Whole == 2 && strings.Contains(out, "running 1") &&
		strings.Count(errs, "parity-csp-1: another process trains it, or was killed; ") == 1,
		"exit code %d after %v, %+v\n%s%s", code, took, n, out, errs)
}

// TestTablesElsewhere: a cell whose lock is renewed is left to its process, and the exit code says so; one that comes
// free meanwhile is done. With a budget that is spent by then the exit code is 0.
func TestTablesElsewhere(t *testing.T) {
	p := parallelPlace(t)
	p.TinyPlan(6)
	s, _, errs := p.studies(`exec ` + nativetest.Binary() + ` "$@"`)
	assert.NoError(t, s.keepPlan("out", s.f.out))
	for _, c := range s.plan.Cells[:2] {
		p.held("study/cells/"+c.Name, 0)
	}
	ctx, end := context.WithCancel(t.Context())
	renewing := make(chan struct{})
	go func() {
		defer close(renewing)
		for ctx.Err() == nil {
			p.renewed("study/cells/parity-csp-1", 0)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	defer func() { end(); <-renewing }()
	s.patience = time.Second
	assert.NoError(t, s.choose())
	state := func(i int) study.Cell {
		return assert.Must(study.Read(s.plan.Cells[i], s.folder(s.plan.Cells[i].Name), time.Now()))(t)
	}
	s.mine = s.mine[:2]
	assert.Need(t, s.mine[0].State == study.Running && s.mine[1].State == study.Running, "%+v", s.mine)
	p.renewed("study/cells/parity-mha-csp-1", study.Alive-s.patience/2)
	begin := time.Now()
	err := s.finish(ctx, ctx)
	took := time.Since(begin)
	assert.True(t, cli.ExitCode(err) == cli.CodePreempted && took <= time.Minute &&
		strings.HasPrefix(err.Error(), "parity-csp-1: left to another process that trains it; "),
		"exit code %d after %v, %v\n%s", cli.ExitCode(err), took, err, errs)
	assert.Is(t, state(1).State, study.Finished, "a cell that came free: %s\nstate", errs)
	spent, cancel := context.WithDeadlineCause(ctx, time.Now().Add(100*time.Millisecond), errBudget)
	defer cancel()
	s.mine = []study.Cell{state(0), state(1)}
	assert.Is(t, s.finish(ctx, spent), nil, "a spent budget")
	p.Write("program", "#!/bin/sh\necho mhacsp: busy >&2\nexit 3\n") // the holder stands still, and renews nothing
	assert.NoError(t, os.RemoveAll(s.folder("parity-mha-csp-1")))
	s.mine = []study.Cell{state(1)}
	assert.Is(t, cli.ExitCode(s.finish(ctx, ctx)), cli.CodePreempted, "a lock that is not renewed: exit code")
}

// TestTablesBudget: a budget that is far too small ends in time, evaluations included, and the report says what is
// thin. On a busy machine it may be spent before a cell begins, which is said: then three times as much is given.
func TestTablesBudget(t *testing.T) {
	p := newPlace(t)
	p.TinyPlan(20_000)
	p.Write("plan.json", strings.ReplaceAll(string(p.Read("plan.json")), `"batch":8`, `"batch":1024`))
	var out string
	n := study.Counts{Absent: 4}
	for budget := 10 * time.Second; n.Absent == 4 && budget <= 90*time.Second; budget *= 3 {
		assert.NoError(t, os.RemoveAll(p.Path("study")))
		c := p.Command("tables", "--backend", "cpu", "--plan", "plan.json", "--budget", budget.String(), "--jobs", "2",
			"--out", "study")
		text, err := c.CombinedOutput()
		out = string(text)
		if strings.Contains(out, "the budget is spent while steps were measured") {
			continue
		}
		// The processor's time: others who use the machine make its steps last longer than they did when measured.
		used := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		assert.True(t, err == nil && used <= 2*budget, "%v, %v of the processor's time\n%s", err, used, out)
		assert.Says(t, out, "the budget is "+budget.String())
		n = p.Reported("study").Counts
	}
	assert.Need(t, n.Whole == 0 && n.Absent < 4 && n.Thin+n.Half+n.Absent == 4, "%+v\n%s", n, out)
	text := string(p.Read("study/report.md"))
	assert.True(t, n.Thin == 0 || strings.Contains(text, "thin: "), "%s\n%s", out, text)
	_, plan, _ := p.Try("tables", "--backend", "cpu", "--only", "repeat-50-csp-1", "--budget", "1m", "--dry-run",
		"--out", "long")
	assert.Says(t, plan, "not run  the shortest cell that does not fit takes about ",
		"; so long a run gets all of its steps or none\n")
}

// TestTablesRest: where cells take far less than was foreseen, what is left of the budget makes all of them whole.
func TestTablesRest(t *testing.T) {
	p := parallelPlace(t)
	names := p.TinyPlan(50)
	s, _, errs := p.studies(`exec ` + nativetest.Binary() + ` "$@"`)
	assert.NoError(t, errors.Join(s.keepPlan("out", s.f.out), s.choose()))
	for _, c := range s.mine { // each as if it took 25 s
		x := study.Speed{Model: c.Run.Config.Name(), Labels: c.Run.Config.Shape().Classes > 0, Tokens: 1}
		cost := assert.Must(study.Estimate(c, []study.Speed{x}, nil))(t)
		x.Tokens = cost.All(cost.Steps) / 25
		s.speeds = study.MergeSpeeds(s.speeds, []study.Speed{x})
	}
	s.begin, s.budget = time.Now(), time.Minute
	limited, cancel := context.WithTimeoutCause(t.Context(), s.budget, errBudget)
	defer cancel()
	assert.NoError(t, s.prepare(limited))
	assert.Need(t, s.steps[names[0]] == 50 && s.steps[names[3]] < 50, "planned are %v", s.steps)
	assert.NoError(t, s.finish(t.Context(), limited))
	for _, c := range assert.Must(s.readCells(s.plan))(t) {
		assert.True(t, c.Whole() && c.Evaluated,
			"%s is %s with %d of %d steps\n%s", c.Name, c.State, c.Of, c.Asked, errs)
	}
}

// TestShares: n processes do their shares without a word to each other, one is killed and started again, and their
// cells, copied together, are the study; another plan is refused.
func TestShares(t *testing.T) {
	p := parallelPlace(t)
	names := p.TinyPlan(60)
	p.OK("tables", "--backend", "cpu", "--plan", "plan.json", "--out", "whole")
	share := func(i int) []string {
		return []string{"tables", "--backend", "cpu", "--plan", "plan.json", "--jobs", "1",
			"--shard", fmt.Sprintf("%d/3", i), "--out", fmt.Sprintf("s%d", i)}
	}
	var running []*exec.Cmd
	for i := range 3 {
		c := p.Command(share(i)...)
		assert.NoError(t, c.Start())
		running = append(running, c)
	}
	time.Sleep(300 * time.Millisecond)
	running[0].Process.Kill()
	for i, c := range running {
		err := c.Wait()
		assert.Need(t, i <= 0 || err == nil, "%v", err)
	}
	p.OK(share(0)...)
	assert.Is(t, p.Reported("s0").Counts.Whole, 2, "whole of the cells 0 and 3")
	for i := range 3 { // as `cp -r s0 s1 s2 all` puts them together
		for _, name := range names {
			from := filepath.Join(fmt.Sprintf("s%d", i), "cells", name)
			if _, err := os.Stat(p.Path(from)); err == nil {
				assert.NoError(t, os.CopyFS(p.Path(filepath.Join("all/cells", name)), os.DirFS(p.Path(from))))
			}
		}
	}
	p.Write("all/plan.json", string(p.Read("s1/plan.json")))
	p.OK("tables", "--out", "all") // nothing left to do
	r := p.Reported("all")
	assert.Need(t, r.Counts.Whole == 4, "%+v", r.Counts)
	p.sameModels("whole", "all", names)
	p.TinyPlan(61)
	p.refused("s0/plan.json is another plan", "tables", "--plan", "plan.json", "--out", "s0")
	late := studying{plan: assert.Must(cli.ReadPlan(p.Path("plan.json")))(t)} // it measured while the other began
	assert.OneLine(t, "a plan that came meanwhile", late.keepPlan("out", p.Path("s0")), "plan.json is another plan")
}

// TestTablesRecords: what finishes is recorded; records without the folders count as finished, and make the same
// report; a damaged one is named and its cell made again; what does not belong there is refused.
func TestTablesRecords(t *testing.T) {
	p := parallelPlace(t)
	names := p.TinyPlan(6)
	p.OK("tables", "--backend", "cpu", "--plan", "plan.json", "--out", "first", "--only", "parity",
		"--records", "kept")
	record := func(name string) string { return "kept/cells/" + name + ".json" }
	assert.Says(t, p.OK("tables", "--report", "--out", "first", "--records", "kept"), "records  2 cells in kept\n",
		"cells    4: 2 whole, ")
	for _, name := range names[:2] {
		text := string(p.Read(record(name)))
		assert.True(t, len(text) <= 30_000 && !strings.Contains(text, p.Dir) &&
			strings.Contains(text, `"spectrum":{"last":[`), "%s has %d bytes:\n%s", name, len(text), text)
	}

	// The next sitting has an empty disk, and makes the rest alone.
	code, out, errs := p.Try("tables", "--backend", "cpu", "--out", "second", "--records", "kept",
		"--plan", "plan.json")
	assert.Need(t, code == 0 && !strings.Contains(errs, "parity-csp-1: exact"), "exit code %d\n%s%s", code, out, errs)
	assert.Says(t, out, "4 cells of 4, of which finished 2", "records  4 cells in kept\n")
	assert.Says(t, string(p.Read(record("repeat-mha-csp-1"))), `{"text":"4 - (3 + 5)`, `"digits":{`)
	for _, name := range names { // each is in one of the folders
		_, err := os.Stat(p.Path("first/cells/" + name))
		assert.True(t, (err == nil) == strings.HasPrefix(name, "parity"), "%s in first: %v", name, err)
	}
	p.OK("tables", "--report", "--out", "third", "--records", "kept")
	a, b := p.Read("second/report.csv"), p.Read("third/report.csv")
	assert.True(t, bytes.Equal(a, b) && p.Reported("third").Counts.Whole == 4, "the reports are\n%s\n%s", a, b)

	// A report changes no record: a cell that only the study's folder has counts, and is not added.
	assert.NoError(t, os.Remove(p.Path(record(names[1]))))
	kept := func() map[string][]byte {
		all := p.Files("kept/cells/*")
		maps.Copy(all, p.Files("kept/*.json"))
		return all
	}
	before := kept()
	p.OK("tables", "--report", "--out", "first", "--records", "kept")
	after := kept()
	assert.True(t, p.Reported("first").Counts.Whole == 4 && maps.EqualFunc(before, after, bytes.Equal),
		"a report adds to %d files of records: there are %d", len(before), len(after))
	p.OK("tables", "--backend", "cpu", "--out", "first", "--records", "kept")

	whole := string(p.Read(record(names[0])))
	p.Write(record(names[0]), whole[:200])
	assert.Says(t, p.OK("tables", "--report", "--out", "third", "--records", "kept"),
		"damaged  parity-csp-1: its record: ")
	assert.Is(t, p.Reported("third").Counts.Damaged, 1, "damaged")
	p.OK("tables", "--backend", "cpu", "--out", "third", "--records", "kept")
	assert.Is(t, p.Reported("third").Counts.Whole, 4, "whole")
	assert.Is(t, string(p.Read(record(names[0])))[:150], whole[:150], "the record that was made again")

	// third made another run than first: the record stands, in a report and in a pass.
	for _, more := range []string{"--report", "--dry-run"} {
		assert.Says(t, p.OK("tables", more, "--out", "first", "--records", "kept"),
			"twice    parity-csp-1: another run in first/cells than in kept/cells; the record stands")
	}
	s := studying{plan: assert.Must(cli.ReadPlan(p.Path("plan.json")))(t)}
	s.f.out, s.f.records = p.Path("first"), p.Path("kept")
	before = kept() // and so it does where both were trained at the same time
	assert.NoError(t, s.keepRecord(assert.Must(study.Read(s.plan.Cells[0], s.folder(names[0]), time.Now()))(t)))
	assert.True(t, maps.EqualFunc(before, kept(), bytes.Equal), "the record of another process was replaced")
	var recorded struct{ Seconds float64 }
	assert.NoError(t, json.Unmarshal(p.Read(record(names[0])), &recorded))
	assert.Is(t, p.Reported("first").Cells[0].Wall, recorded.Seconds, "the reported run took … s")

	if runtime.GOOS != "windows" { // no space for a record: one line, and with space the same command adds it
		code, errs := p.Limited(8, "tables", "--plan", "plan.json", "--only", names[0], "--out", "third",
			"--records", "other")
		assert.True(t, code == cli.CodeUser && strings.Contains(errs, "other/cells/parity-csp-1.json: not written: "),
			"exit code %d, %s", code, errs)
	}
	out = p.OK("figures", "--run", record("repeat-mha-csp-1"), "--run", record(names[0]), "--out", "f",
		"--format", "svg")
	assert.Says(t, out, "f/curves-parity.svg", "f/embedding-repeat-mha-csp-1.svg", "f/spectrum-parity.svg",
		"f/matrices-repeat-mha-csp-1.svg", "not drawn: embedding of kept/cells/parity-csp-1.json: its record has none")
	// A folder of records, and a study's, stand for all that is finished there.
	for dir, want := range map[string]string{
		"kept":   "g/curves-parity.svg\ng/curves-arithmetic-repeat-paper.svg\ng/curves-mod3.svg\n",
		"second": "g/curves-arithmetic-repeat-paper.svg\ng/curves-mod3.svg\n",
	} {
		out := p.OK("figures", "--run", dir, "--only", "curves", "--out", "g", "--format", "svg", "--overwrite")
		assert.Is(t, out, want, "of %s it draws", dir)
	}
	copied := p.Write("copied.json", string(p.Read(record("mod3-csp-1"))))
	p.Write("empty/plan.json", string(p.Read("plan.json")))
	for _, x := range []struct{ a, b, want string }{
		{record("mod3-csp-1"), "--run=" + copied, "kept/cells/mod3-csp-1.json and copied.json are the same run; "},
		{"second", "--run=kept", "second/cells/repeat-mha-csp-1 and kept/cells/repeat-mha-csp-1.json are the same run; "},
		{"kept", "--records=" + copied, "copied.json is the record of a cell; name it with --run"},
		{"third", "--run=empty", "empty has no finished cell"},
	} {
		p.refused(x.want, "figures", "--run", x.a, x.b, "--out", "h")
	}
	refused := func(want string, args ...string) {
		t.Helper()
		p.refused(want, append([]string{"tables", "--records", "kept", "--plan", "plan.json"}, args...)...)
	}
	refused(`--records is "kept/cells", which has no plan.json; give`, "--report", "--out", "first", "--records",
		"kept/cells")
	p.TinyPlan(7)
	refused("kept/plan.json is another plan: ", "--out", "fourth")
	p.OK("tables", "--backend", "cpu", "--plan", "plan.json", "--only", names[0], "--out", "seven")
	refused("kept/plan.json is another plan than that of seven: cell parity-csp-1 is ", "--out", "seven")
	p.TinyPlan(6)
	p.Write("kept/cells/own.json", whole)
	refused("kept/cells/own.json is no record of a cell of the plan", "--out", "fourth")
	assert.NoError(t, os.Rename(p.Path("kept/cells/own.json"), p.Path(record(names[1]))))
	refused("parity-mha-csp-1.json: it is the record of parity-csp-1, and a cell has one", "--out", "fourth")
	p.Absent("fourth")
}

// TestAnonymous: a record tells no path of this machine, whatever is in it.
func TestAnonymous(t *testing.T) {
	for _, dir := range []string{"study/cells/a", `C:\study\cells\a`, "study & more/cells/a"} {
		text := []byte(`{"error":"` + strings.ReplaceAll(dir, `\`, `\\`) + `: the loss is not finite"}`)
		got := string(anonymous(text, dir, "a"))
		assert.True(t, got == `{"error":"a: the loss is not finite"}`, "of %s is recorded %s", dir, got)
	}
}

// TestTablesInput: every mistake gets one clear line and exit code 2.
func TestTablesInput(t *testing.T) {
	p := newPlace(t)
	p.Write("empty.json", "")
	p.Write("untested.json", `{"cells": [{"name": "a", "column": "b", "row": "c", "keys": {"task": "parity", `+
		`"model": "csp", "test_samples": 0}}]}`)
	p.Write("bad.json",
		`{"cells": [{"name": "a", "column": "b", "row": "c", "keys": {"model": "cps", "task": "parity"}}]}`)
	for _, c := range []struct{ args, want string }{
		{"--report --records nowhere", `--records is "nowhere", and there is no such folder; check the path`},
		{"--records .", `--records is ".", which has no plan.json; give a folder that`},
		{"--budget soon", `--budget is "soon"; a time with its unit is needed, as in 10m, 1h or 1d, or full`},
		{"--budget 1ms --dry-run", "--budget is 1ms: the budget is spent while steps were measured, 0 of "},
		{"--budget 0m", "--budget is"}, {"--budget -1d", "--budget is"}, {"--budget 1dd", "--budget is"},
		{"--seeds 0", "--seeds is 0; choose a number from 1"}, {"--jobs -1", "--jobs is -1"},
		{"--shard 8/8", "share 8 of 8 does not exist; the shares are 0/8 to 7/8"}, {"--shard x", `--shard is "x"; a share is needed`},
		{"--shard 1/2/3", `--shard is "1/2/3"`}, {"--shard 1/0", `--shard is "1/0"; a share is needed`},
		{"--shard 0/0", `--shard is "0/0"; a share is needed, as in 0/8`},
		{"--plan nofile", "nofile: no such file or directory; "},
		{"--out bad.json", `--out is "bad.json", and bad.json is a file; give a folder`}, {"--records bad.json", `--records is "bad.json", and`},
		{"--only paritty", `--only: "paritty" names no cell of the plan`}, {"--report --dry-run", "--dry-run cannot be given with --report"},
		{"--report --out nowhere", "nowhere is no study"},
		{"--report --shard 9/8", "--shard cannot be given with --report"},
		{"--report --only nonsense", "--only cannot be given with --report, which is of all cells; leave one"},
		{"--report --jobs 2", "--jobs cannot"}, {"--report --budget 1h", "--budget cannot be given with --report"},
		{"--report --backend cpu", "--backend cannot be given with --report"}, {"--plan nowhere.json", "nowhere.json"},
		{"--plan untested.json", "cell a has test_samples 0"}, {"--out x --records ./x", "are one folder"},
		{"--plan empty.json", "empty.json: line 1, column 1: not valid JSON"}, {"--plan bad.json", `model is "cps"`},
		{"--plan bad.json --seeds 2", "--seeds cannot be given with --plan"}, {"--backend cuda", "choose one of auto"},
		{"parity", `takes no arguments, found "parity"`},
	} {
		p.refused(c.want, append([]string{"tables"}, strings.Fields(c.args)...)...)
	}
	p.Absent("runs")
	p.Absent("nowhere")
}

func TestParseBudget(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"full": 0, "10m": 10 * time.Minute, "1h": time.Hour, "1d": 24 * time.Hour, "1.5d": 36 * time.Hour,
		"1h30m": 90 * time.Minute,
	} {
		assert.Is(t, assert.Must(parseBudget(text))(t), want, "%s is", text)
	}
}
