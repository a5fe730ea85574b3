package train

import (
	"errors"
	"io/fs"
	"testing"

	"mhacsp/model/metric"
	"mhacsp/tasks/assert"
)

// TestReadLog: what Log wrote is read back; damaged lines have no event.
func TestReadLog(t *testing.T) {
	dir := t.TempDir()
	want := []Event{
		Started{Origin: Origin{Version: "v1"}, Subject: Subject{Model: "csp"}, Seed: 7, Steps: 9},
		Step{Step: 1, Loss: 0.5, Exact: 0.25, Seconds: 0.125},
		Evaluation{Step: 1, Role: "test", Report: metric.Report{
			Tally: metric.Tally{Count: 4, Exact: 3}, ByDepth: map[int]metric.Tally{2: {Count: 4, Exact: 3}},
		}},
		Warning{Step: 1, Text: "careful"},
		Done{Step: 1, Reason: "finished"},
	}
	f := create(t, dir, tiny(t, "parity"))
	for _, e := range want {
		assert.NoError(t, f.Log(e))
	}
	log := read(t, dir, MetricsFile)
	wrong, half := `{"event":"step","step":"x"}`+"\n\n", `{"event":"st`
	write(t, dir, MetricsFile, []byte(wrong+string(log)+half))
	var got []Event
	for e, err := range ReadLog(dir) {
		assert.NoError(t, err)
		assert.True(t, (e.Event == nil) == (e.Line == 1 || e.Cut) && (e.Line == 8) == e.Cut &&
			(e.Event == nil || e.Time != ""), "%+v", e)
		if e.Event != nil {
			got = append(got, e.Event)
		}
	}
	assert.Is(t, got, want, "the events")
	for _, err := range ReadLog(t.TempDir()) {
		assert.True(t, errors.Is(err, fs.ErrNotExist), "a folder without a log: %v", err)
	}
}
