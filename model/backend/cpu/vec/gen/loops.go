package main

import (
	"fmt"
	"regexp"
	"strings"
)

// constants are the numbers that the texts call K.name, and their values in Go; consts.go has the named ones.
var constants = []struct{ name, value string }{
	{"one", "1"}, {"two", "2"}, {"half", "0.5"}, {"nHalf", "-0.5"}, {"pi", "math.Pi"},
	{"invPi", "1 / math.Pi"},
	{"negInf", "float32(math.Inf(-1))"},
	{"signBit", "math.Float32frombits(1 << 31)"}, {"absBits", "math.Float32frombits(1<<31 - 1)"},
	{"int1", "math.Float32frombits(1)"}, {"int2", "math.Float32frombits(2)"},
	{"expLo", "expLo"}, {"expHi", "expHi"}, {"log2e", "log2e"}, {"magic", "magic"},
	{"nLn2Hi", "-ln2Hi"}, {"nLn2Lo", "-ln2Lo"},
	{"exp0", "exp0"}, {"exp1", "exp1"}, {"exp2", "exp2"}, {"exp3", "exp3"}, {"exp4", "exp4"}, {"exp5", "exp5"},
	{"trigLo", "-trigMax"}, {"trigHi", "trigMax"}, {"twoOverPi", "twoOverPi"},
	{"nPio2A", "-pio2A"}, {"nPio2B", "-pio2B"}, {"nPio2C", "-pio2C"},
	{"sin0", "sin0"}, {"sin1", "sin1"}, {"sin2", "sin2"}, {"cos0", "cos0"}, {"cos1", "cos1"}, {"cos2", "cos2"},
	{"tanhCut", "tanhCut"},
	{"tanh0", "tanh0"}, {"tanh1", "tanh1"}, {"tanh2", "tanh2"}, {"tanh3", "tanh3"}, {"tanh4", "tanh4"},
	{"atanh0", "atanh0"}, {"atanh1", "atanh1"}, {"atanh2", "atanh2"},
	{"atanh3", "atanh3"}, {"atanh4", "atanh4"}, {"atanh5", "atanh5"},
	{"gateMax", "gateMax"}, {"nGateMax", "-gateMax"},
	{"gateP0", "gateP0"}, {"gateP1", "gateP1"}, {"gateP2", "gateP2"}, {"gateP3", "gateP3"},
	{"gateP4", "gateP4"}, {"gateP5", "gateP5"}, {"gateP6", "gateP6"},
	{"gateQ0", "gateQ0"}, {"gateQ1", "gateQ1"}, {"gateQ2", "gateQ2"}, {"gateQ3", "gateQ3"},
	{"tailScale", "tailScale"}, {"bell", "bell"},
	{"tail0", "tail0"}, {"tail1", "tail1"}, {"tail2", "tail2"}, {"tail3", "tail3"}, {"tail4", "tail4"},
	{"tail5", "tail5"}, {"tail6", "tail6"}, {"tail7", "tail7"}, {"tail8", "tail8"},
}

// writeConstants writes the type of the table of constants and the function that makes one.
func writeConstants(w *strings.Builder) {
	var names, values []string
	for _, c := range constants {
		names, values = append(names, c.name), append(values, c.value)
	}
	fmt.Fprintf(w, `// table holds the constants of the loops, each in every lane.
type table struct {
	%s lane16
}

// newTable is the table, at a multiple of 64 bytes.
func newTable() *table {
	values := [...]float32{
		%s,
	}
	lanes := align64(make([]float32, 16*len(values)+15))
	for i := range 16 * len(values) {
		lanes[i] = values[i/16]
	}
	return (*table)(unsafe.Pointer(unsafe.SliceData(lanes)))
}

`, strings.Join(names, ",\n"), strings.Join(values, ",\n"))
}

