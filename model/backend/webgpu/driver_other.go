//go:build cgo && !unix

package webgpu

// Driver is empty here: only Linux was tried.
func Driver(string) string { return "" }
