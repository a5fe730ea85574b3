//go:build !js

package train

import (
	"fmt"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/checkpoint"
	"mhacsp/model/train"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// closing counts how often it is closed.
type closing struct {
	backend.Backend
	times int
}

func (d *closing) Close() { d.times++ }

// TestClose: a run that was begun twice, since another process made it meanwhile, closes each of its devices once.
func TestClose(t *testing.T) {
	d := &closing{}
	x := Training{Device: d}
	x.Close()
	x.Close()
	assert.Is(t, d.times, 1, "the device is closed … times")
}

// TestFinished: the last line of a log reports whether its run is finished, however long the log; it alone is read.
func TestFinished(t *testing.T) {
	p := nativetest.Parallel(t)
	assert.True(t, !finished(p.Dir, 1), "an empty folder is finished")
	assert.NoError(t, checkpoint.WriteFile(p.Path(train.ModelFile), &checkpoint.File{}))
	steps := strings.Repeat(`{"event":"step","step":1}`+"\n", 10_000)
	done := func(step int, reason string) string {
		return fmt.Sprintf(`{"event":"done","time":"x","step":%d,"reason":%q}`, step, reason)
	}
	for text, want := range map[string]bool{
		done(9, "finished") + "\n":                          true,
		done(9, "finished"):                                 true, // copied without its end
		done(8, "finished") + "\n":                          false,
		done(3, "stopped early") + "\n":                     true,
		done(9, "interrupted") + "\n":                       false,
		done(9, "finished") + "\n" + `{"event":"step","ste`: false,
		done(9, "finished") + "\n" + `{"event":"start"}`:    false,
		"": false, "\n": false, strings.Repeat("x", 8<<10): false,
	} {
		for _, before := range []string{"", steps} {
			p.Write(train.MetricsFile, before+text)
			assert.Is(t, finished(p.Dir, 9), want, "%.100q behind %d bytes: finished is", text, len(before))
		}
	}
}
