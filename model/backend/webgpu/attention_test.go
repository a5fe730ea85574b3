//go:build cgo || js

package webgpu

import (
	"fmt"
	"slices"
	"testing"

	"mhacsp/model/backend/backendtest"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
)

// TestContractTeams runs the contract over the attention of workgroups of four teams.
func TestContractTeams(t *testing.T) {
	b := open(t).(*Backend)
	b.soft = false
	if err := b.SetForms(Forms{Attention: 256}); err != nil {
		t.Fatal(err)
	}
	backendtest.RunOnly(t, b, "AttentionForward", "AttentionBackward", "AttentionMatrices")
}

// TestTeams: a training step has the same bits with any number of teams, with fewer heads than teams, as many, and a
// number between.
func TestTeams(t *testing.T) {
	device := open(t).(*Backend)
	defer device.Close()
	device.soft = false
	for _, supervision := range []string{"final", "prefix"} {
		for _, heads := range []int{1, 3, 4} {
			t.Run(fmt.Sprintf("%s/%d", supervision, heads), func(t *testing.T) {
				preset, err := zoo.Preset("mha-csp")
				if err != nil {
					t.Fatal(err)
				}
				keys := small(supervision)
				keys["heads"] = heads
				c := sequencetest.Small(t, preset, keys)
				b := arithmetic(t, 6)
				var loss float32
				var grad []float32
				for i, n := range []int{64, 128, 256} {
					if err := device.SetForms(Forms{Attention: n}); err != nil {
						t.Fatal(err)
					}
					otherLoss, other, _ := step(t, device, c, b)
					if i == 0 {
						loss, grad = otherLoss, other
					}
					if loss != otherLoss || !slices.Equal(grad, other) {
						t.Errorf("%d invocations: loss %v, not %v, or another gradient", n, otherLoss, loss)
					}
				}
			})
		}
	}
}
