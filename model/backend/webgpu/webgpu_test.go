//go:build cgo || js

package webgpu

import (
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/backendtest"
)

// open is any adapter, software ones included. Without one the test ends in backendtest.NoGPU.
func open(t testing.TB) backend.Backend {
	b, err := Open(Options{Software: true})
	if err != nil {
		backendtest.NoGPU(t, err)
	}
	i := b.Info()
	t.Logf("adapter %q, software %t", i.Adapter, i.Software)
	return b
}

func TestContract(t *testing.T) {
	backendtest.RunAll(t, contract(), open(t))
}

// TestContractHard runs the contract over the forms of the kernels that a GPU gets, whatever the adapter. Memory, and
// what is refused before any form is chosen, TestContract has run.
func TestContractHard(t *testing.T) {
	b := open(t).(*Backend)
	defer b.Close()
	b.soft = false
	backendtest.RunWhere(t, contract(), b, func(string, func(backend.Backend) error) bool { return true })
}
