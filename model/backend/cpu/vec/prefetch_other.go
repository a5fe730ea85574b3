//go:build !amd64

package vec

// Prefetch does nothing on this processor.
func Prefetch(...[]float32) {}
