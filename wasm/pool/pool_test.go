package pool

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
	"mhacsp/model/checkpoint"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/train"
	"mhacsp/tasks/assert"
)

// runs are small runs of each kind: sequences with the answer's weight and a bound on states, both supervisions, a
// memory of positions, a joined family with a graph, labels.
var runs = []string{
	`{"task": "arithmetic", "model": "mha-csp-s", "width": 8, "heads": 2, "batch": 33, "answer_weight": 3,
	  "state_clip": 0.01}`,
	`{"task": "arithmetic", "model": "mha-csp-m", "width": 12, "heads": 2, "memory": 6, "batch": 8}`,
	`{"task": "arithmetic", "model": "mha-csp", "supervision": "prefix", "width": 8, "heads": 2, "batch": 36}`,
	`{"task": "arithmetic", "model": "gcn", "width": 8, "batch": 9}`,
	`{"task": "parity", "model": "csp", "width": 8, "batch": 130, "max_length": 9}`,
}

// device is the reference: many of the fast kind would keep each other's threads from running.
func device() backend.Backend { return reference.New[float32]() }

func open(t *testing.T, text string, on backend.Backend) *train.Trainer {
	t.Helper()
	t.Cleanup(on.Close)
	run, _, err := train.Resolve([]byte(text))
	assert.NoError(t, err)
	run.Training.Steps = 100
	net := assert.Must(run.Config.Open(on))(t)
	net.Initialise(1)
	return assert.Must(train.New(run, net))(t)
}

// bench is a pool whose helpers are goroutines.
type bench struct {
	*Pool
	asked int // tasks that were handed over
}

// colleague is a Link to a goroutine.
type colleague struct {
	tasks chan Message
	asked *int
}

func (c colleague) Send(m Message) {
	*c.asked++
	c.tasks <- Message{slices.Clone(m.Ints), slices.Clone(m.Floats)}
}

func (c colleague) Close() {
	defer func() { _ = recover() }() // it was closed before
	close(c.tasks)
}

// spread gives a trainer a pool that spreads every step. answer passes a helper's answer on, or does not; nil: always.
func spread(t *testing.T, trainer *train.Trainer, cores int, answer func(i int, r Reply, to chan<- Reply)) *bench {
	b := &bench{}
	recruit := func(i int, replies chan<- Reply) Link {
		network, err := trainer.Run.Config.Open(device())
		if err != nil {
			t.Error(err)
			return nil
		}
		h, c := NewHelper(network), colleague{make(chan Message, 1), &b.asked}
		replies <- Reply{From: i}
		go func() {
			defer network.Backend().Close()
			for m := range c.tasks {
				r := Reply{From: i}
				h.Do(m, &r.Message)
				r.Message = Message{slices.Clone(r.Ints), slices.Clone(r.Floats)}
				if answer == nil {
					replies <- r
				} else {
					answer(i, r, replies)
				}
			}
		}()
		return c
	}
	b.Pool = New(trainer.Network, cores, Host{Recruit: recruit, Pass: func() { time.Sleep(time.Millisecond) }})
	b.known, b.worth = 0, 0
	trainer.Spread = b.Gradients
	t.Cleanup(b.Close)
	return b
}

func steps(t *testing.T, trainer *train.Trainer, n int) {
	t.Helper()
	for range n {
		_, _, err := trainer.Advance()
		assert.NoError(t, err)
	}
	_, _, err := trainer.Drain()
	assert.NoError(t, err)
}

// bytesOf is all that training goes on from, as bytes.
func bytesOf(t *testing.T, trainer *train.Trainer) []byte {
	t.Helper()
	f := assert.Must(trainer.State())(t)
	var b bytes.Buffer
	assert.NoError(t, checkpoint.Encode(&b, f))
	return b.Bytes()
}

