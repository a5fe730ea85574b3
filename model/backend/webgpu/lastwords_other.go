//go:build cgo && !unix

package webgpu

// LastWords does nothing here: Windows has no such signal.
func LastWords(string, int) {}