// macros maps a name to its text; $0, $1 … are the arguments and # makes a
// temporary's name unique to the expansion.
var macros = map[string]string{
	// $0 = exp $1. Cephes' expf, the argument clamped so that 2^n is normal.
	"exp": `
clamp(#x, $1, K.expLo, K.expHi)
#u := #x.MulAdd(K.log2e, K.magic)
#n := #u.Sub(K.magic)
#r := #n.MulAdd(K.nLn2Hi, #x)
#r = #n.MulAdd(K.nLn2Lo, #r)
#p := K.exp0.MulAdd(#r, K.exp1)
#p = #p.MulAdd(#r, K.exp2)
#p = #p.MulAdd(#r, K.exp3)
#p = #p.MulAdd(#r, K.exp4)
#p = #p.MulAdd(#r, K.exp5)
#p = #p.MulAdd(#r.Mul(#r), #r).Add(K.one)
$0 := #p.Mul(#u.AsInt32x§().ShiftAllLeft(23).Add(K.one.AsInt32x§()).AsFloat32x§())
`,
	// $0 = $1 within [$2, $3], a NaN kept. Not by Min and Max: the compiler takes
	// them to commute, so which operand a NaN yields to is open.
	"clamp": `
#t := $2.Merge($1, $1.Less($2))
$0 := $3.Merge(#t, #t.Greater($3))
`,
	// $0 = -$1
	"neg": `
$0 := $1.AsInt32x§().Xor(K.signBit.AsInt32x§()).AsFloat32x§()
`,
	// $0 = |$1|
	"abs": `
$0 := $1.AsInt32x§().And(K.absBits.AsInt32x§()).AsFloat32x§()
`,
	// $0 = sin $2, $1 = cos $2. Cody-Waite in three parts, Cephes' polynomials.
	"sincos": `
clamp(#x, $2, K.trigLo, K.trigHi)
#u := #x.MulAdd(K.twoOverPi, K.magic)
#n := #u.Sub(K.magic)
#r := #n.MulAdd(K.nPio2A, #x)
#r = #n.MulAdd(K.nPio2B, #r)
#r = #n.MulAdd(K.nPio2C, #r)
#z := #r.Mul(#r)
#s := #z.MulAdd(K.sin0, K.sin1)
#s = #s.MulAdd(#z, K.sin2)
#s = #s.Mul(#z).MulAdd(#r, #r)
#c := #z.MulAdd(K.cos0, K.cos1)
#c = #c.MulAdd(#z, K.cos2)
#c = #c.Mul(#z).MulAdd(#z, #z.MulAdd(K.nHalf, K.one))
#q := #u.AsInt32x§()
#odd := #q.And(K.int1.AsInt32x§()).Equal(K.int1.AsInt32x§())
#sb := #q.And(K.int2.AsInt32x§()).ShiftAllLeft(30)
#cb := #q.Add(K.int1.AsInt32x§()).And(K.int2.AsInt32x§()).ShiftAllLeft(30)
$0 := #c.Merge(#s, #odd).AsInt32x§().Xor(#sb).AsFloat32x§()
$1 := #s.Merge(#c, #odd).AsInt32x§().Xor(#cb).AsFloat32x§()
`,
	// $0 = tanh $1. A polynomial near 0, 1 - 2/(exp 2|x| + 1) elsewhere. The sign
	// is x ^ |x|: with x & signBit the Go 1.26 compiler makes one VPTERNLOGD of
	// Or, And and the load, which the assembler refuses.
	"tanh": `
abs(#a, $1)
#d := #a.Add(#a)
exp(#e, #d)
#b := K.one.Sub(K.two.Div(#e.Add(K.one)))
#b = #b.AsInt32x§().Or($1.AsInt32x§().Xor(#a.AsInt32x§())).AsFloat32x§()
#z := $1.Mul($1)
#p := #z.MulAdd(K.tanh0, K.tanh1)
#p = #p.MulAdd(#z, K.tanh2)
#p = #p.MulAdd(#z, K.tanh3)
#p = #p.MulAdd(#z, K.tanh4)
#p = #p.Mul(#z).MulAdd($1, $1)
$0 := #p.Merge(#b, #a.Less(K.tanhCut))
`,
	// $0 = 1/$1 for normal numbers, to a relative 3e-7: an estimate of 14 bits, or 12 with AVX2, and a step of Newton's.
	"inverse": `
#y := $1.Reciprocal()
$0 := #y.Mul(K.two.Sub($1.Mul(#y)))
`,
	// $0 = tanh $1 as a quotient of polynomials, Eigen's: half the work of tanh, for gates.
	"tanhGate": `
clamp(#x, $1, K.nGateMax, K.gateMax)
#z := #x.Mul(#x)
#p := #z.MulAdd(K.gateP6, K.gateP5)
#p = #p.MulAdd(#z, K.gateP4)
#p = #p.MulAdd(#z, K.gateP3)
#p = #p.MulAdd(#z, K.gateP2)
#p = #p.MulAdd(#z, K.gateP1)
#p = #p.MulAdd(#z, K.gateP0)
#q := #z.MulAdd(K.gateQ3, K.gateQ2)
#q = #q.MulAdd(#z, K.gateQ1)
#q = #q.MulAdd(#z, K.gateQ0)
inverse(#i, #q)
$0 := #p.Mul(#x).Mul(#i)
`,
	// $0 = 1/(1 + exp -$1), for gates
	"sigmoidGate": `
sigmoidParts(#e, $0, $1)
`,
	// $0 = exp -$2, $1 = 1/(1 + exp -$2). 1 − $1 is $0·$1, to a relative 6e-7.
	"sigmoidParts": `
neg(#m, $2)
exp($0, #m)
#d := $0.Add(K.one)
inverse($1, #d)
`,
	// $0 = 1/(1 + exp -$1)
	"sigmoid": `
neg(#m, $1)
exp(#e, #m)
$0 := K.one.Div(#e.Add(K.one))
`,
	// $0 = log(1 + $1) for $1 in [0, 1]: 2 atanh(u / (2 + u)).
	"log1p01": `
#s := $1.Div($1.Add(K.two))
#z := #s.Mul(#s)
#p := #z.MulAdd(K.atanh0, K.atanh1)
#p = #p.MulAdd(#z, K.atanh2)
#p = #p.MulAdd(#z, K.atanh3)
#p = #p.MulAdd(#z, K.atanh4)
#p = #p.MulAdd(#z, K.atanh5)
#d := #s.Add(#s)
$0 := #p.Mul(#z).MulAdd(#s, #d)
`,
	// $0 = Φ($2), the share of a normal distribution below $2, and $1 = exp(-$2²/2).
	"normal": `
abs(#a, $2)
#t := K.one.Div(#a.MulAdd(K.tailScale, K.one))
#p := K.tail8.MulAdd(#t, K.tail7)
#p = #p.MulAdd(#t, K.tail6)
#p = #p.MulAdd(#t, K.tail5)
#p = #p.MulAdd(#t, K.tail4)
#p = #p.MulAdd(#t, K.tail3)
#p = #p.MulAdd(#t, K.tail2)
#p = #p.MulAdd(#t, K.tail1)
#p = #p.MulAdd(#t, K.tail0)
#h := $2.Mul($2).Mul(K.nHalf)
exp($1, #h)
#q := #p.Mul(#t).Mul($1)
$0 := #q.Merge(K.one.Sub(#q), $2.Less(archsimd.Float32x§{}))
`,
}

