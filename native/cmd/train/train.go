//go:build !js

// Package train implements mhacsp train, which trains a model or goes on with a run.
package train

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
	"mhacsp/model/checkpoint"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/runs"
	"mhacsp/native/words"
	"mhacsp/tasks/own"
	"mhacsp/tasks/show"
	"mhacsp/tasks/strict"
)

// mirrorTolerance is how far a kernel may be from the float64 reference under --mirror, relative L2 of a tensor: above
// what float32 does to ill-conditioned inputs, far below what a wrong index does.
const mirrorTolerance = 1e-3

// Flags are the flags of train that are not part of a run's configuration.
type Flags struct {
	Device                    hardware.Flags
	Config, out, Resume       string
	mirror, overwrite, accept bool
	limit                     time.Duration
	stopAt                    int // the run stops after the first validation from this step on; 0: it does not
}

// New makes the command train, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	var f Flags
	var s *runs.Settings
	c := &cobra.Command{
		Use:   "train",
		Short: "Train a model on a task, or go on with a run",
		Long: `Train a model on a task. Without flags: the paper's main task with settings that suit it; every flag
overrides one. A run's folder holds config.json, model.safetensors, optimizer.safetensors and metrics.jsonl, and in
checkpoints/ what --keep-checkpoints asks for. One process trains a folder at a time. The same seed gives the same
run, bit for bit, on the CPU.

Ctrl-C, SIGTERM, SIGHUP, SIGUSR1, a closed terminal or pipe, and --time-limit write a checkpoint first, in the middle
of an evaluation too. The same command then goes on, or --resume; a second Ctrl-C ends at once.
` + cli.ExitCodes + `

The first run on a GPU tries, within its own steps, which forms of the kernels are the fastest there; results do not
depend on it. mhacsp devices shows the choice, and devices --tune forgets it.

--data learns from files of your own. A line is a JSON object with "prompt" and either "target" or "label", texts:
  {"prompt": "Jan 23, 2069", "target": "2069-01-23", "group": "american"}
The vocabulary is that of the training file. ask and eval --data then need the run's folder alone.`,
		Example: "  mhacsp train\n" +
			"  mhacsp train --task parity --model csp --steps 120 --seed 4\n" +
			"  mhacsp train --data TRAIN.jsonl --validation V.jsonl --test T.jsonl --steps 1500\n" +
			"  mhacsp train --resume runs/parity-csp-4\n" +
			"  mhacsp train --out runs/a --time-limit 55m",
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.limit < 0 || f.limit == 0 && c.Flags().Changed("time-limit") {
				return fmt.Errorf("--time-limit is %v; give a time above 0, as in 55m", f.limit)
			}
			if err := strict.Within("stop-at", f.stopAt, 0, 1<<30); err != nil {
				return err
			}
			t := NewTraining(out, c, f, s)
			defer t.Close()
			ctx, release := cli.WhenToStop(c.Context(), f.limit, t.say)
			defer release()
			c.SetContext(ctx)
			var err error
			if f.Resume == "" {
				err = t.Begin(f, s)
			} else if err = OnlyResume(s); err == nil {
				err = t.PickUp(f.Resume)
			}
			switch {
			case errors.Is(err, ErrFinished):
				fmt.Fprintf(out, "%v; nothing to do\n", err)
				return nil
			case err != nil:
				return err
			}
			return t.CarryOn()
		},
	}
	s = AddFlags(c, &f)
	c.Flags().DurationVar(&f.limit, "time-limit", 0, "write a checkpoint and stop with exit code 75 "+
		"before this `time` has passed, as in 55m (default: none)")
	c.Flags().IntVar(&f.stopAt, "stop-at", 0, "write a checkpoint and stop with exit code 75 after the first "+
		"validation from this `step` on; the same run goes on later (default: none)")
	runs.AddOwn(c, s)
	c.Flags().Lookup("data").Usage += "; with --resume the file's new place, as are the next two"
	return c
}

