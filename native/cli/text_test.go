//go:build !js

package cli

import (
	"os"
	"regexp"
	"testing"

	"mhacsp/tasks/assert"
)

// TestQuote: a path can be pasted into the shells of its system, cmd.exe too.
func TestQuote(t *testing.T) {
	for _, c := range []struct {
		separator  rune
		path, want string
	}{
		{'/', "runs/a-0", "runs/a-0"}, {'/', "", "''"}, {'/', "my runs/a", "'my runs/a'"}, {'/', "it's", `'it'\''s'`},
		{'/', `runs\a`, `'runs\a'`}, {'/', "$HOME", "'$HOME'"}, {'/', "it's\x1b\u202e", `$'it\'s\x1b\u202e'`},
		{'\\', `runs\a-0`, `runs\a-0`}, {'\\', `C:\runs\a`, `C:\runs\a`}, {'\\', "", `""`},
		{'\\', `my runs\a`, `"my runs\a"`}, {'\\', "it's", `"it's"`}, {'\\', `my runs\`, `"my runs\\"`},
	} {
		assert.Is(t, quoteFor(c.path, c.separator), c.want, "with %c %s is written", c.separator, c.path)
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
		assert.Is(t, PromptFor(c.prompt, c.separator), c.want, "with %c %q is written", c.separator, c.prompt)
	}
}

// TestAsTyped: what looks like a sign, a digit or a space is one, and the page's table is the same.
func TestAsTyped(t *testing.T) {
	for text, want := range map[string]string{
		"（３＋５）−2": "(3+5)-2", "2×３ mod\r\n9": "2*3 mod  9", "ｍｏｄ　9": "mod 9", "1–1": "1-1",
		"1÷2é": "1÷2é", "~!": "~!",
	} {
		assert.Is(t, AsTyped(text), want, "%q became", text)
	}
	script := assert.Must(os.ReadFile("../../site/scripts/typed.js"))(t)
	pairs := regexp.MustCompile(`\["(.)", "([^"]+)"\]`).FindAllStringSubmatch(string(script), -1)
	assert.True(t, len(pairs) == len(alike),
		"the page has %d characters with others like them, this program %d", len(pairs), len(alike))
	for _, p := range pairs {
		assert.Is(t, alike[rune(p[1][0])], p[2], "like %s are, here and on the page", p[1])
	}
}
