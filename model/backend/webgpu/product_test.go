//go:build cgo || js

package webgpu

import (
	"testing"

	"mhacsp/model/backend"
)

// BenchmarkProduct is the rate at which the adapter multiplies matrices of 512², the measure of a training step on it.
func BenchmarkProduct(b *testing.B) {
	device := open(b)
	defer device.Close()
	const n = 512
	x, w, y := backend.All(device.Floats(n*n)), backend.All(device.Floats(n*n)), backend.All(device.Floats(n*n))
	product := func() {
		device.MatMul(backend.MatMul{Y: y, X: x, W: w, M: n, K: n, N: n})
		if err := device.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	product()
	for b.Loop() {
		product()
	}
	b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