// TestCores: training comes to the same bytes on 1, 2, 3 and 8 cores, and when it goes on from a checkpoint on others.
func TestCores(t *testing.T) {
	for _, text := range runs {
		var want []byte
		for _, cores := range []int{1, 2, 3, 8} {
			trainer := open(t, text, device())
			b := spread(t, trainer, cores, nil)
			steps(t, trainer, 3)
			half := bytesOf(t, trainer)
			steps(t, trainer, 3)
			got := bytesOf(t, trainer)
			if cores == 1 {
				want = got
			}
			assert.True(t, bytes.Equal(got, want), "%s: %d cores come to other bytes than 1", text, cores)
			parts := Parts(trainer.Run.Training.Batch)
			assert.True(t, (b.asked > 0) == (cores > 1) && parts >= 2,
				"%s: %d cores, %d parts: helpers were asked %d times", text, cores, parts, b.asked)
			most := min(cores, parts)
			assert.True(t, b.Cores() >= 1 && b.Cores() <= most,
				"%s: %d cores computed, at most %d should", text, b.Cores(), most)

			resumed := open(t, text, device())
			spread(t, resumed, cores%3+1, nil)
			f := assert.Must(checkpoint.Decode(bytes.NewReader(half), int64(len(half))))(t)
			assert.NoError(t, resumed.Restore(f))
			steps(t, resumed, 3)
			assert.True(t, bytes.Equal(bytesOf(t, resumed), want),
				"%s: resumed from %d cores on %d, the bytes are others", text, cores, cores%3+1)
		}
	}
}

// TestGradients: parts add up to the loss, hits and gradient of the whole batch, here in float64 but for what passes
// through messages.
func TestGradients(t *testing.T) {
	for _, text := range runs {
		trainer := open(t, text, reference.New[float64]())
		whole, net := capture(t, trainer), trainer.Network
		read := func(v backend.Vec) []float32 {
			x := make([]float32, v.Len)
			assert.NoError(t, net.Backend().Download(x, v))
			return x
		}
		grads := net.Params().Grads()
		net.Backend().Zero(grads)
		net.Gradients(whole)
		want, results := read(grads), read(net.Results())
		net.Backend().Zero(grads)
		b := spread(t, trainer, 1, nil)
		parts := read(b.Gradients(whole))
		got := read(grads)
		d := distance(got, want)
		assert.True(t, d < 3e-7, "%s: gradient is off by %g", text, d)
		d = distance(parts[:1], results[:1])
		assert.True(t, d < 3e-7, "%s: loss is %g, of the whole %g", text, parts[0], results[0])
		assert.Is(t, parts[sequence.ResultHits:], results[sequence.ResultHits:], "%s: hits differ", text)
	}
}

// capture is the first batch of a run.
func capture(t *testing.T, trainer *train.Trainer) *sequence.Batch {
	var b sequence.Batch
	trainer.Spread = func(of *sequence.Batch) backend.Vec {
		b = *of
		trainer.Network.Gradients(of)
		return trainer.Network.Results()
	}
	first := bytesOf(t, trainer)
	steps(t, trainer, 1)
	assert.NoError(t, trainer.Restore(assert.Must(checkpoint.Decode(bytes.NewReader(first), int64(len(first))))(t)))
	return &b
}

// distance is the relative L2 distance.
func distance(a, b []float32) float64 { return sequencetest.Distance(a, b) / sequencetest.Norm(b) }

// TestFailing: helpers that never answer, answer late or die change nothing and end nothing.
func TestFailing(t *testing.T) {
	const text = `{"task": "arithmetic", "model": "mha-csp-s", "width": 8, "heads": 2, "batch": 32}`
	alone := open(t, text, device())
	spread(t, alone, 1, nil)
	steps(t, alone, 12)
	want := bytesOf(t, alone)
	for name, answer := range map[string]func(i int, r Reply, to chan<- Reply){
		"silent": func(int, Reply, chan<- Reply) {},
		"late": func(_ int, r Reply, to chan<- Reply) {
			time.Sleep(2*grace + time.Duration(rand.IntN(30))*time.Millisecond)
			to <- r
		},
		"first dies": func(i int, r Reply, to chan<- Reply) {
			r.Gone = i == 0
			to <- r
		},
		"all die": func(_ int, r Reply, to chan<- Reply) {
			r.Gone = true
			to <- r
		},
		"empty": func(i int, r Reply, to chan<- Reply) { to <- Reply{From: i} },
	} {
		trainer := open(t, text, device())
		b := spread(t, trainer, 4, answer)
		steps(t, trainer, 12)
		assert.Is(t, bytesOf(t, trainer), want, "%s: the bytes are others", name)
		assert.True(t, b.asked != 0, "%s: nobody was asked", name)
		gone := name == "all die" || name == "silent"
		assert.True(t, !gone || b.asked <= 3, "%s: helpers that never came back were asked %d times", name, b.asked)
	}
}

