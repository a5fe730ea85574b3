package pool

// sum is what neighbouring parts [at, at+size) of a batch come to.
type sum struct {
	at, size int
	flat     []float32 // the gradient's elements, then the loss
}

// pairs reports whether the sum of the next parts, of such a size, is the other half of a pair.
func (s *sum) pairs(size int) bool { return s.size == size && s.at%(2*size) == 0 }

// take adds the other half.
func (s *sum) take(flat []float32) {
	to := s.flat[:len(flat)]
	for i, x := range flat {
		to[i] += x
	}
	s.size *= 2
}

// partialSums adds sums up as they come, in the order of the parts: two of one size become one of twice the size where
// the first begins at a multiple of that. So whoever adds which parts, the additions are the same.
type partialSums struct {
	sums []sum
	free [][]float32 // memory of sums that are no more
}

// add takes the sum of the parts behind those that there are; flat is only read.
func (p *partialSums) add(at, size int, flat []float32) {
	n := len(p.sums)
	if n > 0 && p.sums[n-1].pairs(size) {
		p.sums[n-1].take(flat)
	} else {
		var room []float32
		if last := len(p.free) - 1; last >= 0 {
			room, p.free = p.free[last][:0], p.free[:last]
		}
		p.sums = append(p.sums, sum{at, size, append(room, flat...)})
		n++
	}
	for ; n > 1 && p.sums[n-2].pairs(p.sums[n-1].size); n-- {
		p.sums[n-2].take(p.sums[n-1].flat)
		p.free = append(p.free, p.sums[n-1].flat)
		p.sums = p.sums[:n-1]
	}
}

func (p *partialSums) clear() {
	for _, s := range p.sums {
		p.free = append(p.free, s.flat)
	}
	p.sums = p.sums[:0]
}
