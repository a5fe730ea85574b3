package train

import (
	"errors"
	"sync/atomic"

	"mhacsp/model/backend"
)

// Halt is a device whose computing can be given up in the middle of a step or an evaluation: the next kernel of it is
// then not run. Kernels that change parameters always run, so a step is made in full or not at all. A Trainer whose
// network computes on it, and whose Halt it is, gives up only inside Continue.
type Halt struct {
	backend.Around
	device backend.Backend
	asked  atomic.Bool
	armed  bool // owned by the goroutine that trains
}

// errHalted ends what was given up.
var errHalted = errors.New("halted")

// NewHalt wraps a device.
func NewHalt(device backend.Backend) *Halt {
	h := &Halt{device: device}
	h.Around = backend.Around{Memory: device, Do: h.call}
	return h
}

// Ask makes the trainer give up what it computes. Any goroutine may call it.
func (h *Halt) Ask() { h.asked.Store(true) }

func (h *Halt) call(c backend.Call) {
	switch c.(type) {
	case backend.Adam, backend.SumSquares: // the optimizer counts the step before it calls them
	default:
		if h.armed && h.asked.Load() {
			panic(errHalted)
		}
	}
	c.On(h.device)
}

// guard runs f; what is given up in it is errHalted. Without a Halt nothing is given up.
func (h *Halt) guard(f func() error) (err error) {
	if h == nil {
		return f()
	}
	h.armed = true
	defer func() {
		h.armed = false
		if r := recover(); r == errHalted {
			err = errHalted
		} else if r != nil {
			panic(r)
		}
	}()
	return f()
}

// whole runs f, inside guard, and nothing in it is given up.
func (h *Halt) whole(f func() error) error {
	if h == nil {
		return f()
	}
	armed := h.armed
	h.armed = false
	defer func() { h.armed = armed }()
	return f()
}
