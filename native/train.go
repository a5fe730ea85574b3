//go:build !js

package native

import (
	"bufio"
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
	"mhacsp/model/backend/cpu"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/native/words"
	"mhacsp/tasks/own"
	"mhacsp/tasks/show"
	"mhacsp/tasks/strict"
)

// mirrorTolerance is how far a kernel may be from the float64 reference under --mirror, relative L2 of a tensor: above
// what float32 does to ill-conditioned inputs, far below what a wrong index does.
const mirrorTolerance = 1e-3

// trainFlags are the flags of train that are not part of a run's configuration.
type trainFlags struct {
	device              deviceFlags
	config, out, resume string
	mirror              bool
	overwrite           bool
	limit               time.Duration
	stopAt              int
	accept              bool
}

func newTrain(out *bufio.Writer) *cobra.Command {
	var f trainFlags
	var s *settings
	c := &cobra.Command{
		Use:   "train",
		Short: "Train a model on a task, or go on with a run",
		Long: "Train a model on a task. " +
			"Without flags: the paper's main task with settings that suit it; every flag overrides one.\n" +
			"A run's folder holds config.json, model.safetensors, " +
			"optimizer.safetensors and metrics.jsonl, and in checkpoints/\n" +
			"what --keep-checkpoints asks for. One process trains a folder at a time. " +
			"The same seed gives the same run, bit for bit,\non the CPU.\n\n" +
			"Ctrl-C, SIGTERM, SIGHUP, SIGUSR1, a closed terminal or pipe, and --time-limit " +
			"write a checkpoint first, in the middle\nof an evaluation too. " +
			"The same command then goes on, or --resume; a second Ctrl-C ends at once.\n" +
			exitCodes + "\n\n" +
			"The first run on a GPU tries, within its own steps, which forms of the kernels are the fastest there; " +
			"results do not\ndepend on it. mhacsp devices shows the choice, and devices --tune forgets it.\n\n" +
			"--data learns from files of your own. A line is a JSON object with \"prompt\" and either \"target\" or " +
			"\"label\", texts, as in\n" +
			"  {\"prompt\": \"Jan 23, 2069\", \"target\": \"2069-01-23\", \"group\": \"american\"}\n" +
			"The vocabulary is that of the training file. ask and eval --data then need the run's folder alone.",
		Example: "  mhacsp train\n" +
			"  mhacsp train --task parity --model csp --steps 120 --seed 4\n" +
			"  mhacsp train --data TRAIN.jsonl --validation V.jsonl --test T.jsonl --steps 1500\n" +
			"  mhacsp train --resume runs/parity-csp-4\n" +
			"  mhacsp train --out runs/a --time-limit 55m",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.limit < 0 {
				return fmt.Errorf("--time-limit is %v; give a time above 0, as in 55m", f.limit)
			}
			if err := strict.Within("stop-at", f.stopAt, 0, 1<<30); err != nil {
				return err
			}
			t := newTraining(out, c, f, s)
			defer t.close()
			ctx, release := whenToStop(c.Context(), f.limit, t.say)
			defer release()
			c.SetContext(ctx)
			if f.resume != "" {
				if err := onlyResume(s); err != nil {
					return err
				}
				return t.goOn(t.pickUp(f.resume))
			}
			return t.goOn(t.begin(f, s))
		},
	}
	s = addTrainFlags(c, &f)
	c.Flags().DurationVar(&f.limit, "time-limit", 0, "write a checkpoint and stop with exit code 75 "+
		"before this `time` has passed, as in 55m (default: none)")
	c.Flags().IntVar(&f.stopAt, "stop-at", 0, "write a checkpoint and stop with exit code 75 after the first "+
		"validation from this `step` on; the same run goes on later (default: none)")
	addOwn(c, s)
	return c
}

// addTrainFlags adds the flags of a run to train.
func addTrainFlags(c *cobra.Command, f *trainFlags) *settings {
	s := addSettings(c, runSettings())
	addFile(c, &f.config, "config", "", "configuration of a run or a model, a JSON `file`; flags override it", "json")
	addBackend(c, &f.device, "auto")
	addFile(c, &f.out, "out", "", "`folder` of the run (default "+runsFolder+"/TASK-MODEL-SEED, "+
		"with format, lengths, split and ablation where they are not the default)")
	c.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace a run that stands in the folder, "+
		"one that this command began too: leave it out to go on (default false)")
	c.Flags().BoolVar(&f.mirror, "mirror", false,
		"run every kernel on the float64 reference too and stop at the first tensor that differs; "+
			"slow (default false)")
	addFile(c, &f.resume, "resume", "", "go on with the run in this `folder` to its own end; "+
		"--steps makes it longer; of other flags only --backend, --adapter, --gpu-memory, --threads, --mirror, "+
		"--accept-changes, a time limit and, for data that was moved, --data, --validation and --test may be given "+
		"with it")
	c.Flags().BoolVar(&f.accept, "accept-changes", false,
		"with --resume: go on although config.json was changed by hand since the last checkpoint (default false)")
	return s
}

