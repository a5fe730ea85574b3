// Package backendtest is the contract of backend.Backend: every kernel on random inputs against the reference in
// float64 on the same inputs. A backend's own tests call Run; nothing else is needed to trust its numbers. RunAll and
// its kin are for several backends, or one in several modes. A program calls Cases and checks as many as it has time
// for.
//
// # What is promised
//
// A result lies within 1e-5 of the reference, a gradient within 1e-4: relative L2, tensor by tensor. Where a kernel
// adds, the sum that it added is what is compared. A second run gives the same bits.
//
// The cases cover sequences of 1, 2, 3, 63, 64, 65 and 128 steps, alone and mixed in one arena, calls on part of an
// arena, one head and several, widths that are no multiple of a vector, neighbours that lie up to 300 apart in the
// attention's distance, and each option of each kernel.
//
// Outputs are poisoned: what a kernel overwrites holds 1e30 beforehand. Each tensor lies in a larger buffer, with
// 1e30 around it, so that a write outside the window is seen. Inputs, and rows that a call does not cover, must come
// out as they went in; what is documented to be zero must be 0.
//
// Misuse takes a case's calls and spoils one field at a time, a window or an index one short or not given: each must
// panic, and the backend must work on. Memory holds the calls that move numbers, and that the order of calls is kept.
//
// # How it is built
//
// A case is a program, which asks a bench for its tensors and calls kernels on them; it runs on both backends. What
// there is to know of a kernel stands in the file of its stem: cases, the fields that it writes, and those that
// it need not be given.
//
// The contract has tests of its own. TestFlaws bends each output of each kernel and TestMisreadings lets a kernel
// overlook an argument: some case must notice.
package backendtest

import (
	"fmt"
	"slices"
	"strings"

	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
)

// The bounds, relative L2 per tensor: "Numbers that hold everywhere" in .github/testing.md.
const (
	forward  = 1e-5
	gradient = 1e-4
)

// Case is one case. check returns how far off each tensor is, and what is wrong. calls makes a kernel's calls and
// looks at nothing; nil in cases of no kernel.
type Case struct {
	Kernel, Name string
	check        func(dev, yard backend.Backend) (report []Figure, err error)
	calls        func(dev, yard backend.Backend) error
}

// Check runs the case on dev, twice, and on yard, the reference in float64. It returns how far off each tensor is, and
// what is wrong: a number outside its bound, a write where none belongs, bits that differ between the two runs.
func (c Case) Check(dev, yard backend.Backend) ([]Figure, error) { return c.check(dev, yard) }

// Figure is how far a tensor lies from the reference, relative L2, and how far it may.
type Figure struct {
	Tensor     string
	Off, Bound float64
}

func (f Figure) String() string {
	return fmt.Sprintf("%s: %.1e (at most %.0e)", f.Tensor, f.Off, f.Bound)
}

// kernel is the contract of one kernel.
type kernel struct {
	call   backend.Call // without arguments: it names the kernel
	cases  []Case
	writes names // the fields that it writes, but those that it may leave in any state

	optional, unsized names // for misuse: fields that need not be given, and those of no certain length
}

// names are fields of an argument struct, with blanks between.
type names string

func (n names) list() []string { return strings.Fields(string(n)) }

func (k kernel) name() string { return backend.Name(k.call) }

// kernels is the contract of each of backend.Calls, in their order.
func kernels() []kernel {
	return []kernel{
		matMul(), matMulInput(), matMulWeight(), columns(), crossEntropy(), sumSquares(), adam(),

		driveForward(), driveBackward(), recurrenceForward(), recurrenceBackward(), factorForward(), factorBackward(),
		projectForward(), projectBackward(), attentionForward(), attentionBackward(), attentionMatrices(),
		outputForward(), outputBackward(), slotsForward(), slotsBackward(), turnForward(), turnBackward(),
		recallForward(), recallBackward(),

		rowsForward(), rowsBackward(), rowSum(), normForward(), normBackward(), activateForward(), activateBackward(),
		lstmForward(), lstmBackward(), gruForward(), gruBackward(), softmaxForward(), softmaxBackward(),
		softmaxMatrices(), convForward(), convBackward(), deltaForward(), deltaBackward(), average(),
	}
}

// Tester is what Run needs of a *testing.T. The package does without testing, so that a program may check a device of
// its user by Cases.
type Tester[Self any] interface {
	Run(name string, f func(Self)) bool
	Log(...any)
	Error(...any)
	Errorf(format string, values ...any)
}

// Contract is all cases with their reference.
type Contract struct {
	kernels []kernel
	yard    backend.Backend
}

// NewContract is a contract for one backend or, with keep, for several: the reference's word on a case then holds for
// all that the case is tried on. All cases together take 350 MB.
func NewContract(keep bool) *Contract {
	c := &Contract{kernels(), reference.New[float64]()}
	if keep {
		c.yard = lasting{Backend: c.yard}
	}
	return c
}

// Every has each kernel's first case and every nth from there, for a backend of which another test knows that it
// computes right, on a device that is slow.
func (c *Contract) Every(n int) *Contract {
	some := &Contract{yard: c.yard}
	for _, k := range c.kernels {
		all := k.cases
		k.cases = nil
		for j := 0; j < len(all); j += n {
			k.cases = append(k.cases, all[j])
		}
		some.kernels = append(some.kernels, k)
	}
	return some
}

// Run checks dev, with one subtest per kernel and case, and closes it.
func Run[T Tester[T]](t T, dev backend.Backend) { RunAll(t, NewContract(false), dev) }

// RunAll is Run by a contract that may be kept.
func RunAll[T Tester[T]](t T, c *Contract, dev backend.Backend) {
	defer dev.Close()
	check(t, "Memory", memory(), dev, c.yard)
	check(t, "Misuse", misuse(), dev, c.yard)
	for _, k := range c.kernels {
		check(t, k.name(), k.cases, dev, c.yard)
	}
}

// RunOnly is RunAll for the kernels that are named, for a backend in another mode.
func RunOnly[T Tester[T]](t T, c *Contract, dev backend.Backend, names ...string) {
	defer dev.Close()
	found := 0
	for _, k := range c.kernels {
		if slices.Contains(names, k.name()) {
			found++
			check(t, k.name(), k.cases, dev, c.yard)
		}
	}
	if found != len(names) {
		t.Errorf("backendtest: %d kernels of the %d named", found, len(names))
	}
}

// RunWhere is RunAll for those of the kernels' cases that are worth it, and does not close dev. To find out, a case's
// calls can be made on a backend, dev or another, of which nothing is then compared.
func RunWhere[T Tester[T]](t T, c *Contract, dev backend.Backend, worth func(calls func(backend.Backend) error) bool) {
	for _, k := range c.kernels {
		var cases []Case
		for _, x := range k.cases {
			if worth(func(b backend.Backend) error { return x.calls(b, c.yard) }) {
				cases = append(cases, x)
			}
		}
		if len(cases) > 0 {
			check(t, k.name(), cases, dev, c.yard)
		}
	}
}

func check[T Tester[T]](t T, name string, cases []Case, dev, yard backend.Backend) {
	t.Run(name, func(t T) {
		for _, c := range cases {
			t.Run(c.Name, func(t T) {
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
