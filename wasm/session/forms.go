package session

import (
	"encoding/json"

	"mhacsp/model/backend/tune"
	"mhacsp/wasm/protocol"
)

// tune lets the first steps of what was just opened find the fastest forms of the device's kernels. kept is what the
// page has of earlier runs; what cannot be read counts as nothing, and is measured again. A page that gives none, as
// one that measures times itself, keeps the usual forms.
func (s *Session) tune(kept json.RawMessage) {
	if s.device.Tune == nil || kept == nil {
		return
	}
	var known []tune.Record
	_ = json.Unmarshal(kept, &known)
	s.tuner = s.device.Tune(s.trainer.Run.Training.Batch, known, func(r tune.Record, used bool) {
		s.emit(protocol.Forms{Record: r, Used: used}, 0)
	})
}
