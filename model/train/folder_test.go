package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mhacsp/model"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/reference"
	"mhacsp/model/checkpoint"
	"mhacsp/tasks/assert"
)

// resume opens a run folder and puts the trainer where its last checkpoint was.
func resume(dir string, t *Trainer) (*Folder, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if err := f.Resume(t); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func create(t *testing.T, dir string, r Run) *Folder {
	t.Helper()
	f := assert.Must(Create(dir, r, false))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// saved is the folder of a run that has a checkpoint of a step, and its trainer.
func saved(t *testing.T, r Run, step int) (dir string, x *Trainer) {
	t.Helper()
	dir, x = t.TempDir(), trainer(t, r, network(t, r))
	f := create(t, dir, r)
	steps(t, x, step)
	assert.NoError(t, f.Save(x))
	f.Close()
	return dir, x
}

// errOf is the error of a call that gives something with it.
func errOf[T any](_ T, err error) error { return err }

func there(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	return assert.Must(os.ReadFile(filepath.Join(dir, name)))(t)
}

func write(t *testing.T, dir, name string, x []byte) {
	t.Helper()
	assert.NoError(t, os.WriteFile(filepath.Join(dir, name), x, 0o644))
}

// goOn runs a folder's trainer as the command line does, until the step after which to stop (0: to the end), and
// closes the folder.
func goOn(t *testing.T, f *Folder, x *Trainer, stop int) {
	t.Helper()
	defer f.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	assert.NoError(t, x.Continue(ctx, func(e Event) {
		assert.NoError(t, f.Log(e))
		if s, ok := e.(Step); ok && s.Step == stop {
			cancel()
		}
	}, func() error { return f.Save(x) }))
}

// metrics are the events of a run but for what no two runs share: times, and that the run was interrupted.
func metrics(t *testing.T, dir string) (list []map[string]any) {
	t.Helper()
	for line := range strings.Lines(string(read(t, dir, MetricsFile))) {
		var m map[string]any
		err := json.Unmarshal([]byte(line), &m)
		assert.Need(t, err == nil && strings.HasSuffix(line, "\n"), "line %q: %v", line, err)
		at, err := time.Parse(StampFormat, fmt.Sprint(m["time"]))
		assert.True(t, err == nil && time.Since(at).Abs() <= time.Hour, "line %q: %v", line, err)
		delete(m, "time")
		if delete(m, "seconds"); m["reason"] != "interrupted" {
			list = append(list, m)
		}
	}
	return list
}

// same holds a run, of what, to the files of an uninterrupted one, bit for bit, and to its events.
func same(t *testing.T, what, straight, dir string) {
	t.Helper()
	for _, name := range []string{OptimizerFile, ModelFile, ConfigFile} {
		assert.True(t, bytes.Equal(read(t, straight, name), read(t, dir, name)),
			"%s: %s differs from the uninterrupted run's", what, name)
	}
	a, b := metrics(t, straight), metrics(t, dir)
	assert.True(t, reflect.DeepEqual(a, b),
		"%s: the log has %d events, an uninterrupted run's %d; or others:\n%v\nand\n%v", what, len(b), len(a), b, a)
}

// TestCreate: a run is never replaced by accident, and a new one starts clean.
func TestCreate(t *testing.T) {
	t.Parallel() // it waits
	dir := filepath.Join(t.TempDir(), "runs", "first")
	r := tiny(t, "parity")
	f := create(t, dir, r)
	x := trainer(t, r, network(t, r))
	steps(t, x, 1)
	assert.NoError(t, f.Log(Warning{Step: 1, Text: "x"}))
	assert.NoError(t, f.Save(x))
	before := read(t, dir, OptimizerFile)
	_, err := Create(dir, r, true)
	assert.True(t, errors.As(err, new(*BusyError)), "overwriting a run that is trained: %v", err)
	_, err = Open(dir)
	assert.True(t, errors.As(err, new(*BusyError)), "resuming a run that is trained: %v", err)
	f.Close()
	write(t, dir, ModelFile+".0123abcd.tmp", nil)
	write(t, dir, MetricsFile+".0123abcd.tmp", nil)
	_, err = Create(dir, r, false)
	assert.True(t, errors.Is(err, ErrTaken), "a folder with a run: %v", err)
	assert.Is(t, before, read(t, dir, OptimizerFile), "a refused Create changed the run")
	assert.Is(t, assert.Must(ReadRun(dir))(t), r, "the run")
	names := assert.Must(fs.Glob(os.DirFS(dir), "*"))(t)
	assert.Is(t, names, []string{ConfigFile, MetricsFile, ModelFile, OptimizerFile}, "the folder holds")
	r.Training.Seed = 77
	defer assert.Must(Create(dir, r, true))(t).Close()
	assert.Is(t, assert.Must(ReadRun(dir))(t).Training.Seed, 77, "the seed of the run that overwrote it")
	assert.True(t, len(read(t, dir, MetricsFile)) == 0, "the old run's events are still there")
	for _, name := range []string{ModelFile, OptimizerFile} {
		assert.True(t, !there(dir, name), "the old run's %s is still there", name)
	}
	file := filepath.Join(dir, MetricsFile)
	assert.OneLine(t, "a folder inside a file", errOf(Create(filepath.Join(file, "run"), r, false)), file)
}

// TestCreateLeft: what a run without its configuration left is not taken for nothing, and stays; --overwrite replaces
// it.
func TestCreateLeft(t *testing.T) {
	r := tiny(t, "parity")
	kept := filepath.Join(KeptFolder, fmt.Sprintf(keptName, 5))
	for _, name := range []string{ModelFile, OptimizerFile, MetricsFile, kept} {
		dir := t.TempDir()
		assert.NoError(t, os.MkdirAll(filepath.Join(dir, KeptFolder), 0o755))
		write(t, dir, name, []byte("work"))
		write(t, dir, "notes", []byte("mine"))
		_, err := Create(dir, r, false)
		assert.OneLine(t, name, err, dir, filepath.Base(name), ConfigFile)
		assert.True(t, errors.Is(err, ErrTaken) && string(read(t, dir, name)) == "work" && !there(dir, LockFile),
			"a refused Create changed %s, or left its lock", name)
		assert.True(t, !there(dir, ConfigFile), "%s: a refused Create wrote the configuration", name)
		assert.Must(Create(dir, r, true))(t).Close()
		text, _ := os.ReadFile(filepath.Join(dir, name))
		assert.True(t, len(text) == 0, "the new run has the old %s", name)
		read(t, dir, "notes")
	}
}

func TestReadRunErrors(t *testing.T) {
	dir := t.TempDir()
	assert.OneLine(t, "no run", errOf(ReadRun(dir)), dir, ConfigFile)
	write(t, dir, ConfigFile, []byte(`{"model": "mha-csp", "task": "parity", "lr":`))
	assert.OneLine(t, "cut configuration", errOf(ReadRun(dir)), ConfigFile, "JSON")
	write(t, dir, ConfigFile, []byte(`{"model": "mha-csp", "task": "parity"}`))
	assert.OneLine(t, "a configuration without its training", errOf(ReadRun(dir)), ConfigFile, "steps")
}

// TestResume: a run that was interrupted after seven steps and goes on in a new process ends with the same files, bit
// for bit, as one that was not: parameters, optimizer, curriculum, early stopping; and with the same events.
func TestResume(t *testing.T) {
	for _, task := range []string{"arithmetic", "parity"} {
		// The step after the one that is stopped at is under way, except where a
		// checkpoint (5) or a validation (9) waits.
		for stop, at := range map[int]int{1: 2, 5: 5, 7: 8, 9: 9, 12: 12} {
			t.Run(fmt.Sprintf("%s/%d", task, stop), func(t *testing.T) {
				r := tiny(t, task)
				straight, broken := t.TempDir(), t.TempDir()
				goOn(t, create(t, straight, r), trainer(t, r, network(t, r)), 0)
				goOn(t, create(t, broken, r), trainer(t, r, network(t, r)), stop)
				assert.Need(t, !bytes.Equal(read(t, straight, OptimizerFile), read(t, broken, OptimizerFile)),
					"the interrupted run is at its end already: the test does not test")
				again := assert.Must(ReadRun(broken))(t)
				x := trainer(t, again, network(t, again))
				f := assert.Must(resume(broken, x))(t)
				defer f.Close()
				assert.Is(t, x.Count(), at, "resumed at step")
				goOn(t, f, x, 0)
				same(t, "resumed", straight, broken)
			})
		}
	}
}

// TestResumeState: what Resume puts back is what was saved, in full.
func TestResumeState(t *testing.T) {
	dir := t.TempDir()
	r := tiny(t, "parity")
	f := create(t, dir, r)
	x := trainer(t, r, network(t, r))
	steps(t, x, 7)
	x.curriculum.state = limitState{Limit: 7.2, Accuracy: 0.3, Seen: 0.9, Age: 12, Count: 31}
	x.early = earlyState{Best: 0.25, Step: 6, Since: 2}
	x.best = slices.Clone(parameters(t, x.Network))
	for _, p := range x.Network.Params().Tensors {
		x.best[p.Offset]++
	}
	assert.NoError(t, f.Save(x))
	f.Close()
	n := network(t, r)
	n.Initialise(1234)
	y := trainer(t, r, n)
	g := assert.Must(resume(dir, y))(t)
	defer g.Close()
	assert.True(t, y.step == 7 && y.adam.Steps == 7 && y.curriculum.state == x.curriculum.state && y.early == x.early,
		"step %d, Adam %d, %+v, %+v", y.step, y.adam.Steps, y.curriculum.state, y.early)
	m, v, err := x.adam.Moments()
	assert.NoError(t, err)
	m2, v2, err := y.adam.Moments()
	assert.NoError(t, err)
	assert.True(t, bitsEqual(parameters(t, n), parameters(t, x.Network)) && bitsEqual(y.best, x.best) &&
		bitsEqual(m, m2) && bitsEqual(v, v2), "parameters, best parameters or moments differ")
	x.curriculum.state, y.curriculum.state = limitState{}, limitState{Limit: 3} // x had none, and y has one by now
	assert.NoError(t, y.Restore(assert.Must(x.State())(t)))
	assert.Is(t, y.curriculum.state.Limit, 3, "a curriculum that came later begins at")
	g.Close()
	r.Training.Steps, g.Accept = 5, true
	_, err = g.state(r, n.Params())
	assert.OneLine(t, "fewer steps than were made", err, "steps is 5, and the last checkpoint is of step 7")
}

// TestResumeUnsaved: a run that was stopped before its first checkpoint starts again.
func TestResumeUnsaved(t *testing.T) {
	dir := t.TempDir()
	r := tiny(t, "parity")
	f := create(t, dir, r)
	assert.NoError(t, f.Log(Step{Step: 1}))
	f.Close()
	x := trainer(t, r, network(t, r))
	defer assert.Must(resume(dir, x))(t).Close()
	assert.True(t, x.Count() == 0 && len(read(t, dir, MetricsFile)) == 0,
		"step %d, events %q", x.Count(), read(t, dir, MetricsFile))
}

// TestResumeMetrics: what a killed run logged after its last checkpoint goes, a half written line too.
func TestResumeMetrics(t *testing.T) {
	dir := t.TempDir()
	r := tiny(t, "parity")
	f := create(t, dir, r)
	x := trainer(t, r, network(t, r))
	log := func(e Event) { assert.NoError(t, f.Log(e)) }
	for step := 1; step <= 9; step++ {
		log(steps(t, x, 1))
		if step == 6 {
			log(assert.Must(x.Evaluate(0, 4))(t))
			log(Warning{Step: 6, Text: "a \"quoted\"\nline"})
		}
		if step == 7 {
			assert.NoError(t, f.Save(x))
		}
	}
	f.Close()
	all := string(read(t, dir, MetricsFile))
	n := strings.Count(all, "\n")
	assert.Need(t, n == 11, "%d lines of 9 steps, a validation and a warning:\n%s", n, all)
	lines := strings.SplitAfter(all, "\n")
	write(t, dir, MetricsFile, []byte(all+`{"event":"step","step":10,"lo`))
	g := assert.Must(resume(dir, trainer(t, r, network(t, r))))(t)
	assert.Is(t, string(read(t, dir, MetricsFile)), strings.Join(lines[:9], ""), "kept")
	spent := 0.0
	for _, line := range lines[:9] {
		var e struct{ Seconds float64 }
		assert.NoError(t, json.Unmarshal([]byte(line), &e))
		spent += e.Seconds
	}
	assert.True(t, spent != 0 && math.Abs(g.Spent.Seconds()-spent) <= 1e-6,
		"the run has spent %v s, its log says %v", g.Spent.Seconds(), spent)
	assert.NoError(t, g.Log(Done{Step: 8, Reason: "finished"}))
	assert.NoError(t, g.Close())
	got := metrics(t, dir)
	assert.True(t, len(got) == 10 && got[0]["event"] == "step" && got[6]["event"] == "eval" &&
		got[6]["role"] == "train" && got[7]["event"] == "warning" &&
		fmt.Sprint(got[9]) == "map[event:done reason:finished step:8]", "events %v", got)
}

// slowLog is a log of that many steps that tells how far it was read.
type slowLog struct{ step, last, read int }

func (l *slowLog) Read(p []byte) (int, error) {
	if l.step == l.last {
		return 0, io.EOF
	}
	l.step++
	n := copy(p, fmt.Sprintf(`{"event":"step","step":%d,"seconds":0.5}`+"\n", l.step))
	l.read += n
	return n, nil
}

// TestKeepEvents: the log of a long run is read and written line by line, not held in memory.
func TestKeepEvents(t *testing.T) {
	log := &slowLog{last: 100_000}
	written, ahead := 0, 0
	spent, err := keepEvents(writer(func(p []byte) (int, error) {
		written += len(p)
		ahead = max(ahead, log.read-written)
		return len(p), nil
	}), log, 90_000, nil)
	assert.True(t, err == nil && spent == 45_000*time.Second && written >= 90_000*30 && ahead <= 64<<10,
		"%v, %v spent, %d bytes written, the reader %d bytes ahead", err, spent, written, ahead)
	var kept bytes.Buffer
	const text = `{"event":"step","step":1}` + "\r\n\nno event\n" + `{"event":"eval","step":2,"role":"test"}` + "\n" +
		`{"event":"warning","step":2,"text":"short"}` + "\n" + `{"event":"step","step":3}` + "\n" +
		`{"event":"step","step":2}`
	want := `{"event":"step","step":1}` + "\n" + `{"event":"step","step":2}` + "\n"
	assert.Must(keepEvents(&kept, strings.NewReader(text), 2, []string{"test", "short"}))(t)
	assert.Is(t, kept.String(), want, "kept")
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// TestResumeEnd: a run that is killed at its end, behind its last step's checkpoint or behind the one that its end
// writes, makes its last evaluations again when it goes on, and logs each once; until then it is over and, behind the
// first, not finished. Where it has taken the parameters of its best validation that is known from the second: no step
// can be made from there.
func TestResumeEnd(t *testing.T) {
	for _, c := range []struct {
		reason string
		edit   func(*Config)
	}{
		{"finished", func(*Config) {}},
		{"finished", func(c *Config) { c.Patience, c.LR, c.EvalEvery, c.TestSamples = 100, 10, 2, 8 }},
		{"finished", func(c *Config) { c.Patience, c.LR, c.EvalEvery, c.TestSamples = 100, 10, 2, 0 }},
		{"stopped early", func(c *Config) { c.Patience, c.EvalEvery, c.LR = 1, 2, 1e-30 }},
	} {
		for _, saved := range []bool{false, true} {
			r := tiny(t, "parity")
			c.edit(&r.Training)
			name := fmt.Sprintf("%s, patience %d, saved at its end: %t", c.reason, r.Training.Patience, saved)
			straight, dir := t.TempDir(), t.TempDir()
			goOn(t, create(t, straight, r), trainer(t, r, network(t, r)), 0)
			f, x := create(t, dir, r), trainer(t, r, network(t, r))
			emit := func(e Event) { assert.NoError(t, f.Log(e)) }
			none := func() error { return nil }
			for !x.Over() {
				s, ok, err := x.Advance()
				if ok {
					emit(s)
				}
				assert.NoError(t, errors.Join(err, x.Due(emit, none)))
			}
			assert.NoError(t, errors.Join(x.Settle(emit), f.Save(x)))
			assert.Is(t, assert.Must(x.Finish(emit))(t), c.reason, "%s", name)
			if saved {
				assert.NoError(t, f.Save(x))
			}
			f.Close() // and killed: it is not logged as done
			best := saved && r.Training.Patience > 0
			if best {
				longer, log := r, read(t, dir, MetricsFile)
				assert.NoError(t, longer.Extend(r.Training.Steps+4))
				_, err := resume(dir, trainer(t, longer, network(t, longer)))
				assert.True(t, err == ErrTookBest, "%s: made longer it is resumed: %v", name, err)
				assert.Is(t, log, read(t, dir, MetricsFile), "%s: a refused extension changes the log", name)
			}
			y := trainer(t, r, network(t, r))
			f = assert.Must(resume(dir, y))(t)
			assert.True(t, y.TookBest() == best, "%s: it has taken its best parameters: %t", name, !best)
			assert.True(t, y.Over() && (saved || !y.Finished()),
				"%s: resumed, it is over: %t, and finished: %t", name, y.Over(), y.Finished())
			goOn(t, f, y, 0)
			assert.True(t, y.Finished(), "%s: at its end it is not finished", name)
			same(t, name, straight, dir)
		}
	}
}

// TestResumeDamaged: whatever happened to the optimizer file, Resume says so in one line and leaves the trainer alone.
func TestResumeDamaged(t *testing.T) {
	r := tiny(t, "parity")
	dir, _ := saved(t, r, 2)
	whole := read(t, dir, OptimizerFile)
	attempt := func(what string, content []byte, words ...string) {
		t.Helper()
		write(t, dir, OptimizerFile, content)
		n := network(t, r)
		before := parameters(t, n)
		y := trainer(t, r, n)
		assert.OneLine(t, what, errOf(resume(dir, y)), append(words, OptimizerFile)...)
		assert.True(t, y.Count() == 0 && bitsEqual(before, parameters(t, n)), "%s: the trainer has changed", what)
	}
	for _, n := range []int{0, 1, 7, 8, 9, 100, len(whole) / 2, len(whole) - 1} {
		attempt(fmt.Sprintf("cut to %d of %d bytes", n, len(whole)), whole[:n])
	}
	attempt("bytes behind the end", append(slices.Clone(whole), 1, 2, 3))
	for _, at := range []int{0, 5, 8, 9, 20} {
		bad := slices.Clone(whole)
		bad[at] ^= 0x80
		attempt(fmt.Sprintf("byte %d flipped", at), bad)
	}
	edit := func(f func(*checkpoint.File)) []byte {
		file := assert.Must(checkpoint.Decode(bytes.NewReader(whole), int64(len(whole))))(t)
		f(file)
		var out bytes.Buffer
		assert.NoError(t, checkpoint.Encode(&out, file))
		return out.Bytes()
	}
	attempt("no progress", edit(func(f *checkpoint.File) { delete(f.Metadata, "progress") }), "progress")
	attempt("progress is no JSON",
		edit(func(f *checkpoint.File) { f.Metadata["progress"] = `{"step": 2` }), "progress")
	for _, name := range []string{"param.head.bias", "adam.m.embedding.weight", "adam.v.blocks.0.theta_h.weight"} {
		attempt("without "+name, edit(func(f *checkpoint.File) {
			f.Tensors = slices.DeleteFunc(f.Tensors, func(x checkpoint.Tensor) bool { return x.Name == name })
		}), name)
	}
	write(t, dir, OptimizerFile, whole)
	assert.Must(resume(dir, trainer(t, r, network(t, r))))(t).Close()
	assert.NoError(t, os.Remove(filepath.Join(dir, OptimizerFile)))
	assert.NoError(t, os.Mkdir(filepath.Join(dir, OptimizerFile), 0o755))
	assert.OneLine(t, "a folder in its place", errOf(resume(dir, trainer(t, r, network(t, r)))), OptimizerFile)
}

// TestDamage: what a run's files hold is told from what the system could not do; nothing is changed.
func TestDamage(t *testing.T) {
	r := tiny(t, "parity")
	dir := t.TempDir()
	create(t, dir, r)
	assert.Is(t, Damage(dir), nil, "before the first checkpoint")
	dir, _ = saved(t, r, 2)
	assert.Is(t, Damage(dir), nil, "whole")
	config, state := read(t, dir, ConfigFile), read(t, dir, OptimizerFile)
	for name, y := range map[string]struct {
		file, text string
		word       string
	}{
		"cut":             {OptimizerFile, string(state[:len(state)/2]), "truncated"},
		"no number":       {OptimizerFile, strings.Replace(string(state), `\"step\":2`, `\"step\":x`, 1), "progress"},
		"another":         {OptimizerFile, strings.ReplaceAll(string(state), "adam.m.head", "adam.m.tail"), "adam.m.head"},
		"config cut":      {ConfigFile, string(config[:20]), "JSON"},
		"config changed":  {ConfigFile, strings.Replace(string(config), `"seed": `, `"seed": 7`, 1), "seed is 7"},
		"config is empty": {ConfigFile, "", "JSON"},
	} {
		write(t, dir, ConfigFile, config)
		write(t, dir, OptimizerFile, state)
		write(t, dir, y.file, []byte(y.text))
		assert.OneLine(t, name, Damage(dir), y.file, y.word)
		assert.Is(t, read(t, dir, y.file), []byte(y.text), "%s: the file was changed", name)
	}
	write(t, dir, ConfigFile, config)
	path := filepath.Join(dir, OptimizerFile)
	assert.NoError(t, os.Remove(path))
	assert.OneLine(t, "no state", Damage(dir), OptimizerFile, "missing")
	os.Symlink(OptimizerFile, path)           // which no system can follow
	if _, err := os.Lstat(path); err != nil { // wine says that it made one
		t.Skip(err)
	}
	assert.Is(t, Damage(dir), nil, "a file that cannot be read")
	assert.NoError(t, os.Remove(path))
	write(t, dir, OptimizerFile, state)
	path = filepath.Join(dir, ConfigFile)
	assert.NoError(t, os.Remove(path))
	if err := os.Symlink(ConfigFile, path); err != nil {
		t.Skip(err)
	}
	_, err := Create(dir, r, false)
	assert.True(t, OfSystem(err) && bytes.Equal(read(t, dir, OptimizerFile), state),
		"a new run in the place of one whose configuration cannot be read: %v", err)
}

// TestSaveLog: no checkpoint is written before the log up to it is on the disk.
func TestSaveLog(t *testing.T) {
	dir := t.TempDir()
	r := tiny(t, "parity")
	f := create(t, dir, r)
	x := trainer(t, r, network(t, r))
	steps(t, x, 1)
	if path := filepath.Join(dir, MetricsFile); os.Rename(path, path+"~") == nil { // Windows moves no open file
		assert.OneLine(t, "a log that was moved away", f.Save(x), path, "removed or replaced", "put it back")
	}
	assert.NoError(t, f.metrics.Close()) // it cannot be flushed any more
	assert.OneLine(t, "a log that is not flushed", f.Save(x), MetricsFile, "not written")
	for _, name := range []string{OptimizerFile, ModelFile} {
		assert.True(t, !there(dir, name), "%s was written", name)
	}
}

// TestOtherShape: a checkpoint of another network is refused with the first tensor that does not fit.
func TestOtherShape(t *testing.T) {
	r := tiny(t, "parity")
	dir, x := saved(t, r, 0)
	for what, edit := range map[string]func(*model.Config){
		"param.embedding.weight":       func(c *model.Config) { c.Width = 12 },
		"param.blocks.0.metric.factor": func(c *model.Config) { c.Heads = 4 },
		"param.blocks.0.skip.gate":     func(c *model.Config) { c.Layers = 2 },
		"param.head.weight":            func(c *model.Config) { c.Classes = 3 },
	} {
		other := changed(r, edit)
		f := assert.Must(Open(dir))(t)
		f.Accept = true // what config.json says
		assert.OneLine(t, what, f.Resume(trainer(t, other, network(t, other))), OptimizerFile, what)
		f.Close()
	}

	path := filepath.Join(dir, "x.safetensors")
	for word, edit := range map[string]func(c *model.Config){
		"embedding.weight":        func(c *model.Config) { c.Vocab = 22 },
		"head.weight":             func(c *model.Config) { c.Classes = 5 },
		"blocks.0.theta_h.weight": func(c *model.Config) { c.Theta = "token" }, // one tensor too many
		"blocks.1.drive.weight":   func(c *model.Config) { c.Layers, c.Skip = 2, false },
	} {
		assert.NoError(t, WriteModel(path, changed(r, edit).Config, x.Network.Params(), parameters(t, x.Network)))
		_, _, err := LoadModel(path, reference.New[float32]())
		assert.OneLine(t, word, err, path, word)
	}
}

// TestLoadModelMemory: a small file with a great configuration is refused before memory for it is taken.
func TestLoadModelMemory(t *testing.T) {
	r := tiny(t, "parity")
	n := network(t, r)
	path := filepath.Join(t.TempDir(), "x.safetensors")
	c := changed(r, func(c *model.Config) { c.Width, c.Layers = 1024, 2 }).Config // about 150 MB with gradients
	assert.NoError(t, WriteModel(path, c, n.Params(), parameters(t, n)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := LoadModel(path, reference.New[float32]())
	runtime.ReadMemStats(&after)
	assert.OneLine(t, "a great configuration", err, path, "embedding.weight", "1024")
	taken := after.TotalAlloc - before.TotalAlloc
	assert.True(t, taken <= 16<<20, "%d bytes were taken first", taken)
}

// TestLoadModel: a model checkpoint comes back as it was, with the run's own configuration.
func TestLoadModel(t *testing.T) {
	r := tiny(t, "arithmetic")
	dir, x := saved(t, r, 3)
	device := cpu.New()
	defer device.Close()
	m, text, err := LoadModel(filepath.Join(dir, ModelFile), device)
	assert.NoError(t, err)
	assert.True(t, reflect.DeepEqual(m.Config(), r.Config) && bitsEqual(parameters(t, m), parameters(t, x.Network)),
		"%+v", m.Config())
	assert.Is(t, assert.Must(ParseRun(text))(t), r, "the checkpoint's configuration")
	write(t, dir, "cut.safetensors", read(t, dir, ModelFile)[:300])
	_, _, err = LoadModel(filepath.Join(dir, "cut.safetensors"), device)
	assert.OneLine(t, "cut", err, "cut.safetensors")
	assert.True(t, errors.Is(err, checkpoint.ErrFormat), "%v is no ErrFormat", err)
	_, _, err = LoadModel(filepath.Join(dir, "none"), device)
	assert.OneLine(t, "missing", err, "none")
	assert.True(t, errors.Is(err, os.ErrNotExist), "%v is no ErrNotExist", err)
	file := &checkpoint.File{Tensors: []checkpoint.Tensor{{Name: "x", Shape: []int{1}, Data: []float32{1}}}}
	assert.NoError(t, checkpoint.WriteFile(filepath.Join(dir, "bare"), file))
	_, _, err = LoadModel(filepath.Join(dir, "bare"), device)
	assert.OneLine(t, "no configuration", err, "bare", `"config"`)
}
