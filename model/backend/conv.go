package backend

// ConvTaps is the number of steps that a convolution reads: its own and those before it.
const ConvTaps = 4

// Conv holds what both directions of the short convolution read (SPEC §13, gdn). Each of N channels has four weights
// of its own. With x_t the channel's number in the row of step t, and 0 before a sequence's first step,
//
//	z_t = Σ_j w_j x_{t−3+j},  y_t = z_t·σ(z_t)
type Conv struct {
	Seq         Sequences
	N           int // at least 1
	X           Vec // [rows, N]
	Weight      Vec // [N, ConvTaps], that of the oldest step first
	Width, From int // of the rows of Y: their length, and the column of the first channel
}

func (a Conv) also(k string) {
	if a.From < 0 || a.From+a.N > a.Width {
		panic("backend: " + k + ".From: the channels are outside the rows")
	}
}

// ConvForward writes the channels' columns of Y in the rows of the covered sequences.
type ConvForward struct {
	Conv
	Y Vec // [rows, Width], overwritten in columns From to From+N; 0 in a sequence's last row
}

// ConvBackward is the backward pass of ConvForward. What DY holds in a sequence's last row plays no part.
type ConvBackward struct {
	Conv
	DX      Vec // [rows, N], overwritten; 0 in a sequence's last row
	DWeight Vec // [N, ConvTaps], added to
	DY      Vec // [rows, Width]
}
