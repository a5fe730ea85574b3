package train

import "mhacsp/model/backend"

// StepObserver hears of each step, in the goroutine that trains: who measures steps need not make them. Steps end in
// the order in which they begin, and up to two are under way; a step that fails never ends, and the run with it.
type StepObserver interface {
	// Begin is called before anything of a step is enqueued.
	Begin()
	// Again is asked once a step's gradient is enqueued: true has it computed once more from the same batch, and the
	// last one counts.
	Again(gradient backend.Vec) bool
	// End is called when the results of the first step are here that began and did not end yet.
	End(backend.StepTime)
}

// ends tells that a step's results are here.
func (s *slot) ends() {
	if s.observer == nil {
		return
	}
	l := backend.StepTime{Seconds: s.report.Seconds, Tokens: s.report.Tokens}
	if s.cold {
		l.Seconds = 0
	}
	for _, x := range s.samples {
		l.Longest = max(l.Longest, len(x.Prompt)+len(x.Target))
	}
	s.observer.End(l)
	s.observer = nil
}
