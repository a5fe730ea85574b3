package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// gated carries sequences of a recurrence of real units through time, several together as the recurrence does: a step
// is one product for all of them.
type gated struct {
	n, width       int // units; numbers of a product's row
	start, end, at []int32
	chunks         chunks
	workers        []gatedScratch
}

// gatedScratch is one worker's memory.
type gatedScratch struct {
	seqs, group []int32
	sum         []float32
	carry       []float32             // [chunkSequences, N]: what goes from step to step in addition to the state
	rows        [chunkSequences]int   // of the sequences that have the step
	from, to    [chunkSequences]int32 // offsets of a product's rows
}

// bind makes room for products of that many numbers a row.
func (g *gated) bind(seq backend.Sequences, at backend.Index, n, width, workers int) {
	g.n, g.width = n, width
	g.start, g.end, g.at = ints(seq.Start), ints(seq.End), ints(at)
	g.chunks.deal(seq, workers)
	g.workers = forWorkers(g.workers, workers)
	for i := range g.workers {
		grow(&g.workers[i].sum, chunkSequences*width)
		grow(&g.workers[i].carry, chunkSequences*n)
	}
}

// take gives a worker piece i's sequences, the longest first, and returns the steps of that one.
func (g *gated) take(w *gatedScratch, i int) int32 {
	w.seqs, w.group = g.chunks.take(w.seqs, w.group, i)
	return g.end[w.seqs[0]] - g.start[w.seqs[0]]
}

// alive is the rows of a piece's sequences that have step t, from 0: its first ones.
func (g *gated) alive(w *gatedScratch, t int32) []int {
	rows := w.rows[:0]
	for _, s := range w.seqs {
		r := g.start[s] + t
		if r >= g.end[s] {
			break
		}
		rows = append(rows, int(r))
	}
	return rows
}

// products multiplies the states of some rows into w.sum.
func (g *gated) products(w *gatedScratch, rows []int, panel *vec.Panel, state []float32) {
	for k, r := range rows {
		w.from[k], w.to[k] = int32(r*g.n), int32(k*g.width)
	}
	panel.Mul(w.sum, w.to[:len(rows)], state, w.from[:len(rows)], false)
}

// back adds, for some rows, what the gradients d of a product, width numbers from row to row, give its factor's.
func (g *gated) back(w *gatedScratch, rows []int, panel *vec.Panel, dstate, d []float32, width int) {
	for k, r := range rows {
		w.from[k], w.to[k] = int32(r*width), int32(r*g.n)
	}
	panel.Mul(dstate, w.to[:len(rows)], d, w.from[:len(rows)], true)
}
