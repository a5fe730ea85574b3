//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// driveWindow is where a drive's weights, or their gradients, lie in one window, in quads.
type driveWindow struct {
	all                             backend.Vec
	theta, gamma, input, delta      int
	thetaBias, gammaBias, deltaBias int
}

// windowOf finds the window that holds all of w; false where they lie in several buffers.
func windowOf(w backend.DriveWeights) (x driveWindow, ok bool) {
	list := [...]backend.Vec{w.Theta, w.Gamma, w.Input, w.Delta, w.ThetaBias, w.GammaBias, w.DeltaBias}
	first, end := w.Theta.Off, 0
	for _, v := range list {
		if v.Buf != w.Theta.Buf {
			return x, false
		}
		first, end = min(first, v.Off), max(end, v.Off+v.Len)
	}
	at := func(v backend.Vec) int { return (v.Off - first) / 4 }
	return driveWindow{
		backend.Vec{Buf: w.Theta.Buf, Off: first, Len: end - first},
		at(w.Theta), at(w.Gamma), at(w.Input), at(w.Delta), at(w.ThetaBias), at(w.GammaBias), at(w.DeltaBias),
	}, true
}

// moved is a window whose contents a call works on a copy of.
type moved struct{ own, copy backend.Vec }

// together is the window of a drive's weights, or gradients. Where they lie in several buffers it gives the call
// copies in one, or zeros to add to: of the window that holds those of W_θ's buffer as a whole, and of each that lies
// elsewhere. A model with a memory keeps W_δu apart.
func (b *Backend) together(name string, w *backend.DriveWeights, gradients bool) (x driveWindow, list []moved) {
	if x, ok := windowOf(*w); ok {
		return x, nil
	}
	weights := [...]*backend.Vec{&w.Theta, &w.Gamma, &w.Input, &w.Delta, &w.ThetaBias, &w.GammaBias, &w.DeltaBias}
	beside := w.Theta
	for _, v := range weights {
		if v.Buf == beside.Buf {
			first, end := min(beside.Off, v.Off), max(beside.Off+beside.Len, v.Off+v.Len)
			beside.Off, beside.Len = first, end-first
		}
	}
	size := 0
	place := func(v backend.Vec) backend.Vec {
		v.Off, size = size, groupOf(size+v.Len, backend.Align)*backend.Align
		return v
	}
	list = append(list, moved{beside, place(beside)})
	for _, v := range weights {
		if v.Buf == beside.Buf {
			v.Off -= beside.Off
			continue
		}
		list = append(list, moved{*v, place(*v)})
		v.Off = list[len(list)-1].copy.Off
	}
	all := b.temporary("drive "+name, size)
	for _, v := range weights {
		v.Buf = all.Buf
	}
	if gradients {
		b.Zero(all)
	}
	for i := range list {
		x := &list[i]
		if x.copy.Buf = all.Buf; !gradients {
			b.pad(x.copy, 1, x.copy.Len, x.own, 1, x.own.Len, false)
		}
	}
	x, _ = windowOf(*w)
	return x, list
}

// DriveForward is the drive of the recurrence, in two dispatches where its weights lie in one buffer.
func (b *Backend) DriveForward(a backend.DriveForward) {
	a.Check()
	if !tiled(a.N) {
		p, m := b.padTo("drive", a.N), a.M
		a.N = p.width
		p.weights("weights", &a.Weights, false)
		p.reads("U", &a.U, m, m)
		p.writes("PreTheta", &a.PreTheta, m)
		p.writes("PreGamma", &a.PreGamma, m)
		p.writes("V", &a.V, 2*m)
		p.writes("R", &a.R, 2*m)
		p.writes("Rot", &a.Rot, 2*m)
		p.writes("In", &a.In, 2*m)
		p.writes("Delta", &a.DeltaU, m)
		defer p.done()
	}
	w, _ := b.together("weights", &a.Weights, false)
	q := a.N / 4
	b.tilesOf(3, "drive_forward", a.N, 4, groupOf(a.M, tileRows), args{
		{"M", a.M}, {"Q", q}, {"turn", a.Turn}, {"rotate", a.Rot.Given()}, {"theta", w.theta},
		{"thetabias", w.thetaBias}, {"gamma", w.gamma}, {"gammabias", w.gammaBias}, {"delta", w.delta},
		{"deltabias", w.deltaBias},
	}, on{
		{"pretheta", a.PreTheta}, {"pregamma", a.PreGamma}, {"deltau", a.DeltaU}, {"v", a.V}, {"rot", a.Rot},
		{"x", a.U}, {"w", w.all},
	})
	b.tiles("drive_gate", a.N, 4, groupOf(2*a.M, tileRows), args{{"M", a.M}, {"Q", q}},
		on{{"r", a.R}, {"out", a.In}, {"x", a.V}, {"pregamma", a.PreGamma}, {"w", a.Weights.Input}})
}

