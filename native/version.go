//go:build !js

package native

import (
	"bufio"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mhacsp/model/backend/cpu"
	"mhacsp/native/words"
)

func newVersion(out *bufio.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit, the Go version and what the CPU computes with",
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
	host := cpu.New()
	defer host.Close()
	return fmt.Sprintf("mhacsp  %s\ncommit  %s\ngo      %s %s/%s\ncpu     %s, %s\n",
		version, commit, runtime.Version(), runtime.GOOS,
		runtime.GOARCH, words.Plural(runtime.NumCPU(), "core"), host.Info().Adapter)
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
