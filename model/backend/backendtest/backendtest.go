// Package backendtest is the contract of backend.Backend: every kernel on random inputs against the plain float64
// backend on the same inputs. A backend's own tests call Run; nothing else is needed to trust its numbers.
//
// A case is a program that is run on both backends. Each of its tensors lies inside a larger buffer, so that a
// write outside the window is seen; what a kernel overwrites holds junk beforehand; inputs, and rows that a call
// does not cover, must come out as they went in; and a second run must give the same bits.
package backendtest

import (
	"slices"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
)

// The bounds of DESIGN §4, relative L2 per tensor.
const (
	forward  = 1e-5
	gradient = 1e-4
)

// contract is one case. check returns a line per tensor for the log, and what is wrong.
type contract struct {
	name  string
	check func(dev, yard backend.Backend) (report []string, err error)
}

// kernel is a kernel's name, as in backend.Backend, with its cases.
type kernel struct {
	name  string
	cases []contract
}

func kernels() []kernel {
	return []kernel{
		{"Memory", memory()},
		{"Misuse", misuse()},
		{"MatMul", matMul()},
		{"MatMulInput", matMulInput()},
		{"MatMulWeight", matMulWeight()},
		{"DriveForward", driveForward()},
		{"DriveBackward", driveBackward()},
		{"RecurrenceForward", recurrenceForward()},
		{"RecurrenceBackward", recurrenceBackward()},
		{"FactorForward", factorForward()},
		{"FactorBackward", factorBackward()},
		{"ProjectForward", projectForward()},
		{"ProjectBackward", projectBackward()},
		{"AttentionForward", attentionForward()},
		{"AttentionBackward", attentionBackward()},
		{"AttentionMatrices", attentionMatrices()},
		{"OutputForward", outputForward()},
		{"OutputBackward", outputBackward()},
		{"CrossEntropy", crossEntropy()},
		{"SumSquares", sumSquares()},
		{"Adam", adam()},
	}
}

// Run checks the backend that open returns, with one subtest per kernel and case, and closes it. open is called
// once and may skip the test. Kernels that the backend is still to get are named in without: their subtests are
// skipped, which the log tells.
func Run(t *testing.T, open func(t testing.TB) backend.Backend, without ...string) {
	run(t, open, kernels(), without)
}

// RunOnly is Run for the kernels that are named, for a backend in another mode.
func RunOnly(t *testing.T, open func(t testing.TB) backend.Backend, names ...string) {
	var list []kernel
	for _, k := range kernels() {
		if slices.Contains(names, k.name) {
			list = append(list, k)
		}
	}
	if len(list) != len(names) {
		t.Fatalf("backendtest: %d kernels of the %d named", len(list), len(names))
	}
	run(t, open, list, nil)
}

func run(t *testing.T, open func(t testing.TB) backend.Backend, list []kernel, without []string) {
	dev, yard := open(t), cpu.NewReference[float64]()
	defer dev.Close()
	for _, k := range list {
		t.Run(k.name, func(t *testing.T) {
			for _, c := range k.cases {
				t.Run(c.name, func(t *testing.T) {
					for _, name := range without {
						misused, _, _ := strings.Cut(c.name, "-")
						if k.name == name || k.name == "Misuse" && (misused == name || misused == "numbers") {
							t.Skipf("without %s", name)
						}
					}
					report, err := c.check(dev, yard)
					for _, line := range report {
						t.Log(line)
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}
