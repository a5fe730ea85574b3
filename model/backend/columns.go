package backend

// Columns copies a block of columns from one matrix of rows to another, or adds it there: Dst[r, DstFrom+c] becomes,
// or gains, Src[r, SrcFrom+c] for r < M and c < N. So a kernel that knows N units works on some of a wider matrix's.
type Columns struct {
	Dst                Vec // [M, DstWidth], overwritten or added to in the block alone
	Src                Vec // [M, SrcWidth]
	M, N               int // rows, and columns of the block: at least 1
	DstWidth, SrcWidth int
	DstFrom, SrcFrom   int // the block's first column
	Add                bool
}

func (a Columns) also(k string) {
	if a.DstFrom < 0 || a.DstFrom+a.N > a.DstWidth {
		panic("backend: " + k + ".DstFrom: the block is outside the rows")
	}
	if a.SrcFrom < 0 || a.SrcFrom+a.N > a.SrcWidth {
		panic("backend: " + k + ".SrcFrom: the block is outside the rows")
	}
}
