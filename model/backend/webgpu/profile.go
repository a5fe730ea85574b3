//go:build cgo || js

package webgpu

import (
	"errors"

	"github.com/cogentcore/webgpu/wgpu"

	"mhacsp/model/backend"
)

var errNoClock = errors.New("webgpu: this adapter, or the way it is reached, has no timestamp queries")

var _ backend.Profiler = (*Backend)(nil)

// clock takes the device's time before and after each dispatch of a submission.
type clock interface {
	mark(e *wgpu.CommandEncoder) error   // the time where the encoder stands
	finish(e *wgpu.CommandEncoder) error // all marks of the submission are to be fetched
	read(b *Backend) ([]float64, error)  // seconds at each mark, from some origin
	release()
}

// profile is what is measured while Profile is on.
type profile struct {
	clock clock
	times backend.Times
}

// Profile measures kernels by timestamp queries.
func (b *Backend) Profile(on bool) error {
	if err := b.Sync(); err != nil {
		return err
	}
	if b.profile != nil {
		b.profile.clock.release()
		b.profile = nil
	}
	if !on {
		return nil
	}
	c, err := b.dev.newClock(b)
	if err != nil {
		return err
	}
	b.profile = &profile{clock: c, times: backend.Times{}}
	return nil
}

// KernelTimes lists what was measured since Profile.
func (b *Backend) KernelTimes() ([]backend.KernelTime, error) {
	if err := b.Sync(); err != nil || b.profile == nil {
		return nil, err
	}
	return b.profile.times.List(), nil
}

// measured adds a submission's times to those of its kernels.
func (b *Backend) measured(names []string) {
	at, err := b.profile.clock.read(b)
	b.fail("timestamps", err)
	for i := 0; i < len(names) && 2*i+1 < len(at); i++ {
		b.profile.times.Add(names[i], at[2*i+1]-at[2*i], 0)
	}
}
