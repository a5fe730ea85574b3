package window

import "mhacsp/site/circle"

type (
	rect  = circle.Rect
	point = circle.Point
)

func right(r rect) float64  { return r.X + r.W }
func bottom(r rect) float64 { return r.Y + r.H }
func empty(r rect) bool     { return r.W <= 0 || r.H <= 0 }
func center(r rect) point   { return point{X: r.X + r.W/2, Y: r.Y + r.H/2} }

func inset(r rect, d float64) rect {
	return rect{X: r.X + d, Y: r.Y + d, W: max(0, r.W-2*d), H: max(0, r.H-2*d)}
}

// cutTop cuts a strip off above; what is left follows.
func cutTop(r rect, h float64) (strip, rest rect) {
	h = min(max(h, 0), r.H)
	return rect{X: r.X, Y: r.Y, W: r.W, H: h}, rect{X: r.X, Y: r.Y + h, W: r.W, H: r.H - h}
}

func cutBottom(r rect, h float64) (strip, rest rect) {
	h = min(max(h, 0), r.H)
	return rect{X: r.X, Y: bottom(r) - h, W: r.W, H: h}, rect{X: r.X, Y: r.Y, W: r.W, H: r.H - h}
}

func cutRight(r rect, w float64) (strip, rest rect) {
	w = min(max(w, 0), r.W)
	return rect{X: right(r) - w, Y: r.Y, W: w, H: r.H}, rect{X: r.X, Y: r.Y, W: r.W - w, H: r.H}
}

func cutLeft(r rect, w float64) (strip, rest rect) {
	w = min(max(w, 0), r.W)
	return rect{X: r.X, Y: r.Y, W: w, H: r.H}, rect{X: r.X + w, Y: r.Y, W: r.W - w, H: r.H}
}
