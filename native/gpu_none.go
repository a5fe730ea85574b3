//go:build !cgo && !js

package native

import (
	"errors"

	"mhacsp/model/backend"
	"mhacsp/model/backend/tune"
)

var errNoGPUBackend = errors.New("this build has no GPU backend (it was made with CGO_ENABLED=0): " +
	"build it with cgo and a C compiler, or use --backend cpu")

// noneWords is why auto computes on the CPU.
const noneWords = "this build has no GPU backend"

func lastWords(string)                                                             {}
func openGPU(string, bool, int64) (backend.Backend, error)                         { return nil, errNoGPUBackend }
func tuner(backend.Backend, int, func(string)) stepTuner                           { return nil }
func noGPU(error) bool                                                             { return true }
func adapters() ([]backend.Info, error)                                            { return nil, errNoGPUBackend }
func driverOf(string) string                                                       { return "" }
func freshTuner(backend.Backend, int, func(tune.Record)) (stepTuner, func() error) { return nil, nil }