// AddFlags adds the flags of a run to train.
func AddFlags(c *cobra.Command, f *Flags) *runs.Settings {
	s := runs.AddSettings(c, runs.RunSettings())
	cli.AddFile(c, &f.Config, "config", "", "configuration of a run or a model, a JSON `file`; flags override it",
		"json")
	hardware.AddFlags(c, &f.Device, "auto")
	cli.AddFile(c, &f.out, "out", "", "`folder` of the run (default "+runs.Folder+"/TASK-MODEL-SEED, "+
		"with the task's options, split and ablation where they are not the default)")
	c.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace a run that stands in the folder, "+
		"one that this command began too: leave it out to go on (default false)")
	c.Flags().BoolVar(&f.mirror, "mirror", false,
		"run every kernel on the float64 reference too and stop at the first tensor that differs; "+
			"slow (default false)")
	cli.AddFile(c, &f.Resume, "resume", "", "go on with the run in this `folder` to its own end; "+
		"--steps makes it longer; of other flags only --backend, --adapter, --gpu-memory, --threads, --mirror, "+
		"--accept-changes, --stop-at, a time limit and, for data that was moved, --data, --validation and --test "+
		"may be given with it")
	c.Flags().BoolVar(&f.accept, "accept-changes", false,
		"with --resume: go on although config.json was changed by hand since the last checkpoint (default false)")
	return s
}

// OnlyResume refuses what would make a resumed run another one. --steps makes it longer.
func OnlyResume(s *runs.Settings) error {
	other := slices.DeleteFunc(s.Describing(), func(name string) bool { return name == "steps" })
	return cli.Apart(s.Command, "resume", "goes on with the settings of the run", other...)
}

// Training is one run of the train command.
type Training struct {
	Out      *bufio.Writer
	command  *cobra.Command
	asked    Flags
	settings *runs.Settings
	Audience Audience // who else follows the run; may be nil

	Device  backend.Backend
	Net     sequence.Network
	Trainer *train.Trainer
	tuner   hardware.StepTuner // may be nil
	Folder  *train.Folder
	saved   int // step of the last checkpoint
	resumed int // step of the checkpoint that the run was picked up from
	display atomic.Pointer[display]
}

// NewTraining is what flags ask for.
func NewTraining(out *bufio.Writer, c *cobra.Command, f Flags, s *runs.Settings) *Training {
	return &Training{Out: out, command: c, asked: f, settings: s}
}

// Audience follows a run in the goroutine that trains.
type Audience interface {
	// Begin comes before the first step. stop ends the run as Ctrl-C does; emit is for Trainer.Settle.
	Begin(ctx context.Context, stop func(), emit func(train.Event))
	Event(train.Event)
}

// Begin makes a new run and its folder. Where the folder holds the same run already it is picked up.
func (t *Training) Begin(f Flags, s *runs.Settings) error {
	r, _, err := s.Resolve(f.Config)
	if err != nil {
		return err
	}
	dir := cmp.Or(f.out, filepath.Join(runs.Folder, nameOf(r)))
	if old, err := train.ReadRun(dir); err == nil && !f.overwrite {
		old.Training.Extended = nil // however it came to its steps
		changes, err := old.Changes(r)
		if err != nil {
			return err
		}
		if len(changes) == 0 {
			return t.PickUp(dir)
		}
		longer := ""
		if len(changes) == 1 && r.Training.Steps > old.Training.Steps {
			longer = fmt.Sprintf("; train --resume %s --steps %d makes it longer", cli.Quote(dir), r.Training.Steps)
		}
		return fmt.Errorf("%s %w, with %s %s, not %s%s", dir, train.ErrTaken, cli.FlagName(t.command, changes[0].Key),
			changes[0].Here, changes[0].There, longer)
	}
	if err := t.prepare(r); err != nil {
		return err
	}
	if err := hardware.DiskHolds(dir, r, t.Net.Params().Count()); err != nil {
		return err
	}
	if t.Folder, err = train.Create(dir, r, f.overwrite); err != nil {
		if _, missing := train.ReadRun(dir); missing == nil && errors.Is(err, train.ErrTaken) {
			t.Close() // another process has made the run since, and let it go
			return t.Begin(f, s)
		}
		return err
	}
	return cli.Working(t.save())
}

