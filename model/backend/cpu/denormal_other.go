//go:build !amd64

package cpu

type floatMode struct{}

// flushDenormals does nothing on this processor.
func flushDenormals() floatMode { return floatMode{} }

func (floatMode) restore() {}