// TestNoHelpers: in a browser whose Workers start no Workers one trains alone, and the pool can be closed.
func TestNoHelpers(t *testing.T) {
	trainer := open(t, runs[4], device())
	c := New(trainer.Network, 3, Host{Recruit: func(int, chan<- Reply) Link { return nil }})
	c.known, c.worth = 0, 0
	trainer.Spread = c.Gradients
	steps(t, trainer, 3)
	assert.True(t, c.Cores() == 1 && len(c.helpers) != 0,
		"%d cores, %d helpers were asked for", c.Cores(), len(c.helpers))
	c.Close()
}

// TestPile: who adds which parts does not matter.
func TestPile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, parts := range []int{1, 2, 4, 8, 16} {
		flats := make([][]float32, parts)
		for i := range flats {
			flats[i] = []float32{r.Float32(), float32(r.NormFloat64()), 1}
		}
		var want []float32
		for range 50 {
			var all partialSums
			for at := 0; at < parts; {
				to := at + 1 + r.IntN(parts-at)
				var one partialSums
				for i := at; i < to; i++ {
					one.add(i, 1, flats[i])
				}
				for _, s := range one.sums {
					all.add(s.at, s.size, s.flat)
				}
				at = to
			}
			assert.Need(t, len(all.sums) == 1 && all.sums[0].size == parts && all.sums[0].flat[2] == float32(parts),
				"%d parts: the partial sums are %v", parts, all.sums)
			if want == nil {
				want = all.sums[0].flat
			}
			got := all.sums[0].flat
			assert.Need(t, slices.Equal(got, want), "%d parts: %v, then %v", parts, want, got)
		}
	}
}

// TestShare: every part is dealt once, in order, and in proportion to the speeds.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		costs, speeds []float64
		want          []int
	}{
		{[]float64{1, 1, 1, 1}, []float64{1}, []int{4}}, {[]float64{1, 1, 1, 1}, []float64{1, 1}, []int{2, 2}},
		{[]float64{1, 1, 1, 1}, []float64{3, 1}, []int{3, 1}},
		{[]float64{1, 1, 1, 1}, []float64{1, 0.01}, []int{4, 0}},
		{[]float64{1, 1, 1, 1, 1, 1, 1, 1}, []float64{1, 1, 1}, []int{3, 2, 3}},
		{[]float64{5, 1, 1, 1, 1, 1}, []float64{1, 1}, []int{1, 5}},
		{[]float64{1, 1}, []float64{1, 1, 1, 1}, []int{1, 0, 1, 0}},
	} {
		at := 0
		var got []int
		for _, s := range share(c.costs, c.speeds) {
			assert.Need(t, s.from == at && s.parts == len(c.costs), "%v at %v: %v", c.costs, c.speeds, s)
			got, at = append(got, s.to-s.from), s.to
		}
		assert.True(t, slices.Equal(got, c.want) && at == len(c.costs),
			"%v at %v: %v, not %v", c.costs, c.speeds, got, c.want)
	}
}

// TestTask: a task comes out of its message as it went in.
func TestTask(t *testing.T) {
	prompts := [][]int32{{1, 2}, {3}, {4, 5, 6}, {7}}
	for _, b := range []sequence.Batch{
		{Prompts: prompts, Targets: [][]int32{{8}, {9, 1}, {2}, {3}},
			AnswerAt: []int{0, 1, -1, 0}, AnswerWeight: 2.5, StateClip: 0.25},
		{Prompts: prompts, Labels: []int32{1, 0, 1, 1}},
	} {
		var m Message
		task{span{1, 2, 2}, b}.write(&m, []float32{1, 2, 0, 0, 0})
		got, params := readTask(m)
		want := task{span{1, 2, 2}, b.Part(2, 4)}
		assert.True(t, reflect.DeepEqual(got, want), "%v, not %v", got, want)
		w := got.batch.Whole
		assert.True(t, w.Samples == 4 && w.Weight == b.Weight() && slices.Equal(params, []float32{1, 2}),
			"%v, parameters %v", w, params)
	}
}
