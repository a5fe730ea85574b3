package backendtest

import (
	"errors"
	"reflect"
	"slices"

	"mhacsp/model/backend"
)

// misuse takes a valid call of each kernel and spoils one field at a time: a window or an index one element short,
// or not given. Each must panic, and the backend must work on: the valid call comes last.
func misuse() (list []contract) {
	for _, k := range kernels() {
		for _, v := range k.valid {
			name := k.name()
			if v.label != "" {
				name += "-" + v.label
			}
			list = append(list, direct(name, v.spoiled))
		}
	}
	return append(list, numbers())
}

// spoiled is the case of one valid call.
func (v valid) spoiled(b *bench) error {
	call := v.call(b)
	args := reflect.ValueOf(call)
	var wrong []error
	spoil := func(what string, path []int, x reflect.Value) {
		wrong = append(wrong, panics(backend.Name(call)+" "+what, func() { with(call, path, x).On(b) }))
	}
	for _, path := range fields(args.Type(), nil) {
		name := args.Type().FieldByIndex(path).Name
		var short, none reflect.Value
		switch x := args.FieldByIndex(path).Interface().(type) {
		case backend.Vec:
			if !x.Given() {
				continue
			}
			short, none = reflect.ValueOf(backend.Vec{Buf: x.Buf, Off: x.Off, Len: x.Len - 1}),
				reflect.ValueOf(backend.Vec{})
		case backend.Index:
			short, none = reflect.ValueOf(b.index(make([]int32, x.Len()-1))),
				reflect.Zero(reflect.TypeFor[backend.Index]())
		default: // an index that is not given
			continue
		}
		if !slices.Contains(v.unsized, name) {
			spoil("with "+name+" one short", path, short)
		}
		if !slices.Contains(v.optional, name) {
			spoil("without "+name, path, none)
		}
	}
	call.On(b)
	return errors.Join(wrong...)
}

// numbers are fields that are no shape at all.
func numbers() contract {
	return direct("numbers", func(b *bench) error {
		cell, attention := validCell(b, byToken), validAttention(b, false)
		forward := backend.RecurrenceForward{Cell: cell}
		attend := backend.AttentionForward{Attention: attention, O: b.floats(24)}
		project := backend.ProjectForward{Q: b.floats(24), State: b.floats(24), Factor: b.floats(8), Rows: 3, N: 4,
			Head: 2}
		update := validAdam(b)
		drive := backend.DriveForward{Drive: validDrive(b), In: b.floats(12), DeltaU: b.floats(6)}
		block := backend.Columns{Dst: b.floats(12), Src: b.floats(12), M: 3, N: 2, DstWidth: 4, SrcWidth: 4}
		slots := backend.SlotsForward{Slots: validSlots(b), Init: b.floats(6)}
		soft := backend.SoftmaxForward{Softmax: validSoftmax(b), O: b.floats(12), Log: b.floats(6)}
		activate := backend.ActivateForward{Y: b.floats(6), X: b.floats(6), P: 2, N: 3}
		conv := backend.ConvForward{Conv: validConv(b), Y: b.floats(18)}
		rule := backend.DeltaForward{Delta: validDelta(b), O: b.floats(18 * 6)}
		var wrong []error
		for _, x := range []struct {
			what  string
			spoil func() backend.Call
		}{
			{"Turn above N", func() backend.Call { x := forward; x.Turn = 3; return x }},
			{"Turn below 0", func() backend.Call { x := forward; x.Turn = -1; return x }},
			{"recurrence of width 0", func() backend.Call { x := forward; x.N, x.Turn = 0, 0; return x }},
			{"Steer without WTheta", func() backend.Call { x := forward; x.Steer = b.floats(2); return x }},
			{"drive's Turn above N", func() backend.Call { x := drive; x.Turn = 4; return x }},
			{"drive without rows", func() backend.Call { x := drive; x.M = 0; return x }},
			{"Lo below 0", func() backend.Call { x := forward; x.Seq.Lo = -1; return x }},
			{"Hi below Lo", func() backend.Call { x := forward; x.Seq.Lo, x.Seq.Hi = 1, 0; return x }},
			{"Lo below 0 in the attention", func() backend.Call { x := attend; x.Seq.Lo = -1; return x }},
			{"Hi below Lo in the attention", func() backend.Call { x := attend; x.Seq.Lo, x.Seq.Hi = 1, 0; return x }},
			{"attention without heads", func() backend.Call { x := attend; x.Heads = 0; return x }},
			{"three heads in a width of four", func() backend.Call { x := attend; x.Heads = 3; return x }},
			{"projection without heads", func() backend.Call { x := project; x.Head = 0; return x }},
			{"projection to three heads in a width of four", func() backend.Call { x := project; x.Head = 3; return x }},
			{"block right of the rows", func() backend.Call { x := block; x.DstFrom = 3; return x }},
			{"block left of the rows", func() backend.Call { x := block; x.SrcFrom = -1; return x }},
			{"Init beside Continue", func() backend.Call { x := slots; x.Continue = true; return x }},
			{"softmax to three heads in a width of four", func() backend.Call { x := soft; x.Heads = 3; return x }},
			{"turned heads of odd width", func() backend.Call { x := soft; x.Heads = 4; return x }},
			{"Hi below Lo in the softmax", func() backend.Call { x := soft; x.Seq.Lo, x.Seq.Hi = 1, 0; return x }},
			{"a head too wide", func() backend.Call {
				n := backend.SoftmaxWidest + 2
				x := b.floats(3 * n)
				wide := backend.Softmax{Seq: soft.Seq, N: n, Heads: 1, Q: x, K: x, V: x}
				return backend.SoftmaxForward{Softmax: wide,
					O: b.floats(3 * n), Log: b.floats(3)}
			}},
			{"no activation", func() backend.Call { x := activate; x.F = -1; return x }},
			{"channels right of the rows", func() backend.Call { x := conv; x.From = 3; return x }},
			{"convolution without channels", func() backend.Call { x := conv; x.N = 0; return x }},
			{"delta rule without heads", func() backend.Call { x := rule; x.H = 0; return x }},
			{"delta rule with too long a key", func() backend.Call { x := rule; x.K = 129; return x }},
			{"Adam's step 0", func() backend.Call { x := update; x.Step = 0; return x }},
		} {
			wrong = append(wrong, panics(x.what, func() { x.spoil().On(b) }))
		}
		forward.On(b)
		return errors.Join(wrong...)
	})
}

// fields are the paths of all windows and indices of an argument struct, those of embedded structs included.
func fields(t reflect.Type, path []int) (list [][]int) {
	for i := range t.NumField() {
		at, f := append(slices.Clone(path), i), t.Field(i)
		switch {
		case f.Type == reflect.TypeFor[backend.Vec]() || f.Type == reflect.TypeFor[backend.Index]():
			list = append(list, at)
		case f.Type.Kind() == reflect.Struct:
			list = append(list, fields(f.Type, at)...)
		}
	}
	return list
}

// with is a call with one field changed.
func with(c backend.Call, path []int, v reflect.Value) backend.Call {
	x := reflect.New(reflect.TypeOf(c)).Elem()
	x.Set(reflect.ValueOf(c))
	x.FieldByIndex(path).Set(v)
	return x.Interface().(backend.Call)
}
