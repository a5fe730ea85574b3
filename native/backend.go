//go:build !js

package main

import (
	"errors"
	"fmt"
	"strings"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
)

func backendNames() []string { return []string{"auto", "cpu", "cpu32", "cpu64", "gpu"} }

// openExact is openBackend for forward and grad, which exist to be compared with: there cpu is the float64 reference,
// so that what is written is right to the last digit of float32 however ill-conditioned the model; cpu32 is the path
// that trains.
func openExact(name string) (backend.Backend, error) {
	if name == "cpu" || name == "auto" {
		name = "cpu64"
	}
	return openBackend(name)
}

// openBackend opens a device by the name that --backend takes.
func openBackend(name string) (backend.Backend, error) {
	switch name {
	case "cpu", "cpu32", "auto": // auto is cpu as long as there is no GPU backend; deviceLine says so
		return cpu.New(), nil
	case "cpu64":
		return cpu.NewReference[float64](), nil
	case "gpu":
		return nil, errors.New("--backend gpu: this build has no GPU backend yet; use --backend cpu")
	}
	return nil, choice{new(string), backendNames()}.Set(name)
}

// deviceLine names the device for a log; asked is the value of --backend.
func deviceLine(b backend.Backend, asked string) string {
	i := b.Info()
	line := fmt.Sprintf("%s: %s, %d bits", i.Name, i.Adapter, i.Bits)
	if i.Threads > 0 && !strings.Contains(i.Adapter, "thread") {
		line += ", " + plural(i.Threads, "thread")
	}
	if i.Software {
		line += ", in software"
	}
	if asked == "auto" {
		line += " (auto: this build has no GPU backend)"
	}
	return line
}
