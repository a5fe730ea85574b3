//go:build !js

package native

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"mhacsp/tasks/assert"
)

// TestHelp: every command explains itself and every flag of it, with a default where there is one.
func TestHelp(t *testing.T) {
	p := parallelPlace(t)
	for _, c := range newRoot(bufio.NewWriter(io.Discard), io.Discard).Commands() {
		help := p.OK(c.Name(), "--help")
		assert.True(t, c.Short != "" && strings.Contains(help, "mhacsp "+c.Name()), "%s: help is\n%s", c.Name(), help)
		assert.True(t, !strings.Contains(help, "--time-limit") || c.Flags().Lookup("time-limit") != nil,
			"%s: help names --time-limit, and there is none", c.Name())
		c.Flags().VisitAll(func(f *pflag.Flag) {
			assert.True(t, strings.Contains(help, "--"+f.Name) && f.Usage != "",
				"%s: help does not explain --%s", c.Name(), f.Name)
		})
	}
}

// TestCompletion: the shell is offered commands, flags and the values of enumerated flags.
func TestCompletion(t *testing.T) {
	p := parallelPlace(t)
	for _, c := range []struct{ line, want string }{
		{"tr", "train"}, {"train --tas", "--task"}, {"train --task pari", "parity"}, {"train --fusion ", "pooled"},
		{"train --model ", "mha-csp-2"}, {"forward --backend c", "cpu64"}, {"data --split ", "iid"}, {"train --schedule ", "cosine"},
		{"forward --batch ", "json"},
	} {
		out := p.OK(append([]string{"__complete"}, strings.Split(c.line, " ")...)...)
		assert.True(t, strings.Contains("\n"+out, "\n"+c.want), "%q completes to\n%s", c.line, out)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		out := p.OK("completion", shell)
		assert.True(t, len(out) >= 1000, "completion for %s is %d bytes", shell, len(out))
	}
}
