package tasks

// newMod3 labels a string of digits with their sum modulo 3 (SPEC §9).
func newMod3(o Options) (Task, error) { return newCounting("mod3", "271828", 10, 3, o) }