// onlyResume refuses what would make a resumed run another one. --steps makes it longer.
func onlyResume(s *settings) error {
	other := slices.DeleteFunc(s.describing(), func(name string) bool { return name == "steps" })
	return apart(s.command, "resume", "goes on with the settings of the run", other...)
}

// training is one run of the train command.
type training struct {
	out      *bufio.Writer
	command  *cobra.Command
	asked    deviceFlags
	mirror   bool
	accept   bool
	stopAt   int                    // the run stops after the first validation from this step on; 0: it does not
	longer   func(*train.Run) error // makes a run that is picked up longer; nil where that was not asked for
	audience audience               // who else follows the run; may be nil
	own      *ownFlags              // may be nil

	device  backend.Backend
	net     sequence.Network
	trainer *train.Trainer
	tuner   stepTuner // may be nil
	folder  *train.Folder
	saved   int // step of the last checkpoint
	resumed int // step of the checkpoint that the run was picked up from
	display atomic.Pointer[display]
}

// newTraining is what flags ask for.
func newTraining(out *bufio.Writer, c *cobra.Command, f trainFlags, s *settings) *training {
	t := &training{out: out, command: c, asked: f.device, mirror: f.mirror, accept: f.accept, stopAt: f.stopAt,
		own: s.own}
	if f.resume != "" && s.given("steps") {
		t.longer = func(r *train.Run) error {
			var asked train.Run
			if err := s.set["steps"](&asked); err != nil || asked.Training.Steps == r.Training.Steps {
				return err
			}
			return r.Extend(asked.Training.Steps)
		}
	}
	return t
}

// audience follows a run in the goroutine that trains.
type audience interface {
	// begin comes before the first step. stop ends the run as Ctrl-C does; emit is for Trainer.Settle.
	begin(ctx context.Context, stop func(), emit func(train.Event))
	event(train.Event)
}

// begin makes a new run and its folder. Where the folder holds the same run already it is picked up.
func (t *training) begin(f trainFlags, s *settings) error {
	r, _, err := s.resolve(f.config)
	if err != nil {
		return err
	}
	dir := f.out
	if dir == "" {
		dir = filepath.Join(runsFolder, nameOf(r))
	}
	if old, err := train.ReadRun(dir); err == nil && !f.overwrite {
		old.Training.Extended = nil // however it came to its steps
		changes, err := old.Changes(r)
		if err != nil {
			return err
		}
		if len(changes) == 0 {
			return t.pickUp(dir)
		}
		return fmt.Errorf("%s %w, with %s %s, not %s", dir, train.ErrTaken, flagged(t.command, changes[0].Key),
			changes[0].Here, changes[0].There)
	}
	if err := t.prepare(r); err != nil {
		return err
	}
	if err := diskHolds(dir, r, t.net.Params().Count()); err != nil {
		return err
	}
	if t.folder, err = train.Create(dir, r, f.overwrite); err != nil {
		if _, missing := train.ReadRun(dir); missing == nil && errors.Is(err, train.ErrTaken) {
			t.device.Close() // another process has made the run since, and let it go
			return t.begin(f, s)
		}
		return err
	}
	return working(t.save())
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
	if ablation := ablationOf(r.Config); ablation != "" {
		parts = append(parts, ablation)
	}
	return strings.Join(append(parts, fmt.Sprint(c.Seed)), "-")
}

