//go:build !js

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
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
			"what --keep-checkpoints asks for. Ctrl-C writes a checkpoint first; " +
			"a second Ctrl-C ends at once. The same seed gives\n" +
			"the same run, bit for bit, on the CPU.\n\n" +
			"--data learns from files of your own. A line is a JSON object with \"prompt\" and either \"target\" or " +
			"\"label\", texts, as in\n" +
			"  {\"prompt\": \"Jan 23, 2069\", \"target\": \"2069-01-23\", \"group\": \"american\"}\n" +
			"The vocabulary is that of the training file. ask and eval --data then need the run's folder alone.",
		Example: "  mhacsp train\n" +
			"  mhacsp train --task parity --model csp --steps 120 --seed 4\n" +
			"  mhacsp train --data TRAIN.jsonl --validation V.jsonl --test T.jsonl --steps 1500\n" +
			"  mhacsp train --resume runs/parity-csp-4",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := notEmpty(c, "resume", "out"); err != nil {
				return err
			}
			t := &training{out: out, command: c, asked: f.device, mirror: f.mirror, own: s.own}
			defer t.close()
			if f.resume != "" {
				if err := onlyResume(s); err != nil {
					return err
				}
				return t.resume(f.resume)
			}
			if err := t.begin(f, s); err != nil {
				return err
			}
			return t.carryOn()
		},
	}
	s = addTrainFlags(c, &f)
	addOwn(c, s)
	return c
}

// addTrainFlags adds the flags of a run to train.
func addTrainFlags(c *cobra.Command, f *trainFlags) *settings {
	s := addSettings(c, taskSettings(), []setting{splitSetting()},
		modelSettings(), batchSettings(), trainingSettings())
	addFile(c, &f.config, "config", "", "configuration of a run or a model, a JSON `file`; flags override it", "json")
	addBackend(c, &f.device, "auto")
	addFile(c, &f.out, "out", "", "`folder` of the run (default "+runsFolder+"/TASK-MODEL-SEED)")
	c.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace a run that stands in the folder (default false)")
	c.Flags().BoolVar(&f.mirror, "mirror", false,
		"run every kernel on the float64 reference too and stop at the first tensor that differs; "+
			"slow (default false)")
	addFile(c, &f.resume, "resume", "", "go on with the run in this `folder` to its own end; "+
		"only --backend, --adapter, --gpu-memory and --mirror may stand beside it")
	return s
}

// onlyResume refuses what would make a resumed run another one.
func onlyResume(s *settings) error {
	if other := s.describing(); other != "" {
		return fmt.Errorf("--%s cannot stand beside --resume, which goes on with the settings of the run; "+
			"start a new run for others", other)
	}
	return nil
}

// describing names a flag that the user gave and that says which run is trained and where it goes, or is empty.
func (s *settings) describing() string {
	var found string
	s.command.Flags().Visit(func(f *pflag.Flag) {
		if s.set[f.Name] != nil || f.Name == "config" || f.Name == "out" || f.Name == "overwrite" {
			found = f.Name
		}
	})
	return found
}

// training is one run of the train command.
type training struct {
	out      *bufio.Writer
	command  *cobra.Command
	asked    deviceFlags
	mirror   bool
	audience audience  // who else follows the run; may be nil
	own      *ownFlags // may be nil

	device  backend.Backend
	net     sequence.Network
	trainer *train.Trainer
	folder  *train.Folder
	saved   int // step of the last checkpoint
}

// audience follows a run in the goroutine that trains.
type audience interface {
	// begin comes before the first step. stop ends the run as Ctrl-C does; emit is for Trainer.Settle.
	begin(ctx context.Context, stop func(), emit func(train.Event))
	event(train.Event)
}

// begin makes a new run and its folder.
func (t *training) begin(f trainFlags, s *settings) error {
	r, _, err := s.resolve(f.config)
	if err != nil {
		return err
	}
	if err := t.prepare(r); err != nil {
		return err
	}
	dir := f.out
	if dir == "" {
		dir = filepath.Join(runsFolder, fmt.Sprintf("%s-%s-%d", r.Training.Task, r.Config.Name(), r.Training.Seed))
	}
	if t.folder, err = train.Create(dir, r, f.overwrite); err != nil {
		return err
	}
	return working(t.save())
}

