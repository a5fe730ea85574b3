package sequence_test

import (
	"math"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/tasks/assert"
)

// TestSoftmax holds extreme logits.
func TestSoftmax(t *testing.T) {
	for _, x := range []struct {
		logits []float32
		want   []float64
	}{
		{[]float32{0, 0}, []float64{0.5, 0.5}}, {[]float32{3e38, -3e38}, []float64{1, 0}},
		{[]float32{1000, 1000 - float32(math.Ln2), -1000}, []float64{2. / 3, 1. / 3, 0}},
	} {
		for i, p := range sequence.Softmax(x.logits) {
			e := math.Abs(float64(p) - x.want[i])
			assert.True(t, e <= 1e-4, "softmax of %v is off by %.2g at %d", x.logits, e, i)
		}
	}
	assert.Is(t, sequence.Argmax([]float32{1, 3, 3, 2}), 1, "of two greatest logits the first is taken")
}
