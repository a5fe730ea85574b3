package vec

const without = "" // every arm64 has vectors

// levels are those that the processor has, the best one last.
func levels() []level { return []level{levelPortable, levelNEON} }
