//go:build cgo && !js

package webgpu

import (
	"sync"

	"mhacsp/model/backend/backendtest"
)

// contract is one for all tests, whose reference computes each case once.
var contract = sync.OnceValue(func() *backendtest.Contract { return backendtest.NewContract(true) })
