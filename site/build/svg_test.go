//go:build !js

package main

import "testing"

// TestSlim: numbers of the drawing lose their places, what is written keeps them; the font is said once.
func TestSlim(t *testing.T) {
	const svg = `<svg viewBox="0 0 720.4 300.6"><title>0.123</title>
<path d="M1.234,5.678L9,0.05" style="stroke-width:0.75" />
<text x="4.567" style="font-family:'A B',C;font-variant:normal;font-weight:bold;font-style:normal;">R 0.998</text>`
	const want = `<svg font-family="'A B',C" viewBox="0 0 720.4 300.6"><title>0.123</title>
<path d="M1.2,5.6L9,0.0" style="stroke-width:0.7" />
<text x="4.5" style="font-weight:bold;">R 0.998</text>`
	if got := string(slim([]byte(svg))); got != want {
		t.Errorf("%s", got)
	}
	if w, h, err := sizeOf([]byte(svg)); w != 720 || h != 301 || err != nil {
		t.Errorf("%d × %d, %v", w, h, err)
	}
	if _, _, err := sizeOf([]byte("<svg>")); err == nil {
		t.Error("a picture without a size passes")
	}
}
