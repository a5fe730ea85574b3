package layer

import "mhacsp/model/backend"

// apart is where a drive with a memory keeps its units apart. The drive's kernel has N units throughout; the
// recurrence has the first N−Slots, the memory the others. Rows are few here (the vocabulary's), so that copies cost
// nothing compared with the rest of a step, and no kernel needs to know of parts.
type apart struct {
	delta, deltaBias   backend.Vec // [N, N], [N]: W_δu and b_δ, zeros below
	dDelta, dDeltaBias backend.Vec // their gradients

	bufDelta, bufDDelta, bufIn, bufRot, bufDU, bufTheta, bufSlots Floats
	bufGIn, bufGTheta, bufGDU                                     Floats
}

// block copies columns [from, from+n) of src to columns [to, to+n) of dst, m rows of the widths sw and dw.
func block(c CSP, dst backend.Vec, dw, to int, src backend.Vec, sw, from, m, n int) {
	c.B.Columns(backend.Columns{
		Dst: dst, Src: src, M: m, N: n, DstWidth: dw, SrcWidth: sw, DstFrom: to, SrcFrom: from,
	})
}

// planes copies columns of complex rows: the same of both planes.
func planes(c CSP, dst backend.Vec, dn, to int, src backend.Vec, sn, from, m, n int) {
	block(c, dst, 2*dn, to, src, 2*sn, from, m, n)
	block(c, dst, 2*dn, dn+to, src, 2*sn, sn+from, m, n)
}

// matrix returns room for an [N, N] matrix and N numbers behind it.
func matrix(c CSP, f *Floats, n int) (all, weights, bias backend.Vec) {
	room := aligned(n * n)
	all = f.Get(c.B, room+n)
	return all, all.Slice(0, n*n), all.Slice(room, n)
}

// widen makes the decay's weights as large as the kernel wants them.
func (d *Drive) widen(c CSP) {
	n, core := d.N, d.N-d.Slots
	all, w, b := matrix(c, &d.apart.bufDelta, n)
	c.B.Zero(all)
	c.B.Copy(w.Slice(0, core*n), c.P.Value(d.DeltaU))
	c.B.Copy(b.Slice(0, core), c.P.Value(d.DeltaBias))
	d.apart.delta, d.apart.deltaBias = w, b
}

// split copies what the recurrence and the memory read out of the drive's rows.
func (d *Drive) split(c CSP) {
	x, m, n, core := &d.apart, d.m, d.N, d.N-d.Slots
	d.core = driveRows{
		in: x.bufIn.Get(c.B, 2*m*core), du: x.bufDU.Get(c.B, m*core), theta: x.bufTheta.Get(c.B, m*core),
	}
	planes(c, d.core.in, core, 0, d.in, n, 0, m, core)
	block(c, d.core.du, core, 0, d.du, n, 0, m, core)
	block(c, d.core.theta, core, 0, d.preTheta, n, 0, m, core)
	if d.rot.Given() {
		d.core.rot = x.bufRot.Get(c.B, 2*m*core)
		planes(c, d.core.rot, core, 0, d.rot, n, 0, m, core)
	}
	d.slots = x.bufSlots.Get(c.B, 2*m*d.Slots)
	planes(c, d.slots, d.Slots, 0, d.in, n, core, m, d.Slots)
}

// join is the way back of split: the gradients of all N units' rows.
func (d *Drive) join(c CSP, g driveRows, slots backend.Vec) driveRows {
	x, m, n, core := &d.apart, d.m, d.N, d.N-d.Slots
	all := driveRows{in: x.bufGIn.Get(c.B, 2*m*n), du: x.bufGDU.Get(c.B, m*n), theta: x.bufGTheta.Get(c.B, m*n)}
	c.B.Zero(all.du)
	c.B.Zero(all.theta)
	planes(c, all.in, n, 0, g.in, core, 0, m, core)
	planes(c, all.in, n, core, slots, d.Slots, 0, m, d.Slots)
	block(c, all.du, n, 0, g.du, core, 0, m, core)
	block(c, all.theta, n, 0, g.theta, core, 0, m, core)
	whole, w, b := matrix(c, &x.bufDDelta, n)
	c.B.Zero(whole)
	x.dDelta, x.dDeltaBias = w, b
	return all
}

// narrow adds the gradients of the decay's own weights.
func (d *Drive) narrow(c CSP) {
	core := d.N - d.Slots
	add(c, c.P.Grad(d.DeltaU), d.apart.dDelta, core*d.N)
	add(c, c.P.Grad(d.DeltaBias), d.apart.dDeltaBias, core)
}

// add adds the first n numbers of src to dst.
func add(c CSP, dst, src backend.Vec, n int) {
	c.B.Columns(backend.Columns{Dst: dst, Src: src, M: 1, N: n, DstWidth: n, SrcWidth: n, Add: true})
}
