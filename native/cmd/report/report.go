//go:build !js

// Package report implements mhacsp report, which measures a machine (jobs.go) and prints a report to paste into an
// issue (text.go).
package report

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"mhacsp/model/checkpoint"
	"mhacsp/model/zoo"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
	"mhacsp/tasks/strict"
)

// machineFlags are the flags of report.
type machineFlags struct {
	device  hardware.Flags
	budget  time.Duration
	json    bool
	out     string
	models  []string
	batches []int
}

const (
	leastBudget = 5 * time.Second
	mostBudget  = 24 * time.Hour
)

// New makes the command report, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	var f machineFlags
	c := &cobra.Command{
		Use:   "report",
		Short: "Measure this machine and print a report to paste into an issue",
		Long: `Check the GPU, time training steps of as many models as fit in --budget on it and on the CPU, and
print one Markdown block to paste into an issue. It keeps nothing and sends nothing. What the end of --budget leaves
out is named. A crash is named and the rest is measured; after two in a row the GPU is left alone. A software adapter
is measured only where --backend gpu or --adapter asks for it.`,
		Example: "  mhacsp report\n  mhacsp report --budget 15m --out report.md\n" +
			"  mhacsp report --backend cpu --model mha-csp --batch 128",
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			ctx, release := cli.WhenToStop(c.Context(), 0, func(string) {})
			defer release()
			m, err := newMachine(f, c.ErrOrStderr())
			if err != nil {
				return err
			}
			if m.NoGPU != "" {
				fmt.Fprintf(c.ErrOrStderr(), "no GPU is measured: %s\n", m.NoGPU)
			}
			m.measure(ctx)
			if err := m.write(out, f); err != nil {
				return err
			}
			return m.verdict()
		},
	}
	f.device.Backend = "auto"
	cli.AddChoice(c, &f.device.Backend, "backend", []string{"auto", "cpu", "gpu"},
		"what is measured in addition to the CPU: auto is a real GPU, gpu a software adapter too, cpu nothing")
	hardware.AddAdapter(c, &f.device)
	hardware.AddThreads(c, &f.device)
	c.Flags().DurationVar(&f.budget, "budget", 3*time.Minute, "most `time` to take, as in 15m")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON in place of Markdown (default false)")
	cli.AddOut(c, &f.out, "", "`file` to write, replaced if it exists (default: standard output)", "md", "json")
	c.Flags().StringSliceVar(&f.models, "model", nil, "`models` to measure, as in csp,lstm (default: all)")
	c.Flags().IntSliceVar(&f.batches, "batch", []int{128, 1024}, "`samples` a step, one or several")
	return c
}

func (f *machineFlags) check() error {
	if f.budget < leastBudget || f.budget > mostBudget {
		return fmt.Errorf("--budget is %v; choose a time from %v to %.0fh", f.budget, leastBudget, mostBudget.Hours())
	}
	for _, b := range f.batches {
		if err := strict.Within("batch", b, 1, 1<<16); err != nil {
			return err
		}
	}
	for _, m := range f.models {
		if _, err := zoo.Preset(m); err != nil {
			return err
		}
	}
	if f.device.Adapter != "" {
		if f.device.Backend == "cpu" {
			return fmt.Errorf("--adapter is %q but --backend is cpu; leave one of them out", f.device.Adapter)
		}
		f.device.Backend = "gpu"
	}
	return strict.Within("threads", f.device.Threads, 0, 1024)
}

// write prints the report, or puts it into a file. Where that cannot be written the report is printed, and not lost.
func (m *machine) write(out *bufio.Writer, f machineFlags) error {
	text := func(w io.Writer) error {
		if f.json {
			return cli.WriteJSON(w, m.Report)
		}
		_, err := io.WriteString(w, m.markdown())
		return err
	}
	if f.out == "" {
		return text(out)
	}
	if err := checkpoint.WriteAtomic(f.out, text); err != nil {
		return errors.Join(err, text(out))
	}
	fmt.Fprintf(out, "the report is in %s\n", f.out)
	return nil
}

// verdict is the error that the command ends with.
func (m *machine) verdict() error {
	switch {
	case m.stopped != nil:
		return m.stopped
	case m.Lost != "":
		return cli.Internal(errors.New("the GPU was lost on the way; the report says where"))
	}
	for _, e := range m.Checks {
		if !e.Right() {
			return cli.Internal(errors.New("a device computes wrong; the report says where"))
		}
	}
	return nil
}

// whyEnded tells why nothing more is measured.
func whyEnded(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return "the budget was spent"
	}
	return "it was stopped"
}
