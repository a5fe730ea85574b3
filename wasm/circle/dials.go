//go:build js

package main

import "mhacsp/site/circle"

// dials reads what package hands says of a text, or lines that stand in their place; null or nothing is none. The
// caller checks it by View.SetDials.
func (m message) dials() (*circle.Dials, error) {
	d, err := m.object("dials")
	if d == nil {
		return nil, err
	}
	if d.has("none") {
		return &circle.Dials{None: d.strings("none")}, *d.err
	}
	x := &circle.Dials{
		Modulus: d.int("modulus"), Quantity: d.text("quantity"), Answers: d.strings("answers"),
		Rest: d.numbers("rest"), Sum: d.numbers("sum"), Probabilities: d.numbers("probabilities"),
	}
	for _, moment := range d.items("moments", d.Get("moments")) {
		at := d.in(moment)
		x.Values = append(x.Values, at.int("value"))
		x.Changes, x.Signs = append(x.Changes, at.int("change")), append(x.Signs, at.int("sign"))
	}
	x.Lit, x.Steers = d.units("lit"), d.units("steers")
	for _, hand := range d.items("dials", d.Get("dials")) {
		h := d.in(hand)
		made := circle.Hand{
			Unit: h.int("unit"), K: h.int("k"), R: h.float("r"), Angles: h.numbers("angles"),
			Sure: h.numbers("sure"), Cut: h.truth("cut"), Votes: h.numbers("votes"),
		}
		if h.has("line") {
			l := h.in(h.Get("line"))
			made.Ends = &circle.Ends{Partner: l.int("partner"), Own: l.numbers("own"), Flag: l.numbers("flag")}
		}
		x.Hands = append(x.Hands, made)
	}
	return x, *d.err
}

// units are lists of units, one a token; null stays nil.
func (d *decoder) units(name string) (all [][]int) {
	for _, row := range d.items(name, d.Get(name)) {
		var units []int
		if !row.IsNull() {
			units = []int{}
			for _, u := range d.row(name, row) {
				units = append(units, int(u))
			}
		}
		all = append(all, units)
	}
	return all
}

func (d *decoder) numbers(field string) []float64 {
	var list []float64
	for _, x := range d.row(field, d.Get(field)) {
		list = append(list, float64(x))
	}
	return list
}
