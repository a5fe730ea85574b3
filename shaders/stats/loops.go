//go:build cgo && linux

package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// loop is a loop of a kernel, as the chip's code has it; the first that loopsOf returns is the whole kernel. Counts
// are of instructions in the text, those of loops inside left out: each branch counts as if it were taken.
type loop struct {
	Label string // of the block that it begins with
	Depth int    // in how many loops it stands
	Lines int    // instructions, all kinds
	By    [kinds]int
}

// kind is what an instruction occupies.
type kind int

const (
	vector  kind = iota // arithmetic of a wave's lanes
	scalar              // arithmetic once a wave, branches
	load                // reads of buffers by lane
	store               // writes of buffers
	uniform             // reads of parameters, descriptors and indices, once a wave
	shared              // workgroup memory
	wait                // for one of the above
	barrier
	kinds
)

func (k kind) String() string {
	return [...]string{"vector", "scalar", "loads", "stores", "uniform", "shared", "waits", "barriers"}[k]
}

var (
	labelLine  = regexp.MustCompile(`^(BB\d+):`)
	branchLine = regexp.MustCompile(`^\s+s_c?branch\w* (BB\d+)`)
	codeLine   = regexp.MustCompile(`^\s+(\w+)`)
)

// kindOf tells what an instruction is by its name, on GCN and RDNA.
func kindOf(name string) kind {
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	switch {
	case has("s_waitcnt", "s_delay_alu", "s_clause", "s_nop"):
		return wait
	case has("s_barrier"):
		return barrier
	case has("s_load", "s_buffer_load"):
		return uniform
	case has("s_"):
		return scalar
	case has("ds_"):
		return shared
	case has("buffer_load", "global_load", "scratch_load", "flat_load"):
		return load
	case has("buffer_", "global_", "scratch_", "flat_"):
		return store
	}
	return vector
}

// loopsOf finds the loops of a kernel in its code: a branch back to a block makes a loop of all that lies between.
// They are in the order of their beginning.
func loopsOf(code string) []loop {
	lines := strings.Split(code, "\n")
	begin, end := map[string]int{}, map[string]int{}
	var headers []string
	for i, line := range lines {
		if m := labelLine.FindStringSubmatch(line); m != nil {
			begin[m[1]] = i
		}
		m := branchLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if _, back := begin[m[1]]; back {
			if _, known := end[m[1]]; !known {
				headers = append(headers, m[1])
			}
			end[m[1]] = i
		}
	}
	all := []loop{{Label: "kernel"}}
	at := make([]int, len(lines)) // the innermost loop of each line
	for i, line := range lines {
		m := labelLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		last, is := end[m[1]]
		if !is {
			continue
		}
		all = append(all, loop{Label: m[1], Depth: all[at[i]].Depth + 1})
		for j := i; j <= last; j++ {
			at[j] = len(all) - 1
		}
	}
	for i, line := range lines {
		if m := codeLine.FindStringSubmatch(line); m != nil {
			l := &all[at[i]]
			l.Lines++
			l.By[kindOf(m[1])]++
		}
	}
	return all
}

// printLoops lists the loops of a kernel's code. turns, where given, is how often each turns, whenever it is come to;
// then also what a wave executes in them is printed.
func printLoops(out io.Writer, code string, turns []int) {
	fmt.Fprintf(out, "%-18s %5s", "loop", "all")
	for k := range kinds {
		fmt.Fprintf(out, " %8v", k)
	}
	if turns != nil {
		fmt.Fprintf(out, " %9s", "executed")
	}
	fmt.Fprintln(out)
	total, often := 0, map[int]int{} // of each depth
	for i, l := range loopsOf(code) {
		fmt.Fprintf(out, "%-18s %5d", strings.Repeat("  ", l.Depth)+l.Label, l.Lines)
		for _, n := range l.By {
			fmt.Fprintf(out, " %8d", n)
		}
		if turns != nil {
			switch {
			case i == 0: // the kernel, which is no loop
				often[0] = 1
			case i <= len(turns):
				often[l.Depth] = often[l.Depth-1] * turns[i-1]
				total += l.Lines * often[l.Depth]
			default:
				often[l.Depth] = 0
			}
			fmt.Fprintf(out, " %9d", l.Lines*often[l.Depth])
		}
		fmt.Fprintln(out)
	}
	if turns != nil {
		fmt.Fprintf(out, "%d instructions a wave in loops\n", total)
	}
}
