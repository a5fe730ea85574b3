package main

import (
	"errors"
	"fmt"
	"strings"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
)

func backendNames() []string { return []string{"auto", "cpu", "cpu64", "gpu"} }

// openBackend opens a device by the name that --backend takes.
func openBackend(name string) (backend.Backend, error) {
	switch name {
	case "cpu", "auto": // auto is cpu as long as there is no GPU backend; deviceLine says so
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