// op is one elementwise loop. Values of in are loaded at the running index, the
// body makes a value named <name>_ for each name of out, stored there.
type op struct {
	name    string
	scalars []string // float32 parameters, each broadcast to <name>V
	struc   string   // "name type" of a struct parameter, passed on
	in, out []string // a name that ends in I, J or K is the second, third or fourth part of n values
	pre     string
	body    string
}

var ops = []op{
	{name: "exp", in: []string{"x"}, out: []string{"dst"}, body: `
exp(dst_, x)`},
	{name: "expFrom", scalars: []string{"b"}, in: []string{"x"}, out: []string{"dst"}, body: `
d := bV.Sub(x)
exp(dst_, d)`},
	{name: "expOver", scalars: []string{"b"}, in: []string{"x"}, out: []string{"dst"}, body: `
d := x.Sub(bV)
exp(dst_, d)`},
	{name: "sigmoid", in: []string{"x"}, out: []string{"dst"}, body: `
sigmoid(dst_, x)`},
	{name: "sinCos", in: []string{"x"}, out: []string{"s", "c"}, body: `
sincos(s_, c_, x)`},
	{name: "piTanhSinCos", in: []string{"x"}, out: []string{"theta", "c", "s"}, body: `
tanh(h, x)
theta_ := h.Mul(K.pi)
sincos(s_, c_, theta_)`},
	{name: "tanh", in: []string{"x"}, out: []string{"dst"}, body: `
tanh(dst_, x)`},
	{name: "steer", in: []string{"x", "token"}, out: []string{"theta", "c", "s"}, body: `
tanh(h, x)
theta_ := h.Mul(K.pi)
a := theta_.Mul(token)
sincos(s_, c_, a)`},
	{name: "steered", in: []string{"theta", "token"}, out: []string{"c", "s"}, body: `
a := theta.Mul(token)
sincos(s_, c_, a)`},
	{name: "bound", scalars: []string{"c"}, in: []string{"g", "gI"}, out: []string{"g", "gI"}, body: `
q := g.Mul(g).Add(gI.Mul(gI))
f := cV.Div(q.Sqrt())
over := q.Greater(cV.Mul(cV))
g_ := g.Mul(f).Merge(g, over)
gI_ := gI.Mul(f).Merge(gI, over)`},
	{name: "steerBackward", in: []string{"dtheta", "theta", "token"}, out: []string{"dtheta", "dtoken"}, body: `
h := theta.Mul(K.invPi)
dtoken_ := dtheta.Mul(h)
dtheta_ := dtheta.Mul(token).Mul(K.pi.Sub(theta.Mul(h)))`},
	{name: "piTanhBackward", in: []string{"g", "theta"}, out: []string{"g"}, body: `
g_ := g.Mul(K.pi.Sub(theta.Mul(theta).Div(K.pi)))`},
	{name: "logAddExp", scalars: []string{"b"}, in: []string{"a"}, out: []string{"dst"}, body: `
t0 := a.Sub(bV)
d := t0.AsInt32x§().Or(K.signBit.AsInt32x§()).AsFloat32x§()
exp(e, d)
log1p01(l, e)
m := bV.Merge(a, a.Less(bV))
dst_ := m.Add(l)`},
	{name: "logAddExp2", in: []string{"a", "b"}, out: []string{"dst"}, body: `
t0 := a.Sub(b)
d := t0.AsInt32x§().Or(K.signBit.AsInt32x§()).AsFloat32x§()
exp(e, d)
log1p01(l, e)
m := b.Merge(a, a.Less(b))
dst_ := m.Add(l)`},
	{name: "axpy", scalars: []string{"f"}, in: []string{"dst", "x"}, out: []string{"dst"}, body: `
dst_ := x.MulAdd(fV, dst)`},
	{name: "pull", scalars: []string{"f"}, in: []string{"g", "p"}, out: []string{"g"}, body: `
g_ := fV.Sub(g).Mul(p)`},
	{name: "scale", scalars: []string{"f"}, in: []string{"dst"}, out: []string{"dst"}, body: `
dst_ := dst.Mul(fV)`},
	{name: "add", in: []string{"dst", "x"}, out: []string{"dst"}, body: `
dst_ := dst.Add(x)`},
	{name: "sub", in: []string{"a", "b"}, out: []string{"dst"}, body: `
dst_ := a.Sub(b)`},
	{name: "mul", in: []string{"dst", "x"}, out: []string{"dst"}, body: `
dst_ := dst.Mul(x)`},
	{name: "shift", scalars: []string{"f"}, in: []string{"x"}, out: []string{"dst"}, body: `
dst_ := x.Add(fV)`},
	{name: "gain", scalars: []string{"f"}, in: []string{"x", "g"}, out: []string{"dst"}, body: `
dst_ := x.Mul(fV).Mul(g)`},
	{name: "gainShift", scalars: []string{"f"}, in: []string{"x", "g", "b"}, out: []string{"dst"}, body: `
dst_ := x.Mul(fV).MulAdd(g, b)`},
	{name: "addProduct", scalars: []string{"f"}, in: []string{"dst", "x", "y"}, out: []string{"dst"}, body: `
dst_ := x.Mul(fV).MulAdd(y, dst)`},
	{name: "unnorm", scalars: []string{"f", "a", "b"}, in: []string{"dst", "x", "y"}, out: []string{"dst"}, body: `
dst_ := dst.Add(x.MulAdd(fV, y.MulAdd(bV, aV)))`},
	{name: "relu", in: []string{"x"}, out: []string{"dst"}, body: `
zero := archsimd.Float32x§{}
dst_ := zero.Merge(x, x.Less(zero))`},
	{name: "reluBackward", in: []string{"g", "x"}, out: []string{"g"}, body: `
zero := archsimd.Float32x§{}
g_ := g.Merge(zero, x.Greater(zero))`},
	{name: "gelu", in: []string{"x"}, out: []string{"dst"}, body: `
normal(c, e, x)
dst_ := x.Mul(c)`},
	{name: "geluBackward", in: []string{"g", "x"}, out: []string{"g"}, body: `
normal(c, e, x)
g_ := g.Mul(x.Mul(e).MulAdd(K.bell, c))`},
	{name: "silu", in: []string{"x"}, out: []string{"dst"}, body: `
sigmoidGate(s, x)
dst_ := x.Mul(s)`},
	{name: "siluBackward", in: []string{"g", "x"}, out: []string{"g"}, body: `
sigmoidParts(e, s, x)
g_ := g.Mul(s).Mul(x.MulAdd(e.Mul(s), K.one))`},
	{name: "siluTimes", in: []string{"x", "y"}, out: []string{"dst"}, body: `
sigmoidGate(s, x)
dst_ := x.Mul(s).Mul(y)`},
	{name: "siluTimesBackward", in: []string{"g", "x", "y"}, out: []string{"dx", "dy"}, body: `
sigmoidParts(e, s, x)
dy_ := g.Mul(x).Mul(s)
dx_ := g.Mul(y).Mul(s).Mul(x.MulAdd(e.Mul(s), K.one))`},
	{name: "adam", struc: "k *AdamCoef", in: []string{"p", "m", "v", "g"}, out: []string{"p", "m", "v"}, pre: `
gs, wd := archsimd.BroadcastFloat32x§(k.GradScale), archsimd.BroadcastFloat32x§(k.WeightDecay)
b1, b1c := archsimd.BroadcastFloat32x§(k.Beta1), archsimd.BroadcastFloat32x§(1-k.Beta1)
b2, b2c := archsimd.BroadcastFloat32x§(k.Beta2), archsimd.BroadcastFloat32x§(1-k.Beta2)
keep, step := archsimd.BroadcastFloat32x§(1-k.Decoupled), archsimd.BroadcastFloat32x§(k.StepSize)
isb, eps := archsimd.BroadcastFloat32x§(k.InvSqrtBias2), archsimd.BroadcastFloat32x§(k.Eps)`, body: `
h := wd.MulAdd(p, g.Mul(gs))
m_ := b1c.MulAdd(h, m.Mul(b1))
v_ := h.Mul(h).MulAdd(b2c, v.Mul(b2))
d := v_.Sqrt().MulAdd(isb, eps)
p_ := p.Mul(keep).Sub(m_.Mul(step).Div(d))`},
	{name: "cellForward", scalars: []string{"eps"},
		in:  []string{"s", "du", "rot", "rotI", "in", "inI", "prev", "prevI"},
		out: []string{"alpha", "inv", "state", "stateI"}, body: cellTurn + `
gr := pr.MulAdd(alpha_, in)
gi := pi.MulAdd(alpha_, inI)
inv_ := K.one.Div(gr.Mul(gr).Add(gi.MulAdd(gi, epsV)).Sqrt())
state_ := gr.Mul(inv_)
stateI_ := gi.Mul(inv_)`},
	{name: "cellForwardRaw", in: []string{"s", "du", "rot", "rotI", "in", "inI", "prev", "prevI"},
		out: []string{"alpha", "inv", "state", "stateI"}, body: cellTurn + `
state_ := pr.MulAdd(alpha_, in)
stateI_ := pi.MulAdd(alpha_, inI)
inv_ := K.one`},
	{name: "cellBackward", in: []string{"alpha", "inv", "rot", "rotI", "state", "stateI", "dstate", "dstateI",
		"prev", "prevI", "dprev", "dprevI"},
		out: []string{"din", "dinI", "ddelta", "dtheta", "dprev", "dprevI"}, body: `
along := state.MulAdd(dstate, stateI.Mul(dstateI))
din_ := dstate.Sub(state.Mul(along)).Mul(inv)
dinI_ := dstateI.Sub(stateI.Mul(along)).Mul(inv)
` + cellBack},
	{name: "cellBackwardRaw",
		in:  []string{"alpha", "rot", "rotI", "dstate", "dstateI", "prev", "prevI", "dprev", "dprevI"},
		out: []string{"din", "dinI", "ddelta", "dtheta", "dprev", "dprevI"}, body: `
din_, dinI_ := dstate, dstateI
` + cellBack},
	{name: "unit", scalars: []string{"eps"}, in: []string{"z", "zI"}, out: []string{"y", "yI", "inv"}, body: `
inv_ := K.one.Div(z.Mul(z).Add(zI.MulAdd(zI, epsV)).Sqrt())
y_ := z.Mul(inv_)
yI_ := zI.Mul(inv_)`},
	{name: "unitBackward", in: []string{"dy", "dyI", "y", "yI", "inv", "dz", "dzI"},
		out: []string{"dz", "dzI"}, body: `
along := y.MulAdd(dy, yI.Mul(dyI))
dz_ := dy.Sub(y.Mul(along)).MulAdd(inv, dz)
dzI_ := dyI.Sub(yI.Mul(along)).MulAdd(inv, dzI)`},
	{name: "axpyComplex", in: []string{"dst", "dstI", "f", "x", "xI"}, out: []string{"dst", "dstI"}, body: `
dst_ := f.MulAdd(x, dst)
dstI_ := f.MulAdd(xI, dstI)`},
	{name: "angle", in: []string{"pre", "u"}, out: []string{"v", "vI", "rot", "rotI"}, body: `
tanh(h, pre)
theta := h.Mul(K.pi)
sincos(rotI_, rot_, theta)
v_ := u.Mul(rot_)
vI_ := u.Mul(rotI_)`},
	{name: "angleBackward", in: []string{"pre", "u", "dv", "dvI", "dtheta", "old"},
		out: []string{"dpre", "du"}, body: `
tanh(h, pre)
theta := h.Mul(K.pi)
sincos(s, c, theta)
g := u.MulAdd(c.Mul(dvI).Sub(s.Mul(dv)), dtheta)
dpre_ := K.pi.Sub(K.pi.Mul(h.Mul(h))).MulAdd(g, old)
du_ := c.MulAdd(dv, s.Mul(dvI))`},
	{name: "gate", in: []string{"pre", "r", "rI"}, out: []string{"dst", "dstI"}, body: `
sincos(s, c, pre)
_ = c
g := s.MulAdd(K.half, K.half)
dst_ := g.Mul(r)
dstI_ := g.Mul(rI)`},
	{name: "gateBackward", in: []string{"pre", "r", "rI", "din", "dinI"}, out: []string{"dpre", "dr", "drI"}, body: `
sincos(s, c, pre)
dpre_ := c.Mul(din.MulAdd(r, dinI.Mul(rI))).Mul(K.half)
g := s.MulAdd(K.half, K.half)
dr_ := g.Mul(din)
drI_ := g.Mul(dinI)`},
	{name: "sigmoidSum", in: []string{"s", "pre"}, out: []string{"dst"}, body: `
a := s.Add(pre)
sigmoidGate(dst_, a)`},
	{name: "tanhSum", in: []string{"s", "pre"}, out: []string{"dst"}, body: `
a := s.Add(pre)
tanhGate(dst_, a)`},
	{name: "lstmState", in: []string{"gates", "gatesI", "gatesJ", "gatesK", "memory"}, out: []string{"next", "state"},
		body: `
next_ := gates.MulAdd(gatesJ, gatesI.Mul(memory))
tanhGate(h, next_)
state_ := gatesK.Mul(h)`},
	{name: "lstmBackward",
		in:  []string{"gates", "gatesI", "gatesJ", "gatesK", "memory", "next", "dstate", "dmemory"},
		out: []string{"gates", "gatesI", "gatesJ", "gatesK", "dmemory"}, body: `
tanhGate(h, next)
do := dstate.Mul(gatesK)
dc := do.Sub(do.Mul(h).Mul(h)).Add(dmemory)
gatesK_ := do.Mul(h).Mul(K.one.Sub(gatesK))
dmemory_ := dc.Mul(gatesI)
gatesI_ := dmemory_.Mul(memory).Mul(K.one.Sub(gatesI))
di := dc.Mul(gates)
gatesJ_ := di.Sub(di.Mul(gatesJ).Mul(gatesJ))
gates_ := di.Mul(gatesJ).Mul(K.one.Sub(gates))`},
	{name: "gruState", in: []string{"gates", "gatesI", "s", "pre", "prev"},
		out: []string{"gatesJ", "hidden", "state"}, body: `
a := gates.MulAdd(s, pre)
hidden_ := s
tanhGate(gatesJ_, a)
state_ := gatesI.MulAdd(prev.Sub(gatesJ_), gatesJ_)`},
	{name: "gruBackward", in: []string{"gates", "gatesI", "gatesJ", "hidden", "prev", "dstate", "dprev"},
		out: []string{"gates", "gatesI", "gatesJ", "hidden", "dprev"}, body: `
kept := dstate.Mul(gatesI)
dprev_ := dprev.Add(kept)
dc := dstate.Sub(kept)
gatesJ_ := dc.Sub(dc.Mul(gatesJ).Mul(gatesJ))
hidden_ := gatesJ_.Mul(gates)
gates_ := hidden_.Mul(hidden).Mul(K.one.Sub(gates))
gatesI_ := dc.Mul(gatesI).Mul(prev.Sub(gatesJ))`},
	{name: "addInner", in: []string{"dst", "x", "xI", "y", "yI"}, out: []string{"dst"}, body: `
dst_ := x.MulAdd(y, xI.MulAdd(yI, dst))`},
	{name: "scaled", scalars: []string{"f"}, in: []string{"x"}, out: []string{"dst"}, body: `
dst_ := x.Mul(fV)`},
	{name: "less", scalars: []string{"f", "g"}, in: []string{"x", "y"}, out: []string{"dst"}, body: `
dst_ := x.Sub(y.Mul(gV)).Mul(fV)`},
}

