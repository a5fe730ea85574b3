//go:build cgo && linux

// Stats tells what a real GPU's compiler makes of the kernels, on a machine without that GPU: registers, spills,
// memory of a workgroup, code size, instructions, and the chip's own code.
//
//	go run ./shaders/stats                                      # a training step of mha-csp, on three chips
//	go run ./shaders/stats -models mha-csp,lstm -chips navi21
//	go run ./shaders/stats -forms                               # and every form that a tuner may choose
//	go run ./shaders/stats -kernel attention_backward -chips gfx1100 -code            # the chip's own
//
// It needs Linux, a C compiler and Mesa's Vulkan drivers (Debian: mesa-vulkan-drivers). One training step of each
// model is made on Mesa's software adapter with the kernels that real GPUs get; nothing is computed. The SPIR-V that
// wgpu hands to the driver there is copied, and compiled by RADV for AMD's chips by their names in that driver: navi21
// (RX 6800), gfx1100 (RX 7900), vega10 (Vega 64). So pipelines are those of a real step, with the constants that the
// host puts in.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if os.Getenv(childName) != "" {
		if err := child(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var q question
	models := flag.String("models", "mha-csp", "presets of which a training step is made, with commas between")
	chips := flag.String("chips", strings.Join(someChips(), ","), "chips, by their names in RADV")
	flag.StringVar(&q.keys, "config", "", "keys of config.json that differ, as in '{\"batch\": 32, \"width\": 64}'")
	flag.StringVar(&q.kernel, "kernel", "", "only kernels whose name begins so")
	flag.BoolVar(&q.forms, "forms", false, "also the forms of kernels that are taken by choice")
	flag.BoolVar(&q.code, "code", false, "print the chip's code")
	flag.Parse()
	q.models, q.chips = strings.Split(*models, ","), strings.Split(*chips, ",")
	if err := q.answer(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "stats:", err)
		os.Exit(2)
	}
}

// someChips are one of each generation of AMD's that RADV compiles for.
func someChips() []string { return []string{"vega10", "navi21", "gfx1100"} }

// question is what is asked on the command line.
type question struct {
	models, chips []string
	keys, kernel  string
	forms         bool
	code          bool
}

func (q question) answer(out io.Writer) error {
	all, err := capture(q.models, q.keys, q.forms)
	if err != nil {
		return err
	}
	var list []pipeline
	for _, p := range all {
		if strings.HasPrefix(p.Kernel, q.kernel) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("no kernel of a step of %s begins with %q", strings.Join(q.models, ", "), q.kernel)
	}
	everyone, err := everywhere(q.chips, list)
	if err != nil {
		return err
	}
	for c, chip := range q.chips {
		got := everyone[c]
		printTable(out, chip, list, got)
		for i, p := range list {
			if q.code {
				fmt.Fprintf(out, "\n%s on %s\n%s\n", p.name(), chip, got[i].Code)
			}
		}
		fmt.Fprintln(out)
	}
	return nil
}
