//go:build !js

package figures

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mhacsp/model/ask"
	"mhacsp/model/study/inside"
	"mhacsp/model/study/space"
	"mhacsp/model/trace"
	"mhacsp/model/train"
	"mhacsp/native/album"
	"mhacsp/native/runs"
	"mhacsp/tasks"
)

// InsideOf measures what figures of some kinds show of a network; the matrices are those of a text, "" takes the
// task's example. What cannot be measured is told to miss, with the reason.
func InsideOf(l *runs.Loaded, text string, kinds []string, miss func(kind, why string)) (x inside.Inside, err error) {
	if l.Run.Own != nil {
		for _, kind := range ofNetworks() {
			miss(kind, "the run has data of its own, of which only curves and accuracy are drawn")
		}
		return x, nil
	}
	if slices.Contains(kinds, album.Embedding) {
		d, err := space.DigitsOf(l.Net, l.Task)
		if err == nil {
			x.Digits, err = d.Layout()
		}
		if err != nil {
			miss(album.Embedding, err.Error())
		}
	}
	if slices.Contains(kinds, album.Matrices) {
		if x.Matrices, err = matricesOf(l, text, miss); err != nil {
			return x, err
		}
	}
	if slices.Contains(kinds, album.Spectrum) {
		x.Spectrum, err = spectrumOf(l, miss)
	}
	return x, err
}

// spectrumOf is that of a run's last states.
func spectrumOf(l *runs.Loaded, miss func(kind, why string)) (*inside.Spectrum, error) {
	if l.Net.Config().Traits().Units == 0 {
		miss(album.Spectrum, l.Net.Config().Name()+" shows no states")
		return nil, nil
	}
	var prompts [][]int32
	draw := tasks.Draw{Seed: l.Run.Training.Seed, Role: tasks.Test, IID: l.Run.Training.Split == "iid"}
	for _, x := range train.Draw(l.Task, draw, 0, inside.Prompts) {
		prompts = append(prompts, x.Prompt)
	}
	last, all, err := space.States(l.Net, prompts)
	if err != nil {
		return nil, err
	}
	x, ok := space.SpectrumOf(last, all)
	if !ok {
		miss(album.Spectrum, "all last states are the same, or not finite")
		return nil, nil
	}
	return x, nil
}

// The longest text whose matrices are drawn, and the most heads: of more the names would be too small to read, or the
// page too long.
const (
	mostTokens = 80
	mostHeads  = 16
)

// matricesOf are those of a text.
func matricesOf(l *runs.Loaded, text string, miss func(kind, why string)) (*inside.Matrices, error) {
	none := func(why string, args ...any) (*inside.Matrices, error) {
		miss(album.Matrices, fmt.Sprintf(why, args...))
		return nil, nil
	}
	heads := l.Net.Config().Traits().Heads
	if heads == 0 {
		return none("%s has no heads with matrices", l.Net.Config().Name())
	}
	q, err := ask.Parse(l.Task, l.Run.Training.Format, cmp.Or(text, l.Task.Example()))
	if err != nil {
		return none("%v", err)
	}
	if n := len(q.Tokens); n > mostTokens {
		return none("the text has %d tokens, and matrices of %d can be drawn; shorten it", n, mostTokens)
	}
	if heads > mostHeads {
		return none("%d heads, and matrices of %d can be drawn", heads, mostHeads)
	}
	r, err := trace.Read(l.Net, l.Task, l.Run.Training.Format, q)
	if errors.Is(err, ask.ErrNotFinite) {
		return none("%v", runs.Unusable(l.Path, l.Net, "a probability"))
	}
	if err != nil {
		return nil, err
	}
	fusion := make([][][]float32, r.Heads) // [H][T][H]: what head k takes of the others, row by row
	for k := range fusion {
		for _, m := range r.Fusion {
			fusion[k] = append(fusion[k], m[k])
		}
	}
	lower := func(row int) int { return row + 1 }
	return &inside.Matrices{
		Text: strings.TrimSpace(r.Text), Tokens: r.Tokens, Answer: r.Answer, Expected: r.Expected,
		Distance: inside.MatrixOf(r.Distance, lower), Tree: inside.MatrixOf(r.Tree, lower),
		Attention: inside.MatrixOf(r.Attention, lower),
		Fusion:    inside.MatrixOf(fusion, func(int) int { return r.Heads }),
	}, nil
}