// cellTurn is δ, α and the turned state p of a step forwards, cellBack all of a step backwards but the
// normalisation's part.
const cellTurn = `
delta := s.Add(du)
exp(e, delta)
alpha_ := K.one.Div(e.Add(K.one))
pr := rot.Mul(prev).Sub(rotI.Mul(prevI))
pi := rot.MulAdd(prevI, rotI.Mul(prev))`

const cellBack = `
pr := rot.Mul(prev).Sub(rotI.Mul(prevI))
pi := rot.MulAdd(prevI, rotI.Mul(prev))
ddelta_ := alpha.Mul(alpha.Sub(K.one)).Mul(pr.MulAdd(din_, pi.Mul(dinI_)))
dpr, dpi := alpha.Mul(din_), alpha.Mul(dinI_)
dprev_ := rot.MulAdd(dpr, rotI.MulAdd(dpi, dprev))
dprevI_ := rot.MulAdd(dpi, dprevI.Sub(rotI.Mul(dpr)))
dtheta_ := pr.Mul(dpi).Sub(pi.Mul(dpr))
`

// reduction is a loop that ends in one number: step folds $x (and $y) into $a.
type reduction struct {
	name, out string
	in        []string
	init      string
	step      string
	join      string // of two accumulators $a, $b
	fill      string // value of the masked-off lanes of x, when not 0
	lane      string // of a number r and the next lane's l
}

