//go:build cgo || js

package webgpu

import (
	"errors"

	"mhacsp/model/backend"
)

var errNoSlots = errors.New("the memory of positions has no GPU kernels yet; use --backend cpu")

func (b *Backend) Columns(backend.Columns)               { b.fail("memory", errNoSlots) }
func (b *Backend) SlotsForward(backend.SlotsForward)     { b.fail("memory", errNoSlots) }
func (b *Backend) SlotsBackward(backend.SlotsBackward)   { b.fail("memory", errNoSlots) }
func (b *Backend) TurnForward(backend.TurnForward)       { b.fail("memory", errNoSlots) }
func (b *Backend) TurnBackward(backend.TurnBackward)     { b.fail("memory", errNoSlots) }
func (b *Backend) RecallForward(backend.RecallForward)   { b.fail("memory", errNoSlots) }
func (b *Backend) RecallBackward(backend.RecallBackward) { b.fail("memory", errNoSlots) }