// nameOf is a run's usual folder: task, model, what else tells apart the rows of a table where it is not the default,
// and the seed.
func nameOf(r train.Run) string {
	c := r.Training
	parts := []string{c.Task, r.Config.Name()}
	add := func(differs bool, part string) {
		if differs {
			parts = append(parts, part)
		}
	}
	add(c.Preset != "" && c.Preset != "author", c.Preset)
	add(c.Format != "" && c.Format != "repeat", c.Format)
	add(c.MinLength > 0, fmt.Sprintf("min%d", c.MinLength))
	add(c.MaxLength > 0, fmt.Sprintf("max%d", c.MaxLength))
	add(c.Brackets != nil && !*c.Brackets, "flat")
	add(c.Operators == "+-", "no-times")
	add(c.Split != "structure", c.Split)
	ablation := runs.AblationOf(r.Config)
	add(ablation != "", ablation)
	return strings.Join(append(parts, fmt.Sprint(c.Seed)), "-")
}

// ErrFinished says that a run came to its end.
var ErrFinished = errors.New("is finished")

// PickUp opens a run where its last checkpoint was.
func (t *Training) PickUp(dir string) error {
	var err error
	if t.Folder, err = train.Open(dir); err != nil {
		return err
	}
	t.Folder.Accept = t.asked.accept
	r, err := runs.ReadRun(dir)
	if err != nil {
		return err
	}
	if err := t.settings.Own.Resumes(dir, r); err != nil {
		return err
	}
	old := r.Training.Steps
	if t.asked.Resume != "" && t.settings.Given("steps") {
		var longer train.Run
		err := t.settings.Set["steps"](&longer)
		if err == nil && longer.Training.Steps != old {
			err = r.Extend(longer.Training.Steps)
		}
		if err != nil {
			return err
		}
	}
	extended := r.Training.Steps != old
	ended := fmt.Errorf("--steps cannot make %s longer: it is finished, with the parameters of its best validation "+
		"(--patience) in place of its last; start a new run", dir)
	switch {
	case extended && finished(dir, old) && r.Training.Patience > 0:
		return ended
	case finished(dir, r.Training.Steps):
		return fmt.Errorf("%s %w", dir, ErrFinished)
	}
	if err := t.prepare(r); err != nil {
		return err
	}
	switch err := t.Folder.Resume(t.Trainer); {
	case errors.Is(err, train.ErrTookBest) && extended: // it was stopped in its test, or behind it
		return ended
	case err != nil:
		return err
	}
	if extended {
		if err := t.Folder.WriteConfig(r); err != nil {
			return err
		}
	}
	t.checkpointed()
	t.resumed = t.saved
	return nil
}

// prepare builds the network with its start values, and the trainer at step 0.
func (t *Training) prepare(r train.Run) error {
	err := t.settings.Own.Reopen(&r)
	if err != nil {
		return err
	}
	if t.Device, err = hardware.Open(t.asked.Device); err != nil {
		return err
	}
	if t.asked.mirror {
		t.Device = backend.NewMirror(t.Device, reference.New[float64](), mirrorTolerance)
	}
	halt := train.NewHalt(t.Device)
	if t.Net, err = runs.Build(r.Config, halt, hardware.BytesTrained); err != nil {
		return err
	}
	if t.Device.Info().Name != "gpu" {
		if err := hardware.BatchFits(r); err != nil {
			return err
		}
	}
	t.Net.Initialise(r.Training.Seed)
	if t.Trainer, err = train.New(r, t.Net); err != nil {
		return err
	}
	t.Trainer.Halt = halt
	if t.tuner = hardware.Tuner(t.Device, r.Training.Batch, t.say); t.tuner != nil {
		t.Trainer.Observer = t.tuner
	}
	return nil
}

// say prints a note, above the progress bar where there is one. Any goroutine may call it.
func (t *Training) say(text string) {
	if d := t.display.Load(); d != nil {
		(*d).note(text)
		return
	}
	io.WriteString(t.command.ErrOrStderr(), text)
}