// DriveBackward is the backward pass of DriveForward, in four dispatches where weights and gradients lie in one buffer
// each, and a fifth that waits where rows are many.
func (b *Backend) DriveBackward(a backend.DriveBackward) {
	a.Check()
	if !tiled(a.N) {
		p, m := b.padTo("drive", a.N), a.M
		a.N = p.width
		p.weights("weights", &a.Weights, false)
		p.weights("gradients", &a.Grads, true)
		p.reads("U", &a.U, m, m)
		p.reads("PreTheta", &a.PreTheta, m, m)
		p.reads("PreGamma", &a.PreGamma, m, m)
		p.reads("V", &a.V, 2*m, 2*m)
		p.reads("R", &a.R, 2*m, 2*m)
		p.reads("Delta", &a.DDelta, m, m)
		p.reads("DTheta", &a.DTheta, m, m)
		p.reads("In", &a.DIn, 2*m, 2*m)
		p.writes("DU", &a.DU, m)
		defer p.done()
	}
	w, _ := b.together("weights", &a.Weights, false)
	g, list := b.together("gradients", &a.Grads, true)
	for _, x := range list {
		defer func() { b.pad(x.own, 1, x.own.Len, x.copy, 1, x.copy.Len, true) }()
	}
	q := a.N / 4
	dpre, dr := b.temporary("drive", 3*a.M*a.N), b.temporary("drive input", 2*a.M*a.N)
	b.each("drive_gate_backward", a.M*q, args{{"M", a.M}, {"Q", q}},
		on{{"dpre", dpre}, {"dr", dr}, {"din", a.DIn}, {"pregamma", a.PreGamma}, {"r", a.R}, {"ddelta", a.DDelta}})
	b.tiles("drive_angle_backward", a.N, 4, groupOf(2*a.M, tileRows),
		args{{"M", a.M}, {"Q", q}, {"state", a.StateTheta}}, on{
			{"dpre", dpre}, {"du", a.DU}, {"dy", dr}, {"w", a.Weights.Input}, {"dtheta", a.DTheta},
			{"pretheta", a.PreTheta}, {"u", a.U},
		})
	b.driveWeight(a, g, dpre, dr)
	b.tiles("drive_input", a.N, 4, groupOf(a.M, tileRows),
		args{{"M", a.M}, {"Q", q}, {"theta", w.theta}, {"gamma", w.gamma}, {"delta", w.delta}},
		on{{"du", a.DU}, {"dy", dpre}, {"w", w.all}})
}

// driveWeight adds the gradients of the drive's weights.
func (b *Backend) driveWeight(a backend.DriveBackward, g driveWindow, dpre, dr backend.Vec) {
	n, q := a.N, a.N/4
	blocks := groupOf(n, tileRows)
	parts := partsFor(2*a.M, 4*n*n+3*n, blocks)
	rows := groupOf(a.M, parts)
	run := func(x driveWindow) {
		b.tilesOf(4, "drive_weight", n, 8, blocks*parts, args{
			{"M", a.M}, {"Q", q}, {"rows", rows}, {"blocks", blocks}, {"parts", parts}, {"theta", x.theta},
			{"thetabias", x.thetaBias}, {"gamma", x.gamma}, {"gammabias", x.gammaBias}, {"delta", x.delta},
			{"deltabias", x.deltaBias}, {"input", x.input},
		}, on{{"grads", x.all}, {"dy0", dpre}, {"dy1", dr}, {"x0", a.U}, {"x1", a.V}})
	}
	if parts == 1 {
		run(g)
		return
	}
	matrix, bias := parts*n*n, parts*n
	to := b.partsOf(7, 4*matrix+3*bias)
	x := driveWindow{
		all: to, gamma: matrix / 4, input: matrix / 2, delta: 3 * matrix / 4,
		thetaBias: matrix, gammaBias: matrix + bias/4, deltaBias: matrix + bias/2,
	}
	run(x)
	b.sum(a.Grads.Theta, to, 4*x.theta, n*n, parts)
	b.sum(a.Grads.Gamma, to, 4*x.gamma, n*n, parts)
	b.sum(a.Grads.Input, to, 4*x.input, n*n, parts)
	b.sum(a.Grads.Delta, to, 4*x.delta, n*n, parts)
	b.sum(a.Grads.ThetaBias, to, 4*x.thetaBias, n, parts)
	b.sum(a.Grads.GammaBias, to, 4*x.gammaBias, n, parts)
	b.sum(a.Grads.DeltaBias, to, 4*x.deltaBias, n, parts)
}

// weights gives the call copies of a drive's weights, in one buffer, or zeros to add their gradients to.
func (p *padded) weights(name string, w *backend.DriveWeights, gradients bool) {
	const matrices, biases = 4, 3
	sizeOf := func(rows int) int { return groupOf(rows*p.width, backend.Align) * backend.Align }
	all := p.b.temporary(p.call+" "+name, matrices*sizeOf(p.width)+biases*sizeOf(1))
	if gradients {
		p.b.Zero(all)
	}
	at := 0
	list := [...]*backend.Vec{&w.Theta, &w.Gamma, &w.Input, &w.Delta, &w.ThetaBias, &w.GammaBias, &w.DeltaBias}
	for i, v := range list {
		own, rows, n := *v, p.width, p.n
		if i >= matrices {
			rows, n = 1, 1
		}
		*v = all.Slice(at, rows*p.width)
		at += sizeOf(rows)
		if padded := *v; gradients {
			p.back = append(p.back, func() { p.b.pad(own, n, p.n, padded, rows, p.width, true) })
		} else {
			p.b.pad(padded, rows, p.width, own, n, p.n, false)
		}
	}
}
