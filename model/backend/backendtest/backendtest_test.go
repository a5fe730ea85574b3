package backendtest

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/reference"
	"mhacsp/tasks/assert"
)

func TestReference(t *testing.T) { Run(t, reference.New[float32]()) }

// flaw is a way to be wrong.
type flaw int

const (
	scaled   flaw = iota // every element off by 0.1 %, up and down in turn
	skipped              // not computed at all
	spilled              // one element written beyond the window
	unsteady             // the last bit differs from call to call
	invalid              // one element is no number
)

func (f flaw) String() string {
	return [...]string{"scaled", "skipped", "spilled", "unsteady", "invalid"}[f]
}

// bent is the float32 reference with one kernel's output made wrong.
type bent struct {
	backend.Around
	device backend.Backend
	kernel kernel
	output int // of kernel.writes
	flaw   flaw
	edit   func(backend.Call) backend.Call // in place of a flaw: the kernel is given other arguments

	calls int
	hit   bool // the flaw changed something that counts
}

func bend(k kernel, output int, f flaw) *bent {
	b := &bent{device: reference.New[float32](), kernel: k, output: output, flaw: f}
	b.Around = backend.Around{Memory: b.device, Do: b.do}
	return b
}

// do runs a call and applies the flaw to the chosen one of its outputs.
func (b *bent) do(c backend.Call) {
	if backend.Name(c) != b.kernel.name() {
		c.On(b.device)
		return
	}
	if b.calls++; b.flaw == skipped {
		b.hit = true
		return
	}
	if b.edit != nil {
		b.edit(c).On(b.device)
		return
	}
	c.On(b.device)
	field := reflect.ValueOf(c)
	for _, name := range strings.Split(b.kernel.writes.list()[b.output], ".") {
		field = field.FieldByName(name)
	}
	v := field.Interface().(backend.Vec)
	if !v.Given() {
		return
	}
	if b.flaw == spilled {
		v.Len++
	}
	x := reference.Data[float32](v)
	switch b.flaw {
	case spilled:
		x[len(x)-1], b.hit = 0, true
	case invalid:
		for i, y := range x {
			if y != 0 && y < junk/2 {
				x[i], b.hit = float32(math.NaN()), true
				return
			}
		}
	default:
		for i, y := range x {
			switch {
			case y > junk/2 || -1e-6 < y && y < 1e-6: // not computed, or nothing compared with inputs of order 1
			case b.flaw == scaled:
				x[i], b.hit = y*(1+1e-3*float32(1-2*(i%2))), true
			case b.calls == 1: // unsteady
				x[i], b.hit = y*(1+1e-5), true
			}
		}
	}
}

// TestFlaws bends each output of each kernel in turn: every case that reaches it must notice. A third of the cases is
// tried on each output, few where the flaw is a crude one.
func TestFlaws(t *testing.T) {
	yard := lasting{reference.New[float64](), true}
	for _, k := range kernels() {
		t.Run(k.name(), func(t *testing.T) {
			for flaw := scaled; flaw <= invalid; flaw++ {
				for output, field := range k.writes.list() {
					cases := k.cases[:min(len(k.cases), 5)]
					if flaw == scaled {
						cases = nil
						for i := output % 3; i < len(k.cases); i += 3 {
							cases = append(cases, k.cases[i])
						}
					}
					noticed := 0
					for _, c := range cases {
						b := bend(k, output, flaw)
						_, err := c.check(b, yard)
						if err != nil {
							noticed++
						}
						assert.True(t, err != nil || !b.hit, "%s: %s %v goes unnoticed", c.Name, field, flaw)
					}
					assert.True(t, noticed > 0, "%s %v goes unnoticed by all %d cases", field, flaw, len(cases))
				}
			}
		})
	}
}

