package session

import (
	"fmt"

	"mhacsp/wasm/protocol"
)

// digits are the first tokens of every vocabulary (SPEC §9).
const digits = 10

// embedding shows the digits' embeddings in the first two principal components of the digits' rows, and the spectrum of
// the whole embedding matrix.
func (s *Session) embedding() (protocol.Event, error) {
	params, c := s.net.Params(), s.net.Config
	flat, err := params.Download(params.Values())
	if err != nil {
		return nil, err
	}
	var rows []float32
	for _, t := range params.Tensors {
		if t.Name == "embedding.weight" {
			rows = flat[t.Offset:][:t.Len]
		}
	}
	if len(rows) != c.Vocab*c.Width {
		return nil, fmt.Errorf("session: the model has no embedding matrix of %d×%d", c.Vocab, c.Width)
	}
	_, spectrum := principal(rows, c.Vocab, c.Width)
	scores, _ := principal(rows[:digits*c.Width], digits, c.Width)
	out := protocol.Embedding{Spectrum: spectrum[:min(len(spectrum)-1, c.Width)]} // centred rows have one dimension less
	for i := range digits {
		out.Points = append(out.Points, protocol.Point{Token: fmt.Sprint(i), X: scores[0][i], Y: scores[1][i]})
	}
	return out, nil
}
