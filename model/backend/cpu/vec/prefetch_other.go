//go:build !amd64

package vec

// Prefetch does nothing on this processor.
func Prefetch(...[]float32) {}

// prefetchFar does nothing on this processor.
func prefetchFar([]float32) {}

func transpose(dst []float32, ldd int, src []float32, lds, m, n int) {
	transposeGo(dst, ldd, src, lds, m, n)
}
