package cpu_test

import (
	"testing"

	"mhacsp/model/backend/backendtest"
	"mhacsp/model/backend/cpu"
)

func TestFast(t *testing.T) { backendtest.Run(t, cpu.New()) }
