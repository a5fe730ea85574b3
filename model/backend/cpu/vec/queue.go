package vec

import "unsafe"

// A Queue carries out loops over rows one after another, in the order in which they were asked for. In a browser it
// may put them off until Run: a call into WebAssembly's vectors takes as long as a row, and one Run makes one call.
// Elsewhere every loop runs at once. So nobody else may read or change what a loop works on before Run; lists of rows
// are copied. The methods are the functions of the same name, with their contracts. One goroutine at a time.
type Queue struct{ queue }

// Mul is p.Mul.
func (q *Queue) Mul(p *Panel, c []float32, cRow []int32, a []float32, aRow []int32, add bool) {
	if queued && p.K > 0 && q.ready() {
		p.checkRows(c, cRow, a, aRow)
		q.product(wideProduct, p, c, rows{at: cRow}, a, rows{at: aRow}, len(cRow), p.K, p.N, add)
		return
	}
	q.Run()
	p.Mul(c, cRow, a, aRow, add)
}

// AddRows adds rows of x, step elements apart, to dst, one after another.
func (q *Queue) AddRows(dst, x []float32, step, rows int) {
	n := len(dst)
	if rows > 0 {
		need((rows-1)*step+n, len(x))
	}
	if queued && q.rows(wideAdd, n, rows, []int{0, step}, nil, unsafe.SliceData(dst), unsafe.SliceData(x)) {
		return
	}
	for r := range rows {
		Add(dst, x[r*step:][:n])
	}
}
