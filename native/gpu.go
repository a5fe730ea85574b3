//go:build cgo && !js

package main

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/webgpu"
)

// openGPU opens a named adapter, or with an empty name the first real GPU; where there is none, a software adapter only
// if software is set.
func openGPU(adapter string, software bool) (backend.Backend, error) {
	b, err := webgpu.Open(webgpu.Options{Adapter: adapter, Software: software})
	if err != nil {
		return nil, err // not b: a nil *webgpu.Backend in an interface is not nil
	}
	return b, nil
}

// adapters lists what can compute beside the CPU backend.
func adapters() ([]backend.Info, error) { return webgpu.Adapters() }