// resume goes on where a run's last checkpoint was.
func (t *training) resume(dir string) error {
	err := t.pickUp(dir)
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
	if finished(dir) {
		return fmt.Errorf("%s %w", dir, errFinished)
	}
	r, err := train.ReadRun(dir)
	if err != nil {
		return err
	}
	if err := t.prepare(r); err != nil {
		return err
	}
	if err := t.folder.Resume(t.trainer); err != nil {
		return err
	}
	t.checkpointed()
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
	if t.net, err = build(r.Config, t.device); err != nil {
		return err
	}
	t.net.Initialise(r.Training.Seed)
	t.trainer, err = train.New(r, t.net)
	return err
}

// carryOn trains to the run's end or to Ctrl-C.
func (t *training) carryOn() error {
	r, begin := t.trainer.Run, time.Now()
	t.header()
	ctx, cancel := context.WithCancel(t.command.Context())
	defer cancel()
	d := newDisplay(t.out, t.command.ErrOrStderr(), t.trainer)
	stopped := onInterrupt(cancel, d)
	defer stopped()

	started := train.Started{Step: t.trainer.Count(), Device: deviceLine(t.device, t.asked)}
	if err := t.folder.Log(started); err != nil {
		return err
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
		case train.Warning:
			d.print("warning: " + e.Text + "\n")
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
	d.close()
	lastWords(onTheCPU)
	err = errors.Join(err, t.folder.Close())
	switch {
	case logged != nil:
		return logged
	case err != nil:
		return t.failure(err)
	case done.Reason == "interrupted":
		return fmt.Errorf("%w at step %s of %s, checkpoint written; go on with: mhacsp train --resume %s",
			errInterrupted, group(done.Step), group(r.Training.Steps), quote(t.folder.Dir))
	}
	fmt.Fprintf(t.out, "%s at step %s after %s: %s\n",
		done.Reason, group(done.Step), time.Since(begin).Round(time.Second/10),
		filepath.Join(t.folder.Dir, train.ModelFile))
	if line := memoryLine(t.device); line != "" {
		fmt.Fprintf(t.out, "memory: %s\n", line)
	}
	fmt.Fprintf(t.out, "next: mhacsp ask --run %s %q\n", quote(t.folder.Dir), t.trainer.Task.Example())
	return nil
}

func (t *training) header() {
	r, p := t.trainer.Run, t.trainer.Network.Params()
	fmt.Fprintf(t.out, "device   %s\n", deviceLine(t.device, t.asked))
	fmt.Fprintf(t.out, "model    %s, %s, supervision %s\n", r.Config.Name(),
		plural(p.Count(), "parameter"), r.Config.Shape().Supervision())
	fmt.Fprintf(t.out, "task     %s, %sseed %d\n", taskText(r.Training), splitText(r.Training), r.Training.Seed)
	fmt.Fprintf(t.out, "folder   %s\n", t.folder.Dir)
	if note := t.folder.Note(); note != "" {
		fmt.Fprintf(t.out, "note     %s\n", note)
	}
	if n := t.trainer.Count(); n > 0 {
		fmt.Fprintf(t.out, "resumed at step %s of %s\n", group(n), group(r.Training.Steps))
	}
	t.out.Flush()
}

func (t *training) close() {
	if t.folder != nil {
		t.folder.Close()
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
	return fmt.Sprintf("last good checkpoint: step %s in %s; go on with: mhacsp train --resume %s",
		group(t.saved), quote(t.folder.Dir), quote(t.folder.Dir))
}

// failure names the last good checkpoint beside what went wrong, and how to go on where that can help: without the
// device that failed, or with space on the disk again.
func (t *training) failure(err error) error {
	var system syscall.Errno
	if errors.Is(err, backend.ErrDeviceLost) || errors.Is(err, backend.ErrOutOfMemory) || errors.As(err, &system) {
		return working(fmt.Errorf("%w; %s", err, t.good()))
	}
	return working(fmt.Errorf("%w; last good checkpoint: step %s in %s", err, group(t.saved), quote(t.folder.Dir)))
}

// onInterrupt calls cancel at the first Ctrl-C; the second has the system's usual effect. The function that it
// returns ends the watch.
func onInterrupt(cancel func(), d display) func() {
	signals, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
			signal.Stop(signals)
			d.note("stopping after this step to write a checkpoint; Ctrl-C again ends at once\n")
			cancel()
		case <-ended:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(ended)
	}
}

// finished tells whether the run in a folder came to its own end and its model is there.
func finished(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, train.ModelFile)); err != nil {
		return false
	}
	text, err := os.ReadFile(filepath.Join(dir, train.MetricsFile))
	if err != nil {
		return false
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	var last struct{ Event, Reason string }
	err = json.Unmarshal(text[bytes.LastIndexByte(text, '\n')+1:], &last)
	return err == nil && last.Event == "done" && last.Reason != "interrupted"
}
