package backendtest

import (
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
)

func TestReference(t *testing.T) {
	Run(t, func(testing.TB) backend.Backend { return cpu.NewReference[float32]() })
}
