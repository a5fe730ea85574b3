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
	for _, x := range [...]struct {
		side        string
		from, width int
	}{{"Dst", a.DstFrom, a.DstWidth}, {"Src", a.SrcFrom, a.SrcWidth}} {
		if x.from < 0 || x.from+a.N > x.width {
			panic("backend: " + k + "." + x.side + "From: the block is outside the rows")
		}
	}
}
