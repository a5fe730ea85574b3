package tasks

// newParity labels a string of bits with the number of ones modulo 2 (SPEC §9).
func newParity(o Options) (Task, error) { return newCounting("parity", "1011001", 2, 2, o) }
