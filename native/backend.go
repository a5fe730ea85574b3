//go:build !js

package native

import (
	"cmp"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/train"
	"mhacsp/tasks/strict"
)

// onTheCPU is the remedy where nothing is to be saved.
const onTheCPU = "try again, or compute with --backend cpu"

func backendNames() []string { return []string{"auto", "cpu", "cpu32", "cpu64", "gpu"} }

// deviceFlags are the values of --backend, --adapter and --gpu-memory.
type deviceFlags struct {
	backend, adapter string
	memory           int // MiB; 0: the default
	threads          int // of the processor; 0: as many as it may use
}

// openExact is openBackend for forward and grad, which exist to be compared with: there cpu is the float64 reference,
// so that what is written is right to the last digit of float32 however ill-conditioned the model; cpu32 is the path
// that trains.
func openExact(f deviceFlags) (backend.Backend, error) {
	if f.backend == "cpu" || f.backend == "auto" {
		f.backend = "cpu64"
	}
	return openBackend(f)
}

// openBackend opens a device. auto takes a real GPU where there is one and the CPU otherwise, never a software
// adapter; deviceLine says which, and standard error why where a GPU is there but cannot be used.
func openBackend(f deviceFlags) (backend.Backend, error) {
	if f.adapter != "" && f.backend != "gpu" {
		return nil, fmt.Errorf("--adapter is %q but --backend is %s; an adapter goes with --backend gpu",
			f.adapter, f.backend)
	}
	if err := cmp.Or(
		strict.Within("gpu-memory", f.memory, 0, 1<<20), strict.Within("threads", f.threads, 0, 1024),
	); err != nil {
		return nil, err
	}
	if f.threads > 0 {
		runtime.GOMAXPROCS(f.threads)
	}
	switch f.backend {
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
		return cpu.NewReference[float64](), nil
	case "gpu":
		// It was asked for, so a software adapter will do; deviceLine says that it is one.
		b, err := openGPU(f.adapter, true, int64(f.memory)<<20)
		if err != nil {
			err = fmt.Errorf("--backend gpu: %w; mhacsp devices lists what there is", err)
		}
		return b, err
	}
	return nil, noChoice(f.backend, backendNames())
}

// memoryLine is what a GPU's buffers take; empty for devices that do not count.
func memoryLine(b backend.Backend) string {
	m, ok := b.(backend.Meter)
	if !ok {
		return ""
	}
	now, most := m.Allocated()
	return fmt.Sprintf("%.1f MiB of GPU memory, %.1f at most", float64(now)/(1<<20), float64(most)/(1<<20))
}

// deviceLine names the device for a log.
func deviceLine(b backend.Backend, asked deviceFlags) string {
	i := b.Info()
	line := fmt.Sprintf("%s: %s, %d bits", i.Name, i.Adapter, i.Bits)
	if i.Software {
		line += ", computes on the CPU in software: slow"
	}
	if i.Slow != "" {
		line += ", without vectors, about ten times slower: " + i.Slow
	}
	if asked.backend == "auto" && i.Name != "gpu" {
		line += " (auto: " + noneWords + ")"
	}
	return line
}

// addBackend adds --backend, --adapter, --gpu-memory and --threads.
func addBackend(c *cobra.Command, f *deviceFlags, preset string) {
	f.backend = preset
	addAdapter(c, f)
	c.Flags().IntVar(&f.memory, "gpu-memory", 0, "most `MiB` that the GPU's buffers may take "+
		"(default: 1024 on a software adapter, which uses the machine's memory, else no bound)")
	addThreads(c, f)
	addChoice(c, &f.backend, "backend", backendNames(),
		"what computes: cpu or cpu32 (float32), cpu64 (float64 reference, slow), gpu, "+
			"or auto: a real GPU, else the CPU; never a software adapter")
}

// addAdapter adds --adapter.
func addAdapter(c *cobra.Command, f *deviceFlags) {
	c.Flags().StringVar(&f.adapter, "adapter", "",
		"`name` of the GPU adapter (default: the first, real GPUs first; mhacsp devices lists them)")
}

// addThreads adds --threads.
func addThreads(c *cobra.Command, f *deviceFlags) {
	c.Flags().IntVar(&f.threads, "threads", 0, "processor `threads` to compute on; "+
		"runs do not see one another: where several share a machine give each its part; "+
		"the results are the same bits "+
		"(default: all that the process may use, by its affinity and by its control group's limit, from 2 up)")
}

// originOf is what a record says of where it was made.
func originOf(b backend.Backend, asked deviceFlags) train.Origin {
	o := train.Origin{Device: deviceLine(b, asked), Threads: b.Info().Threads}
	o.Version, o.Commit = builtOf()
	o.Host, _ = os.Hostname()
	return o
}
