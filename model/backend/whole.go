//go:build !js || families

package backend

// Backend is a device with all kernels.
type Backend interface {
	Base
	CSP
	Baseline
}
