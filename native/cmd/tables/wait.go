//go:build !js

package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mhacsp/model/study"
	"mhacsp/native/cli"
	"mhacsp/native/words"
)

// lockPatience is for held cells: as long as a lock that nobody renews is believed, and a little where clocks differ.
const lockPatience = study.Alive + 2*time.Second

// finish runs the cells of this call. Those that another process holds come last, and are waited for: a process that
// was killed, for its memory say, has left its locks. Where it lives the error is ErrElsewhere, since 0 would say that
// all is done. ctx is the call's; limited ends with the budget too.
func (t *studying) finish(ctx, limited context.Context) error {
	var mine []study.Spec
	for _, c := range t.mine {
		mine = append(mine, c.Spec)
	}
	left, err := t.work(limited)
	if err == nil {
		left, err = t.spendRest(limited, mine, left)
	}
	for err == nil && len(left) > 0 && limited.Err() == nil {
		free, held := t.wait(limited, left)
		if len(free) == 0 {
			break
		}
		var again []study.Spec
		if err = t.readAgain(free); err != nil {
			break
		}
		again, err = t.workOn(limited)
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
		return cli.Internal(fmt.Errorf("%s failed: %s; the lines above say why, and the same command tries again",
			words.Plural(len(t.failed), "cell"), strings.Join(t.failed, ", ")))
	case len(left) > 0 && limited.Err() == nil:
		return fmt.Errorf("%s: %w; nothing else is to do here, so run the same command again when it has ended",
			names(left), cli.ErrElsewhere)
	}
	return nil
}

// spendRest gives what is left of a budget to cells that got too few steps, since others took less than was foreseen.
// It ends when all are whole, or none gets any further. It adds to left.
func (t *studying) spendRest(ctx context.Context, cells, left []study.Spec) ([]study.Spec, error) {
	for before := -1; t.budget > 0 && ctx.Err() == nil; {
		cells = slices.DeleteFunc(cells, func(s study.Spec) bool {
			named := func(other study.Spec) bool { return other.Name == s.Name }
			return slices.Contains(t.failed, s.Name) || slices.ContainsFunc(left, named)
		})
		if err := t.readAgain(cells); err != nil {
			return left, err
		}
		done := 0
		for _, c := range t.mine {
			if c.Thin() {
				done++
			} else if c.Whole() {
				done += 2
			}
		}
		if done == before || done == 2*len(cells) {
			break
		}
		before = done
		more, err := t.workOn(ctx)
		if left = append(left, more...); err != nil {
			return left, err
		}
	}
	return left, nil
}

// readAgain takes a few cells for those of this call, as they are now.
func (t *studying) readAgain(cells []study.Spec) (err error) {
	t.mine, err = t.readCells(study.Plan{Cells: cells})
	return err
}

// workOn is work on the cells of this call once more: they get steps of what is left of the budget.
func (t *studying) workOn(ctx context.Context) (left []study.Spec, err error) {
	t.printDamaged(t.mine, "it is made", "it is measured")
	if err := t.prepare(ctx); err != nil {
		return nil, err
	}
	return t.work(ctx)
}

// wait ends when no cell is held any more, with ctx, or when its patience is over: what is held then is trained.
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
