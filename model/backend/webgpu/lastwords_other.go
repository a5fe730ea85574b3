//go:build js || (cgo && !unix)

package webgpu

// LastWords does nothing here. In a browser a lost device is an error like others; Windows has no such signal.
func LastWords(string, int) {}
