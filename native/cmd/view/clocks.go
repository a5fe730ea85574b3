//go:build desktop && !js

package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"mhacsp/model/probe"
	"mhacsp/native/window"
	"mhacsp/native/words"
	"mhacsp/site/circle"
	"mhacsp/tasks"
)

// clockSamples are how many texts the window looks for clocks on.
const clockSamples = 200

// clocks are what the window knows of the clocks of its network.
type clocks struct {
	wanted bool
	table  bool // of all sums is wanted
	set    *probe.Set
	reader *probe.Reader
	step   int // of the reader
	cut    int // which clock is cut, counted from 1; 0: none

	// All clocks were turned on by that many marks, after this token of this text. Another text knows nothing of it.
	marks, after int
	turned       []int32
}

// Clocks implements window.Host.
func (v *viewer) Clocks(on bool) { v.again(func() { v.clocks.wanted = on }) }

// Cut implements window.Host.
func (v *viewer) Cut() { v.again(func() { v.clocks.cut++ }) }

// Turn implements window.Host.
func (v *viewer) Turn(after int) {
	v.again(func() {
		c := &v.clocks
		if after != c.after {
			c.marks, c.after = 0, after
		}
		c.marks++
		c.turned = nil // read takes the text
	})
}

// Table implements window.Host.
func (v *viewer) Table(on bool) {
	v.do(func() {
		v.clocks.table = on
		v.content.Table = v.table()
		v.publish()
	})
}

// table is what the network as it is answers to all sums of two digits; nil where nobody wants it.
func (v *viewer) table() *window.Table {
	if !v.clocks.table {
		return nil
	}
	t, err := v.clocks.sweep(v)
	if err != nil {
		return &window.Table{None: "The table of all sums cannot be shown: " + err.Error()}
	}
	if v.step > 0 || v.trainer != nil {
		t.Step = fmt.Sprintf("step %s of %s", words.Number(v.step), words.Number(v.run.Training.Steps))
	}
	if m := v.meter; m != nil && m.Weight > 0 {
		t.Step += fmt.Sprintf(" · loss %.4f", m.Loss/m.Weight)
	}
	return t
}

func (c *clocks) sweep(v *viewer) (*window.Table, error) {
	if err := c.find(v); err != nil {
		return nil, err
	}
	found, err := c.reader.Table(v.tokens)
	if err != nil {
		return nil, err
	}
	t := &window.Table{Sure: found.Sure}
	for _, answer := range found.Answers {
		n, err := strconv.Atoi(answer)
		if err != nil {
			return nil, fmt.Errorf("the answer %q is no number", answer)
		}
		t.Answers = append(t.Answers, n)
	}
	for _, h := range found.Hands {
		t.Hands = append(t.Hands, window.Swept{K: h.K, R: h.R, First: h.First, Second: h.Second})
	}
	return t, nil
}

// dials are the clocks of the network as it is while it reads a prompt; nil where nobody wants them.
func (v *viewer) dials(prompt []int32) *circle.Dials {
	if !v.clocks.wanted {
		return nil
	}
	d, err := v.clocks.read(v, prompt)
	if err != nil {
		return &circle.Dials{None: []string{"The clocks cannot be shown.", err.Error()}}
	}
	return d
}

// find brings the reader up to the network as it is.
func (c *clocks) find(v *viewer) error {
	if c.set == nil {
		if err := probe.Refuse(v.run.Config); err != nil {
			return err
		}
		d := tasks.Draw{Seed: v.run.Training.Seed, IID: v.run.Training.Split == "iid"}
		var err error
		if c.set, err = probe.Draw(v.task, d, clockSamples); err != nil {
			return err
		}
	}
	if c.reader == nil || c.step != v.step {
		reader, err := c.set.NewReader(v.net)
		if err != nil {
			return err
		}
		c.reader, c.step = reader, v.step
	}
	return nil
}

func (c *clocks) read(v *viewer, prompt []int32) (*circle.Dials, error) {
	if err := c.find(v); err != nil {
		return nil, err
	}
	c.marks %= c.set.Modulus
	if c.turned == nil {
		c.turned = slices.Clone(prompt)
	} else if !slices.Equal(c.turned, prompt) {
		c.marks = 0
	}
	var change probe.Change
	var units []int
	add := func(unit int, step float64) {
		units = append(units, unit)
		if c.marks > 0 && c.after < len(prompt) {
			turn := probe.Turn{Unit: unit, After: c.after, Angle: float64(c.marks) * step}
			change.Turns = append(change.Turns, turn)
		}
	}
	for _, x := range c.reader.Clocks {
		add(x.Unit, x.Step)
	}
	for _, x := range c.reader.Lines {
		add(x.Unit, x.Step)
	}
	if c.cut > len(units) {
		c.cut = 0
	}
	if c.cut > 0 {
		change.Cut = units[c.cut-1:][:1]
	}
	d, err := c.reader.Read(prompt, change)
	if err != nil {
		return nil, err
	}
	p := picture(d)
	if n := len(units); d.Note != "" && n > 0 { // picture knows of none
		p.None = []string{words.Plural(n, "clock") + " found.", "Single texts cannot be followed: " + d.Note + "."}
	}
	return p, nil
}

// picture is what the circle draws of dials.
func picture(d *probe.Dials) *circle.Dials {
	p := &circle.Dials{
		Modulus: d.Modulus, Quantity: d.Quantity, Lit: d.Lit, Steers: d.Steers,
		Answers: d.Answers, Rest: d.Rest, Sum: d.Sum, Probabilities: d.Probabilities,
	}
	for _, m := range d.Moments {
		p.Values, p.Changes, p.Signs = append(p.Values, m.Value), append(p.Changes, m.Change), append(p.Signs, m.Sign)
	}
	for _, x := range d.Dials {
		hand := circle.Hand{Unit: x.Unit, K: x.K, R: x.R, Angles: x.Angles, Sure: x.Sure, Cut: x.Cut, Votes: x.Votes}
		if x.Line != nil {
			hand.Ends = &circle.Ends{Partner: x.Line.Partner, Own: x.Line.Own, Flag: x.Line.Flag}
		}
		p.Hands = append(p.Hands, hand)
	}
	if len(p.Hands) == 0 {
		best := slices.MaxFunc(d.Best, func(a, b probe.Hand) int { return cmp.Compare(a.R, b.R) })
		p.None = []string{
			"No clock was found.",
			fmt.Sprintf("The best unit, %d, follows the value so far with R %.2f. A clock has at least %.2f; 1 is "+
				"exact.", best.Unit, best.R, max(probe.Least, (1+d.Chance)/2)),
			fmt.Sprintf("Chance is %.2f, measured on %d texts.", d.Chance, d.Samples),
		}
		if d.Note != "" {
			p.None = append(p.None, "Single texts cannot be followed: "+d.Note+".")
		}
	}
	return p
}
