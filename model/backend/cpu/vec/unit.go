package vec

// Unit puts n complex numbers on the unit circle: inv = 1/sqrt(|z|² + eps), y = z·inv. z and y are [Re(n) ; Im(n)];
// y may be z.
func Unit(n int, y, inv, z []float32, eps float32) {
	need(2*n, len(y))
	need(n, len(inv))
	need(2*n, len(z))
	unit(n, y, inv, z, eps)
}

// UnitBackward adds the gradient of Unit's input to dz, given that of its output: dz += inv (dy − y Re(conj(y) dy)).
func UnitBackward(n int, dz, dy, y, inv []float32) {
	need(2*n, len(dz))
	need(2*n, len(dy))
	need(2*n, len(y))
	need(n, len(inv))
	unitBackward(n, dz, dy, y, inv)
}

// AxpyComplex adds f ⊙ x to dst, f real [n], x and dst complex [2n].
func AxpyComplex(n int, dst, f, x []float32) {
	need(2*n, len(dst))
	need(n, len(f))
	need(2*n, len(x))
	axpyComplex(n, dst, f, x)
}

// AddInner adds Re(conj(x) ⊙ y) to dst, dst real [n], x and y complex [2n].
func AddInner(n int, dst, x, y []float32) {
	need(n, len(dst))
	need(2*n, len(x))
	need(2*n, len(y))
	addInner(n, dst, x, y)
}