// CarryOn trains to the run's end, or until the command's context is done.
func (t *Training) CarryOn() error {
	r, begin := t.Trainer.Run, time.Now()
	t.header()
	ctx, end := context.WithCancelCause(t.command.Context())
	cancel := func() { end(cli.ErrInterrupted) }
	defer cancel()
	defer context.AfterFunc(ctx, t.Trainer.Halt.Ask)()
	d := newDisplay(t.Out, cli.ConsoleOf(ctx).Err, t.Trainer)
	t.display.Store(&d)

	started := train.Started{
		Step: t.Trainer.Count(), Process: os.Getpid(), Origin: hardware.OriginOf(t.Device, t.asked.Device),
		Subject: train.SubjectOf(r.Config.Name(), t.Net.Params().Count(), t.Trainer.Task, r.Training.Options),
		Split:   r.Training.Split, Seed: r.Training.Seed, Steps: r.Training.Steps,
		Extended: r.Training.Extended, Changed: t.Folder.Changed,
	}
	if err := t.Folder.Log(started); err != nil {
		return t.failure(err)
	}
	var logged error // the first event that could not be logged; the run then stops
	var done train.Done
	emit := func(e train.Event) {
		if failed := t.Folder.Log(e); failed != nil && logged == nil {
			logged = failed
			cancel()
		}
		switch e := e.(type) {
		case train.Step:
			d.step(e)
		case train.Evaluation:
			d.print(evaluationText(e))
			if cli.Unread(t.Out.Flush()) { // of which Windows sends no signal
				end(fmt.Errorf("%w by a closed pipe", cli.ErrPreempted))
			}
			if at := t.asked.stopAt; at > 0 && e.Step >= at && e.Step < r.Training.Steps {
				end(fmt.Errorf("%w by --stop-at %d", cli.ErrPreempted, at))
			}
		case train.Warning:
			d.print("warning: " + cli.Flagged(t.command, e.Err) + "\n")
		case train.Done:
			done = e
		}
		if t.Audience != nil {
			t.Audience.Event(e)
		}
	}
	if t.Audience != nil {
		t.Audience.Begin(ctx, cancel, emit)
	}
	err := t.Trainer.Continue(ctx, emit, func() error {
		if logged != nil {
			return logged // a checkpoint ahead of the log would leave a gap in it
		}
		return t.save()
	})
	t.display.Store(nil)
	err = errors.Join(err, t.Folder.Close()) // whoever reads may take long
	d.close()
	hardware.LastWords(hardware.OnTheCPU)
	switch {
	case logged != nil:
		return t.failure(logged)
	case err != nil:
		return t.failure(err)
	case done.Reason == "interrupted":
		return fmt.Errorf("%w at step %s of %s, checkpoint written; go on with: %s train --resume %s",
			context.Cause(ctx), words.Number(done.Step), words.Number(r.Training.Steps), cli.Program,
			cli.Quote(t.Folder.Dir))
	}
	fmt.Fprintf(t.Out, "%s at step %s after %s: %s\n",
		done.Reason, words.Number(done.Step), (t.Folder.Spent + time.Since(begin)).Round(time.Second/10),
		show.Line(filepath.Join(t.Folder.Dir, train.ModelFile)))
	if line := hardware.MemoryLine(t.Device); line != "" {
		fmt.Fprintf(t.Out, "memory: %s\n", line)
	}
	fmt.Fprintf(t.Out, "next: %s ask --run %s %s\n", cli.Program, cli.Quote(t.Folder.Dir),
		cli.PromptFor(t.Trainer.Task.Example(), filepath.Separator))
	return nil
}

