package session

import (
	"math/rand/v2"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/optim"
	"mhacsp/model/sequence"
	"mhacsp/model/zoo"
	"mhacsp/wasm/protocol"
)

// What bench measures, so that figures of other programs stand next to it: whole training steps with plain Adam.
const (
	benchModel  = "mha-csp"
	benchPrompt = 32
	benchTarget = 36
	benchWarmup = 3

	benchPatience = 60 // steps in which other cores are waited for
)

// bench times training steps on a device of its own. The loss is read back after each step, as in training.
func (s *Session) bench(c protocol.Command) (protocol.Event, error) {
	config, err := zoo.Preset(benchModel)
	if err != nil {
		return nil, err
	}
	device, err := s.host.Open(c.Backend)
	if err != nil {
		return nil, err
	}
	defer device.Close()
	m, err := config.Open(device.Backend)
	if err != nil {
		return nil, err
	}
	m.Initialise(1)
	gradients := func(b *sequence.Batch) backend.Vec {
		m.Gradients(b)
		return m.Results()
	}
	starting := func() bool { return false }
	if device.Pool != nil {
		team := device.Pool(m, c.Cores)
		defer team.Close()
		gradients, starting = team.Gradients, team.Starting
	}
	b := benchBatch(c.N)
	adam := optim.NewAdam(optim.Options{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}, device.Backend, m.Params())
	info := device.Info()
	out := protocol.Timing{
		Backend: info.Name, Adapter: info.Adapter, Software: info.Software,
		Batch: c.N, Prompt: benchPrompt, Target: benchTarget, Parameters: m.Params().Count(),
	}
	var loss [1]float32
	warm := benchWarmup
	for i := 0; i < warm+c.Count; i++ {
		begin := time.Now()
		device.Zero(m.Params().Grads())
		results := gradients(b)
		adam.Step(1e-3, results.Slice(sequence.ResultLoss, 1), results.Slice(sequence.ResultNorm2, 1))
		if err := device.Download(loss[:], results.Slice(sequence.ResultLoss, 1)); err != nil {
			return nil, err
		}
		if i < benchPatience && starting() {
			warm = i + 1 + benchWarmup
		}
		if i >= warm {
			out.Milliseconds = append(out.Milliseconds, 1000*time.Since(begin).Seconds())
		}
		s.host.Pass()
	}
	return out, nil
}

// digits are the first tokens of every vocabulary (SPEC §9).
const digits = 10

// benchBatch is random digits: what the tokens are does not matter to the time.
func benchBatch(n int) *sequence.Batch {
	r := rand.New(rand.NewPCG(1, 1))
	row := func(length int) []int32 {
		ids := make([]int32, length)
		for i := range ids {
			ids[i] = int32(r.IntN(digits))
		}
		return ids
	}
	b := &sequence.Batch{}
	for range n {
		b.Prompts, b.Targets = append(b.Prompts, row(benchPrompt)), append(b.Targets, row(benchTarget))
	}
	return b
}
