// Package optim holds the optimizer and the learning-rate schedules (SPEC §8).
package optim

import (
	"fmt"
	"math"
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
	case s.Kind != "constant" && s.Kind != "cosine":
		return fmt.Errorf("schedule is %q; choose constant or cosine", s.Kind)
	case !(s.Rate > 0 && s.Rate <= 10):
		return fmt.Errorf("lr is %v; choose a number above 0 and up to 10 (1e-3 is usual)", s.Rate)
	case s.Warmup < 0:
		return fmt.Errorf("warmup is %d; choose 0 or more steps", s.Warmup)
	case !(s.Floor >= 0 && s.Floor <= 1):
		return fmt.Errorf("lr_floor is %v; choose a share of lr from 0 to 1", s.Floor)
	}
	return nil
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
