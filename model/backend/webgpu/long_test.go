//go:build cgo || js

package webgpu

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"mhacsp/model"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/reference"
	"mhacsp/model/firststep"
	"mhacsp/model/sequence"
	"mhacsp/model/zoo"
	"mhacsp/tasks/assert"
)

// TestLong: one sample of a long sequence keeps to the CPU's loss and gradient and to 1 GiB of GPU memory, whose use
// grows with the length and not with its square. MHACSP_LONG=1 runs the real lengths, 16 384 tokens in final and 4 096
// in prefix supervision, which take a real GPU; otherwise shorter ones, with loops cut as if they were long.
func TestLong(t *testing.T) {
	open(t).Close()
	for _, x := range []struct {
		supervision  string
		tokens, real int
	}{{"final", 600, 16384}, {"prefix", 200, 4096}} {
		t.Run(x.supervision, func(t *testing.T) {
			o, n := Options{Software: true, Memory: 1 << 30, turns: 3200}, x.tokens
			if os.Getenv("MHACSP_LONG") != "" {
				o.turns, n = 0, x.real
			}
			c := assert.Must(zoo.Preset("mha-csp"))(t)
			own := c.(*model.Config)
			own.Supervision, own.EmbeddingStd = x.supervision, 0.3
			b := &sequence.Batch{}
			tokens := make([]int32, n+1)
			for i := range tokens {
				tokens[i] = int32(i * i % 7)
			}
			if x.supervision == "final" {
				b.Prompts, b.Targets = [][]int32{tokens[:n]}, [][]int32{{3, 17}}
			} else {
				b.Prompts, b.Targets = [][]int32{tokens[:n/2]}, [][]int32{tokens[n/2:]}
			}
			// Long sequences are ill-conditioned: how far two summation orders on the CPU lie apart is the measure.
			const slack = 10
			fast := cpu.New()
			defer fast.Close()
			want, wantGrad, _ := step(t, fast, c, b)
			other, otherGrad, _ := step(t, reference.New[float32](), c, b)
			apart := firststep.Relative(otherGrad, wantGrad)
			lossBound := max(1e-5, slack*math.Abs(float64(other-want))/float64(want))
			gradBound := max(1e-4, slack*apart)
			device := assert.Must(Open(o))(t)
			defer device.Close()
			if o.turns == 0 && device.info.Software {
				t.Skip("a software adapter refuses loops of that length")
			}
			device.info.Software = false
			begin := time.Now()
			got, grad, _ := step(t, device, c, b)
			off := firststep.Relative(grad, wantGrad)
			_, most := device.Allocated()
			text := fmt.Sprintf("%d tokens, %s: %.1f s, %.1f MiB, loss %v (CPU %v and %v), "+
				"gradient off by %.1e (the CPU's two by %.1e)", n, x.supervision,
				time.Since(begin).Seconds(), float64(most)/(1<<20), got, want, other, off, apart)
			t.Log(text)
			assert.True(t, math.Abs(float64(got-want)) <= lossBound*float64(want) && off <= gradBound, "%s", text)
		})
	}
}