// TestLonger: a window may be longer than a kernel needs; what it holds beyond that stays as it is, but in pictures,
// which are cleared first.
func TestLonger(t *testing.T) {
	yard, all := lasting{reference.New[float64](), true}, kernels()
	for _, dev := range []backend.Backend{reference.New[float32](), cpu.New()} {
		defer dev.Close()
		for _, k := range all {
			longer := backend.Around{Memory: dev, Do: func(c backend.Call) {
				for _, path := range fields(reflect.TypeOf(c), nil) {
					name := reflect.TypeOf(c).FieldByIndex(path).Name
					v, ok := reflect.ValueOf(c).FieldByIndex(path).Interface().(backend.Vec)
					if ok && v.Given() && name != "DTheta" && !slices.Contains(k.unsized.list(), name) {
						v.Len++ // by one of the margin
						c = with(c, path, reflect.ValueOf(v))
					}
				}
				c.On(dev)
			}}
			for _, c := range k.cases[:min(len(k.cases), 5)] {
				_, err := c.check(longer, yard)
				assert.True(t, err == nil || strings.HasSuffix(k.name(), "Matrices"),
					"%s/%s on %s: %v", k.name(), c.Name, dev.Info().Name, err)
			}
		}
	}
}

// TestKept: the reference of a contract that is kept computes a case once, for all backends that the case is tried on;
// what it said is not lost to one that is wrong.
func TestKept(t *testing.T) {
	asked := 0
	device := reference.New[float64]()
	yard := lasting{Backend: backend.Around{Memory: device, Do: func(c backend.Call) {
		asked++
		c.On(device)
	}}}
	k := recurrenceBackward()
	c := k.cases[3] // of two steps
	for i, x := range []struct {
		what  string
		tried backend.Backend
		right bool
	}{
		{"first", reference.New[float32](), true}, {"wrong", bend(k, 0, scaled), false},
		{"again", reference.New[float32](), true}, {"spilling", bend(k, 0, spilled), false},
	} {
		report, err := c.check(x.tried, yard)
		assert.True(t, (err == nil) == x.right, "%s: %v, %v", x.what, report, err)
		assert.Is(t, asked, 2, "%s: after %d backends the reference was asked, once each way", x.what, i+1)
	}
	calls := bend(k, 0, scaled)
	err := c.calls(calls, yard)
	assert.True(t, err == nil && calls.calls == 1 && asked == 2, "the case alone: %d calls, %v", calls.calls, err)
	exact := against("exact", func(d draw) program {
		x := d.normal(6, 1)
		return func(b *bench) {
			b.Columns(backend.Columns{Dst: b.out("Dst", 0, 6, nil), Src: b.in("Src", x),
				M: 2, N: 3, DstWidth: 3, SrcWidth: 3})
		}
	})
	for range 2 {
		_, err := exact.check(reference.New[float32](), yard)
		assert.True(t, err == nil, "%v", err)
		_, err = exact.check(bend(columns(), 0, scaled), yard)
		assert.True(t, err != nil, "what must be exact and is off goes unnoticed")
	}
}

