package space

import (
	"fmt"
	"slices"

	"mhacsp/model/sequence"
)

// atOnce is how many prompts States reads together: their matrices take memory.
const atOnce = 16

// States are what the head reads: the outputs of the last block (SPEC §6), real plane first, at the last token of each
// prompt, and at all tokens. A network whose units have no phase dumps none, which is an error.
func States(n Network, prompts [][]int32) (last, all [][]float64, err error) {
	if n.Config().Traits().Units == 0 {
		return nil, nil, fmt.Errorf("%s dumps no states", n.Config().Name())
	}
	for part := range slices.Chunk(prompts, atOnce) {
		outputs, err := tensor(n, &sequence.Batch{Prompts: part}, "output")
		if err != nil {
			return nil, nil, err
		}
		for i, rows := range outputs {
			all = append(all, rows[:len(part[i])]...)
			last = append(last, all[len(all)-1])
		}
	}
	return last, all, nil
}

// tensor is one of the last block's [B, T, 2N] in the dump of a batch (FORMATS.md).
func tensor(n Network, b *sequence.Batch, name string) ([][][]float64, error) {
	dump, err := n.States(b)
	if err != nil {
		return nil, err
	}
	x, err := sequence.Find(dump, n.Config().Traits().Blocks-1, name)
	if err != nil {
		return nil, err
	}
	out := make([][][]float64, x.Shape[0])
	for at, y := range x.Data {
		i, t := at/(x.Shape[1]*x.Shape[2]), at/x.Shape[2]%x.Shape[1]
		if at%x.Shape[2] == 0 {
			out[i] = append(out[i], make([]float64, x.Shape[2]))
		}
		out[i][t][at%x.Shape[2]] = float64(y)
	}
	return out, nil
}
