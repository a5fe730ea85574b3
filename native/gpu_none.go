//go:build !cgo && !js

package main

import (
	"errors"

	"mhacsp/model/backend"
)

var errNoGPUBackend = errors.New("this build has no GPU backend (it was made with CGO_ENABLED=0): " +
	"build it with cgo and a C compiler, or use --backend cpu")

func lastWords(string)                                     {}
func openGPU(string, bool, int64) (backend.Backend, error) { return nil, errNoGPUBackend }
func noGPU(error) bool                                     { return true }
func adapters() ([]backend.Info, error)                    { return nil, errNoGPUBackend }
func driverOf(string) string                               { return "" }