// TestMisreadings gives each kernel arguments other than those of the call, as if it overlooked a field: some case
// must notice.
func TestMisreadings(t *testing.T) {
	yard, all := lasting{reference.New[float64](), true}, kernels()
	fromFirst := func(a *backend.Attention) {
		if !a.Last {
			a.Seq.Lo = 0
		}
	}
	for _, x := range []struct {
		what string
		edit any // func(*args)
	}{
		{"no bias", func(a *backend.MatMul) { a.Bias = backend.Vec{} }},
		{"last row missing", func(a *backend.MatMul) { a.M-- }},
		{"always accumulates", func(a *backend.MatMulInput) { a.Accumulate = true }},
		{"never accumulates", func(a *backend.MatMulInput) { a.Accumulate = false }},
		{"no bias", func(a *backend.MatMulWeight) { a.DBias = backend.Vec{} }},
		{"all units turn", func(a *backend.DriveForward) { a.Turn = a.N }},
		{"weights interchanged", func(a *backend.DriveForward) { a.Weights.Delta = a.Weights.Gamma }},
		{"state's angle overlooked", func(a *backend.DriveBackward) { a.StateTheta = false }},
		{"token's angle overlooked", func(a *backend.DriveBackward) { a.StateTheta = true }},
		{"weights interchanged", func(a *backend.DriveBackward) { a.Weights.Delta = a.Weights.Gamma }},
		{"always normalises", func(a *backend.RecurrenceForward) { a.Normalise = true }},
		{"never normalises", func(a *backend.RecurrenceForward) { a.Normalise = false }},
		{"no unit turns", func(a *backend.RecurrenceForward) { a.Turn = 0 }},
		{"all units turn", func(a *backend.RecurrenceForward) { a.Turn = a.N }},
		{"Steer overlooked", func(a *backend.RecurrenceForward) { a.Steer = backend.Vec{} }},
		{"starts again", func(a *backend.RecurrenceForward) { a.Continue = false }},
		{"Init overlooked", func(a *backend.RecurrenceForward) { a.Init = backend.Vec{} }},
		{"covers too much", func(a *backend.RecurrenceForward) { a.Seq.Lo, a.Init = 0, backend.Vec{} }},
		{"covers too little", func(a *backend.RecurrenceForward) { a.Seq.Hi = max(a.Seq.Lo, a.Seq.Hi-1) }},
		{"always normalised", func(a *backend.RecurrenceBackward) { a.Normalise = true }},
		{"no unit turns", func(a *backend.RecurrenceBackward) { a.Turn = 0 }},
		{"all units turn", func(a *backend.RecurrenceBackward) { a.Turn = a.N }},
		{"Steer overlooked", func(a *backend.RecurrenceBackward) { a.Steer = backend.Vec{} }},
		{"DInit overlooked", func(a *backend.RecurrenceBackward) { a.DInit = backend.Vec{} }},
		{"covers too much", func(a *backend.RecurrenceBackward) { a.Seq.Lo, a.DInit = 0, backend.Vec{} }},
		{"Last overlooked", func(a *backend.AttentionForward) { a.Last = false }},
		{"mesh only", func(a *backend.AttentionForward) { a.Fusion = backend.FusionMesh }},
		{"log-sum-exp only", func(a *backend.AttentionForward) { a.Tree = backend.TreeLogSumExp }},
		{"rho overlooked", func(a *backend.AttentionForward) { a.Tree = backend.TreeNone }},
		{"covers too much", func(a *backend.AttentionForward) { fromFirst(&a.Attention) }},
		{"mesh only", func(a *backend.AttentionBackward) { a.Fusion = backend.FusionMesh }},
		{"log-sum-exp only", func(a *backend.AttentionBackward) { a.Tree = backend.TreeLogSumExp }},
		{"covers too much", func(a *backend.AttentionBackward) { fromFirst(&a.Attention) }},
		{"mesh only", func(a *backend.AttentionMatrices) { a.Fusion = backend.FusionMesh }},
		{"gate overlooked", func(a *backend.OutputForward) { a.Gate = backend.Vec{} }},
		{"rows in order", func(a *backend.OutputForward) { a.HRow = a.ZRow }},
		{"gate overlooked", func(a *backend.OutputBackward) { a.Gate = backend.Vec{} }},
		{"rows in order", func(a *backend.OutputBackward) { a.HRow = a.ZRow }},
		{"Loss overlooked", func(a *backend.Adam) { a.Loss = backend.Vec{} }},
		{"Norm2 overlooked", func(a *backend.Adam) { a.Norm2 = a.Loss }},
		{"always copies", func(a *backend.Columns) { a.Add = false }},
		{"always adds", func(a *backend.Columns) { a.Add = true }},
		{"DstFrom overlooked", func(a *backend.Columns) { a.DstFrom = 0 }},
		{"SrcFrom overlooked", func(a *backend.Columns) { a.SrcFrom = 0 }},
		{"last row missing", func(a *backend.Columns) { a.M-- }},
		{"starts again", func(a *backend.SlotsForward) { a.Continue = false }},
		{"Init overlooked", func(a *backend.SlotsForward) { a.Init = backend.Vec{} }},
		{"covers too much", func(a *backend.SlotsForward) { a.Seq.Lo, a.Init = 0, backend.Vec{} }},
		{"covers too little", func(a *backend.SlotsForward) { a.Seq.Hi = max(a.Seq.Lo, a.Seq.Hi-1) }},
		{"always normalises", func(a *backend.SlotsForward) { a.Normalise = true }},
		{"never normalises", func(a *backend.SlotsForward) { a.Normalise = false }},
		{"always normalised", func(a *backend.SlotsBackward) { a.Normalise = true }},
		{"never normalised", func(a *backend.SlotsBackward) { a.Normalise = false }},
		{"no DOmega", func(a *backend.SlotsBackward) { a.DOmega = backend.Vec{} }},
		{"no DInit", func(a *backend.SlotsBackward) { a.DInit = backend.Vec{} }},
		{"covers too much", func(a *backend.SlotsBackward) { a.Seq.Lo, a.DInit = 0, backend.Vec{} }},
		{"psi overlooked", func(a *backend.TurnForward) { a.Psi = a.Omega }},
		{"rows for steps", func(a *backend.TurnForward) { a.Steps = a.Row }},
		{"rows for steps", func(a *backend.TurnBackward) { a.Steps = a.Row }},
		{"no DPsi", func(a *backend.TurnBackward) { a.DPsi = backend.Vec{} }},
		{"no DOmega", func(a *backend.TurnBackward) { a.DOmega = backend.Vec{} }},
		{"no DGate", func(a *backend.RecallBackward) { a.DGate = backend.Vec{} }},
		{"last row missing", func(a *backend.TurnBackward) { a.P = max(1, a.P-1) }},
		{"From overlooked", func(a *backend.ConvForward) { a.From = 0 }},
		{"covers too much", func(a *backend.ConvForward) { a.Seq.Lo = 0 }},
		{"From overlooked", func(a *backend.ConvBackward) { a.From = 0 }},
		{"covers too little", func(a *backend.ConvBackward) { a.Seq.Hi = max(a.Seq.Lo, a.Seq.Hi-1) }},
		{"scale overlooked", func(a *backend.DeltaForward) { a.Scale = 1 }},
		{"covers too much", func(a *backend.DeltaForward) { a.Seq.Lo = 0 }},
		{"scale overlooked", func(a *backend.DeltaBackward) { a.Scale = 2 }},
		{"covers too much", func(a *backend.DeltaBackward) { a.Seq.Lo = 0 }},
		{"scale overlooked", func(a *backend.CrossEntropy) { a.Scale = 1 }},
		{"end overlooked", func(a *backend.SumSquares) { a.X.Len -= a.X.Len / 2 }},
		{"always copies", func(a *backend.RowsForward) { a.Add = false }},
		{"always adds", func(a *backend.RowsForward) { a.Add = true }},
		{"last row missing", func(a *backend.RowsForward) { a.P = max(1, a.P-1) }},
		{"last row missing", func(a *backend.RowsBackward) { a.P = max(1, a.P-1) }},
		{"last row missing", func(a *backend.RowSum) { a.P = max(1, a.P-1) }},
		{"covers too much", func(a *backend.LSTMForward) { a.Seq.Lo = 0 }},
		{"covers too little", func(a *backend.LSTMForward) { a.Seq.Hi = max(a.Seq.Lo, a.Seq.Hi-1) }},
		{"covers too much", func(a *backend.LSTMBackward) { a.Seq.Lo = 0 }},
		{"covers too little", func(a *backend.LSTMBackward) { a.Seq.Hi = max(a.Seq.Lo, a.Seq.Hi-1) }},
		{"covers too much", func(a *backend.GRUForward) { a.Seq.Lo = 0 }},
		{"covers too little", func(a *backend.GRUForward) { a.Seq.Hi = max(a.Seq.Lo, a.Seq.Hi-1) }},
		{"covers too much", func(a *backend.GRUBackward) { a.Seq.Lo = 0 }},
		{"covers too little", func(a *backend.GRUBackward) { a.Seq.Hi = max(a.Seq.Lo, a.Seq.Hi-1) }},
		{"no bias", func(a *backend.NormForward) { a.Bias = backend.Vec{} }},
		{"Plus overlooked", func(a *backend.NormForward) { a.Plus = backend.Vec{} }},
		{"Eps overlooked", func(a *backend.NormForward) { a.Eps = 0 }},
		{"last row missing", func(a *backend.NormForward) { a.P = max(1, a.P-1) }},
		{"no mean", func(a *backend.NormBackward) { a.Mean = backend.Vec{} }},
		{"always accumulates", func(a *backend.NormBackward) { a.Accumulate = true }},
		{"never accumulates", func(a *backend.NormBackward) { a.Accumulate = false }},
		{"ReLU only", func(a *backend.ActivateForward) { a.F = backend.ReLU }},
		{"GELU for SiLU", func(a *backend.ActivateForward) { a.F = min(a.F, backend.GELU) }},
		{"Times overlooked", func(a *backend.ActivateForward) { a.Times = backend.Vec{} }},
		{"ReLU only", func(a *backend.ActivateBackward) { a.F = backend.ReLU }},
		{"GELU for SiLU", func(a *backend.ActivateBackward) { a.F = min(a.F, backend.GELU) }},
		{"Times overlooked", func(a *backend.ActivateBackward) { a.Times = backend.Vec{} }},
		{"Turn overlooked", func(a *backend.SoftmaxForward) { a.Turn = backend.Vec{} }},
		{"one head", func(a *backend.SoftmaxForward) {
			if a.N <= backend.SoftmaxWidest {
				a.Heads = 1
			}
		}},
		{"covers too much", func(a *backend.SoftmaxForward) { a.Seq.Lo = 0 }},
		{"Turn overlooked", func(a *backend.SoftmaxBackward) { a.Turn = backend.Vec{} }},
		{"covers too much", func(a *backend.SoftmaxBackward) { a.Seq.Lo = 0 }},
		{"Turn overlooked", func(a *backend.SoftmaxMatrices) { a.Turn = backend.Vec{} }},
		{"guard overlooked", func(a *backend.Adam) { a.Guard = backend.Vec{} }},
		{"guard never set", func(a *backend.Adam) {
			if a.Guard.Given() && reference.Data[float32](a.Guard)[0] == 0 {
				a.Guard = backend.Vec{}
			}
		}},
		{"never clips", func(a *backend.Adam) { a.Clip = 0 }}, {"never decays", func(a *backend.Adam) { a.Decay = 0 }},
		{"never decoupled", func(a *backend.Adam) { a.Decoupled = false }},
		{"always decoupled", func(a *backend.Adam) { a.Decoupled = true }},
		{"no warm-up of the moments", func(a *backend.Adam) { a.Step = 1 << 20 }},
	} {
		edit := reflect.ValueOf(x.edit)
		name := edit.Type().In(0).Elem().Name()
		k := all[slices.IndexFunc(all, func(k kernel) bool { return k.name() == name })]
		noticed := func(c Case) bool {
			b := bend(k, 0, scaled)
			b.edit = func(c backend.Call) backend.Call {
				args := reflect.New(reflect.TypeOf(c))
				args.Elem().Set(reflect.ValueOf(c))
				edit.Call([]reflect.Value{args})
				return args.Elem().Interface().(backend.Call)
			}
			_, err := c.check(b, yard)
			return err != nil
		}
		assert.True(t, slices.ContainsFunc(k.cases, noticed), "%s: %s: goes unnoticed", name, x.what)
	}
}

