//go:build js

package webgpu

import (
	"os"

	"mhacsp/model/backend/backendtest"
)

// contract is one for each test: a browser's tests run one in a process, and have less memory. The same shaders and
// calls pass all cases natively; a few of each kernel's show what another compiler, device and binding make of them.
// With MHACSP_LONG=1 all run. 37 has no divisor in common with the cycles in which cases take their options.
func contract() *backendtest.Contract {
	c := backendtest.NewContract(false)
	if os.Getenv("MHACSP_LONG") == "1" {
		return c
	}
	return c.Every(37)
}
