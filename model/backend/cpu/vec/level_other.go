//go:build !amd64 && !arm64

package vec

import "runtime"

const without = "there are no vector loops for " + runtime.GOARCH

// levels are those that the processor has, the best one last.
func levels() []level { return []level{levelPortable} }
