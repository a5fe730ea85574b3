package backendtest

// Cases are all cases of the contract but those of misuse, so ordered that the first n tell the most: they begin with
// one case of each kernel, go on with another of each, and take those of a kernel from all over its list.
func Cases() (all []Case) {
	groups := [][]Case{memory()}
	for _, k := range kernels() {
		groups = append(groups, k.cases)
	}
	for round := 0; ; round++ {
		before := len(all)
		for _, g := range groups {
			if round < len(g) {
				all = append(all, g[round*stride(len(g))%len(g)])
			}
		}
		if len(all) == before {
			return all
		}
	}
}

// stride is a step about the golden section of n that has no factor in common with n: multiples of it come to every
// place, and any few of them lie far apart.
func stride(n int) int {
	s := max(1, n*618/1000)
	for common(s, n) > 1 {
		s++
	}
	return s
}

func common(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
