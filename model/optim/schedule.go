// Package optim holds the optimizer and the learning-rate schedules (SPEC §8).
package optim

import (
	"math"

	"mhacsp/tasks/strict"
)

// Schedule gives the learning rate of a step.
type Schedule struct {
	Kind   string  // constant or cosine
	Rate   float64 // peak
	Warmup int     // steps of linear warm-up
	Steps  int     // steps of the whole run (cosine)
	Floor  float64 // share of Rate at the end (cosine)
}

// Kinds lists the schedules.
func Kinds() []string { return []string{"constant", "cosine"} }

// Validate names the field that does not fit.
func (s Schedule) Validate() error {
	switch {
	case !(s.Rate > 0 && s.Rate <= 10):
		return strict.Unfit("lr", s.Rate, "; choose a number above 0 and up to 10 (1e-3 is usual)")
	case s.Warmup < 0:
		return strict.Unfit("warmup", s.Warmup, "; choose 0 or more steps")
	case !(s.Floor >= 0 && s.Floor <= 1):
		return strict.Unfit("lr_floor", s.Floor, "; choose a share of lr from 0 to 1")
	}
	return strict.OneOf("schedule", s.Kind, Kinds())
}

// At is the learning rate of a step, counted from 1.
func (s Schedule) At(step int) float64 {
	if step <= s.Warmup {
		return s.Rate * float64(step) / float64(s.Warmup)
	}
	if s.Kind == "constant" || s.Steps <= s.Warmup {
		return s.Rate
	}
	done := min(1, float64(step-s.Warmup)/float64(s.Steps-s.Warmup))
	return s.Rate * (s.Floor + (1-s.Floor)*(1+math.Cos(math.Pi*done))/2)
}
