//go:build cgo && linux

package main

import (
	"fmt"
	"io"
)

// column is one of the table.
type column struct {
	head string
	of   func(figures) int
}

func columns() []column {
	number := func(name string) func(figures) int {
		return func(f figures) int { return f.number(name) }
	}
	return []column{
		{"VGPR", number("VGPRs")},
		{"SGPR", number("SGPRs")},
		{"spilled", figures.spilled},
		{"scratch", number("Scratch size")},
		{"LDS", number("LDS size")},
		{"waves", number("Subgroups per SIMD")},
		{"bytes", number("Code size")},
		{"instructions", number("Instructions")},
	}
}

// number is a statistic by the driver's name for it.
func (f figures) number(name string) int {
	n, ok := f.Statistics[name]
	if !ok {
		panic(fmt.Sprintf("stats: this driver has no statistic %q: %v", name, f.Statistics))
	}
	return int(n)
}

// spilled is the number of registers, of both kinds, that did not fit.
func (f figures) spilled() int { return f.number("Spilled VGPRs") + f.number("Spilled SGPRs") }

// printTable writes a Markdown table of all pipelines on one chip.
func printTable(out io.Writer, chip string, list []pipeline, got []figures) {
	wide := len(chip)
	for _, p := range list {
		wide = max(wide, len(p.name()))
	}
	fmt.Fprintf(out, "| %-*s |", wide, chip)
	for _, c := range columns() {
		fmt.Fprintf(out, " %*s |", max(5, len(c.head)), c.head)
	}
	fmt.Fprint(out, "\n|---|")
	for range columns() {
		fmt.Fprint(out, "--:|")
	}
	fmt.Fprintln(out)
	for i, p := range list {
		fmt.Fprintf(out, "| %-*s |", wide, p.name())
		for _, c := range columns() {
			fmt.Fprintf(out, " %*d |", max(5, len(c.head)), c.of(got[i]))
		}
		fmt.Fprintln(out)
	}
}
