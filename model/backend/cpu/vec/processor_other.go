//go:build !amd64 && !arm64

package vec

import "runtime"

const without = "there are no vector loops for " + runtime.GOARCH

// levels are those that the processor has, the best one last.
func levels() []level { return []level{levelPortable} }

// tiles is for the levels that this build does not have.
func (p *Panel) tiles(product, []float32, rows, []float32, rows, int, int, int, int, manner) {}
