//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mhacsp/model/study"
)

// errElsewhere says that another process trains a cell.
var errElsewhere = errors.New("left to another process that trains it")

// lockPatience is how long cells that another process holds are waited for: as long as a lock that nobody renews is
// believed, and a little for clocks that differ.
const lockPatience = study.Alive + 2*time.Second

// finish runs the cells of this call. Those that another process holds come last, and are waited for: a process that
// was killed, for its memory say, has left its locks. Where it lives the error is errElsewhere, since 0 would say that
// all is done. ctx is the call's; limited ends with the budget too.
func (t *studying) finish(ctx, limited context.Context) error {
	left, err := t.work(limited)
	for err == nil && len(left) > 0 && limited.Err() == nil {
		free, held := t.wait(limited, left)
		if len(free) == 0 {
			break
		}
		var again []study.Spec
		again, err = t.workOn(limited, free)
		left = append(held, again...)
		if len(again) == len(free) { // locks that this machine's clock takes for old, and whose holders live
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w; finished cells are kept, begun ones have a checkpoint; the same command goes on",
			context.Cause(ctx))
	case err != nil && !errors.Is(err, errBudget):
		return err
	case len(t.failed) > 0:
		return internalError{fmt.Errorf("%s failed: %s; the lines above say why, and the same command tries again",
			plural(len(t.failed), "cell"), strings.Join(t.failed, ", "))}
	case len(left) > 0 && limited.Err() == nil:
		return fmt.Errorf("%s: %w; nothing else is to do here, so run the same command again when it has ended",
			names(left), errElsewhere)
	}
	return nil
}

// workOn is work on a few cells, which are read again and get steps of what is left of the budget.
func (t *studying) workOn(ctx context.Context, cells []study.Spec) (left []study.Spec, err error) {
	if t.mine, err = t.readCells(study.Plan{Cells: cells}); err != nil {
		return nil, err
	}
	t.printDamaged()
	if err := t.prepare(ctx); err != nil {
		return nil, err
	}
	return t.work(ctx)
}

// wait ends when no cell is held any more, when its patience is over, or with ctx. Those that are still held then are
// being trained.
func (t *studying) wait(ctx context.Context, cells []study.Spec) (free, held []study.Spec) {
	fmt.Fprintf(t.stderr, "%s: another process trains it, or was killed; waiting %v at most to know which\n",
		names(cells), t.patience)
	end := time.NewTimer(t.patience)
	defer end.Stop()
	for {
		free, held = nil, nil
		for _, c := range cells {
			if study.Held(t.folder(c.Name), time.Now()) {
				held = append(held, c)
			} else {
				free = append(free, c)
			}
		}
		if len(held) == 0 {
			return free, nil
		}
		select {
		case <-ctx.Done():
			return nil, cells
		case <-end.C:
			return free, held
		case <-time.After(t.patience / 64):
		}
	}
}

func names(cells []study.Spec) string {
	var list []string
	for _, c := range cells {
		list = append(list, c.Name)
	}
	return strings.Join(list, ", ")
}
