//go:build !linux

package cpu

import "runtime"

// yield lets another goroutine have this processor.
func yield() { runtime.Gosched() }

// huge does nothing: other systems choose by themselves, or give large pages to administrators alone.
func huge([]float32) {}
