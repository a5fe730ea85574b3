//go:build !js

package cli

import (
	"bytes"
	"testing"

	"mhacsp/tasks/assert"
)

// TestTicker: where no terminal is, a line comes now and then, not each time.
func TestTicker(t *testing.T) {
	var b bytes.Buffer
	x := NewTicker(&b)
	x.Say("one")
	x.Say("two")
	x.End()
	x.Say("three")
	assert.Is(t, b.String(), "one\nthree\n", "apart from a terminal")
	b.Reset()
	x = &Ticker{w: &b, lives: true}
	x.Say("a line")
	x.End()
	assert.Is(t, b.String(), "\ra line\r      \r", "on a terminal")
}
