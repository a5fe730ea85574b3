//go:build js

package webgpu

import "mhacsp/model/backend/backendtest"

// contract is one for each test: a browser's tests run one in a process, and have less memory.
func contract() *backendtest.Contract { return backendtest.NewContract(false) }
