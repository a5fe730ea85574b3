//go:build !js

package main

import (
	"bufio"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/cpu"
)

func newVersion(out *bufio.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit, the Go version and the processor's features",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			version, commit := "unknown", "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				version, commit = info.Main.Version, commitOf(info)
			}
			fmt.Fprintf(out, "mhacsp  %s\ncommit  %s\ngo      %s %s/%s\ncpu     %s, %s\n",
				version, commit, runtime.Version(), runtime.GOOS,
				runtime.GOARCH, plural(runtime.NumCPU(), "core"), cpuFeatures())
			return nil
		},
	}
}

// commitOf is what the build recorded of the checkout.
func commitOf(info *debug.BuildInfo) string {
	found := map[string]string{}
	for _, s := range info.Settings {
		found[s.Key] = s.Value
	}
	text := orElse(found["vcs.revision"], "unknown")
	if at := found["vcs.time"]; at != "" {
		text += " of " + at
	}
	if found["vcs.modified"] == "true" {
		text += ", with changes"
	}
	return text
}

// cpuFeatures lists what matters for the kernels.
func cpuFeatures() string {
	var list []string
	for _, x := range []struct {
		name string
		has  bool
	}{
		{"SSE4.2", cpu.X86.HasSSE42}, {"AVX", cpu.X86.HasAVX}, {"AVX2", cpu.X86.HasAVX2}, {"FMA", cpu.X86.HasFMA},
		{"AVX512F", cpu.X86.HasAVX512F}, {"AVX512DQ", cpu.X86.HasAVX512DQ}, {"AVX512VL", cpu.X86.HasAVX512VL},
		{"ASIMD", cpu.ARM64.HasASIMD}, {"SVE", cpu.ARM64.HasSVE},
	} {
		if x.has {
			list = append(list, x.name)
		}
	}
	if len(list) == 0 {
		return "no vector features known"
	}
	return strings.Join(list, " ")
}
