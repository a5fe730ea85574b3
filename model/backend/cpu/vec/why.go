//go:build !js

package vec

import (
	"os"
	"runtime"
)

// Why says why the loops in use have no vectors, which costs about nine tenths of the speed. It is empty where they
// have.
func Why() string {
	switch {
	case active != levelPortable:
		return ""
	case os.Getenv("MHACSP_SIMD") == levelPortable.String():
		return "MHACSP_SIMD asks for it"
	case runtime.GOARCH != "amd64":
		return "it has no vector loops for " + runtime.GOARCH
	case !built:
		return "it was built without vector loops, by " + runtime.Version() + "; make build with Go 1.26 gives them"
	}
	return "this processor has no AVX2 with FMA"
}
