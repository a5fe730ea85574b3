//go:build js

package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"syscall/js"

	"mhacsp/site/circle"
)

// message is an object that the page sent. What is not of the kind asked for is an error that names the field, or the
// zero value; items of a list are taken for objects where they should be.
type message struct{ js.Value }

func (m message) has(field string) bool { return !m.Get(field).IsUndefined() }

func (m message) text(field string) string {
	if v := m.Get(field); v.Type() == js.TypeString {
		return v.String()
	}
	return ""
}

func (m message) truth(field string) bool { return m.Get(field).Truthy() }

func (m message) number(field string) (float64, error) {
	v := m.Get(field)
	if v.Type() != js.TypeNumber {
		return 0, fmt.Errorf("message %s has no number %q: send one", m.text("type"), field)
	}
	return v.Float(), nil
}

// object is a field's decoder, nil where the field is null, nothing, or by the error no object.
func (m message) object(field string) (*decoder, error) {
	v := m.Get(field)
	switch {
	case v.IsNull() || v.IsUndefined():
		return nil, nil
	case v.Type() != js.TypeObject:
		return nil, fmt.Errorf("%s is of type %s: send an object", field, v.Type())
	}
	return &decoder{message{v}, new(error)}, nil
}

// reading reads a Reading; null or nothing is none. The caller checks it by View.SetReading.
func (m message) reading() (*circle.Reading, error) {
	d, err := m.object("reading")
	if d == nil {
		return nil, err
	}
	r := &circle.Reading{
		Text: d.text("text"), Tokens: d.strings("tokens"), Outcomes: d.strings("outcomes"),
		Width: d.int("width"), Heads: d.int("heads"), Turning: d.int("turning"),
		Modulus: d.int("modulus"), Probabilities: d.table("probabilities"),
		Answer: d.text("answer"), Expected: d.text("expected"), Right: d.truth("right"), Step: d.int("step"),
	}
	if r.Width > 0 { // units without a phase have no state to show
		r.State = d.table("state")
	}
	if d.has("memory") {
		r.Memory = d.table("memory")
	}
	if d.has("period") {
		r.Period = d.int("period")
	}
	if r.Heads > 0 {
		r.Distance, r.Tree = d.cube("distance"), d.cube("tree")
		r.Attention, r.Fusion = d.cube("attention"), d.cube("fusion")
	}
	return r, *d.err
}

// decoder reads fields and keeps the first error, its own or one of the objects in it.
type decoder struct {
	message
	err *error
}

// in is the decoder of an object in d.
func (d *decoder) in(object js.Value) *decoder { return &decoder{message{object}, d.err} }

func (d *decoder) fail(field, want string) {
	if *d.err == nil {
		*d.err = fmt.Errorf("%s is not %s", field, want)
	}
}

func (d *decoder) int(field string) int { return int(d.float(field)) }

func (d *decoder) float(field string) float64 {
	v := d.Get(field)
	if v.Type() != js.TypeNumber {
		d.fail(field, "a number")
		return 0
	}
	return v.Float()
}

// items are a list's values, of any kind that can be indexed.
func (d *decoder) items(field string, list js.Value) []js.Value {
	if list.Type() != js.TypeObject || list.Get("length").Type() != js.TypeNumber {
		d.fail(field, "a list of the right depth")
		return nil
	}
	all := make([]js.Value, list.Length())
	for i := range all {
		all[i] = list.Index(i)
	}
	return all
}

func (d *decoder) strings(field string) []string {
	var all []string
	for _, v := range d.items(field, d.Get(field)) {
		if v.Type() != js.TypeString {
			d.fail(field, "a list of strings")
			return nil
		}
		all = append(all, v.String())
	}
	return all
}

// row copies a list of numbers, plain or typed, in two calls whatever its length.
func (d *decoder) row(field string, v js.Value) []float32 {
	if v.Type() != js.TypeObject || v.Get("length").Type() != js.TypeNumber {
		d.fail(field, "a list of rows of numbers")
		return nil
	}
	floats := js.Global().Get("Float32Array").Call("from", v)
	bytes := make([]byte, 4*floats.Length())
	js.CopyBytesToGo(bytes, js.Global().Get("Uint8Array").New(floats.Get("buffer"),
		floats.Get("byteOffset"), len(bytes)))
	row := make([]float32, len(bytes)/4)
	for i := range row {
		row[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return row
}

func (d *decoder) rows(field string, v js.Value) [][]float32 {
	var all [][]float32
	for _, x := range d.items(field, v) {
		all = append(all, d.row(field, x))
	}
	return all
}

func (d *decoder) table(field string) [][]float32 { return d.rows(field, d.Get(field)) }

func (d *decoder) cube(field string) [][][]float32 {
	var all [][][]float32
	for _, x := range d.items(field, d.Get(field)) {
		all = append(all, d.rows(field, x))
	}
	return all
}
