package tasks

import (
	"math/bits"
	"math/rand/v2"
)

// stream is the random source of one sample. It lives on the stack, so that
// drawing allocates nothing and tasks need no locks.
type stream struct{ pcg rand.PCG }

// newStream derives an independent stream from all that a sample depends on.
func newStream(task uint64, d Draw, index uint64) stream {
	h := Mix(d.Seed)
	h = Mix(h ^ task)
	h = Mix(h ^ uint64(d.Role))
	h = Mix(h ^ index)
	var s stream
	s.pcg.Seed(h, Mix(h))
	return s
}

// intn returns a uniform number from 0 to n-1; the bias is below n/2⁶⁴.
func (s *stream) intn(n int) int {
	high, _ := bits.Mul64(s.pcg.Uint64(), uint64(n))
	return int(high)
}

// between returns a uniform number from low to high, both included.
func (s *stream) between(low, high int) int { return low + s.intn(high-low+1) }

// chance is true in share of whole cases.
func (s *stream) chance(share, whole int) bool { return s.intn(whole) < share }

// Mix is splitmix64's step: an increment and its finaliser, a bijection that
// lets every input bit reach every output bit.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
