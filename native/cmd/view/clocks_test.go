//go:build desktop && !js

package view

import (
	"slices"
	"strings"
	"testing"

	"mhacsp/site/circle"
	"mhacsp/tasks/assert"
)

// TestViewerClocksFirst: with --clocks the first reading has the dials, so that --close does not come before them.
func TestViewerClocksFirst(t *testing.T) {
	f := &viewFlags{run: "../../../site/demo/clocks.safetensors", clocks: true}
	f.train.Device.Backend = "cpu"
	v, _, release, err := f.open(nil, nil, nil)
	assert.NoError(t, err)
	defer release()
	v.read()
	d := v.reading.Dials
	assert.True(t, d != nil && len(d.Hands) == 4, "the first reading has the dials %+v", d)
}

// TestViewerClocks: the window's dials are those of the model that it shows; a cut takes the clocks in turn; a model
// without clocks says so.
func TestViewerClocks(t *testing.T) {
	open := func(name, text string) (*viewer, []int32) {
		t.Helper()
		v := openViewer(t, name, text)
		return v, assert.Must(v.question())(t).Tokens
	}
	v, prompt := open("clocks", "4-(3+5)")
	assert.True(t, v.dials(prompt) == nil, "clocks are looked for that nobody wants")
	assert.True(t, v.table() == nil && v.modulus() == 9, "a table comes that nobody wants, or cannot come")
	v.clocks.table = true
	x := v.table()
	assert.True(t, x.None == "" && len(x.Answers) == 81 && x.Answers[3*9+8] == 2 && x.Sure[35] >= 0.9 &&
		len(x.Hands) == 4 && len(x.Hands[3].Second) == 81, "the table is %+v", x)
	v.clocks.wanted = true
	assert.Is(t, v.dials(prompt).Values[len(prompt)-1], 5, "the dials have the value")
	most := func(d *circle.Dials) string {
		return d.Answers[slices.Index(d.Probabilities, slices.Max(d.Probabilities))]
	}
	for marks, want := range map[int]string{0: "5", 1: "6", 9: "5"} { // 9 is once round
		v.clocks.marks, v.clocks.after, v.clocks.turned = marks, len(prompt)-8, nil
		assert.Is(t, most(v.dials(prompt)), want, "all clocks turned on by %d marks", marks)
	}
	v.clocks.marks, v.clocks.turned = 1, nil
	v.dials(prompt)
	v.dials(prompt[:len(prompt)-1])
	assert.Is(t, v.clocks.marks, 0, "another text is turned too")
	for name, hands := range map[string]int{"clocks": 4, "arithmetic": 3} { // those of arithmetic turn half
		v, prompt := open(name, "3+5")
		v.clocks.wanted = true
		for cut := range 5 {
			v.clocks.cut = cut
			d := v.dials(prompt)
			assert.Need(t, d.Check() == nil && len(d.Hands) == hands, "%s: %+v, %v", name, d, d.Check())
			for i, h := range d.Hands {
				assert.True(t, h.Cut == (i == cut-1) && (h.Ends != nil) == (name == "arithmetic"),
					"%s, cut %d: the clock %d is cut: %t; ends %v", name, cut, i, h.Cut, h.Ends)
			}
		}
	}
	v, prompt = open("arithmetic", "3+5")
	v.net.Initialise(1)
	v.clocks.wanted = true
	d := v.dials(prompt)
	assert.Is(t, len(d.Hands), 0, "a model without clocks has hands")
	assert.Says(t, strings.Join(d.None, " "), "Chance is 0.")
}
