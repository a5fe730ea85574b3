//go:build !js

package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/cpu"

	"mhacsp/model/backend"
	"mhacsp/model/train"
)

func newVersion(out *bufio.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit, the Go version and the processor's features",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			out.WriteString(versionText())
			return nil
		},
	}
}

// versionText is what version and --version print.
func versionText() string {
	version, commit := builtOf()
	return fmt.Sprintf("mhacsp  %s\ncommit  %s\ngo      %s %s/%s\ncpu     %s, %s\n",
		version, commit, runtime.Version(), runtime.GOOS,
		runtime.GOARCH, plural(runtime.NumCPU(), "core"), cpuFeatures())
}

// commit is what the Makefile has the linker write: the commit, its time, and whether there were changes.
var commit string

// builtOf is the program's version and the commit that it was built of.
func builtOf() (version, built string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown", orElse(commit, "unknown")
	}
	return orElse(info.Main.Version, "unknown"), orElse(commit, commitOf(info))
}

// originOf is what a record says of where it was made.
func originOf(b backend.Backend, asked deviceFlags) train.Origin {
	o := train.Origin{Device: deviceLine(b, asked), Threads: b.Info().Threads}
	o.Version, o.Commit = builtOf()
	o.Host, _ = os.Hostname()
	return o
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
