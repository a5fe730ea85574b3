package train

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/reference"
	"mhacsp/tasks/assert"
)

// stoppedAt is a trainer that is told to stop when it has called that many kernels.
func stoppedAt(t *testing.T, r Run, calls int) (x *Trainer, ctx context.Context, count *int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	device := cpu.New()
	t.Cleanup(device.Close)
	var halt *Halt
	count = new(int)
	halt = NewHalt(struct{ backend.Backend }{backend.Around{Memory: device, Do: func(c backend.Call) {
		if *count++; *count == calls {
			cancel()
			halt.Ask()
		}
		c.On(device)
	}}})
	n := assert.Must(r.Config.Open(halt))(t)
	n.Initialise(r.Training.Seed)
	x = trainer(t, r, n)
	x.Halt = halt
	return x, ctx, count
}

// TestHalt: wherever in its kernels a run is stopped, in a step, a validation or the test, it stops before the next,
// and ends, resumed, with the files and events of a run that was not.
func TestHalt(t *testing.T) {
	for _, task := range []string{"arithmetic", "parity", remembered} {
		r := tiny(t, task)
		straight := t.TempDir()
		whole, _, total := stoppedAt(t, r, -1)
		goOn(t, create(t, straight, r), whole, 0)
		places := map[string]int{}
		for i := range 8 {
			at := 1 + i*(*total-2)/7 // the last in the test
			dir := t.TempDir()
			x, ctx, count := stoppedAt(t, r, at)
			f := create(t, dir, r)
			emit := func(e Event) { assert.NoError(t, f.Log(e)) }
			assert.NoError(t, x.Continue(ctx, emit, func() error { return f.Save(x) }))
			what := fmt.Sprintf("%s, stopped at kernel %d, step %d %s", task, at, x.Count(), x.pending)
			assert.True(t, *count <= at+3, "%s: %d were called", what, *count) // the optimizer's are made
			places[x.pending]++
			f.Close()
			y := trainer(t, r, network(t, r))
			goOn(t, assert.Must(resume(dir, y))(t), y, 0)
			same(t, what, straight, dir)
		}
		assert.True(t, places[""] != 0 && places[pendingValidation] != 0 && places[pendingTest] != 0,
			"%s: stopped in %v, not everywhere", task, places)
	}
}

// TestHaltFails: what is no halt goes through.
func TestHaltFails(t *testing.T) {
	h := NewHalt(reference.New[float32]())
	failed := errors.New("x")
	err := h.guard(func() error { return failed })
	assert.True(t, err == failed, "%v", err)
	defer func() {
		r := recover()
		assert.True(t, r == "x", "%v", r)
	}()
	h.guard(func() error { panic("x") })
}
