//go:build cgo && linux

// Stats tells what a real GPU's compiler makes of the kernels, on a machine without that GPU: registers, spills,
// memory of a workgroup, code size, instructions, and the loops of the chip's own code.
//
//	go run ./shaders/stats                                      # a training step of mha-csp, on three chips
//	go run ./shaders/stats -models mha-csp,lstm -chips navi21
//	go run ./shaders/stats -forms                               # and every form that a tuner may choose
//	go run ./shaders/stats -kernel recurrence -loops            # what each loop of these kernels is made of
//	go run ./shaders/stats -kernel recurrence_forward -loops -turns 0,0,1,4    # instructions of its time step
//	go run ./shaders/stats -kernel attention_backward -chips gfx1100 -code            # the chip's own
//
// It needs Linux, a C compiler and Mesa's Vulkan drivers (Debian: mesa-vulkan-drivers). One training step of each
// model is made on Mesa's software adapter with the kernels that real GPUs get; nothing is computed. The SPIR-V that
// wgpu hands to the driver there is copied, and compiled by RADV for AMD's chips by their names in that driver: navi21
// (RX 6800), gfx1100 (RX 7900), vega10 (Vega 64). So pipelines are those of a real step, with the constants that the
// host puts in.
//
// A turn of a loop costs its own instructions, and those of the loops inside times their turns. How often a loop turns
// is known at run time only, so -turns tells it, in the order of the list. Branches count as if all were taken: a wave
// executes at most what is printed then.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
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
	flag.BoolVar(&q.loops, "loops", false, "list the loops of each kernel")
	const turns = "with -loops: how often each of them turns, in their order, as in 0,0,1,38"
	flag.Func("turns", turns, func(s string) error {
		for n := range strings.SplitSeq(s, ",") {
			turns, err := strconv.Atoi(n)
			if err != nil {
				return err
			}
			q.turns = append(q.turns, turns)
		}
		return nil
	})
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
	loops, code   bool
	turns         []int
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
			if q.loops || q.code {
				fmt.Fprintf(out, "\n%s on %s\n", p.name(), chip)
			}
			if q.loops {
				printLoops(out, got[i].Code, q.turns)
			}
			if q.code {
				fmt.Fprintln(out, got[i].Code)
			}
		}
		fmt.Fprintln(out)
	}
	return nil
}
