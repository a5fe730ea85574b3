//go:build !js

package vec

func features() string { return active.String() }

func (p *Panel) mulPortable(c []float32, cr rows, a []float32, ar rows, m int, add bool) {
	p.mulGo(c, cr, a, ar, m, add, 0)
}
