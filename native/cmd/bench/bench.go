//go:build !js

// Package bench implements mhacsp bench, which times training steps and kernels.
package bench

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mhacsp/model/backend"
	"mhacsp/model/backend/tune"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/native/runs"
	"mhacsp/native/words"
	"mhacsp/tasks/strict"
)

// Flags are what is measured, and for how long.
type Flags struct {
	Steps, warmup        int
	seconds              float64 // 0: as many as steps
	json, kernels, brief bool
	tune                 bool
	config               string
	device               hardware.Flags
}

// New makes the command bench, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	var f Flags
	var s *runs.Settings
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure training steps on real data",
		Long: "Train some steps, on samples as the task draws them and without writing anything, and print the time " +
			"of a step,\ntokens/s, the arithmetic rate and the share of each kernel. Tokens are those of prompts " +
			"and targets, without padding.",
		Example: "  mhacsp bench --model mha-csp --task arithmetic --batch 128\n" +
			"  mhacsp bench --task parity --model csp --min-length 1024 --max-length 1024 --batch 1 --json",
		Args: cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			r, _, err := s.Resolve(f.config)
			if err != nil {
				return err
			}
			err = cmp.Or(strict.Within("steps", f.Steps, 1, 1<<20), strict.Within("warmup", f.warmup, 0, 1<<20),
				strict.Within("seconds", f.seconds, 0, MaxSeconds))
			if err != nil {
				return err
			}
			if f.brief && f.kernels {
				return errors.New("--brief leaves the times of kernels out and --kernels adds some; give one of them")
			}
			b, err := measure(r, f)
			if err != nil {
				return err
			}
			if f.json {
				return cli.WriteJSON(out, b)
			}
			return b.print(out)
		},
	}
	s = runs.AddSettings(c, runs.TaskSettings(), []runs.Setting{runs.SplitSetting()}, runs.ModelSettings(),
		runs.BatchSettings())
	runs.AddOwn(c, s)
	cli.AddFile(c, &f.config, "config", "", "configuration of a run or a model, a JSON `file`; flags override it",
		"json")
	c.Flags().IntVar(&f.Steps, "steps", 20, "`steps` to measure")
	c.Flags().IntVar(&f.warmup, "warmup", 3, "`steps` to make first, not measured")
	c.Flags().Float64Var(&f.seconds, "seconds", 0,
		"measure for about this many `seconds`, after --warmup steps, in place of --steps (default 0: --steps counts)")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON (default false)")
	c.Flags().BoolVar(&f.tune, "tune", false, "first choose the fastest forms of the GPU's kernels, as training "+
		"does, and list the time of each; nothing is kept (default false)")
	c.Flags().BoolVar(&f.brief, "brief", false, "measure the time of a step alone, not of each kernel (default false)")
	c.Flags().BoolVar(&f.kernels, "kernels", false,
		"list the time of each shader by the GPU's own clock, where it has one (default false)")
	hardware.AddFlags(c, &f.device, "auto")
	return c
}

const (
	MaxSeconds   = 3600
	maxPaced     = 2000 // steps with --seconds
	LeastPaced   = 3
	maxSettling  = 20_000 // steps with --tune: of short ones many pass while the forms are compiled
	settlingTime = 20 * time.Second
)

// Result is what bench prints.
type Result struct {
	Model      string       `json:"model"`
	Parameters int          `json:"parameters"`
	Task       string       `json:"task"`
	Device     string       `json:"device"`
	Batch      int          `json:"batch"`
	Steps      int          `json:"steps"`
	MedianMs   float64      `json:"median_ms"` // of a step
	MinMs      float64      `json:"min_ms"`
	MeanMs     float64      `json:"mean_ms"` // of all in a row: what a device that works alongside the program takes
	Tokens     float64      `json:"tokens_per_second"`
	Sequences  float64      `json:"sequences_per_second"`
	Gflops     float64      `json:"gflops"`     // 10⁹ operations of the products a second, over the whole of a step
	MemoryMiB  float64      `json:"memory_mib"` // that the process took from the system
	GPUMiB     float64      `json:"gpu_mib"`    // that the GPU's buffers took at most, 0 on the CPU
	Kernels    []Kernel     `json:"kernels,omitempty"`
	Forms      *tune.Record `json:"forms,omitempty"`    // of kernels, with --tune
	Shaders    []Kernel     `json:"shaders,omitempty"`  // by the device's clock, with --kernels
	NoClock    string       `json:"no_clock,omitempty"` // why there are none
}

