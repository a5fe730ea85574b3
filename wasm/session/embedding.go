package session

import (
	"fmt"

	"mhacsp/model/ask"
	"mhacsp/wasm/protocol"
)

// embedding shows the embeddings of the task's characters in the first two principal components of their rows, and the
// spectrum of the whole embedding matrix. Rows of tokens that never occur in the task are as they began: they are no points.
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
	task := s.trainer.Task
	characters := ask.Characters(task.Name())
	ids, err := task.Vocabulary().Tokenise(characters)
	if err != nil {
		return nil, err
	}
	var shown []float32
	for _, id := range ids {
		shown = append(shown, rows[int(id)*c.Width:][:c.Width]...)
	}
	scores, _ := principal(shown, len(ids), c.Width)
	out := protocol.Embedding{Spectrum: spectrum[:min(len(spectrum)-1, c.Width)]} // centred rows have one dimension less
	for i := range ids {
		out.Points = append(out.Points, protocol.Point{Token: characters[i : i+1], X: scores[0][i], Y: scores[1][i]})
	}
	return out, nil
}
