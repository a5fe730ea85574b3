package train

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mhacsp/model/backend/cpu"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
	"mhacsp/tasks/strict"
)

// ownRun is a small run of a task and its network without parameters.
func ownRun(t *testing.T, task tasks.Task) (Run, Network) {
	t.Helper()
	r := assert.Must(Recommended(task, "csp"))(t)
	assert.NoError(t, r.Overlay([]byte(`{"width": 4, "steps": 9, "batch": 4, "warmup": 0, "eval_every": 0,
		"eval_samples": 8, "test_samples": 0}`)))
	assert.Must(r.Fit())(t)
	device := cpu.New()
	t.Cleanup(device.Close)
	return r, assert.Must(r.Config.Open(device))(t)
}

// TestUninitialised: a network whose parameters nobody set is refused, in words.
func TestUninitialised(t *testing.T) {
	r, n := ownRun(t, assert.Must(tasks.New("parity", tasks.Options{MaxLength: 4}))(t))
	assert.OneLine(t, "New", errOf(New(r, n)), "never initialised")
	n.Params().Upload(n.Params().Initial(1))
	assert.NoError(t, errOf(New(r, n)))
}

// failing is a task whose samples cannot be read any more after that many.
type failing struct {
	tasks.Task
	left *int
}

var errGone = errors.New("the file is gone")

func (f failing) Sample(s *tasks.Sample, d tasks.Draw, index uint64) {
	*f.left--
	f.Task.Sample(s, d, index)
}

func (f failing) Err() error {
	if *f.left < 0 {
		return errGone
	}
	return nil
}

// TestDrawn: a run ends with the error of a task that cannot read its samples, and makes no step of them.
func TestDrawn(t *testing.T) {
	parity := assert.Must(tasks.New("parity", tasks.Options{MaxLength: 4}))(t)
	left := 1 + 3*4 // New draws one, a step four
	r, n := ownRun(t, failing{parity, &left})
	n.Params().Upload(n.Params().Initial(1))
	trainer := assert.Must(New(r, n))(t)
	err := trainer.Continue(context.Background(), func(Event) {}, nil)
	assert.True(t, errors.Is(err, errGone) && trainer.Count() == 3, "after %d steps: %v", trainer.Count(), err)
	_, err = trainer.Evaluate(tasks.Test, 4)
	assert.True(t, errors.Is(err, errGone), "Evaluate says %v", err)
	_, err = New(r, n)
	assert.True(t, errors.Is(err, errGone), "New says %v", err)
}

// TestData: a run whose task the program does not draw is read without it; New then needs it.
func TestData(t *testing.T) {
	parity := assert.Must(tasks.New("parity", tasks.Options{MaxLength: 4}))(t)
	r, n := ownRun(t, parity)
	n.Params().Upload(n.Params().Initial(1))
	raw := json.RawMessage(`{"any": "thing"}`)
	r.Training.Task, r.Training.Data, r.Training.Options = "mine", &raw, tasks.Options{}
	text := assert.Must(json.Marshal(r))(t)
	again, err := ParseRun(text)
	assert.Need(t, err == nil && again.Training.Data != nil && string(*again.Training.Data) == `{"any":"thing"}`,
		"%s is read as %+v (%v)", text, again, err)
	_, err = New(again, n)
	assert.True(t, errors.As(err, new(*strict.FieldError)), "without its task New says %v", err)
	again.Own = parity
	assert.NoError(t, errOf(New(again, n)))
	both := []byte(strings.Replace(string(text), `"mine"`, `"parity"`, 1))
	assert.OneLine(t, "data with a task of the program", errOf(ParseRun(both)), "data stands with task parity")
}
