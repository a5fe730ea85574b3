//go:build cgo && !js

package webgpu

import (
	"testing"

	"github.com/cogentcore/webgpu/wgpu"
)

// blinded is a run whose device refuses the mark at the end of a submission.
type blinded struct {
	*tuned
	done bool
}

func (x *blinded) Begin() {
	x.tuned.Begin()
	l, ok := x.tuner.laps.(*lapQueries)
	if !ok || x.done {
		return
	}
	x.done = true
	for i := range l.slots {
		s := &l.slots[i]
		s.set.Release()
		var err error
		s.set, err = x.device.dev.CreateQuerySet(&wgpu.QuerySetDescriptor{Type: wgpu.QueryTypeTimestamp, Count: 1})
		if err != nil {
			x.t.Fatal(err)
		}
	}
}

// TestTunerBlind: where the device refuses its timestamps, training goes on without an error, and the search by the
// host's clock.
func TestTunerBlind(t *testing.T) {
	x := &blinded{tuned: newTuned(t, nil)}
	x.trainer.Laps = x
	x.until(x.spoken)
	if !x.done {
		t.Skip(errNoClock)
	}
	if r := x.said[0]; r.Clock != "wall" || len(r.Choices) != len(x.device.Candidates()) || len(r.Notes) > 0 {
		t.Errorf("found %+v", r)
	}
	if err := x.device.Sync(); err != nil {
		t.Error(err)
	}
}
