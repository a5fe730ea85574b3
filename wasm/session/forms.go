package session

import (
	"mhacsp/model/backend/tune"
	"mhacsp/wasm/protocol"
)

// tune lets the first steps of what was just opened find the fastest forms of the device's kernels. kept is what the
// page has of earlier runs; what cannot be read counts as nothing, and is measured again.
func (s *Session) tune(kept string) {
	if s.device.Tune == nil {
		return
	}
	if l, err := tune.Parse([]byte(kept)); err == nil {
		s.forms = l
	}
	s.tuner = s.device.Tune(Tuning{
		Batch: s.trainer.Run.Training.Batch, Records: s.forms,
		Keep: func(r tune.Record) {
			s.forms = s.forms.With(r)
			s.tellForms("")
		},
		Say: func(r tune.Record, _ bool) { s.tellForms(r.Text()) },
	})
}

func (s *Session) tellForms(text string) {
	if kept, err := s.forms.Encode(); err == nil {
		s.emit(protocol.Forms{Kept: string(kept), Text: text}, 0)
	}
}

// paced tells the tuner's steps apart from those that wait for one another because the page wants few a second: they
// say nothing of the device.
func (s *Session) paced() {
	s.trainer.Laps = nil
	if s.tuner != nil && s.rate == 0 {
		s.trainer.Laps = s.tuner
	}
}
