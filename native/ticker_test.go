//go:build !js

package native

import (
	"bytes"
	"testing"
)

// TestTicker: where no terminal is, a line comes now and then, not each time.
func TestTicker(t *testing.T) {
	var b bytes.Buffer
	x := newTicker(&b)
	x.say("one")
	x.say("two")
	x.end()
	x.say("three")
	if b.String() != "one\nthree\n" {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	x = &ticker{w: &b, lives: true}
	x.say("a line")
	x.end()
	if b.String() != "\ra line\r      \r" {
		t.Errorf("on a terminal %q", b.String())
	}
}
