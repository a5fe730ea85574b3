//go:build cgo && !js

package webgpu

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkShapes lists the dispatches of a training step as a GPU gets them, in their order: how many workgroups of
// how many invocations, and the MiB that their bindings hold (an upper bound of what is read and written once). A
// kernel needs several hundred workgroups to occupy all processors of a large GPU. The time is the host's part alone:
// see BenchmarkHost.
//
//	go test ./model/backend/webgpu -run - -bench Shapes -benchtime 1x -v
func BenchmarkShapes(b *testing.B) {
	for _, batch := range []int{32, 128, 1024} {
		b.Run(fmt.Sprint(batch), func(b *testing.B) {
			device := open(b).(*Backend)
			defer device.Close()
			device.options.Idle = true
			tr := trainer(b, device, "mha-csp", batchOf(batch))
			step := func() {
				if err := advance(tr); err != nil {
					b.Fatal(err)
				}
			}
			step()
			var list strings.Builder
			count := 0
			device.observe = func(p *pipeline, groups [3]int, bind on) {
				count++
				in, out := 0, 0
				for i, v := range bind {
					if p.kernel.Storage[i].Write {
						out += v.Len
					} else {
						in += v.Len
					}
				}
				w := p.kernel.Workgroup
				fmt.Fprintf(&list, "%-28s %7d (%d×%d×%d) of %-4d %8.2f read %8.2f written\n", p.kernel.Name,
					groups[0]*groups[1]*groups[2], groups[0], groups[1], groups[2], w[0]*w[1]*w[2],
					float64(in)/(1<<18), float64(out)/(1<<18))
			}
			step()
			device.observe = nil
			for b.Loop() {
				step()
			}
			b.ReportMetric(float64(count), "dispatches/step")
			b.Logf("\n%s", list.String())
		})
	}
}