var reductions = []reduction{
	{name: "sum", out: "float32", in: []string{"x"},
		step: "$a = $a.Add($x)", join: "$a.Add($b)", lane: "r + l"},
	{name: "maximum", out: "float32", in: []string{"x"}, init: "K.negInf", fill: "K.negInf",
		step: "$a = $a.Max($x)", join: "$a.Max($b)", lane: "max(r, l)"},
	{name: "dot", out: "float32", in: []string{"x", "y"},
		step: "$a = $x.MulAdd($y, $a)", join: "$a.Add($b)", lane: "r + l"},
	{name: "sqDist", out: "float32", in: []string{"x", "y"},
		step: "$d := $x.Sub($y)\n$a = $d.MulAdd($d, $a)", join: "$a.Add($b)", lane: "r + l"},
	{name: "sumSquares", out: "float64", in: []string{"x"},
		step: "$a = $x.MulAdd($x, $a)", join: "$a.Add($b)", lane: "r + float64(l)"},
}

var (
	constRE = regexp.MustCompile(`\bK\.(\w+)`)
	callRE  = regexp.MustCompile(`(?m)^\s*(\w+)\(([^()]*)\)\s*$`)
)

// expand rewrites macro calls until none is left.
func expand(s string) string {
	serial := 0
	for again := true; again; {
		again = false
		s = callRE.ReplaceAllStringFunc(s, func(c string) string {
			m := callRE.FindStringSubmatch(c)
			text, ok := macros[m[1]]
			if !ok {
				return c
			}
			again = true
			serial++
			text = strings.ReplaceAll(text, "#", fmt.Sprintf("%s%d", m[1], serial))
			for i, a := range strings.Split(m[2], ",") {
				text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i), strings.TrimSpace(a))
			}
			return strings.TrimSpace(text)
		})
	}
	return s
}

