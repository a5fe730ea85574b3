//go:build cgo || js

package webgpu

import "github.com/cogentcore/webgpu/wgpu"

// laps take the device's time of whole training steps: of each submission from its first command to its last. Steps
// may be under way while others begin; nothing waits. What fails is no error of the step's: no time of it is known.
type laps interface {
	begin()                        // a step begins
	open(e *wgpu.CommandEncoder)   // a submission begins
	finish(e *wgpu.CommandEncoder) // and ends
	// end is what the first step took that began and did not end yet, in ticks of unknown length, and when its last
	// submission ended; 0 where it is not known. All its work must be done.
	end(b *Backend) (ticks, at float64)
	release()
}
