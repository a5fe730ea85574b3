//go:build cgo && !js

package webgpu

import (
	"encoding/binary"

	"github.com/cogentcore/webgpu/wgpu"
)

// wallTick: below a twentieth of a millisecond the host's clock says more of the host than of a step.
const wallTick = 50e-6

const (
	lapsMost    = 4 // steps that may be under way
	lapsTouched = 8 // submissions of a step that are measured; one with more has no time
)

// lapQueries are laps by timestamp queries, a set of its own for each step that may be under way.
type lapQueries struct {
	slots      [lapsMost]lapSlot
	head, tail int // steps that began, and that ended
}

type lapSlot struct {
	set              *wgpu.QuerySet
	resolved, staged *wgpu.Buffer
	n                uint32 // marks
	blind            bool   // the step has no time: it has too many submissions, or a mark failed
}

// newLaps is nil where the device has no timestamps.
func (d device) newLaps() laps {
	if !d.HasFeature(wgpu.FeatureNameTimestampQuery) {
		return nil
	}
	l := &lapQueries{}
	for i := range l.slots {
		s := &l.slots[i]
		var failed [3]error
		s.set, failed[0] = d.CreateQuerySet(&wgpu.QuerySetDescriptor{
			Type: wgpu.QueryTypeTimestamp, Count: 2 * lapsTouched,
		})
		const size = 8 * 2 * lapsTouched
		s.resolved, failed[1] = d.CreateBuffer(&wgpu.BufferDescriptor{Usage: clockUsage, Size: size})
		s.staged, failed[2] = d.CreateBuffer(&wgpu.BufferDescriptor{Usage: readbackUsage, Size: size})
		for _, err := range failed {
			if err != nil {
				l.release()
				return nil
			}
		}
	}
	return l
}

func (l *lapQueries) begin() {
	l.head++
	s := &l.slots[l.head%lapsMost]
	s.n, s.blind = 0, false
}

// now is the step that is being recorded; nil: none.
func (l *lapQueries) now() *lapSlot {
	if l.head == l.tail {
		return nil
	}
	return &l.slots[l.head%lapsMost]
}

func (l *lapQueries) open(e *wgpu.CommandEncoder) {
	s := l.now()
	if s == nil || s.blind {
		return
	}
	if s.n == 2*lapsTouched {
		s.blind = true
		return
	}
	s.n++
	s.blind = e.WriteTimestamp(s.set, s.n-1) != nil
}

func (l *lapQueries) finish(e *wgpu.CommandEncoder) {
	s := l.now()
	if s == nil || s.blind || s.n%2 == 0 {
		return
	}
	s.n++
	s.blind = e.WriteTimestamp(s.set, s.n-1) != nil ||
		e.ResolveQuerySet(s.set, s.n-2, 2, s.resolved, 0) != nil ||
		e.CopyBufferToBuffer(s.resolved, 0, s.staged, 8*uint64(s.n-2), 16) != nil
}

func (l *lapQueries) end(b *Backend) (ticks, at float64) {
	l.tail++
	s := &l.slots[l.tail%lapsMost]
	if s.n == 0 || s.blind || l.head-l.tail >= lapsMost {
		return 0, 0
	}
	err := b.dev.mapped(s.staged, 8*int(s.n), func(data []byte) {
		for i := 0; i+1 < int(s.n); i += 2 {
			from, to := binary.LittleEndian.Uint64(data[8*i:]), binary.LittleEndian.Uint64(data[8*i+8:])
			if to > from {
				ticks += float64(to - from)
			}
			at = float64(to)
		}
	})
	if err != nil {
		return 0, 0
	}
	return ticks, at
}

func (l *lapQueries) release() {
	for _, s := range l.slots {
		if s.set != nil {
			s.set.Release()
		}
		for _, b := range []*wgpu.Buffer{s.resolved, s.staged} {
			if b != nil {
				b.Release()
			}
		}
	}
}
