//go:build cgo || js

package webgpu

import (
	"fmt"
	"slices"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/tasks/assert"
)

// orders is how far from the float64 run a training run here may end, in distances of the float32 runs on the CPU,
// which sum in two other orders.
const orders = 3

// TestTenSteps: after ten training steps the parameters are as close to the float64 run's as those of two summation
// orders on the CPU, within the stated factor; and the same run gives the same bits again, whether its results are
// waited for or fetched behind the next step. No kernel is compiled in vain.
func TestTenSteps(t *testing.T) {
	exact, fast, plain := reference.New[float64](), cpu.New(), reference.New[float32]()
	device := open(t) // one for all: what costs time is to compile the kernels
	for _, b := range []backend.Backend{exact, fast, plain, device} {
		defer b.Close()
	}
	used := map[*pipeline]bool{}
	device.observe = func(p *pipeline, _ [3]int, _ on) { used[p] = true }
	for _, p := range zoo.Presets() {
		preset := p.Name
		for _, supervision := range sequencetest.Supervisions(p.New()) {
			if preset == "mha-csp-2" && supervision == "prefix" {
				continue // nearly chaotic, hence no measure, and slow on a software adapter
			}
			t.Run(fmt.Sprintf("%s/%s", preset, supervision), func(t *testing.T) {
				start, want := tenSteps(t, exact, preset, supervision, false)
				far := func(device backend.Backend, behind bool) ([]float32, float64) {
					_, got := tenSteps(t, device, preset, supervision, behind)
					return got, sequencetest.Distance(got, want) / sequencetest.Distance(want, start)
				}
				_, one := far(fast, false)
				_, other := far(plain, false)
				got, here := far(device, false)
				t.Logf("distance from float64, of what ten steps moved: %.2g; on the CPU %.2g and %.2g",
					here, one, other)
				assert.True(t, here <= orders*max(one, other),
					"%.2g away from float64, the CPU's float32 runs %.2g and %.2g", here, one, other)
				again, _ := far(device, true)
				assert.True(t, slices.Equal(got, again), "fetched behind, the same run ends elsewhere")
			})
		}
	}
	assert.True(t, len(used) == len(device.pipelines),
		"%d of %d compiled kernels compute", len(used), len(device.pipelines))
}

// trainer is one of a preset on arithmetic, that trains on device; change adjusts the run.
func trainer(t testing.TB, device backend.Backend, preset string, change func(*train.Run)) *train.Trainer {
	t.Helper()
	r := assert.Must(train.Default("arithmetic"))(t)
	r.Config = assert.Must(zoo.Preset(preset))(t)
	change(&r)
	assert.Must(r.Fit())(t)
	m := assert.Must(r.Config.Open(device))(t)
	m.Initialise(1)
	return assert.Must(train.New(r, m))(t)
}

// advance makes one training step and waits for it.
func advance(tr *train.Trainer) error {
	if _, _, err := tr.Advance(); err != nil {
		return err
	}
	_, _, err := tr.Drain()
	return err
}

// batchOf sets the samples of a step.
func batchOf(n int) func(*train.Run) { return func(r *train.Run) { r.Training.Batch = n } }

// tenSteps trains a small network and returns its parameters before and after.
func tenSteps(t *testing.T, device backend.Backend, preset, supervision string, behind bool) (start, end []float32) {
	t.Helper()
	tr := trainer(t, device, preset, func(r *train.Run) {
		sequencetest.Small(t, r.Config, small(supervision))
		r.Training.Batch, r.Training.Warmup = 4, 2
	})
	start = parameters(t, tr)
	for range 10 {
		var err error
		if behind {
			_, _, err = tr.Advance()
		} else {
			err = advance(tr)
		}
		assert.NoError(t, err)
	}
	_, _, err := tr.Drain()
	assert.NoError(t, err)
	return start, parameters(t, tr)
}

// parameters are those that a trainer has come to.
func parameters(t *testing.T, tr *train.Trainer) []float32 {
	t.Helper()
	p := tr.Network.Params()
	return assert.Must(p.Download(p.Values()))(t)
}
