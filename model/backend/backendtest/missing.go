package backendtest

import "os"

// NoGPU skips a test for want of a GPU, a driver or what else it needs to use one, or fails it where the environment
// variable MHACSP_GPU is "require", which promises them.
func NoGPU(t interface {
	Helper()
	Fatal(...any)
	Skip(...any)
}, why ...any) {
	t.Helper()
	if os.Getenv("MHACSP_GPU") == "require" {
		t.Fatal(why...)
	}
	t.Skip(why...)
}
