//go:build !cgo && !js

package hardware

import (
	"errors"

	"mhacsp/model/backend"
	"mhacsp/model/backend/tune"
)

var errNoGPUBackend = errors.New("this build has no GPU backend (it was made with CGO_ENABLED=0): " +
	"build it with cgo and a C compiler, or use --backend cpu")

// noneWords is why auto computes on the CPU.
const noneWords = "this build has no GPU backend"

func LastWords(string)                                                             {}
func openGPU(string, bool, int64) (backend.Backend, error)                         { return nil, errNoGPUBackend }
func Tuner(backend.Backend, int, func(string)) StepTuner                           { return nil }
func noGPU(error) bool                                                             { return true }
func Adapters() ([]backend.Info, error)                                            { return nil, errNoGPUBackend }
func DriverOf(string) string                                                       { return "" }
func FreshTuner(backend.Backend, int, func(tune.Record)) (StepTuner, func() error) { return nil, nil }