// Backends that keep less order or less memory than they must.
type (
	forgetful struct{ *reference.Backend[float32] } // new buffers are not cleared
	literal   struct{ *reference.Backend[float32] } // Copy ignores the window's offset
)

func (b forgetful) Floats(n int) backend.Buffer {
	x := b.Backend.Floats(n)
	reference.Data[float32](backend.All(x))[n-1] = 1
	return x
}

func (b literal) Copy(dst, src backend.Vec) {
	dst.Off = 0
	b.Backend.Copy(dst, src)
}

func TestFlawsOfMemory(t *testing.T) {
	reference := reference.New[float32]()
	unchecked := backend.Around{Memory: reference, Do: func(backend.Call) {}} // no panic on misuse
	for _, x := range []struct {
		cases   []Case
		name    string
		backend backend.Backend
	}{
		{misuse(), "MatMul", unchecked}, {memory(), "Floats", forgetful{reference}},
		{memory(), "Copy", literal{reference}},
	} {
		c := x.cases[slices.IndexFunc(x.cases, func(c Case) bool { return c.Name == x.name })]
		_, err := c.check(x.backend, nil)
		assert.True(t, err != nil, "%s notices nothing wrong with %T", x.name, x.backend)
	}
}

// TestKernels: the contract covers every kernel.
func TestKernels(t *testing.T) {
	var got, want []string
	for _, k := range kernels() {
		got = append(got, k.name())
	}
	for _, c := range backend.Calls() {
		want = append(want, backend.Name(c))
	}
	assert.Is(t, got, want, "contracts, of all kernels in their order")
}

