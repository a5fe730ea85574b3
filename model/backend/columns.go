package backend

// Columns copies a block of columns from one matrix of rows to another, or adds it there: Dst[r, DstFrom+c] becomes,
// or gains, Src[r, SrcFrom+c] for r < M and c < N. So a kernel that knows N units works on some of a wider matrix's.
type Columns struct {
	Dst, Src           Vec // [M, DstWidth], overwritten or added to in the block alone; [M, SrcWidth]
	M, N               int // rows, and columns of the block
	DstWidth, SrcWidth int
	DstFrom, SrcFrom   int // the block's first column
	Add                bool
}

// Check panics on a shape that does not fit.
func (a Columns) Check() {
	const k = "Columns"
	positive(k, "M", a.M)
	positive(k, "N", a.N)
	for _, x := range [...]struct {
		side        string
		from, width int
	}{{"Dst", a.DstFrom, a.DstWidth}, {"Src", a.SrcFrom, a.SrcWidth}} {
		if x.from < 0 || x.from+a.N > x.width {
			panic("backend: " + k + "." + x.side + "From: the block is outside the rows")
		}
	}
	need(k, "Dst", a.Dst, a.M*a.DstWidth)
	need(k, "Src", a.Src, a.M*a.SrcWidth)
}

// On enqueues the call on b.
func (a Columns) On(b Backend) { b.Columns(a) }
