//go:build !js

package cli

import (
	"bytes"
	"testing"
)

// TestTicker: where no terminal is, a line comes now and then, not each time.
func TestTicker(t *testing.T) {
	var b bytes.Buffer
	x := NewTicker(&b)
	x.Say("one")
	x.Say("two")
	x.End()
	x.Say("three")
	if b.String() != "one\nthree\n" {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	x = &Ticker{w: &b, lives: true}
	x.Say("a line")
	x.End()
	if b.String() != "\ra line\r      \r" {
		t.Errorf("on a terminal %q", b.String())
	}
}
