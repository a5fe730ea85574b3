//go:build !js

package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mhacsp/model/backend/cpu"
	"mhacsp/native/words"
)

// NewVersion makes the command version.
func NewVersion(out *bufio.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit, the Go version and what the CPU computes with",
		Args:  NoArguments,
		Run:   func(*cobra.Command, []string) { out.WriteString(VersionText()) },
	}
}

// VersionText is what version and --version print.
func VersionText() string {
	version, commit := BuiltOf()
	host := cpu.New()
	defer host.Close()
	return fmt.Sprintf("mhacsp  %s\ncommit  %s\ngo      %s %s/%s\ncpu     %s, %s\n",
		version, commit, runtime.Version(), runtime.GOOS,
		runtime.GOARCH, words.Plural(runtime.NumCPU(), "core"), host.Info().Adapter)
}

// commit is what the Makefile has the linker write: the commit, its time, and whether there were changes.
var commit string

// BuiltOf is the program's version and the commit that it was built of.
func BuiltOf() (version, built string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown", cmp.Or(commit, "unknown")
	}
	return cmp.Or(info.Main.Version, "unknown"), cmp.Or(commit, commitOf(info))
}

// commitOf is what the build recorded of the checkout.
func commitOf(info *debug.BuildInfo) string {
	found := map[string]string{}
	for _, s := range info.Settings {
		found[s.Key] = s.Value
	}
	text := cmp.Or(found["vcs.revision"], "unknown")
	if at := found["vcs.time"]; at != "" {
		text += " of " + at
	}
	if found["vcs.modified"] == "true" {
		text += ", with changes"
	}
	return text
}