// TestNames keeps case names apart: a name is the seed of its case and the name of its subtest.
func TestNames(t *testing.T) {
	lists := map[string][]Case{"Memory": memory(), "Misuse": misuse()}
	for _, k := range kernels() {
		lists[k.name()] = k.cases
	}
	for name, cases := range lists {
		seen := map[string]bool{}
		for _, c := range cases {
			assert.True(t, !seen[c.Name], "%s/%s stands twice", name, c.Name)
			seen[c.Name] = true
			assert.True(t, !strings.ContainsAny(c.Name, " /"),
				"%s/%s: a subtest's name holds no blank and no slash", name, c.Name)
		}
	}
}

// TestSpread makes sure that the attention's cases reach the distances they are about.
func TestSpread(t *testing.T) {
	yard := reference.New[float64]()
	reached := map[spread]bool{}
	for _, c := range attentions() {
		if c.longest() < 2*cluster {
			continue
		}
		x, most := c.draw(newDraw(c.String(), yard)), 0.0
		for s := c.lo; s < c.hi; s++ {
			for r := c.start[s] + 1; r < c.end[s]; r++ {
				for k := range c.h {
					most = max(most, c.distance(x.q, int(r), k))
				}
			}
		}
		reached[c.spread] = true
		low, high := []float64{0.5, 200, 200, 5e-5}[c.spread], []float64{8, 300.01, 300.01, 8e-4}[c.spread]
		assert.True(t, low <= most && most <= high, "%v: greatest edge %.3g, not from %g to %g", c, most, low, high)
	}
	assert.True(t, len(reached) == 4, "spreads reached: %v", reached)
}

// TestCases: every case is listed once, and the first ones are of one kernel each.
func TestCases(t *testing.T) {
	all := Cases()
	seen, first, groups := map[string]bool{}, map[string]bool{}, len(kernels())+1
	for _, c := range all {
		name := c.Kernel + "/" + c.Name
		assert.True(t, !seen[name], "%s stands there twice", name)
		seen[name] = true
	}
	for _, c := range all[:groups] {
		first[c.Kernel] = true
	}
	want := len(memory())
	for _, k := range kernels() {
		want += len(k.cases)
	}
	assert.Is(t, [2]int{len(all), len(first)}, [2]int{want, groups}, "cases, and kernels first")
	yard := reference.New[float64]()
	for _, c := range all[:groups] {
		figures, err := c.Check(reference.New[float32](), yard)
		assert.True(t, err == nil, "%s/%s: %v %v", c.Kernel, c.Name, figures, err)
	}
}
