//go:build !js

package main

import (
	"bufio"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
)

func newDevices(out *bufio.Writer) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "devices",
		Short: "List what can compute: the CPU and the GPU adapters",
		Long: "List what can compute. --backend gpu takes the first real GPU, " +
			"or a software adapter where there is no other;\n" +
			"--adapter NAME chooses one. --backend auto takes a real GPU or the CPU, never a software adapter.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			host := cpu.New()
			defer host.Close()
			list := []backend.Info{host.Info()}
			gpus, err := adapters()
			list = append(list, gpus...)
			if asJSON {
				return writeJSON(out, list)
			}
			t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, i := range list {
				kind := "processor"
				switch {
				case i.Software:
					kind = "software adapter: computes on the CPU, slow"
				case i.Name == "gpu":
					kind = "GPU"
				}
				fmt.Fprintf(t, "%s\t%s\t%s\n", i.Name, i.Adapter, kind)
			}
			if err := t.Flush(); err != nil {
				return err
			}
			if err != nil {
				fmt.Fprintf(out, "no GPU: %v\n", err)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (default false)")
	return c
}
