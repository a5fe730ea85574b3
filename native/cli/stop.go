//go:build !js

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// ErrInterrupted ends a command that Ctrl-C stopped and that has said so.
var ErrInterrupted = errors.New("interrupted")

// ErrPreempted ends a run that something else stopped, with a checkpoint: a scheduler's signal, a closed terminal or
// pipe, --time-limit.
var ErrPreempted = errors.New("stopped")

// ErrElsewhere says that another process trains a cell.
var ErrElsewhere = errors.New("left to another process that trains it")

// MarginOf is how long before its limit a run begins to stop.
func MarginOf(limit time.Duration) time.Duration { return min(10*time.Second, limit/10) }

// WhenToStop is a context that ends when the run shall, with ErrInterrupted or ErrPreempted as its cause. say prints a
// line; it may come at any time. A second Ctrl-C has the system's usual effect. Of other signals, which schedulers
// send more than once, any number has the effect of one. A signal that was ignored when the program started, as nohup
// makes it, stays so. After release, with which the program is about to end, a signal finds nothing to stop: it does
// not change the exit code. From the beginning on nothing that is written waits for its reader, and once the run shall
// stop nor does the program's end.
func WhenToStop(parent context.Context, limit time.Duration, say func(string)) (ctx context.Context, release func()) {
	to := ConsoleOf(parent)
	to.Out.Leave()
	ctx, stop := context.WithCancelCause(parent)
	cancel := func(cause error) {
		stop(cause)
		to.Hurry()
	}
	signals := make(chan os.Signal, 8)
	for _, s := range StopSignals() {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	var late <-chan time.Time
	if limit > 0 {
		late = time.After(limit - MarginOf(limit))
	}
	go func() {
		for {
			select {
			case s := <-signals:
				if s == os.Interrupt {
					signal.Reset(os.Interrupt)
					running := ctx.Err() == nil
					cancel(ErrInterrupted)
					if running {
						say("stopping to write a checkpoint; Ctrl-C again ends at once\n")
					}
					continue
				}
				cancel(fmt.Errorf("%w by %s", ErrPreempted, SignalName(s)))
			case <-late:
				cancel(fmt.Errorf("%w by --time-limit %v", ErrPreempted, limit))
			}
		}
	}()
	return ctx, func() { stop(nil) }
}