func (t *Training) header() {
	r, p := t.Trainer.Run, t.Trainer.Network.Params()
	fmt.Fprintf(t.Out, "device   %s\n", hardware.DeviceLine(t.Device, t.asked.Device))
	fmt.Fprintf(t.Out, "model    %s, %s, supervision %s\n", r.Config.Name(),
		words.Plural(p.Count(), "parameter"), r.Config.Shape().Supervision())
	split := "split " + r.Training.Split + ", "
	if r.Training.Task != train.DefaultTask { // the roles of strings are random streams, whatever the split
		split = ""
	}
	fmt.Fprintf(t.Out, "task     %s, %sseed %d\n", cli.TaskText(r.Training), split, r.Training.Seed)
	if o, ok := r.Own.(*own.Task); ok {
		for _, w := range o.Warnings() {
			fmt.Fprintf(t.Out, "warning  %s\n", cli.InWords(w))
		}
	}
	fmt.Fprintf(t.Out, "folder   %s\n", show.Line(t.Folder.Dir))
	if note := t.Folder.Note(); note != "" {
		fmt.Fprintf(t.Out, "note     %s\n", note)
	}
	if n := t.Trainer.Count(); n > 0 {
		fmt.Fprintf(t.Out, "resumed at step %s of %s\n", words.Number(n), words.Number(r.Training.Steps))
	}
	t.Out.Flush()
}

// Close lets folder and device go, once.
func (t *Training) Close() {
	if t.Folder != nil {
		t.Folder.Close()
	}
	if t.tuner != nil {
		t.tuner.Close()
	}
	if t.Device != nil {
		t.Device.Close()
	}
	t.tuner, t.Device = nil, nil
}

func (t *Training) save() error {
	if err := t.Folder.Save(t.Trainer); err != nil {
		return err
	}
	t.checkpointed()
	return nil
}

// checkpointed notes where the run can go on.
func (t *Training) checkpointed() {
	t.saved = t.Trainer.Count()
	if t.Device.Info().Name == "gpu" {
		hardware.LastWords(t.good())
	}
}

// good names the last good checkpoint and how to go on from it.
func (t *Training) good() string {
	return fmt.Sprintf("last good checkpoint: step %s in %s; go on with: %s train --resume %s",
		words.Number(t.saved), cli.Quote(t.Folder.Dir), cli.Program, cli.Quote(t.Folder.Dir))
}

// failure names the last good checkpoint in addition to what went wrong, and how to go on where that can help: without
// the device that failed, or with space on the disk again.
func (t *Training) failure(err error) error {
	var numbers *train.NotFiniteError
	if errors.As(err, &numbers) && numbers.Cause == train.Diverged && t.resumed > 0 && t.Trainer.Count() == t.resumed {
		// Not wrapped: what was read is at fault.
		return fmt.Errorf("%s: no step can be made from the numbers that it holds (%v); copy it again, or train again",
			filepath.Join(t.Folder.Dir, train.OptimizerFile), err)
	}
	if _, gone := os.Stat(filepath.Join(t.Folder.Dir, train.OptimizerFile)); errors.Is(gone, fs.ErrNotExist) {
		return cli.Internal(fmt.Errorf("%w; the checkpoint of step %s is no longer in %s: go on where it was moved "+
			"to, or train again", err, words.Number(t.saved), cli.Quote(t.Folder.Dir)))
	}
	var system syscall.Errno
	if errors.Is(err, backend.ErrDeviceLost) || errors.Is(err, backend.ErrOutOfMemory) || errors.As(err, &system) {
		good := t.good()
		if errors.Is(err, backend.ErrOutOfMemory) {
			good += " --backend cpu" // the same batch would not fit again
		}
		return cli.Internal(fmt.Errorf("%w; %s", err, good))
	}
	return cli.Internal(fmt.Errorf("%w; last good checkpoint: step %s in %s",
		err, words.Number(t.saved), cli.Quote(t.Folder.Dir)))
}

// finished reports whether the run in a folder came to its own end, after that many steps or by stopping early, and
// its model is there.
func finished(dir string, steps int) bool {
	_, err := checkpoint.ReadFile(filepath.Join(dir, train.ModelFile)) // a resumed run writes one that is lost again
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, checkpoint.ErrFormat) {
		return false
	}
	last, err := train.LastEvent(dir)
	done, ok := last.(train.Done)
	return err == nil && ok && (done.Reason == "stopped early" || done.Reason == "finished" && done.Step >= steps)
}
