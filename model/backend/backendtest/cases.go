package backendtest

import "mhacsp/model/backend"

// Case is one case of a kernel's contract.
type Case struct {
	Kernel, Name string
	check        func(dev, yard backend.Backend) ([]Figure, error)
}

// Check runs the case on dev, twice, and on yard, the reference in float64. It returns how far off each tensor is, and
// what is wrong: a number outside its bound, a write where none belongs, bits that differ between the two runs.
func (c Case) Check(dev, yard backend.Backend) ([]Figure, error) { return c.check(dev, yard) }

// Cases are all cases of the contract but those of misuse, so ordered that the first n tell the most: they begin with
// one case of each kernel, go on with another of each, and take those of a kernel from all over its list.
func Cases() []Case {
	groups := [][]Case{group("Memory", memory())}
	for _, k := range kernels() {
		groups = append(groups, group(k.name(), k.cases))
	}
	var all []Case
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

func group(kernel string, list []contract) []Case {
	var cases []Case
	for _, c := range list {
		cases = append(cases, Case{kernel, c.name, c.check})
	}
	return cases
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
