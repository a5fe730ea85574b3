//go:build cgo || js

package webgpu

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
)

// bitsOf is a hash of the bits of numbers.
func bitsOf(x ...[]float32) string {
	h := sha256.New()
	for _, x := range x {
		_ = binary.Write(h, binary.LittleEndian, x)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

func TestForms(t *testing.T) {
	for _, angle := range []string{"token", "state", "product"} {
		for _, width := range []int{12, 36, 132, 264} {
			for _, form := range loopForms() {
			device := open(t).(*Backend)
			device.soft = false
			c, err := zoo.Preset("mha-csp")
			if err != nil {
				t.Fatal(err)
			}
			keys := sequencetest.Keys{"width": width, "supervision": "final", "embedding_std": 0.3, "theta": angle}
			if err := device.SetForms(Forms{Forward: form, Backward: form}); err != nil { t.Fatal(err) }
			loss, grad, values := step(t, device, sequencetest.Small(t, c, keys), arithmetic(t, 7))
			t.Log(angle, width, form, bitsOf([]float32{loss}, grad, values))
			device.Close()
			}
		}
	}
}
