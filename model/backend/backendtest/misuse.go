package backendtest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"mhacsp/model/backend"
)

// misuse takes the calls of each kernel's first cases and spoils one field at a time: a window or an index too short,
// or not given, or a number that is no shape at all. Each must panic, and the backend must work on: the call itself
// comes last.
func misuse() (list []Case) {
	for _, k := range kernels() {
		list = append(list, Case{Name: k.name(), check: k.misused})
	}
	return list
}

// misusedCases are those of a kernel whose calls are spoiled, one of each choice of fields that are given.
const misusedCases = 6

func (k kernel) misused(dev, yard backend.Backend) (_ []Figure, err error) {
	b := &bench{Backend: dev}
	defer b.release()
	seen := map[string]bool{}
	var wrong []error
	do := func(call backend.Call) {
		given := ""
		for _, path := range fields(reflect.TypeOf(call), nil) {
			given += fmt.Sprint(!reflect.ValueOf(call).FieldByIndex(path).IsZero())
		}
		if reflect.TypeOf(call) == reflect.TypeOf(k.call) && !seen[given] {
			seen[given] = true
			wrong = append(wrong, k.spoiled(call, b))
		}
		call.On(dev)
	}
	for _, c := range k.cases[:min(misusedCases, len(k.cases))] {
		wrong = append(wrong, c.calls(backend.Around{Memory: dev, Do: do}, yard))
	}
	return nil, errors.Join(wrong...)
}

// spoiled makes a call with each of its fields spoiled.
func (k kernel) spoiled(call backend.Call, b *bench) error {
	args := reflect.ValueOf(call)
	var wrong []error
	spoil := func(what string, call backend.Call) {
		wrong = append(wrong, panics(k.name()+" "+what, func() { call.On(b.Backend) }))
	}
	for _, path := range fields(args.Type(), nil) {
		name, field := args.Type().FieldByIndex(path).Name, args.FieldByIndex(path)
		var short reflect.Value
		switch x := field.Interface().(type) {
		case backend.Vec:
			if !x.Given() {
				continue
			}
			x.Len--
			short = reflect.ValueOf(x)
		case backend.Index:
			short = reflect.ValueOf(b.index(make([]int32, x.Len()-slack-1)))
		default: // an index that is not given
			continue
		}
		if !slices.Contains(k.unsized.list(), name) {
			spoil("with "+name+" one short", with(call, path, short))
		}
		if !slices.Contains(k.optional.list(), name) {
			spoil("without "+name, with(call, path, reflect.Zero(field.Type())))
		}
	}
	for what, call := range absurd(call, b) {
		spoil(what, call)
	}
	return errors.Join(wrong...)
}

// but is a call that is changed.
func but[T backend.Call](c T, change func(c *T)) backend.Call {
	change(&c)
	return c
}

// absurd is a call with numbers that are no shape at all, by what is wrong with them.
func absurd(call backend.Call, b *bench) map[string]backend.Call {
	list := map[string]backend.Call{}
	switch c := call.(type) {
	case backend.RecurrenceForward:
		list["Turn above N"] = but(c, func(c *backend.RecurrenceForward) { c.Turn = c.N + 1 })
		list["Turn below 0"] = but(c, func(c *backend.RecurrenceForward) { c.Turn = -1 })
		list["width 0"] = but(c, func(c *backend.RecurrenceForward) { c.N, c.Turn = 0, 0 })
		list["Lo below 0"] = but(c, func(c *backend.RecurrenceForward) { c.Seq.Lo = -1 })
		list["Hi below Lo"] = but(c, func(c *backend.RecurrenceForward) { c.Seq.Lo, c.Seq.Hi = 1, 0 })
		if !c.WTheta.Given() {
			list["Steer without WTheta"] = but(c, func(c *backend.RecurrenceForward) { c.Steer = b.floats(c.N) })
		}
	case backend.DriveForward:
		list["Turn above N"] = but(c, func(c *backend.DriveForward) { c.Turn = c.N + 1 })
		list["no rows"] = but(c, func(c *backend.DriveForward) { c.M = 0 })
	case backend.AttentionForward:
		list["Lo below 0"] = but(c, func(c *backend.AttentionForward) { c.Seq.Lo = -1 })
		list["Hi below Lo"] = but(c, func(c *backend.AttentionForward) { c.Seq.Lo, c.Seq.Hi = 1, 0 })
		list["no heads"] = but(c, func(c *backend.AttentionForward) { c.Heads = 0 })
		list["heads that do not divide the width"] = but(c, func(c *backend.AttentionForward) { c.Heads = c.N + 1 })
	case backend.ProjectForward:
		list["no heads"] = but(c, func(c *backend.ProjectForward) { c.Head = 0 })
		list["heads that do not divide the width"] = but(c, func(c *backend.ProjectForward) { c.Head = c.N + 1 })
	case backend.Columns:
		list["a block right of the rows"] = but(c, func(c *backend.Columns) { c.DstFrom = c.DstWidth - c.N + 1 })
		list["a block left of the rows"] = but(c, func(c *backend.Columns) { c.SrcFrom = -1 })
	case backend.SlotsForward:
		if c.Init.Given() {
			list["Init and Continue"] = but(c, func(c *backend.SlotsForward) { c.Continue = true })
		}
	case backend.SoftmaxForward:
		list["heads that do not divide the width"] = but(c, func(c *backend.SoftmaxForward) { c.Heads = c.N + 1 })
		list["Hi below Lo"] = but(c, func(c *backend.SoftmaxForward) { c.Seq.Lo, c.Seq.Hi = 1, 0 })
		if c.Turn.Given() {
			list["turned heads of odd width"] = but(c, func(c *backend.SoftmaxForward) { c.Heads = c.N })
		}
		const wide = backend.SoftmaxWidest + 2
		x, o, log := b.floats(c.Seq.Rows*wide), b.floats(c.Seq.Rows*wide), b.floats(c.Seq.Rows)
		list["a head too wide"] = backend.SoftmaxForward{O: o, Log: log,
			Softmax: backend.Softmax{Seq: c.Seq, N: wide, Heads: 1, Q: x, K: x, V: x}}
	case backend.ActivateForward:
		list["no activation"] = but(c, func(c *backend.ActivateForward) { c.F = -1 })
	case backend.ConvForward:
		list["channels right of the rows"] = but(c, func(c *backend.ConvForward) { c.From = c.Width - c.N + 1 })
		list["no channels"] = but(c, func(c *backend.ConvForward) { c.N = 0 })
	case backend.DeltaForward:
		list["no heads"] = but(c, func(c *backend.DeltaForward) { c.H = 0 })
		list["too long a key"] = but(c, func(c *backend.DeltaForward) { c.K = backend.DeltaWidest + 1 })
	case backend.Adam:
		list["step 0"] = but(c, func(c *backend.Adam) { c.Step = 0 })
	}
	return list
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
