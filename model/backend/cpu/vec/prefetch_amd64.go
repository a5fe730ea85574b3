package vec

import "unsafe"

//go:noescape
func prefetch2(p unsafe.Pointer, bytes int)

//go:noescape
func prefetch(p unsafe.Pointer, bytes int)

// Prefetch asks for x in the first-level cache. It pays where rows of many sequences are walked in turn, which the
// processor's own prefetching does not follow.
func Prefetch(x []float32) { prefetch(unsafe.Pointer(unsafe.SliceData(x)), 4*len(x)) }

// prefetchFar asks for x in the second-level cache.
func prefetchFar(x []float32) { prefetch2(unsafe.Pointer(unsafe.SliceData(x)), 4*len(x)) }