// goOn trains a run that was made or picked up with this error.
func (t *training) goOn(err error) error {
	if errors.Is(err, errFinished) {
		fmt.Fprintf(t.out, "%v; nothing to do\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	return t.carryOn()
}

// errFinished says that a run came to its end.
var errFinished = errors.New("is finished")

// pickUp opens a run where its last checkpoint was.
func (t *training) pickUp(dir string) error {
	var err error
	if t.folder, err = train.Open(dir); err != nil {
		return err
	}
	t.folder.Accept = t.accept
	r, err := train.ReadRun(dir)
	if err != nil {
		return err
	}
	if err := t.own.resumes(dir, r); err != nil {
		return err
	}
	old := r.Training.Steps
	if t.longer != nil {
		if err := t.longer(&r); err != nil {
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
		return fmt.Errorf("%s %w", dir, errFinished)
	}
	if err := t.prepare(r); err != nil {
		return err
	}
	switch err := t.folder.Resume(t.trainer); {
	case errors.Is(err, train.ErrTookBest): // it was stopped in its test, or behind it
		return ended
	case err != nil:
		return err
	}
	if extended {
		if err := t.folder.WriteConfig(r); err != nil {
			return err
		}
	}
	t.checkpointed()
	t.resumed = t.saved
	return nil
}

// prepare builds the network with its start values, and the trainer at step 0.
func (t *training) prepare(r train.Run) error {
	err := t.own.reopen(&r)
	if err != nil {
		return err
	}
	if t.device, err = openBackend(t.asked); err != nil {
		return err
	}
	if t.mirror {
		t.device = backend.NewMirror(t.device, cpu.NewReference[float64](), mirrorTolerance)
	}
	halt := train.NewHalt(t.device)
	if t.net, err = build(r.Config, halt, bytesTrained); err != nil {
		return err
	}
	if t.device.Info().Name != "gpu" {
		if err := batchFits(r); err != nil {
			return err
		}
	}
	t.net.Initialise(r.Training.Seed)
	if t.trainer, err = train.New(r, t.net); err != nil {
		return err
	}
	t.trainer.Halt = halt
	if t.tuner = tuner(t.device, r.Training.Batch, t.say); t.tuner != nil {
		t.trainer.Observer = t.tuner
	}
	return nil
}

// say prints a note, above the progress bar where there is one. Any goroutine may call it.
func (t *training) say(text string) {
	if d := t.display.Load(); d != nil {
		(*d).note(text)
		return
	}
	io.WriteString(t.command.ErrOrStderr(), text)
}

// carryOn trains to the run's end, or until the command's context is done.
func (t *training) carryOn() error {
	r, begin := t.trainer.Run, time.Now()
	t.header()
	ctx, end := context.WithCancelCause(t.command.Context())
	cancel := func() { end(errInterrupted) }
	defer cancel()
	defer context.AfterFunc(ctx, t.trainer.Halt.Ask)()
	d := newDisplay(t.out, consoleOf(ctx).err, t.trainer)
	t.display.Store(&d)

	started := train.Started{
		Step: t.trainer.Count(), Process: os.Getpid(), Origin: originOf(t.device, t.asked),
		Subject: train.SubjectOf(r.Config.Name(), t.net.Params().Count(), t.trainer.Task, r.Training.Options),
		Split:   r.Training.Split, Seed: r.Training.Seed, Steps: r.Training.Steps,
		Extended: r.Training.Extended, Changed: t.folder.Changed,
	}
	if err := t.folder.Log(started); err != nil {
		return t.failure(err)
	}
	var logged error // the first event that could not be logged; the run then stops
	var done train.Done
	emit := func(e train.Event) {
		if failed := t.folder.Log(e); failed != nil && logged == nil {
			logged = failed
			cancel()
		}
		switch e := e.(type) {
		case train.Step:
			d.step(e)
		case train.Evaluation:
			d.print(evaluationText(e))
			if t.stopAt > 0 && e.Step >= t.stopAt && e.Step < r.Training.Steps {
				end(fmt.Errorf("%w by --stop-at %d", errPreempted, t.stopAt))
			}
		case train.Warning:
			d.print("warning: " + flagged(t.command, e.Text) + "\n")
		case train.Done:
			done = e
		}
		if t.audience != nil {
			t.audience.event(e)
		}
	}
	if t.audience != nil {
		t.audience.begin(ctx, cancel, emit)
	}
	err := t.trainer.Continue(ctx, emit, func() error {
		if logged != nil {
			return logged // a checkpoint ahead of the log would leave a gap in it
		}
		return t.save()
	})
	t.display.Store(nil)
	err = errors.Join(err, t.folder.Close()) // whoever reads may take long
	d.close()
	lastWords(onTheCPU)
	switch {
	case logged != nil:
		return t.failure(logged)
	case err != nil:
		return t.failure(err)
	case done.Reason == "interrupted":
		return fmt.Errorf("%w at step %s of %s, checkpoint written; go on with: %s train --resume %s",
			context.Cause(ctx), words.Number(done.Step), words.Number(r.Training.Steps), program, quote(t.folder.Dir))
	}
	fmt.Fprintf(t.out, "%s at step %s after %s: %s\n",
		done.Reason, words.Number(done.Step), (t.folder.Spent + time.Since(begin)).Round(time.Second/10),
		show.Line(filepath.Join(t.folder.Dir, train.ModelFile)))
	if line := memoryLine(t.device); line != "" {
		fmt.Fprintf(t.out, "memory: %s\n", line)
	}
	fmt.Fprintf(t.out, "next: %s ask --run %s %s\n", program, quote(t.folder.Dir),
		promptFor(t.trainer.Task.Example(), filepath.Separator))
	return nil
}

func (t *training) header() {
	r, p := t.trainer.Run, t.trainer.Network.Params()
	fmt.Fprintf(t.out, "device   %s\n", deviceLine(t.device, t.asked))
	fmt.Fprintf(t.out, "model    %s, %s, supervision %s\n", r.Config.Name(),
		words.Plural(p.Count(), "parameter"), r.Config.Shape().Supervision())
	fmt.Fprintf(t.out, "task     %s, %sseed %d\n", taskText(r.Training), splitText(r.Training), r.Training.Seed)
	if o, ok := r.Own.(*own.Task); ok {
		for _, w := range o.Warnings() {
			fmt.Fprintf(t.out, "warning  %s\n", inWords(w))
		}
	}
	fmt.Fprintf(t.out, "folder   %s\n", show.Line(t.folder.Dir))
	if note := t.folder.Note(); note != "" {
		fmt.Fprintf(t.out, "note     %s\n", note)
	}
	if n := t.trainer.Count(); n > 0 {
		fmt.Fprintf(t.out, "resumed at step %s of %s\n", words.Number(n), words.Number(r.Training.Steps))
	}
	t.out.Flush()
}

func (t *training) close() {
	if t.folder != nil {
		t.folder.Close()
	}
	if t.tuner != nil {
		t.tuner.Close()
	}
	if t.device != nil {
		t.device.Close()
	}
}

func (t *training) save() error {
	if err := t.folder.Save(t.trainer); err != nil {
		return err
	}
	t.checkpointed()
	return nil
}

// checkpointed notes where the run can go on.
func (t *training) checkpointed() {
	t.saved = t.trainer.Count()
	if t.device.Info().Name == "gpu" {
		lastWords(t.good())
	}
}

// good names the last good checkpoint and how to go on from it.
func (t *training) good() string {
	return fmt.Sprintf("last good checkpoint: step %s in %s; go on with: %s train --resume %s",
		words.Number(t.saved), quote(t.folder.Dir), program, quote(t.folder.Dir))
}

// failure names the last good checkpoint in addition to what went wrong, and how to go on where that can help: without
// the device that failed, or with space on the disk again.
func (t *training) failure(err error) error {
	var numbers *train.NotFiniteError
	if errors.As(err, &numbers) && numbers.Cause == train.Diverged && t.resumed > 0 && t.trainer.Count() == t.resumed {
		// Not wrapped: what was read is at fault.
		return fmt.Errorf("%s: no step can be made from the numbers that it holds (%v); copy it again, or train again",
			filepath.Join(t.folder.Dir, train.OptimizerFile), err)
	}
	if _, gone := os.Stat(filepath.Join(t.folder.Dir, train.OptimizerFile)); errors.Is(gone, fs.ErrNotExist) {
		return internalError{fmt.Errorf("%w; the checkpoint of step %s is no longer in %s: go on where it was moved "+
			"to, or train again", err, words.Number(t.saved), quote(t.folder.Dir))}
	}
	var system syscall.Errno
	if errors.Is(err, backend.ErrDeviceLost) || errors.Is(err, backend.ErrOutOfMemory) || errors.As(err, &system) {
		return internalError{fmt.Errorf("%w; %s", err, t.good())}
	}
	return internalError{fmt.Errorf("%w; last good checkpoint: step %s in %s",
		err, words.Number(t.saved), quote(t.folder.Dir))}
}

// finished reports whether the run in a folder came to its own end, after that many steps or by stopping early, and
// its model is there.
func finished(dir string, steps int) bool {
	if _, err := os.Stat(filepath.Join(dir, train.ModelFile)); err != nil {
		return false
	}
	last, err := train.LastEvent(dir)
	done, ok := last.(train.Done)
	return err == nil && ok && (done.Reason == "stopped early" || done.Reason == "finished" && done.Step >= steps)
}
