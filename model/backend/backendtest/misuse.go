package backendtest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"mhacsp/model/backend"
)

// misuse takes a valid call of each kernel and spoils one field at a time: a window or an index one element short,
// or not given. Each must panic, and the backend must work on: the valid call comes last.
func misuse() (list []contract) {
	for _, c := range []struct {
		name     string
		args     func(b *bench) any
		optional []string // need not be given
		unsized  []string // of no certain length
	}{
		{"MatMul", func(b *bench) any {
			return backend.MatMul{Y: b.floats(6), X: b.floats(8), W: b.floats(12), Bias: b.floats(3), M: 2, K: 4, N: 3}
		}, []string{"Bias"}, nil},
		{"MatMulInput", func(b *bench) any {
			return backend.MatMulInput{DX: b.floats(8), DY: b.floats(6), W: b.floats(12), M: 2, K: 4, N: 3}
		}, nil, nil},
		{"MatMulWeight", func(b *bench) any {
			return backend.MatMulWeight{DW: b.floats(12), DBias: b.floats(3), DY: b.floats(6), X: b.floats(8), M: 2, K: 4, N: 3}
		}, []string{"DBias"}, nil},
		{"DriveForward", func(b *bench) any {
			return backend.DriveForward{Drive: validDrive(b), Rot: b.floats(12), Turn: 3, In: b.floats(12), DeltaU: b.floats(6)}
		}, []string{"Rot"}, nil},
		{"DriveBackward", func(b *bench) any {
			return backend.DriveBackward{
				Drive: validDrive(b), Grads: validDriveWeights(b), DU: b.floats(6), DDelta: b.floats(6), DTheta: b.floats(6), DIn: b.floats(12),
			}
		}, nil, nil},
		{"RecurrenceForward", func(b *bench) any {
			return backend.RecurrenceForward{Cell: validCell(b, false), Init: b.floats(4)}
		}, []string{"Init"}, nil},
		{"RecurrenceForward-state", func(b *bench) any {
			return backend.RecurrenceForward{Cell: validCell(b, true), Init: b.floats(4)}
		}, []string{"Init"}, nil},
		{"RecurrenceBackward", func(b *bench) any { return validRecurrenceBackward(b, false, false) }, []string{"DInit"}, nil},
		{"RecurrenceBackward-state", func(b *bench) any { return validRecurrenceBackward(b, true, false) }, []string{"DInit"}, nil},
		{"RecurrenceBackward-tabled", func(b *bench) any { return validRecurrenceBackward(b, false, true) }, []string{"DInit"}, nil},
		{"RecurrenceBackward-state-tabled", func(b *bench) any { return validRecurrenceBackward(b, true, true) }, []string{"DInit"}, nil},
		{"FactorForward", func(b *bench) any {
			return backend.FactorForward{Factor: b.floats(18), Raw: b.floats(18), Heads: 2, D: 3}
		}, nil, nil},
		{"FactorBackward", func(b *bench) any {
			return backend.FactorBackward{DRaw: b.floats(18), DFactor: b.floats(18), Raw: b.floats(18), Heads: 2, D: 3}
		}, nil, nil},
		{"ProjectForward", func(b *bench) any {
			return backend.ProjectForward{Q: b.floats(24), State: b.floats(24), Factor: b.floats(8), Rows: 3, N: 4, Head: 2}
		}, nil, nil},
		{"ProjectBackward", func(b *bench) any {
			return backend.ProjectBackward{
				DState: b.floats(24), DFactor: b.floats(8), DQ: b.floats(24), State: b.floats(24), Factor: b.floats(8), Rows: 3, N: 4, Head: 2,
			}
		}, nil, nil},
		{"AttentionForward", func(b *bench) any {
			return backend.AttentionForward{Attention: validAttention(b, false), O: b.floats(24)}
		}, nil, nil},
		{"AttentionForward-last", func(b *bench) any {
			return backend.AttentionForward{Attention: validAttention(b, true), O: b.floats(8)}
		}, nil, nil},
		{"AttentionBackward", func(b *bench) any { return validAttentionBackward(b, false) }, nil, nil},
		{"AttentionBackward-last", func(b *bench) any { return validAttentionBackward(b, true) }, nil, nil},
		{"AttentionMatrices", func(b *bench) any {
			return backend.AttentionMatrices{
				Attention: validAttention(b, false), T: 2,
				Distance: b.floats(8), TreeOut: b.floats(8), FusedOut: b.floats(8), Weights: b.floats(8),
			}
		}, nil, nil},
		{"OutputForward", func(b *bench) any {
			return backend.OutputForward{
				Y: b.floats(12), Inv: b.floats(6), Z: b.floats(12), ZRow: b.index([]int32{1, 0}), H: b.floats(12), HRow: b.index([]int32{0, 1}),
				Gate: b.floats(3), P: 2, N: 3, Eps: eps,
			}
		}, []string{"Gate"}, []string{"Z", "H"}},
		{"OutputBackward", func(b *bench) any {
			return backend.OutputBackward{
				DZ: b.floats(12), DH: b.floats(12), DGate: b.floats(3), DY: b.floats(12), Y: b.floats(12), Inv: b.floats(6),
				ZRow: b.index([]int32{1, 0}), H: b.floats(12), HRow: b.index([]int32{0, 1}), Gate: b.floats(3), P: 2, N: 3,
			}
		}, []string{"Gate"}, []string{"DZ", "DH", "H"}},
		{"CrossEntropy", func(b *bench) any {
			return backend.CrossEntropy{
				Loss: b.floats(1), RowLoss: b.floats(2), Hit: b.floats(2), DLogits: b.floats(6), Logits: b.floats(6), Target: b.index([]int32{0, 2}), Weight: b.floats(2),
				P: 2, C: 3, Scale: 0.5,
			}
		}, nil, nil},
		{"SumSquares", func(b *bench) any {
			return backend.SumSquares{Out: b.floats(1), X: b.floats(5)}
		}, nil, []string{"X"}},
		{"Adam", func(b *bench) any { return validAdam(b) }, []string{"Loss", "Guard"}, []string{"Param"}},
	} {
		list = append(list, direct(c.name, func(b *bench) error {
			args := c.args(b)
			var wrong []error
			spoil := func(what string, x any) {
				wrong = append(wrong, panics(c.name+" "+what, func() { b.call(x) }))
			}
			for _, path := range fields(reflect.TypeOf(args), nil) {
				name := reflect.TypeOf(args).FieldByIndex(path).Name
				var short, none reflect.Value
				switch x := reflect.ValueOf(args).FieldByIndex(path).Interface().(type) {
				case backend.Vec:
					if !x.Given() {
						continue
					}
					short, none = reflect.ValueOf(backend.Vec{Buf: x.Buf, Off: x.Off, Len: x.Len - 1}), reflect.ValueOf(backend.Vec{})
				case backend.Index:
					short, none = reflect.ValueOf(b.index(make([]int32, x.Len()-1))), reflect.Zero(reflect.TypeFor[backend.Index]())
				default: // an index that is not given
					continue
				}
				if !slices.Contains(c.unsized, name) {
					spoil("with "+name+" one short", with(args, path, short))
				}
				if !slices.Contains(c.optional, name) {
					spoil("without "+name, with(args, path, none))
				}
			}
			b.call(args)
			return errors.Join(wrong...)
		}))
	}
	return append(list, numbers())
}

