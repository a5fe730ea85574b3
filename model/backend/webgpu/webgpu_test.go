//go:build cgo || js

package webgpu

import (
	"testing"

	"mhacsp/model/backend/backendtest"
)

// open is any adapter, software ones included. Without one the test ends in backendtest.NoGPU.
func open(t testing.TB) *Backend {
	b, err := Open(Options{Software: true})
	if err != nil {
		backendtest.NoGPU(t, err)
	}
	i := b.Info()
	t.Logf("adapter %q, software %t", i.Adapter, i.Software)
	return b
}

// opened is one that is closed with its test.
func opened(t testing.TB) *Backend {
	b := open(t)
	t.Cleanup(b.Close)
	return b
}

func TestContract(t *testing.T) { backendtest.RunAll(t, contract(), open(t)) }
