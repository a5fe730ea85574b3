//go:build cgo || js

package webgpu

import (
	"fmt"
	"sync/atomic"

	"mhacsp/model/backend"
)

// fault is what a device reports on its own account and no call returns: that it is lost, or an error that was noticed
// after the call. Any goroutine may set it.
type fault struct{ first atomic.Pointer[error] }

func (f *fault) set(err error) { f.first.CompareAndSwap(nil, &err) }

func (f *fault) lost(reason string) {
	f.set(fmt.Errorf("webgpu: %w: %s", backend.ErrDeviceLost, reason))
}

func (f *fault) get() error {
	if err := f.first.Load(); err != nil {
		return *err
	}
	return nil
}

// check takes over what the device reported.
func (b *Backend) check() error {
	if b.err == nil {
		b.err = b.dev.faults.get()
	}
	return b.err
}