// numbers are fields that are no shape at all.
func numbers() contract {
	return direct("numbers", func(b *bench) error {
		cell, attention := validCell(b, false), validAttention(b, false)
		forward := backend.RecurrenceForward{Cell: cell}
		attend := backend.AttentionForward{Attention: attention, O: b.floats(24)}
		project := backend.ProjectForward{Q: b.floats(24), State: b.floats(24), Factor: b.floats(8), Rows: 3, N: 4, Head: 2}
		update := validAdam(b)
		drive := backend.DriveForward{Drive: validDrive(b), In: b.floats(12), DeltaU: b.floats(6)}
		var wrong []error
		for _, x := range []struct {
			what  string
			spoil func() any
		}{
			{"Turn above N", func() any { x := forward; x.Turn = 3; return x }},
			{"Turn below 0", func() any { x := forward; x.Turn = -1; return x }},
			{"recurrence of width 0", func() any { x := forward; x.N, x.Turn = 0, 0; return x }},
			{"drive's Turn above N", func() any { x := drive; x.Turn = 4; return x }},
			{"drive without rows", func() any { x := drive; x.M = 0; return x }},
			{"Lo below 0", func() any { x := forward; x.Seq.Lo = -1; return x }},
			{"Hi below Lo", func() any { x := forward; x.Seq.Lo, x.Seq.Hi = 1, 0; return x }},
			{"Lo below 0 in the attention", func() any { x := attend; x.Seq.Lo = -1; return x }},
			{"Hi below Lo in the attention", func() any { x := attend; x.Seq.Lo, x.Seq.Hi = 1, 0; return x }},
			{"attention without heads", func() any { x := attend; x.Heads = 0; return x }},
			{"three heads in a width of four", func() any { x := attend; x.Heads = 3; return x }},
			{"projection without heads", func() any { x := project; x.Head = 0; return x }},
			{"projection to three heads in a width of four", func() any { x := project; x.Head = 3; return x }},
			{"Adam's step 0", func() any { x := update; x.Step = 0; return x }},
		} {
			wrong = append(wrong, panics(x.what, func() { b.call(x.spoil()) }))
		}
		b.call(forward)
		return errors.Join(wrong...)
	})
}