// withConstants gives a function, whose text has a T where its body starts, the table of constants if it names any.
func withConstants(text string) string {
	t := ""
	if constRE.MatchString(text) {
		t = "t := consts\n"
	}
	return strings.Replace(text, "{\nT", "{\n"+t, 1)
}

// lanes makes a text that of n lanes.
func lanes(s string, n int) string {
	row := "&t.$1"
	if n < 16 {
		row = "(*[§]float32)(t.$1[:])"
	}
	s = constRE.ReplaceAllString(s, "archsimd.LoadFloat32x§("+row+")")
	return strings.ReplaceAll(s, "§", fmt.Sprint(n))
}

// further are the last letters of names that are a slice's second, third and fourth part.
const further = "IJK"

// base is the slice a loaded or stored name belongs to, and which part of it, from 0.
func base(name string) (b string, part int) {
	last := len(name) - 1
	if part = strings.IndexByte(further, name[last]) + 1; part > 0 {
		return name[:last], part
	}
	return name, 0
}

func union(a, b []string) []string {
	var u []string
	for _, s := range append(append([]string{}, a...), b...) {
		s, _ = base(s)
		seen := false
		for _, t := range u {
			seen = seen || t == s
		}
		if !seen {
			u = append(u, s)
		}
	}
	return u
}

