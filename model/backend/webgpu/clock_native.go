//go:build cgo && !js

package webgpu

import (
	"encoding/binary"
	"time"

	"github.com/cogentcore/webgpu/wgpu"

	"mhacsp/model/backend"
)

// queries is a clock of timestamp queries. The binding does not tell a tick's length: the host's clock measures it.
type queries struct {
	set              *wgpu.QuerySet
	resolved, staged *wgpu.Buffer
	n                uint32 // marks of the submission under way
	period           float64
}

func (d device) newClock(b *Backend) (clock, error) {
	if !d.HasFeature(wgpu.FeatureNameTimestampQuery) {
		return nil, errNoClock
	}
	c := &queries{period: 1}
	const most, usage = 2 * slots, wgpu.BufferUsageQueryResolve | wgpu.BufferUsageCopySrc
	var err error
	c.set, err = d.CreateQuerySet(&wgpu.QuerySetDescriptor{Type: wgpu.QueryTypeTimestamp, Count: most})
	if err != nil {
		return nil, err
	}
	if c.resolved, err = d.CreateBuffer(&wgpu.BufferDescriptor{Usage: usage, Size: 8 * most}); err != nil {
		return nil, err
	}
	if c.staged, err = d.CreateBuffer(&wgpu.BufferDescriptor{Usage: readbackUsage, Size: 8 * most}); err != nil {
		return nil, err
	}
	var host [2]time.Time
	var ticks [2]float64
	for i := range host {
		if i > 0 {
			time.Sleep(200 * time.Millisecond) // long enough to compare the device's clock with the host's
		}
		e := b.record()
		if b.err != nil {
			return nil, b.err
		}
		b.fail("timestamp", c.mark(e))
		b.fail("timestamp", c.finish(e))
		b.submit()
		at, err := c.read(b)
		if err != nil {
			return nil, err
		}
		host[i], ticks[i] = backend.Now(), at[0]
	}
	c.period = host[1].Sub(host[0]).Seconds() / (ticks[1] - ticks[0])
	return c, b.err
}

func (c *queries) mark(e *wgpu.CommandEncoder) error {
	c.n++
	return e.WriteTimestamp(c.set, c.n-1)
}

func (c *queries) finish(e *wgpu.CommandEncoder) error {
	if c.n == 0 {
		return nil
	}
	if err := e.ResolveQuerySet(c.set, 0, c.n, c.resolved, 0); err != nil {
		return err
	}
	return e.CopyBufferToBuffer(c.resolved, 0, c.staged, 0, 8*uint64(c.n))
}

func (c *queries) read(b *Backend) (at []float64, err error) {
	n := int(c.n)
	c.n = 0
	if n == 0 || b.err != nil {
		return nil, b.err
	}
	err = b.dev.mapped(c.staged, 8*n, func(data []byte) {
		first := binary.LittleEndian.Uint64(data)
		if c.period == 1 {
			first = 0
		}
		for i := range n {
			at = append(at, float64(binary.LittleEndian.Uint64(data[8*i:])-first)*c.period)
		}
	})
	return at, err
}

func (c *queries) release() {
	c.set.Release()
	c.resolved.Release()
	c.staged.Release()
}
