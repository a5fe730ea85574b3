package cpu

import "mhacsp/model/backend"

// Steps counts the steps of the sequences that a call on a CPU backend covers, for backend.NewTimed.
func Steps(seq backend.Sequences) int {
	start, end, n := intData(seq.Start), intData(seq.End), 0
	for s := seq.Lo; s < seq.Hi; s++ {
		n += int(end[s] - start[s])
	}
	return n
}