// Kernel is what one kernel took of a step.
type Kernel struct {
	Name  string  `json:"name"`
	Calls int     `json:"calls"`
	Ms    float64 `json:"ms"`
	Share float64 `json:"share"` // 0 to 1
	Gflop float64 `json:"gflop"` // 10⁹ operations of its products, 0 without
}

// measure trains undisturbed for the times, then over samples of the same kind with every kernel timed for the shares.
func measure(r train.Run, f Flags) (*Result, error) {
	r.Training.Curriculum, r.Training.LongShare = false, 0 // all models on the same samples
	r.Training.Steps = 2*(f.Steps+f.warmup+maxPaced) + maxSettling
	r.Training.EvalBatch = 1 // it counts for what must fit, and nothing is evaluated
	device, err := hardware.Open(f.device)
	if err != nil {
		return nil, err
	}
	defer device.Close()
	t, err := Trainer(r, device)
	if err != nil {
		return nil, err
	}
	if device.Info().Name != "gpu" {
		if err := hardware.BatchFits(r); err != nil {
			return nil, err
		}
	}
	var forms *tune.Record
	if f.tune {
		if forms, err = settle(t, device); err != nil {
			return nil, cli.Working(err)
		}
	}
	if f.seconds > 0 {
		if f.Steps, err = f.paced(t); err != nil {
			return nil, cli.Working(err)
		}
	}
	times, tokens, err := f.Train(t, func() {})
	if err != nil {
		return nil, cli.Working(err)
	}
	total := sum(times)
	b := &Result{
		Model: r.Config.Name(), Parameters: t.Network.Params().Count(),
		Task: cli.TaskText(r.Training), Device: hardware.DeviceLine(device, f.device),
		Batch: r.Training.Batch, Steps: f.Steps, Tokens: float64(tokens) / total,
		MinMs: 1000 * slices.Min(times), MedianMs: 1000 * median(times), MeanMs: 1000 * total / float64(f.Steps),
		Sequences: float64(f.Steps*r.Training.Batch) / total, Forms: forms,
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.MemoryMiB = float64(memory.Sys) / (1 << 20)
	if m, ok := device.(backend.Meter); ok {
		_, most := m.Allocated()
		b.GPUMiB = float64(most) / (1 << 20)
	}
	if f.brief {
		return b, nil
	}

	watch := backend.NewTimed(device)
	timed, err := Trainer(r, watch)
	if err != nil {
		return nil, err
	}
	if times, _, err = f.Train(timed, watch.Reset); err != nil {
		return nil, cli.Working(err)
	}
	b.addKernels(watch.Kernels(), sum(times), total)
	if f.kernels {
		return b, b.addShaders(t, f, device)
	}
	return b, nil
}

// addShaders trains once more, timed by the device's own clock.
func (b *Result) addShaders(t *train.Trainer, f Flags, device backend.Backend) error {
	p, ok := device.(backend.Profiler)
	if !ok {
		b.NoClock = "this device has no clock of its own"
		return nil
	}
	if err := p.Profile(true); err != nil {
		b.NoClock = err.Error()
		return nil
	}
	var began error
	if _, _, err := f.Train(t, func() { began = p.Profile(true) }); err != nil || began != nil {
		return cli.Working(errors.Join(err, began))
	}
	list, err := p.KernelTimes()
	if err != nil {
		return cli.Working(err)
	}
	var all float64
	for _, k := range list {
		all += k.Seconds
	}
	for _, k := range list {
		b.Shaders = append(b.Shaders, Kernel{
			Name: k.Name, Calls: k.Calls / b.Steps, Ms: 1000 * k.Seconds / float64(b.Steps), Share: k.Seconds / all,
		})
	}
	return nil
}

// Trainer is a trainer of the run on a device.
func Trainer(r train.Run, device backend.Backend) (*train.Trainer, error) {
	m, err := runs.Build(r.Config, device, hardware.BytesTrained)
	if err != nil {
		return nil, err
	}
	m.Initialise(r.Training.Seed)
	return train.New(r, m)
}

// settle trains until the forms of the device's kernels are chosen; nil where there is no choice, or where it was not
// come to, and the forms are those that the device began with.
func settle(t *train.Trainer, device backend.Backend) (found *tune.Record, err error) {
	x, undo := hardware.FreshTuner(device, t.Run.Training.Batch, func(r tune.Record) { found = &r })
	if x == nil {
		return nil, nil
	}
	defer x.Close()
	t.Observer = x
	begin := time.Now()
	for i := 0; !x.Idle() && i < maxSettling && time.Since(begin) < settlingTime; i++ {
		if _, _, err := t.Advance(); err != nil {
			return nil, err
		}
	}
	_, _, err = t.Drain()
	if t.Observer = nil; found == nil && err == nil {
		err = undo()
	}
	return found, err
}

// paced is how many steps take f.seconds, by the time of one step after the warm-up.
func (f Flags) paced(t *train.Trainer) (int, error) {
	f.Steps = 1
	times, _, err := f.Train(t, func() {})
	if err != nil {
		return 0, err
	}
	return int(min(max(f.seconds/times[0], LeastPaced), maxPaced)), nil
}

// Train makes the warm-up, calls begin, and returns how long each further step kept the program and the
// tokens of all. A device that works alongside the program is a step behind: the first step then only begins, so
// that the wait for the last one is put to it.
func (f Flags) Train(t *train.Trainer, begin func()) (seconds []float64, tokens int, err error) {
	first := t.Count() + f.warmup
	take := func(s train.Step, ok bool, err error) error {
		if ok && s.Step > first {
			tokens += s.Tokens
		}
		return err
	}
	for i := range f.warmup + f.Steps {
		if i == f.warmup {
			if err := take(t.Drain()); err != nil {
				return nil, 0, err
			}
			begin()
		}
		start := backend.Now()
		if err := take(t.Advance()); err != nil {
			return nil, 0, err
		}
		if i >= f.warmup {
			seconds = append(seconds, backend.Now().Sub(start).Seconds())
		}
	}
	start := backend.Now()
	err = take(t.Drain())
	seconds[0] += backend.Now().Sub(start).Seconds()
	return seconds, tokens, err
}

// addKernels takes what was measured in all steps together: timed is how long they took with every kernel timed,
// plain without.
func (b *Result) addKernels(list []backend.KernelTime, timed, plain float64) {
	var flops, inside float64
	n := float64(b.Steps)
	for _, k := range list {
		flops += k.Flops
		inside += k.Seconds
		b.Kernels = append(b.Kernels, Kernel{
			k.Name, k.Calls / b.Steps, 1000 * k.Seconds / n, k.Seconds / timed, k.Flops / n / 1e9,
		})
	}
	rest := max(timed-inside, 0)
	b.Kernels = append(b.Kernels, Kernel{Name: "(outside kernels)", Ms: 1000 * rest / n, Share: rest / timed})
	b.Gflops = flops / plain / 1e9
}

func sum(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func (b *Result) print(out *bufio.Writer) error {
	fmt.Fprintf(out, "device    %s\nmodel     %s, %s\ntask      %s, batch %d\n",
		b.Device, b.Model, words.Plural(b.Parameters, "parameter"), b.Task, b.Batch)
	fmt.Fprintf(out, "step      median %.2f ms, least %.2f ms, mean %.2f ms, of %s\n",
		b.MedianMs, b.MinMs, b.MeanMs, words.Plural(b.Steps, "step"))
	fmt.Fprintf(out, "rate      %s tokens/s, %s sequences/s", words.Number(int(b.Tokens)),
		words.Number(int(b.Sequences)))
	if b.Gflops > 0 {
		fmt.Fprintf(out, ", %.1f GFLOP/s in products", b.Gflops)
	}
	fmt.Fprintf(out, "\nmemory    %.0f MiB\n", b.MemoryMiB)
	if b.Forms != nil {
		fmt.Fprintf(out, "kernels   %s\n", tune.Text(*b.Forms))
	}
	if b.GPUMiB > 0 {
		fmt.Fprintf(out, "on GPU    %.1f MiB at most\n", b.GPUMiB)
	}
	if len(b.Kernels) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\nkernel\tcalls/step\tms/step\tshare\tGFLOP/s\t\n")
	for _, k := range b.Kernels {
		rate := ""
		if k.Gflop > 0 && k.Ms > 0 {
			rate = fmt.Sprintf("%.1f", 1000*k.Gflop/k.Ms)
		}
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.1f %%\t%s\t\n", k.Name, k.Calls, k.Ms, 100*k.Share, rate)
	}
	if b.NoClock != "" {
		fmt.Fprintf(t, "\nno times of shaders: %s; "+
			"the times above are the host's, with a wait after each call\n", b.NoClock)
	}
	if len(b.Shaders) > 0 {
		fmt.Fprint(t, "\nshader, by the device's clock\tcalls/step\tms/step\tshare\t\n")
	}
	for _, k := range b.Shaders {
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.1f %%\t\n", k.Name, k.Calls, k.Ms, 100*k.Share)
	}
	return t.Flush()
}
