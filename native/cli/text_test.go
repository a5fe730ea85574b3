//go:build !js

package cli

import "testing"

// TestQuote: a path can be pasted into the shells of its system, cmd.exe too.
func TestQuote(t *testing.T) {
	for _, c := range []struct {
		separator  rune
		path, want string
	}{
		{'/', "runs/a-0", "runs/a-0"}, {'/', "", "''"}, {'/', "my runs/a", "'my runs/a'"}, {'/', "it's", `'it'\''s'`},
		{'/', `runs\a`, `'runs\a'`}, {'/', "$HOME", "'$HOME'"},
		{'/', "it's\x1b\u202e", `$'it\'s\x1b\u202e'`},
		{'\\', `runs\a-0`, `runs\a-0`}, {'\\', `C:\runs\a`, `C:\runs\a`}, {'\\', "", `""`},
		{'\\', `my runs\a`, `"my runs\a"`}, {'\\', "it's", `"it's"`}, {'\\', `my runs\`, `"my runs\\"`},
	} {
		if got := quoteFor(c.path, c.separator); got != c.want {
			t.Errorf("with %c %s is written %s, want %s", c.separator, c.path, got, c.want)
		}
	}
}

// TestPromptFor: whatever a prompt holds, the line that asks it is one line, and asks it or says where it goes.
func TestPromptFor(t *testing.T) {
	for _, c := range []struct {
		separator    rune
		prompt, want string
	}{
		{'/', "((2 + 3) - 4) mod 9 =", "'((2 + 3) - 4) mod 9 ='"}, {'/', "abba", "abba"}, {'/', "", "''"},
		{'/', "-3 + 4", "-- '-3 + 4'"}, {'/', "--run", "-- --run"}, {'/', "$HOME `ls` \"it's\"", `'$HOME ` + "`ls`" + ` "it'\''s"'`},
		{'/', "a\nb", `"PROMPT"`}, {'/', "a\x1b[2J", `"PROMPT"`}, {'/', "100%", "100%"},
		{'\\', "3 + 4", `"3 + 4"`}, {'\\', "-x", "-- -x"}, {'\\', `a "b"`, `"PROMPT"`}, {'\\', "%PATH%", `"PROMPT"`},
	} {
		if got := PromptFor(c.prompt, c.separator); got != c.want {
			t.Errorf("with %c %q is written %s, want %s", c.separator, c.prompt, got, c.want)
		}
	}
}