// signature is what the functions of an operation take beside n: their slices, the other parameters, and the names of
// these to pass on.
func (o op) signature() (slices []string, extra, names string) {
	for _, s := range o.scalars {
		extra, names = extra+", "+s+" float32", names+", "+s
	}
	if o.struc != "" {
		name, _, _ := strings.Cut(o.struc, " ")
		extra, names = extra+", "+o.struc, names+", "+name
	}
	return union(o.out, o.in), extra, names
}

// addresses are those of slices, as further arguments.
func addresses(slices []string) (args string) {
	for _, s := range slices {
		args += ", unsafe.Pointer(unsafe.SliceData(" + s + "))"
	}
	return args
}

// portable writes the functions of the same names for a build without SIMD: they pass on to the plain loops.
func portable(w *strings.Builder) {
	for _, o := range ops {
		slices, extra, names := o.signature()
		list := strings.Join(slices, ", ")
		const passOn = "func %[1]s(n int, %[2]s []float32%[3]s) { %[1]sGo(n, %[2]s%[4]s) }\n\n"
		fmt.Fprintf(w, passOn, o.name, list, extra, names)
	}
	for _, r := range reductions {
		list := strings.Join(r.in, ", ")
		const passOn = "func %[1]s(n int, %[2]s []float32) %[3]s { return %[1]sGo(n, %[2]s) }\n\n"
		fmt.Fprintf(w, passOn, r.name, list, r.out)
	}
}

// place is where an element of an operand stands: its pointer, and the offset, that of its part.
func place(name string) (pointer, offset string) {
	p, part := base(name)
	return p, "o" + further[max(part-1, 0):part]
}

// elementwise writes an operation's loops and the function that chooses between them.
func elementwise(w *strings.Builder, o op) {
	ptrs, extra, names := o.signature()
	var b strings.Builder
	body := func(masked bool) {
		for _, n := range o.in {
			p, at := place(n)
			if masked {
				const load = "%s := archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add(%sP, %s)), mask)\n"
				fmt.Fprintf(&b, load, n, p, at)
			} else {
				fmt.Fprintf(&b, "%s := archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(%sP, %s)))\n", n, p, at)
			}
		}
		fmt.Fprintln(&b, strings.TrimSpace(expand(o.body)))
		for _, n := range o.out {
			p, at := place(n)
			if masked {
				fmt.Fprintf(&b, "%s_.StoreMasked((*[§]float32)(unsafe.Add(%sP, %s)), mask)\n", n, p, at)
			} else {
				fmt.Fprintf(&b, "%s_.Store((*[§]float32)(unsafe.Add(%sP, %s)))\n", n, p, at)
			}
		}
	}
	parts := 0
	for _, n := range append(append([]string{}, o.in...), o.out...) {
		_, part := base(n)
		parts = max(parts, part)
	}
	fmt.Fprintf(&b, "//go:nocheckptr\nfunc %sV§(n int, %sP unsafe.Pointer%s) {\n",
		o.name, strings.Join(ptrs, "P, "), extra)
	b.WriteString("T")
	for _, s := range o.scalars {
		fmt.Fprintf(&b, "%sV := archsimd.BroadcastFloat32x§(%s)\n", s, s)
	}
	fmt.Fprintln(&b, strings.TrimSpace(o.pre))
	offsets := ""
	for i := range parts {
		offsets += fmt.Sprintf("o%c := o%s + 4*uintptr(n)\n", further[i], further[max(i-1, 0):i])
	}
	fmt.Fprintf(&b, "o, end := uintptr(0), 4*uintptr(n)\nfor ; o+4*§ <= end; o += 4*§ {\n%s", offsets)
	body(false)
	fmt.Fprintf(&b, "}\nif o < end {\nmask := tailMask§(int(end-o) / 4)\n%s", offsets)
	body(true)
	fmt.Fprint(&b, "}\narchsimd.ClearAVXUpperBits()\n}\n\n")
	text := withConstants(b.String())
	w.WriteString(lanes(text, 16))
	w.WriteString(lanes(text, 8))

	fmt.Fprintf(w, `func %[1]s(n int, %[2]s []float32%[3]s) {
	switch active {
	case levelAVX512: %[1]sV16(n%[4]s)
	case levelAVX2: %[1]sV8(n%[4]s)
	default: %[1]sGo(n, %[5]s)
	}
}

`, o.name, strings.Join(ptrs, ", "), extra, addresses(ptrs)+names, strings.Join(ptrs, ", ")+names)
}

