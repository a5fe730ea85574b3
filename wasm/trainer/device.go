//go:build js

package main

import (
	"errors"
	"fmt"
	"runtime"
	"syscall/js"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/tune"
	"mhacsp/model/backend/webgpu"
	"mhacsp/tasks/strict"
	"mhacsp/wasm/protocol"
	"mhacsp/wasm/session"
)

// open opens a device. auto takes WebGPU where the browser has it on a graphics processor, and says
// in plain words where it has not: a WebGPU that computes in software takes four times as long as
// the program's own loops. gpu takes that too.
func (p *port) open(kind string) (session.Device, error) {
	if kind == "cpu" {
		return p.processor(""), nil
	}
	b, err := webgpu.Open(webgpu.Options{
		Software: kind == "gpu", Prepared: func(done, all int) { p.emit(protocol.Preparing{Done: done, All: all}, 0) },
	})
	if err != nil {
		if kind == "gpu" {
			return session.Device{}, strict.Unfit("backend", kind, ": %v; choose auto or cpu", err)
		}
		return p.processor(missing(err)), nil
	}
	d := session.Device{Backend: b, Memory: func() int64 {
		now, _ := b.Allocated()
		return now
	}}
	if i := b.Info(); i.Software {
		d.Notice = fmt.Sprintf("This browser has no graphics processor to compute with: "+
			"its WebGPU (%s) computes in software on the main processor. "+
			"Training works, but slowly; the processor's own loops are faster.", i.Adapter)
	} else {
		d.Tune = func(n int, known []tune.Record, tell func(tune.Record, bool)) session.Tuner {
			return webgpu.NewTuner(b, n, known, tell)
		}
	}
	return d, nil
}

// missing says what the lack of WebGPU means.
func missing(err error) string {
	why := "The WebGPU of this browser could not be started (" + err.Error() + ")."
	switch {
	case errors.Is(err, webgpu.ErrSoftware):
		return "This browser has no graphics processor to compute with: its WebGPU computes in software. The model " +
			"trains on the processor instead, which is faster; small models and short texts learn within a minute."
	case errors.Is(err, webgpu.ErrNoAdapter):
		why = "This browser offers no WebGPU."
	}
	return why + " The model trains on the processor instead, more slowly; " +
		"small models and short texts learn within a minute."
}

func (p *port) processor(notice string) session.Device {
	d := session.Device{Backend: cpu.New(), Notice: notice, Pool: p.team}
	d.Memory = func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	d.Room = func(bytes int64, cores int) bool { // Go's heap grows to twice what is in use
		return js.Global().Call("room", 2*bytes, coresOf(cores)).Bool()
	}
	return d
}
