package session

import (
	"errors"

	"mhacsp/wasm/protocol"
)

// embedding shows the embeddings of the task's characters in the first two principal components of
// their rows, and the spectrum of the whole embedding matrix. Rows of tokens that never occur in the
// task are as they began: they are no points.
func (s *Session) embedding() (protocol.Event, error) {
	params := s.net.Params()
	flat, err := params.Download(params.Values())
	if err != nil {
		return nil, err
	}
	rows, width := params.Find(flat, "embedding.weight")
	if rows == nil {
		return nil, errors.New("the model has no embedding matrix")
	}
	vocab := len(rows) / width
	_, spectrum := principal(rows, vocab, width)
	task := s.trainer.Task
	ids, err := task.Vocabulary().Tokenise(task.Characters())
	if err != nil {
		return nil, err
	}
	var shown []float32
	for _, id := range ids {
		shown = append(shown, rows[int(id)*width:][:width]...)
	}
	scores, _ := principal(shown, len(ids), width)
	out := protocol.Embedding{Spectrum: spectrum[:min(vocab-1, width)]} // centred rows have one dimension less
	for i, id := range ids {
		at := protocol.Point{Token: task.Vocabulary().Token(id), X: scores[0][i]}
		if len(scores) > 1 { // else there is one token, or one unit
			at.Y = scores[1][i]
		}
		out.Points = append(out.Points, at)
	}
	return out, nil
}
