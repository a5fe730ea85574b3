//go:build !js

// Package devices implements mhacsp devices, which lists the processor and the GPU adapters.
package devices

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/tune"
	"mhacsp/native/cli"
	"mhacsp/native/hardware"
)

// New makes the command devices, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	var asJSON, again bool
	c := &cobra.Command{
		Use:   "devices",
		Short: "List what can compute: the CPU and the GPU adapters",
		Long: `List what can compute. --backend gpu takes the first real GPU, or a software adapter where there is no
other; --adapter NAME chooses one. --backend auto takes a real GPU or the CPU, never a software adapter.

Some kernels have several forms, which are meant to give the same bits. The first training on a GPU leaves out those
that do not give them there, measures which of the rest are the fastest, within its own steps, and keeps the choice
in the user's cache folder, by adapter, driver, kernels, width, angles and batch. What was chosen stands below each
GPU. --tune forgets it; the next training chooses again.`,
		Args: cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			host := cpu.New()
			defer host.Close()
			list := []deviceInfo{{Info: host.Info()}}
			gpus, err := hardware.Adapters()
			forms, errForms := tunedForms(again)
			if errForms != nil {
				return errForms
			}
			for _, i := range gpus {
				list = append(list, deviceInfo{i, hardware.FormsOf(forms, i.Adapter)})
			}
			if asJSON {
				return cli.WriteJSON(out, list)
			}
			if printDevices(out, list); err != nil {
				fmt.Fprintf(out, "no GPU: %v\n", err)
			}
			if again {
				fmt.Fprintln(out, "the forms of kernels are forgotten; the next training on a GPU measures them again")
			}
			return nil
		},
	}
	c.Flags().BoolVar(&again, "tune", false,
		"forget which forms of kernels were the fastest: the next training on a GPU measures again (default false)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (default false)")
	return c
}

// deviceInfo is a device, and for a GPU what was found about the forms of its kernels.
type deviceInfo struct {
	backend.Info
	Forms tune.Records `json:"forms,omitempty"`
}

// tunedForms are those that were found, none after they were forgotten. A file that cannot be read is said on standard
// error.
func tunedForms(forget bool) (tune.Records, error) {
	path, err := hardware.FormsFile()
	if err == nil && forget {
		return nil, hardware.ForgetForms(path)
	}
	var l tune.Records
	if err == nil {
		l, err = hardware.ReadForms(path)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "mhacsp: %v\n", err)
	}
	return l, nil
}

// printDevices prints a table, and below a GPU its forms.
func printDevices(out io.Writer, list []deviceInfo) {
	name, adapter := 0, 0
	for _, i := range list {
		name, adapter = max(name, len(i.Name)), max(adapter, len(i.Adapter))
	}
	for _, i := range list {
		kind := "processor"
		switch {
		case i.Software:
			kind = "software adapter: computes on the CPU, slow"
		case i.Name == "gpu":
			kind = "GPU (" + i.API + ")"
		}
		fmt.Fprintf(out, "%-*s  %-*s  %s\n", name, i.Name, adapter, i.Adapter, kind)
		for _, r := range i.Forms {
			fmt.Fprintf(out, "%-*s  %s\n", name, "", hardware.FormsLine(r))
		}
	}
}
