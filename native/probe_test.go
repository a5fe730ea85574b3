//go:build !js

package native

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"mhacsp/model/probe"
	"mhacsp/tasks/assert"
)

// TestProbe: a run that kept checkpoints is probed, in text and as JSON; what was not cut is called no cause.
func TestProbe(t *testing.T) {
	p := parallelPlace(t)
	p.OK(words("train --task parity --model csp --width 8 --max-length 6 --steps 8 --checkpoint-every 4 " +
		"--keep-checkpoints 4 --batch 8 --test-samples 8 --eval-samples 8 --backend cpu --out runs/one")...)
	text := p.OK(words("probe --run runs/one --n 40 --backend cpu")...)
	assert.Says(t, text, "values count modulo 2", "8 with a phase", "40 strings", "A clock is a unit",
		"what is lost: 40 strings", "a constant guess", "roles:", "during training", "1 × round", "half-turn clocks")
	var r struct {
		Run string
		*probe.Report
	}
	text = p.OK(words("probe --run runs/one --n 40 --backend cpu --json")...)
	os.Symlink("thinned", p.Path("runs/one/checkpoints/step-000000002.safetensors")) // it is listed, and gone then
	assert.Is(t, p.OK(words("probe --n 40 --backend cpu --json")...), text, "without --run it prints")
	assert.NoError(t, json.Unmarshal([]byte(text), &r))
	assert.True(t, r.Run == "runs/one" && r.Modulus == 2 && r.Units == 8 && r.Samples == 40 && r.Clocks != nil &&
		len(r.Places) == 2 && r.Causes != nil && len(r.Causes.Single) == 8 && len(r.Causes.Roles) == 8, "%+v", r)
	var steps []int
	for _, s := range r.Steps {
		steps = append(steps, s.Step)
		assert.True(t, len(s.Best) == 1 && s.Chance > 0, "step %d: %+v", s.Step, s)
	}
	assert.Need(t, len(steps) >= 2 && steps[len(steps)-1] == 8, "kept checkpoints were measured at %v", steps)
	last := r.Steps[len(r.Steps)-1]
	assert.Is(t, last.Best[0].R, r.Best[0].R, "the last kept checkpoint is the run's own model: R")
	quick := p.OK("probe", "--run", "runs/one/model.safetensors", "--n", "40", "--quick", "--backend", "cpu")
	assert.True(t, strings.Contains(quick, "No unit was cut") && !strings.Contains(quick, "roles") &&
		!strings.Contains(quick, "during training"), "--quick says\n%s", quick)
}

// TestProbeMistakes: what cannot be probed is refused in one line.
func TestProbeMistakes(t *testing.T) {
	p := parallelPlace(t)
	p.OK(words("train --task modarith --model csp --width 8 --steps 1 --batch 4 --test-samples 4 --eval-samples 4 " +
		"--backend cpu --out run")...)
	for _, line := range []string{"probe --run nowhere", "probe --run run --n 1", "probe --run=", "probe run"} {
		p.refused("mhacsp: ", words(line)...)
	}
	p.refused(`task is "modarith"`, "probe", "--run", "run")
}
