//go:build !js

package tables

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mhacsp/model/study"
	"mhacsp/model/study/sweep"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/words"
)

// sweeping is one call of sweep. What is trained next is read from the runs' folders alone, each time: so any number
// of processes share them, and one that was killed leaves nothing behind but its locks.
type sweeping struct {
	studying // its plan has the runs, all seeds of a configuration after one another
	sweepPlan
	keys          []sweep.Key
	values        [][]string // of each configuration
	target        float64
	first, shares int   // the configurations that are begun here: first, first + shares …
	rungs         []int // steps; the last one is each run's own end

	mutex  sync.Mutex
	cells  []study.Cell
	stamps []string     // of the files that the cells were read from
	busy   map[int]bool // cells that are trained here
	lost   map[int]bool // that failed in this call
	idle   time.Time    // since when nothing was to be done here
}

// climb chooses the rungs.
func (w *sweeping) climb() error {
	if n := len(w.values) * w.Seeds; n < 1 || n != len(w.plan.Cells) {
		return fmt.Errorf("%s: %s and %s are not of one sweep; choose another --out", w.f.out, SweepFile,
			study.PlanFile)
	}
	w.busy, w.lost = map[int]bool{}, map[int]bool{}
	w.stamps, w.cells = make([]string, len(w.plan.Cells)), make([]study.Cell, len(w.plan.Cells))
	for i, s := range w.plan.Cells {
		r, err := s.Asked()
		if err != nil {
			return err
		}
		x, rungs := r.Training, []int{r.Training.Steps}
		if w.Method == "halving" {
			if rungs = sweep.Rungs(x.Steps, x.EvalEvery); len(rungs) < 2 {
				return fmt.Errorf("--eval-every is %d: halving compares runs by validations before their end, at "+
					"step %d; give --eval-every %d", x.EvalEvery, x.Steps/3, max(1, x.Steps/9))
			}
			if i > 0 && !slices.Equal(rungs, w.rungs) {
				return fmt.Errorf("--method is halving, which compares runs after the same steps, and they have %v "+
					"or %v; give --steps and --eval-every, the same for all", w.rungs, rungs)
			}
		}
		w.rungs, w.cells[i] = rungs, study.Cell{Spec: s, State: study.Absent, Run: r, Asked: x.Steps}
	}
	return nil
}

// refresh reads the cells whose files have changed. One that another process trains stays as it was.
func (w *sweeping) refresh() error {
	for i, s := range w.plan.Cells {
		dir, stamp := w.folder(s.Name), "" // a file's size and time tell whether it changed
		for _, name := range []string{train.MetricsFile, train.ModelFile, study.FailedFile} {
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
				stamp += fmt.Sprint(info.Size(), info.ModTime().UnixNano(), " ")
			}
		}
		held, known := study.Held(dir, time.Now()), w.stamps[i] == stamp && w.cells[i].State != study.Running
		switch {
		case w.busy[i] || known && !held:
		case held && w.stamps[i] != "":
			w.cells[i].State = study.Running
		default:
			c, err := study.Read(s, dir, time.Now())
			if err != nil {
				return err
			}
			w.cells[i], w.stamps[i] = c, stamp
		}
	}
	return nil
}

// reached reports whether a cell has come to a rung, with the rung's step and the last validation up to there.
func (w *sweeping) reached(c study.Cell, rung int) (last study.Point, step int, ok bool) {
	step = w.rungs[rung]
	if rung == len(w.rungs)-1 {
		step = c.Asked
	}
	ok = c.State == study.Finished
	for _, p := range c.Validations {
		if p.Step <= step {
			last = p
		}
		ok = ok || p.Step >= step && step < c.Asked
	}
	return last, step, ok
}

// scores are the means over the seeds of each configuration at the rungs that it has reached: exact match, and between
// equals the loss, by less than a sample.
func (w *sweeping) scores() [][]float64 {
	list := make([][]float64, len(w.values))
	for c := range list {
		for rung := range w.rungs {
			sum, there, failed := 0.0, true, false
			for i := c * w.Seeds; i < (c+1)*w.Seeds; i++ {
				last, _, ok := w.reached(w.cells[i], rung)
				sum += (last.Exact - 1e-9*min(last.Loss, 10)) / float64(w.Seeds)
				there, failed = there && ok, failed || !ok && w.lost[i]
			}
			if failed {
				list[c] = append(list[c], sweep.Failed)
			}
			if failed || !there {
				break
			}
			list[c] = append(list[c], sum)
		}
	}
	return list
}

