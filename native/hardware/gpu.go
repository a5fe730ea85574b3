//go:build cgo && !js

package hardware

import (
	"errors"

	"mhacsp/model/backend"
	"mhacsp/model/backend/tune"
	"mhacsp/model/backend/webgpu"
	"mhacsp/native/cli"
)

// openGPU opens a named adapter, or with an empty name the first real GPU; where there is none, a software adapter
// only if software is set. memory is the most bytes to allocate, 0 for the default of package webgpu.
func openGPU(adapter string, software bool, memory int64) (backend.Backend, error) {
	LastWords(OnTheCPU)
	b, err := webgpu.Open(webgpu.Options{Adapter: adapter, Software: software, Memory: memory})
	if err != nil {
		return nil, err // not b: a nil *webgpu.Backend in an interface is not nil
	}
	return b, nil
}

// Tuner lets a run with batches of that many samples choose the forms of the device's kernels, and keeps what it
// finds; nil where there is nothing to choose. It is to be closed before the device.
func Tuner(b backend.Backend, batch int, say func(string)) StepTuner {
	device, ok := b.(*webgpu.Backend)
	if !ok || device.Info().Software {
		return nil
	}
	known, tell := keptForms(say)
	return webgpu.NewTuner(device, batch, known, tell)
}

// FreshTuner is a tuner that knows nothing, keeps nothing, and tells what it found; nil where there is nothing to
// choose. undo goes back to the forms that the device begins with.
func FreshTuner(b backend.Backend, batch int, tell func(tune.Record)) (x StepTuner, undo func() error) {
	device, ok := b.(*webgpu.Backend)
	if !ok || device.Info().Software {
		return nil, nil
	}
	x = webgpu.NewTuner(device, batch, nil, func(r tune.Record, used bool) {
		if used {
			tell(r)
		}
	})
	return x, func() error { return device.SetForms(webgpu.DefaultForms()) }
}

// noneWords is why auto computes on the CPU, where nothing else was said.
const noneWords = "no GPU"

// noGPU reports whether openGPU's error says that the machine has none.
func noGPU(err error) bool { return errors.Is(err, webgpu.ErrNoAdapter) }

// LastWords is what is said, besides what happened, if the GPU's driver ends the process.
func LastWords(remedy string) {
	webgpu.LastWords("mhacsp: the GPU's driver gave up: "+
		"its device was lost or its memory ran out (it may have said more above); "+remedy+"\n", cli.CodeInternal)
}

// Adapters lists what can compute in addition to the CPU backend.
func Adapters() ([]backend.Info, error) { return webgpu.Adapters() }

// DriverOf is what the driver of an adapter calls itself, with its version; empty where it does not tell.
func DriverOf(adapter string) string { return webgpu.Driver(adapter) }
