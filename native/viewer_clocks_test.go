//go:build desktop && !js

package main

import (
	"strings"
	"testing"
)

// TestViewerClocks: the window's dials are those of the model that it shows; a cut takes the clocks in turn; a model
// without clocks says so.
func TestViewerClocks(t *testing.T) {
	open := func(name, text string) (*viewer, []int32) {
		t.Helper()
		l, err := load("../site/demo/"+name+".safetensors", "", deviceFlags{backend: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.device.Close)
		v := newViewer(l.run, l.task, l.net, text)
		q, err := v.question()
		if err != nil {
			t.Fatal(err)
		}
		return v, q.Tokens
	}
	v, prompt := open("clocks", "4-(3+5)")
	if v.dials(prompt) != nil {
		t.Error("clocks are looked for that nobody wants")
	}
	v.clocks.wanted = true
	for cut := range 5 {
		v.clocks.cut = cut
		d := v.dials(prompt)
		if err := d.Check(); err != nil || len(d.Hands) != 3 || d.Values[len(prompt)-1] != 5 {
			t.Fatalf("%+v, %v", d, err)
		}
		for i, h := range d.Hands {
			if h.Cut != (i == cut-1) {
				t.Errorf("at cut %d the clock %d is cut: %v", cut, i, h.Cut)
			}
		}
	}
	v, prompt = open("arithmetic", "3+5")
	v.clocks.wanted = true
	for cut := range 5 {
		v.clocks.cut = cut
		d := v.dials(prompt)
		if err := d.Check(); err != nil || len(d.Hands) != 3 {
			t.Fatalf("%+v, %v", d, err)
		}
		for i, h := range d.Hands {
			if h.Ends == nil || h.Cut != (i == cut-1) {
				t.Errorf("at cut %d the half-turn clock %d is cut: %v; ends %v", cut, i, h.Cut, h.Ends)
			}
		}
	}
	v, prompt = open("arithmetic", "3+5")
	v.net.Initialise(1)
	v.clocks.wanted = true
	if d := v.dials(prompt); len(d.Hands) != 0 || !strings.Contains(strings.Join(d.None, " "), "Chance is 0.") {
		t.Errorf("a model without clocks: %+v", d)
	}
}