func reduce(w *strings.Builder, r reduction) {
	var b strings.Builder
	list := strings.Join(r.in, "P, ")
	fmt.Fprintf(&b, "//go:nocheckptr\nfunc %sV§(n int, %sP unsafe.Pointer) %s {\nT", r.name, list, r.out)
	init := r.init
	if init == "" {
		init = "archsimd.Float32x§{}"
	}
	fmt.Fprint(&b, "o, end := uintptr(0), 4*uintptr(n)\n")
	for i := range 4 {
		fmt.Fprintf(&b, "a%d := %s\n", i, init)
	}
	step := func(acc, sfx string, off int, masked bool) {
		for _, n := range r.in {
			at := "o"
			if off > 0 {
				at = fmt.Sprintf("o+4*§*%d", off)
			}
			if masked {
				const load = "%s%s := archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add(%sP, %s)), mask)\n"
				fmt.Fprintf(&b, load, n, sfx, n, at)
				if r.fill != "" {
					fmt.Fprintf(&b, "%s%s = %s%s.Merge(%s, mask)\n", n, sfx, n, sfx, r.fill)
				}
			} else {
				fmt.Fprintf(&b, "%s%s := archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(%sP, %s)))\n", n, sfx, n, at)
			}
		}
		fmt.Fprintln(&b, strings.NewReplacer("$a", acc, "$x", "x"+sfx, "$y", "y"+sfx, "$d", "d"+sfx).Replace(r.step))
	}
	fmt.Fprint(&b, "for ; o+4*§*4 <= end; o += 4*§*4 {\n")
	for i := range 4 {
		step(fmt.Sprint("a", i), fmt.Sprint(i), i, false)
	}
	fmt.Fprint(&b, "}\nfor ; o+4*§ <= end; o += 4*§ {\n")
	step("a0", "", 0, false)
	fmt.Fprint(&b, "}\nif o < end {\nmask := tailMask§(int(end-o) / 4)\n")
	step("a1", "", 0, true)
	join := func(a, b string) string { return strings.NewReplacer("$a", a, "$b", b).Replace(r.join) }
	fmt.Fprintf(&b, "}\na0 = %s\na2 = %s\na0 = %s\n", join("a0", "a1"), join("a2", "a3"), join("a0", "a2"))
	// The wide halves are joined until four lanes are left: sixteen one after another would take as long as the loop
	// of a row.
	fmt.Fprint(&b, "HALVE")
	fmt.Fprint(&b, "var lanes [4]float32\nq.Store(&lanes)\narchsimd.ClearAVXUpperBits()\n")
	fmt.Fprintf(&b, "r := %s(lanes[0])\nfor _, l := range lanes[1:] {\nr = %s\n}\nreturn r\n}\n\n", r.out, r.lane)
	text := withConstants(b.String())
	halve := func(from, to string) string {
		return fmt.Sprintf("%s := %s\n", to, join(from+".GetLo()", from+".GetHi()"))
	}
	w.WriteString(lanes(strings.Replace(text, "HALVE", halve("a0", "h")+halve("h", "q"), 1), 16))
	w.WriteString(lanes(strings.Replace(text, "HALVE", halve("a0", "q"), 1), 8))
	fmt.Fprintf(w, `func %[1]s(n int, %[2]s []float32) %[3]s {
	switch active {
	case levelAVX512: return %[1]sV16(n%[4]s)
	case levelAVX2: return %[1]sV8(n%[4]s)
	default: return %[1]sGo(n, %[2]s)
	}
}

`, r.name, strings.Join(r.in, ", "), r.out, addresses(r.in))
}

// functions are macros as functions of one vector of 16, for the loops of heads_simd.go, which are written by hand.
func functions(w *strings.Builder) {
	for _, f := range []struct{ name, macro string }{{"exp16", "exp"}, {"log1p16", "log1p01"}} {
		text := fmt.Sprintf("func %s(x archsimd.Float32x§) archsimd.Float32x§ {\nt := consts\n", f.name)
		w.WriteString(lanes(text+expand(f.macro+"(y, x)")+"\nreturn y\n}\n\n", 16))
	}
}

// copyPanel writes the loop that packs one column panel of w columns, of which cols exist, and copyPanels that of some
// whole panels, side by side. The latter reads a row to its end before the next: a matrix that comes from beyond the
// cache then comes in order.
const copyPanel = `//go:nocheckptr
func copyPanel§(dst, src unsafe.Pointer, w, lds, k, cols int) {
	ld, wide := 4*uintptr(lds), 4*uintptr(w)
	for v := 0; v < w; v += § {
		s, d := uintptr(4*v), uintptr(4*v)
		switch {
		case v+§ <= cols:
			for range k {
				archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(src, s))).Store((*[§]float32)(unsafe.Add(dst, d)))
				s, d = s+ld, d+wide
			}
		case v < cols:
			mask := tailMask§(cols - v)
			for range k {
				archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add(src, s)), mask).Store((*[§]float32)(unsafe.Add(dst, d)))
				s, d = s+ld, d+wide
			}
		default:
			for range k {
				archsimd.Float32x§{}.Store((*[§]float32)(unsafe.Add(dst, d)))
				d += wide
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}

//go:nocheckptr
func copyPanels§(dst, src unsafe.Pointer, w, lds, k, panels int) {
	wide := 4*uintptr(w)
	next := wide*uintptr(k)
	for i := range k {
		s, d := unsafe.Add(src, 4*i*lds), unsafe.Add(dst, wide*uintptr(i))
		for range panels {
			for o := uintptr(0); o < wide; o += 4*§ {
				archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(s, o))).Store((*[§]float32)(unsafe.Add(d, o)))
			}
			s, d = unsafe.Add(s, wide), unsafe.Add(d, next)
		}
	}
	archsimd.ClearAVXUpperBits()
}

`
