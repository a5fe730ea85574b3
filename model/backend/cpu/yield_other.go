//go:build !linux

package cpu

import "runtime"

// yield lets another goroutine have this processor.
func yield() { runtime.Gosched() }
