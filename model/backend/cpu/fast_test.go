package cpu_test

import (
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/backendtest"
	"mhacsp/model/backend/cpu"
)

func TestFast(t *testing.T) {
	backendtest.Run(t, func(t testing.TB) backend.Backend {
		b := cpu.New()
		t.Cleanup(b.Close)
		return b
	})
}