// next is a cell to be trained and the rung that it goes to; below 0 where there is none now. wait says that there may
// be one when others that are trained have come further.
func (w *sweeping) next() (cell, rung int, wait bool, err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if err := w.refresh(); err != nil {
		return -1, 0, false, err
	}
	held := len(w.elsewhere()) > 0
	for _, job := range sweep.Next(w.scores(), len(w.rungs), len(w.busy) == 0 && !held) {
		if job.Rung == 0 && job.Configuration%w.shares != w.first {
			continue
		}
		for i := job.Configuration * w.Seeds; i < (job.Configuration+1)*w.Seeds; i++ {
			_, _, there := w.reached(w.cells[i], job.Rung)
			if !there && !w.busy[i] && !w.lost[i] && w.cells[i].State != study.Running {
				w.busy[i], w.idle = true, time.Time{}
				return i, job.Rung, false, nil
			}
		}
	}
	if len(w.busy) > 0 || w.idle.IsZero() {
		w.idle = time.Now()
	}
	return -1, 0, len(w.busy) > 0 || held && time.Since(w.idle) < w.patience, nil
}

// elsewhere are the cells that other processes train.
func (w *sweeping) elsewhere() (list []study.Spec) {
	for i, c := range w.cells {
		if c.State == study.Running && !w.busy[i] {
			list = append(list, c.Spec)
		}
	}
	return list
}

// trainAll trains until nothing is left to do here, or ctx ends.
func (w *sweeping) trainAll(ctx context.Context) error {
	p := newCellProgress(&w.studying, nil)
	stop := p.tell.Every(func() string {
		running, _ := p.running()
		w.mutex.Lock()
		defer w.mutex.Unlock()
		var there []string // at each rung
		for rung, step := range w.rungs {
			n := 0
			for _, c := range w.cells {
				if _, _, ok := w.reached(c, rung); ok {
					n++
				}
			}
			there = append(there, fmt.Sprintf("%d at %s", n, words.Number(step)))
		}
		return fmt.Sprintf("%s: %s  %s", words.Plural(len(w.cells), "run"), strings.Join(there, ", "),
			strings.Join(running, ", "))
	})
	errs := make([]error, w.f.jobs)
	w.each(w.f.jobs, func(worker int) {
		for ctx.Err() == nil {
			i, rung, wait, err := w.next()
			switch {
			case i >= 0:
				w.advance(ctx, i, rung, p)
			case wait:
				time.Sleep(200 * time.Millisecond)
			default:
				errs[worker] = err
				return
			}
		}
	})
	stop()
	p.tell.End()
	switch left := w.elsewhere(); {
	case ctx.Err() != nil:
		return fmt.Errorf("%w; finished runs are kept, begun ones have a checkpoint; the same command goes on",
			context.Cause(ctx))
	case errors.Join(errs...) != nil:
		return errors.Join(errs...)
	case len(w.lost) > 0:
		return cli.Internal(fmt.Errorf("%s failed; the lines above say why, and the same command tries again",
			words.Plural(len(w.lost), "run")))
	case len(left) > 0 && w.shares == 1:
		return fmt.Errorf("%s: %w; nothing else is to do here, so run the same command again when it has ended",
			names(left), cli.ErrElsewhere)
	}
	return nil
}

// advance trains a cell to a rung.
func (w *sweeping) advance(ctx context.Context, i, rung int, p *cellProgress) {
	c := w.cells[i] // nobody changes a busy one
	if c.State == study.Damaged {
		p.tell.Note(fmt.Sprintf("%s is damaged, and made again: %s", c.Name, c.Reason))
	}
	var more []string
	if _, step, _ := w.reached(c, rung); step < c.Asked {
		more = []string{fmt.Sprintf("--stop-at=%d", step)}
	}
	err := w.train(ctx, c, c.Asked, p, more...)
	p.forget(c.Name, true)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	delete(w.busy, i)
	if ctx.Err() != nil || errors.Is(err, cli.ErrElsewhere) {
		return
	}
	if err == nil {
		err = w.refresh()
	}
	last, step, ok := w.reached(w.cells[i], rung)
	if err == nil && !ok {
		err = errors.New(cmp.Or(w.cells[i].Reason, "it was stopped from outside"))
	}
	text := fmt.Sprintf("%s of validation after %s of %s", cli.Percent(last.Exact), words.Plural(step, "step"),
		words.Number(c.Asked))
	if err != nil {
		w.lost[i], text = true, err.Error()
	}
	p.tell.Note(fmt.Sprintf("%s (%s): %s", c.Name, c.Row, text))
}
