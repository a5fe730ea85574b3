//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// paddedDrive puts copies in the place of a drive's tensors: of rows padded with zeros to whole quads, and of weights in one
// buffer. So the drive's kernels need no form for widths that are no multiple of four; to such a drive zeros are units that
// stay zero.
type paddedDrive struct {
	b        *Backend
	n, width int
	back     []func() // copy what the call wrote
}

func (b *Backend) padDrive(n int) paddedDrive {
	return paddedDrive{b: b, n: n, width: 4 * groupOf(n, 4)}
}

// reads gives the call a copy of v [rows, N].
func (p *paddedDrive) reads(name string, v *backend.Vec, rows int) {
	to := p.b.temporary(name, rows*p.width)
	p.b.pad(to, rows, p.width, *v, rows, p.n, false)
	*v = to
}

// writes gives the call memory for v [rows, N], where given.
func (p *paddedDrive) writes(name string, v *backend.Vec, rows int) {
	if own := *v; own.Given() {
		from := p.b.temporary(name, rows*p.width)
		p.back = append(p.back, func() { p.b.pad(own, rows, p.n, from, rows, p.width, false) })
		*v = from
	}
}

// weights gives the call copies of the weights, or zeros to add their gradients to.
func (p *paddedDrive) weights(name string, w *backend.DriveWeights, gradients bool) {
	const matrices, biases = 4, 3
	sizeOf := func(rows int) int { return groupOf(rows*p.width, backend.Align) * backend.Align }
	all := p.b.temporary(name, matrices*sizeOf(p.width)+biases*sizeOf(1))
	if gradients {
		p.b.Zero(all)
	}
	at := 0
	for i, v := range [...]*backend.Vec{&w.Theta, &w.Gamma, &w.Input, &w.Delta, &w.ThetaBias, &w.GammaBias, &w.DeltaBias} {
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

func (p *paddedDrive) done() {
	for _, f := range p.back {
		f()
	}
}

func (b *Backend) driveForwardPadded(a backend.DriveForward) {
	p, m := b.padDrive(a.N), a.M
	a.N = p.width
	p.weights("drive weights", &a.Weights, false)
	p.reads("drive U", &a.U, m)
	p.writes("drive PreTheta", &a.PreTheta, m)
	p.writes("drive PreGamma", &a.PreGamma, m)
	p.writes("drive V", &a.V, 2*m)
	p.writes("drive R", &a.R, 2*m)
	p.writes("drive Rot", &a.Rot, 2*m)
	p.writes("drive In", &a.In, 2*m)
	p.writes("drive Delta", &a.DeltaU, m)
	b.DriveForward(a)
	p.done()
}

func (b *Backend) driveBackwardPadded(a backend.DriveBackward) {
	p, m := b.padDrive(a.N), a.M
	a.N = p.width
	p.weights("drive weights", &a.Weights, false)
	p.weights("drive gradients", &a.Grads, true)
	p.reads("drive U", &a.U, m)
	p.reads("drive PreTheta", &a.PreTheta, m)
	p.reads("drive PreGamma", &a.PreGamma, m)
	p.reads("drive V", &a.V, 2*m)
	p.reads("drive R", &a.R, 2*m)
	p.reads("drive Delta", &a.DDelta, m)
	p.reads("drive DTheta", &a.DTheta, m)
	p.reads("drive In", &a.DIn, 2*m)
	p.writes("drive DU", &a.DU, m)
	b.DriveBackward(a)
	p.done()
}
