//go:build !js

package report

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"

	"mhacsp/model/backend/cpu"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
)

// facts say what was measured, and by what.
type facts struct {
	Version   string `json:"version"`
	Commit    string `json:"commit"`
	Go        string `json:"go"`
	System    string `json:"system"`
	Processor string `json:"processor"`
	Adapter   string `json:"adapter,omitempty"` // empty: none is measured
	API       string `json:"api,omitempty"`     // by which the GPU is reached
	Software  bool   `json:"software,omitempty"`
	Driver    string `json:"driver,omitempty"`
	NoGPU     string `json:"no_gpu,omitempty"` // why none is measured, and the remedy
}

func factsOf(asked hardware.Flags) (f facts, err error) {
	f.Version, f.Commit = cli.BuiltOf()
	f.Go = runtime.Version()
	host := cpu.New()
	defer host.Close()
	model := cmp.Or(field("/proc/cpuinfo", "model name"), os.Getenv("PROCESSOR_IDENTIFIER")) // Windows has this
	f.Processor = cmp.Or(model, runtime.GOARCH) + ", " + host.Info().Adapter
	f.System = runtime.GOOS + "/" + runtime.GOARCH + ", " + systemVersion()
	if asked.Backend == "cpu" {
		f.NoGPU = "not asked for (--backend cpu)"
		return f, nil
	}
	list, err := hardware.Adapters()
	if err != nil && asked.Backend == "gpu" {
		return f, fmt.Errorf("--backend gpu: %w", err)
	}
	if err != nil {
		f.NoGPU = err.Error()
		return f, nil
	}
	var names []string
	for _, a := range list {
		names = append(names, fmt.Sprintf("%q", a.Adapter))
		fits := a.Adapter == asked.Adapter || asked.Adapter == "" && (!a.Software || asked.Backend == "gpu")
		if fits && f.Adapter == "" {
			f.Adapter, f.API, f.Software = a.Adapter, a.API, a.Software
		}
	}
	switch {
	case f.Adapter != "":
		f.Driver = hardware.DriverOf(f.Adapter)
	case asked.Adapter != "":
		return f, fmt.Errorf("--adapter is %q, which is not there; choose one of %s", asked.Adapter,
			strings.Join(names, ", "))
	default:
		f.NoGPU = "only software adapters were found, which compute on the CPU: " + strings.Join(names, ", ") +
			"; install the GPU's driver (mhacsp devices then lists it), or measure one of these with --adapter"
	}
	return f, nil
}

// field is the value of the first line "name: value" or name="value" of a file, empty where there is none; with an
// empty name the first line.
func field(path, name string) string {
	text, _ := os.ReadFile(path) // on other systems there is none
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.Trim(rest, " \t\n\":=")
		}
	}
	return ""
}
