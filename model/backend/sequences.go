package backend

// Sequences names the sequences of an arena that a call covers: Lo ≤ s < Hi. Sequence s runs from the state row
// Start[s] to the state row End[s]: End[s]−Start[s] ≥ 1 steps. A later window on the same arena continues a
// sequence, which is how answers are generated token by token. S is short for Hi−Lo.
type Sequences struct {
	Start, End Index // [Hi]
	Lo, Hi     int
	Rows       int // rows of the whole arena
}

func (s Sequences) check(kernel string) {
	if s.Lo < 0 || s.Hi < s.Lo {
		panic("backend: " + kernel + ".Seq: bad range")
	}
	needInts(kernel, "Seq.Start", s.Start, s.Hi)
	needInts(kernel, "Seq.End", s.End, s.Hi)
}
