//go:build !amd64 && !arm64

package vec

import "runtime"

const without = "there are no vector loops for " + runtime.GOARCH

// levels are those that the processor has, the best one last.
func levels() []level { return []level{levelPortable} }

func copyPanels(dst []float32, w int, src []float32, lds, k, panels int) {
	copyPanelsGo(dst, w, src, lds, k, panels)
}

// tiles is for the levels that this build does not have.
func (p *Panel) tiles(product, []float32, rows, []float32, rows, int, int, int, int, manner) {}