// validDrive is two rows of a drive of width 3.
func validDrive(b *bench) backend.Drive {
	return backend.Drive{
		U: b.floats(6), Weights: validDriveWeights(b), M: 2, N: 3, PreTheta: b.floats(6), PreGamma: b.floats(6), V: b.floats(12), R: b.floats(12),
	}
}

func validDriveWeights(b *bench) backend.DriveWeights {
	return backend.DriveWeights{
		Theta: b.floats(9), Gamma: b.floats(9), Input: b.floats(9), Delta: b.floats(9),
		ThetaBias: b.floats(3), GammaBias: b.floats(3), DeltaBias: b.floats(3),
	}
}

// validCell is a cell of width 2 over one sequence of two steps, reading two tokens.
func validCell(b *bench, state bool) backend.Cell {
	c := backend.Cell{
		Seq: backend.Sequences{Start: b.index([]int32{0}), End: b.index([]int32{2}), Hi: 1, Rows: 3},
		At:  b.index([]int32{0, 1, -1}), N: 2, Turn: 2, M: 2, In: b.floats(8), DeltaU: b.floats(4), WDelta: b.floats(8), Normalise: true, Eps: eps,
		State: b.floats(12), Alpha: b.floats(6), Inv: b.floats(6),
	}
	if state {
		c.WTheta, c.Pre, c.Theta = b.floats(8), b.floats(4), b.floats(6)
	} else {
		c.Rot = b.floats(8)
	}
	return c
}

func validRecurrenceBackward(b *bench, state, tabled bool) backend.RecurrenceBackward {
	a := backend.RecurrenceBackward{Cell: validCell(b, state), DState: b.floats(12), DDelta: b.floats(6), DInit: b.floats(4)}
	if state || !tabled {
		a.DTheta = b.floats(6)
	}
	if tabled {
		a.TDelta, a.TTheta, a.TIn = b.floats(4), b.floats(4), b.floats(8)
	} else {
		a.DIn = b.floats(12)
	}
	return a
}

// validAttention is two heads in a width of 4 over one sequence of two steps.
func validAttention(b *bench, last bool) backend.Attention {
	return backend.Attention{
		Seq: backend.Sequences{Start: b.index([]int32{0}), End: b.index([]int32{2}), Hi: 1, Rows: 3},
		N:   4, Heads: 2, Last: last, State: b.floats(24), Q: b.floats(24), Rho: b.floats(2), B: b.floats(4),
	}
}

func validAttentionBackward(b *bench, last bool) backend.AttentionBackward {
	a := backend.AttentionBackward{
		Attention: validAttention(b, last), DO: b.floats(24), DState: b.floats(24), DQ: b.floats(24), DRho: b.floats(2), DB: b.floats(4),
	}
	if last {
		a.DO = b.floats(8)
	}
	return a
}

func validAdam(b *bench) backend.Adam {
	return backend.Adam{
		Param: b.floats(5), M: b.floats(5), V: b.floats(5), Grad: b.floats(5), Norm2: b.floats(1),
		Loss: b.floats(1), Guard: b.floats(1), Rate: rate, Beta1: beta1, Beta2: beta2, Eps: eps, Step: 1,
	}
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

// with is args with one field changed.
func with(args any, path []int, v reflect.Value) any {
	x := reflect.New(reflect.TypeOf(args)).Elem()
	x.Set(reflect.ValueOf(args))
	x.FieldByIndex(path).Set(v)
	return x.Interface()
}

// call runs the kernel that args belongs to.
func (b *bench) call(args any) {
	switch a := args.(type) {
	case backend.MatMul:
		b.MatMul(a)
	case backend.MatMulInput:
		b.MatMulInput(a)
	case backend.MatMulWeight:
		b.MatMulWeight(a)
	case backend.DriveForward:
		b.DriveForward(a)
	case backend.DriveBackward:
		b.DriveBackward(a)
	case backend.RecurrenceForward:
		b.RecurrenceForward(a)
	case backend.RecurrenceBackward:
		b.RecurrenceBackward(a)
	case backend.FactorForward:
		b.FactorForward(a)
	case backend.FactorBackward:
		b.FactorBackward(a)
	case backend.ProjectForward:
		b.ProjectForward(a)
	case backend.ProjectBackward:
		b.ProjectBackward(a)
	case backend.AttentionForward:
		b.AttentionForward(a)
	case backend.AttentionBackward:
		b.AttentionBackward(a)
	case backend.AttentionMatrices:
		b.AttentionMatrices(a)
	case backend.OutputForward:
		b.OutputForward(a)
	case backend.OutputBackward:
		b.OutputBackward(a)
	case backend.CrossEntropy:
		b.CrossEntropy(a)
	case backend.SumSquares:
		b.SumSquares(a)
	case backend.Adam:
		b.Adam(a)
	default:
		panic(fmt.Sprintf("backendtest: no kernel takes %T", args))
	}
}
