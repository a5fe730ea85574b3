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

// DriveForward is the drive of the recurrence, in two dispatches where its weights lie in one buffer.
func (b *Backend) DriveForward(a backend.DriveForward) {
	a.Check()
	w, ok := windowOf(a.Weights)
	if !ok || !tiled(a.N) {
		b.driveForwardPadded(a)
		return
	}
	q := a.N / 4
	b.tilesOf(3, "drive_forward", a.N, 4, groupOf(a.M, tileRows),
		words(a.M, q, a.Turn, a.Rot.Given(), w.theta, w.thetaBias, w.gamma, w.gammaBias, w.delta, w.deltaBias),
		a.PreTheta, a.PreGamma, a.DeltaU, a.V, a.Rot, a.U, w.all)
	b.tiles("drive_gate", a.N, 4, groupOf(2*a.M, tileRows), words(a.M, q), a.R, a.In, a.V, a.PreGamma, a.Weights.Input)
}

// DriveBackward is the backward pass of DriveForward, in four dispatches where weights and gradients lie in one buffer each,
// and a fifth that waits where rows are many.
func (b *Backend) DriveBackward(a backend.DriveBackward) {
	a.Check()
	w, ok := windowOf(a.Weights)
	g, both := windowOf(a.Grads)
	if !ok || !both || !tiled(a.N) {
		b.driveBackwardPadded(a)
		return
	}
	q := a.N / 4
	dpre, dr := b.temporary("drive", 3*a.M*a.N), b.temporary("drive input", 2*a.M*a.N)
	b.each("drive_gate_backward", a.M*q, words(a.M, q), dpre, dr, a.DIn, a.PreGamma, a.R, a.DDelta)
	b.tiles("drive_angle_backward", a.N, 4, groupOf(2*a.M, tileRows), words(a.M, q, a.StateTheta),
		dpre, a.DU, dr, a.Weights.Input, a.DTheta, a.PreTheta, a.U)
	b.driveWeight(a, g, dpre, dr)
	b.tiles("drive_input", a.N, 4, groupOf(a.M, tileRows), words(a.M, q, w.theta, w.gamma, w.delta), a.DU, dpre, w.all)
}

// driveWeight adds the gradients of the drive's weights.
func (b *Backend) driveWeight(a backend.DriveBackward, g driveWindow, dpre, dr backend.Vec) {
	n, q := a.N, a.N/4
	parts := b.partsFor(2 * a.M)
	rows, blocks := groupOf(a.M, parts), groupOf(n, tileRows)
	run := func(x driveWindow) {
		b.tilesOf(4, "drive_weight", n, 8, blocks*parts, words(a.M, q, rows, blocks, parts, x.theta, x.thetaBias, x.gamma, x.gammaBias,
			x.delta, x.deltaBias, x.input), x.all, dpre, dr, a.U, a.V)
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
	for _, s := range [...]struct {
		to       backend.Vec
		quads, n int
	}{
		{a.Grads.Theta, x.theta, n * n}, {a.Grads.Gamma, x.gamma, n * n}, {a.Grads.Input, x.input, n * n}, {a.Grads.Delta, x.delta, n * n},
		{a.Grads.ThetaBias, x.thetaBias, n}, {a.Grads.GammaBias, x.gammaBias, n}, {a.Grads.DeltaBias, x.deltaBias, n},
	} {
		b.sum(s.to, to, 4*s.quads, s.n, parts)
	}
}
