//go:build desktop && !js

package view

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/spf13/cobra"

	"mhacsp/model/train"
	"mhacsp/native/cli"
	traincmd "mhacsp/native/cmd/train"
	"mhacsp/native/hardware"
	"mhacsp/native/runs"
	"mhacsp/native/window"
	"mhacsp/native/words"
	"mhacsp/tasks"
)

// view opens the window of the view command and returns when it is closed.
func view(c *cobra.Command, out *bufio.Writer, f viewFlags, s *runs.Settings) (err error) {
	if err := needDisplay(); err != nil {
		return err
	}
	ctx, listened := cli.WhenToStop(c.Context(), 0, func(string) {})
	defer listened()
	c.SetContext(ctx)
	v, work, release, err := f.open(c, out, s)
	if err != nil {
		return err
	}
	defer release()
	var recorder *window.Recorder
	if f.record != "" {
		if recorder, err = window.Record(f.record); err != nil {
			return err
		}
		defer func() {
			frames, failed := recorder.Close()
			if failed != nil {
				err = failed
			}
			fmt.Fprintf(out, "%s: %s recorded\n", f.record, words.Plural(frames, "frame"))
		}()
	}
	dark := f.theme == "dark" || f.theme == "auto" && ebiten.SystemColorMode() == ebiten.ColorModeDark
	screen := window.NewScreen(v, window.Options{
		Example: v.text, Class: f.class, Dark: dark, Clocks: f.clocks,
		Modulus: v.modulus(), Adding: v.modulus() > 0 && f.ask == "" && !f.clocks && !f.play,
	})
	win, err := window.New(screen, "mhacsp: "+v.run.Training.Task, recorder)
	if err != nil {
		return cli.Internal(err)
	}
	v.win = win

	closed, ended := make(chan struct{}), make(chan error, 1)
	defer context.AfterFunc(ctx, win.Close)()
	go func() { ended <- work(closed) }()
	opened := win.Run(f.width, f.height, f.fullScreen)
	close(closed)
	worked := <-ended
	switch {
	case opened != nil:
		return fmt.Errorf("the window: %w", opened)
	case errors.Is(worked, cli.ErrInterrupted) && ctx.Err() == nil:
		fmt.Fprintln(out, worked) // the window was closed: as it should be
		return nil
	case worked == nil && ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return worked
}

// LeaveMainThread undoes ebiten's tie of the main goroutine to the main thread, which only a window needs: a goroutine
// that is tied waits longer for others.
func LeaveMainThread() { runtime.UnlockOSThread() }

// needDisplay says where no window can open.
func needDisplay() error {
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return errors.New(`there is no display here (DISPLAY is not set): run view in a desktop session, ` +
			`or train without a window with "mhacsp train"`)
	}
	if len(ebiten.AppendMonitors(nil)) == 0 {
		return fmt.Errorf(`display %q cannot be opened: run view in a desktop session, `+
			`or train without a window with "mhacsp train"`, os.Getenv("DISPLAY"))
	}
	return nil
}

// open loads or makes what the flags name. work is what the goroutine that owns the device does until the window is
// closed.
func (f *viewFlags) open(c *cobra.Command, out *bufio.Writer, s *runs.Settings) (host *viewer,
	work func(closed chan struct{}) error, release func(), err error) {
	if f.run != "" {
		l, err := runs.Load(f.run, "", f.train.Device)
		if err == nil {
			err = l.RefuseOwn("view")
		}
		if err != nil {
			return nil, nil, nil, err
		}
		v := newViewer(l.Run, l.Task, l.Net, f.ask)
		v.clocks.wanted = f.clocks // in the first reading, which is the last where --close
		err = v.asked()
		if err == nil {
			err = v.show(l, f)
		}
		if err != nil {
			l.Device.Close()
			return nil, nil, nil, err
		}
		return v, func(closed chan struct{}) error {
			v.look()
			v.ended(f)
			v.serve(closed)
			return nil
		}, l.Device.Close, nil
	}
	if err := f.checkAsk(s); err != nil {
		return nil, nil, nil, err
	}
	t, err := f.openTraining(c, out, s)
	if err != nil {
		return nil, nil, nil, err
	}
	v := newViewer(t.Trainer.Run, t.Trainer.Task, t.Net, f.ask)
	v.trainer = t.Trainer
	v.meter = &traincmd.Meter{Task: v.task, Steps: v.run.Training.Steps}
	if v.curves, err = readCurves(t.Folder.Dir, v.run.Training.Steps, t.Trainer.Count()); err != nil {
		t.Close()
		return nil, nil, nil, err
	}
	v.describe(hardware.DeviceLine(t.Device, f.train.Device), t.Folder.Dir)
	t.Audience = v
	return v, func(closed chan struct{}) error { return v.train(t, closed, f) }, t.Close, nil
}

// checkAsk refuses a run of the user's own data, and an expression that is no text of the task of the run to train,
// before a folder is made for it.
func (f *viewFlags) checkAsk(s *runs.Settings) error {
	if f.ask == "" && f.train.Resume == "" {
		return nil
	}
	var r train.Run
	var err error
	if f.train.Resume != "" {
		r, err = train.ReadRun(f.train.Resume)
	} else {
		r, _, err = s.Resolve(f.train.Config)
	}
	switch {
	case err != nil:
		return err
	case r.Training.Data != nil:
		return fmt.Errorf("%s has data of its own, which view cannot show; go on with: %s train --resume %s",
			cli.Quote(f.train.Resume), cli.Program, cli.Quote(f.train.Resume))
	case f.ask == "":
		return nil
	}
	task, err := tasks.New(r.Training.Task, r.Training.Options)
	if err != nil {
		return err
	}
	return newViewer(r, task, nil, f.ask).asked()
}

// train trains to the end of the run or until the window is closed, then shows what was trained.
func (v *viewer) train(t *traincmd.Training, closed chan struct{}, f *viewFlags) error {
	v.closed = closed
	err := t.CarryOn()
	t.Out.Flush()
	v.trainer.Between = nil
	v.step = v.trainer.Count()
	switch {
	case errors.Is(err, cli.ErrInterrupted), errors.Is(err, cli.ErrPreempted):
		v.win.Close()
		return err
	case err != nil:
		v.publish() // that it has ended, and where
		v.win.Do(func(s *window.Screen) {
			s.SetTrouble("Training ended: " + err.Error())
			if f.close {
				s.CloseAtRest()
			}
		})
	default:
		v.look()
		v.ended(f)
	}
	v.serve(closed)
	return err
}

// ended does what the flags ask for once there is a trained model.
func (v *viewer) ended(f *viewFlags) {
	v.win.Do(func(s *window.Screen) {
		if f.play {
			s.Play()
		}
		if f.close {
			s.CloseAtRest()
		}
	})
}
