//go:build !js

// Package hardware opens the devices that compute, by the flags that name them, and asks the machine for room: memory
// for a model or a batch, disk for a run.
package hardware

import (
	"cmp"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/reference"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/tasks/strict"
)

// OnTheCPU is the remedy where nothing is to be saved.
const OnTheCPU = "try again, or compute with --backend cpu"

// Names are the words of --backend.
func Names() []string { return []string{"auto", "cpu", "cpu32", "cpu64", "gpu"} }

// Flags are the values of --backend, --adapter, --gpu-memory and --threads.
type Flags struct {
	Backend, Adapter string
	memory           int // MiB; 0: the default
	Threads          int // of the processor; 0: as many as it may use
}

// Open opens a device. auto takes a real GPU where there is one and the CPU otherwise, never a software
// adapter; DeviceLine says which, and standard error why where a GPU is there but cannot be used.
func Open(f Flags) (backend.Backend, error) {
	if f.Adapter != "" && f.Backend != "gpu" {
		return nil, fmt.Errorf("--adapter is %q but --backend is %s; an adapter goes with --backend gpu",
			f.Adapter, f.Backend)
	}
	err := cmp.Or(strict.Within("gpu-memory", f.memory, 0, 1<<20), strict.Within("threads", f.Threads, 0, 1024))
	if err != nil {
		return nil, err
	}
	if f.Threads > 0 {
		runtime.GOMAXPROCS(f.Threads)
	}
	switch f.Backend {
	case "auto":
		b, err := openGPU("", false, int64(f.memory)<<20)
		if err == nil {
			return b, nil
		}
		if !noGPU(err) {
			fmt.Fprintf(os.Stderr, "mhacsp: --backend auto computes on the CPU: %v\n", err)
		}
		return cpu.New(), nil
	case "cpu", "cpu32":
		return cpu.New(), nil
	case "cpu64":
		return reference.New[float64](), nil
	case "gpu":
		// It was asked for, so a software adapter will do; DeviceLine says that it is one.
		b, err := openGPU(f.Adapter, true, int64(f.memory)<<20)
		if err != nil {
			err = fmt.Errorf("--backend gpu: %w; mhacsp devices lists what there is", err)
		}
		return b, err
	}
	return nil, cli.NoChoice(f.Backend, Names())
}

// MemoryLine is what a GPU's buffers take; empty for devices that do not count.
func MemoryLine(b backend.Backend) string {
	m, ok := b.(backend.Meter)
	if !ok {
		return ""
	}
	now, most := m.Allocated()
	return fmt.Sprintf("%.1f MiB of GPU memory, %.1f at most", float64(now)/(1<<20), float64(most)/(1<<20))
}

// DeviceLine names the device for a log.
func DeviceLine(b backend.Backend, asked Flags) string {
	i := b.Info()
	line := fmt.Sprintf("%s: %s, %d bits", i.Name, i.Adapter, i.Bits)
	if i.Software {
		line += ", computes on the CPU in software: slow"
	}
	if i.Slow != "" {
		line += ", without vectors, about ten times slower: " + i.Slow
	}
	if asked.Backend == "auto" && i.Name != "gpu" {
		line += " (auto: " + noneWords + ")"
	}
	return line
}

// AddFlags adds --backend, --adapter, --gpu-memory and --threads.
func AddFlags(c *cobra.Command, f *Flags, preset string) {
	f.Backend = preset
	AddAdapter(c, f)
	c.Flags().IntVar(&f.memory, "gpu-memory", 0, "most `MiB` that the GPU's buffers may take "+
		"(default: 1024 on a software adapter, which uses the machine's memory, else no bound)")
	AddThreads(c, f)
	cli.AddChoice(c, &f.Backend, "backend", Names(),
		"what computes: cpu or cpu32 (float32), cpu64 (float64 reference, slow), gpu, "+
			"or auto: a real GPU, else the CPU; never a software adapter")
}

// AddAdapter adds --adapter.
func AddAdapter(c *cobra.Command, f *Flags) {
	c.Flags().StringVar(&f.Adapter, "adapter", "",
		"`name` of the GPU adapter (default: the first, real GPUs first; mhacsp devices lists them)")
}

// AddThreads adds --threads.
func AddThreads(c *cobra.Command, f *Flags) {
	c.Flags().IntVar(&f.Threads, "threads", 0, "processor `threads` to compute on; runs do not see one another: "+
		"where several share a machine give each its part; the results are the same bits (default: all that the "+
		"process may use, by its affinity and by its control group's limit, from 2 up)")
}

// OriginOf is what a record says of where it was made.
func OriginOf(b backend.Backend, asked Flags) train.Origin {
	o := train.Origin{Device: DeviceLine(b, asked), Threads: b.Info().Threads}
	o.Version, o.Commit = cli.BuiltOf()
	o.Host, _ = os.Hostname()
	return o
}
