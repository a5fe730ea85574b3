//go:build !js

package vec

func features() string { return active.String() }

func (p *Panel) mulPortable(c []float32, cr rows, a []float32, ar rows, m, k, n int, add bool) {
	p.mulGo(c, cr, a, ar, m, k, n, add, 0)
}
