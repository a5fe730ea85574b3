//go:build !js

package main

import "testing"

// TestQuote: a path can be pasted into the shells of its system, cmd.exe too.
func TestQuote(t *testing.T) {
	for _, c := range []struct {
		separator  rune
		path, want string
	}{
		{'/', "runs/a-0", "runs/a-0"}, {'/', "", "''"}, {'/', "my runs/a", "'my runs/a'"}, {'/', "it's", `'it'\''s'`},
		{'/', `runs\a`, `'runs\a'`}, {'/', "$HOME", "'$HOME'"},
		{'\\', `runs\a-0`, `runs\a-0`}, {'\\', `C:\runs\a`, `C:\runs\a`}, {'\\', "", `""`},
		{'\\', `my runs\a`, `"my runs\a"`}, {'\\', "it's", `"it's"`}, {'\\', `my runs\`, `"my runs\\"`},
	} {
		if got := quoteFor(c.path, c.separator); got != c.want {
			t.Errorf("with %c %s is written %s, want %s", c.separator, c.path, got, c.want)
		}
	}
}
