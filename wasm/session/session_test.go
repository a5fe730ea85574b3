package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/checkpoint"
	"mhacsp/model/train"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
	"mhacsp/tasks/strict"
	"mhacsp/wasm/protocol"
)

// client is a page: it sends commands and keeps every event in order.
type client struct {
	*testing.T
	session *Session
	mutex   sync.Mutex
	events  []told
	news    chan struct{}
	id      int
	pass    func() // called between steps, in the session's goroutine
}

type told struct {
	event protocol.Event
	id    int
}

func newClient(t *testing.T) *client {
	c := &client{T: t, news: make(chan struct{}, 1)}
	c.session = New(Host{
		Emit: func(e protocol.Event, id int) {
			assert.Must(protocol.Encode(e, id))(t)
			c.mutex.Lock()
			c.events = append(c.events, told{e, id})
			c.mutex.Unlock()
			select {
			case c.news <- struct{}{}:
			default:
			}
		},
		Open: func(kind string) (Device, error) {
			if kind == "gpu" {
				return Device{}, strict.Unfit("backend", kind, ": none here; choose auto or cpu")
			}
			return Device{Backend: cpu.New(), Notice: "notice", Memory: func() int64 { return 1 },
				Room: func(bytes int64, cores int) bool { return bytes < 1<<28 }}, nil
		},
		Pass: func() {
			c.mutex.Lock()
			f := c.pass
			c.mutex.Unlock()
			if f != nil {
				f()
			}
		},
	})
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		c.session.Run(done)
	}()
	t.Cleanup(func() {
		close(done)
		<-ended
	})
	return c
}

// clientOf is a client that has opened a run.
func clientOf(t *testing.T, config string) *client {
	t.Helper()
	c := newClient(t)
	ok[protocol.Opened](c, `{"type":"open","run":`+config+`}`, nil)
	return c
}

// send gives a command as the page does, by its JSON.
func (c *client) send(text string, files map[string][]byte) int {
	c.Helper()
	c.mutex.Lock()
	c.id++
	id := c.id
	c.mutex.Unlock()
	x, err := protocol.ParseCommand([]byte(fmt.Sprintf(`{"id":%d,%s`, id, text[1:])))
	if err == nil {
		err = x.Attach(files)
	}
	assert.Need(c, err == nil, "%s: %v", text, err)
	c.session.Send(x)
	return id
}

// between sets what is called between steps.
func (c *client) between(f func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.pass = f
}

// wait returns the first event that wanted accepts.
func (c *client) wait(what string, wanted func(told) bool) protocol.Event {
	c.Helper()
	late := time.After(30 * time.Second)
	for {
		c.mutex.Lock()
		at := slices.IndexFunc(c.events, wanted)
		var e told
		if at >= 0 {
			e = c.events[at]
		}
		c.mutex.Unlock()
		if at >= 0 {
			return e.event
		}
		select {
		case <-c.news:
		case <-late:
			c.Fatalf("no %s after 30 s", what)
		}
	}
}

// do sends a command and returns its answer.
func (c *client) do(text string, files map[string][]byte) protocol.Event {
	c.Helper()
	id := c.send(text, files)
	return c.wait("answer to "+text, func(e told) bool { return e.id == id })
}

// ok is do for an answer of a type.
func ok[E protocol.Event](c *client, text string, files map[string][]byte) E {
	c.Helper()
	answer := c.do(text, files)
	e, ok := answer.(E)
	assert.Need(c, ok, "%s: %+v", text, answer)
	return e
}

// fails is do for an error.
func (c *client) fails(text string, files map[string][]byte, part string) *protocol.Error {
	c.Helper()
	e, ok := c.do(text, files).(*protocol.Error)
	assert.Need(c, ok && strings.Contains(e.Text, part), "%s: %+v; an error with %q is wanted", text, e, part)
	return e
}

// losses are those of all steps told so far, by step.
func (c *client) losses() (list []train.Step) {
	for _, e := range c.all() {
		if s, ok := e.event.(protocol.Steps); ok {
			for _, x := range s.Steps {
				x.Seconds = 0
				list = append(list, x)
			}
		}
	}
	return list
}

// all are the events so far.
func (c *client) all() []told {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return slices.Clone(c.events)
}

func (c *client) forget() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.events = nil
}

const tiny = `{"task":"parity","model":"mha-csp-s","width":8,"heads":2,"batch":8,"steps":60,"max_length":16,` +
	`"eval_every":0,"eval_samples":16,"test_samples":16,"eval_batch":8,"checkpoint_every":25,"seed":4}`

// weights are the parameters of a save, as bytes.
func (c *client) weights() (checkpointBytes, state []byte, step int) {
	c.Helper()
	s := ok[protocol.Saved](c, `{"type":"save","full":true}`, nil)
	return s.Checkpoint, s.State, s.Step
}

// straight trains a run without interruption and returns its checkpoint at a step.
func straight(t *testing.T, config string, steps int) []byte {
	t.Helper()
	r, _, err := train.Resolve([]byte(config))
	assert.NoError(t, err)
	device := cpu.New()
	defer device.Close()
	_, x, err := build(Device{Backend: device}, r, nil, nil)
	assert.NoError(t, err)
	for range steps {
		_, _, err := x.Advance()
		assert.NoError(t, err)
	}
	_, _, err = x.Drain()
	assert.NoError(t, err)
	return assert.Must(encode(assert.Must(x.Model())(t)))(t)
}

// straight holds a client to the step and the weights of a run that was trained straight to them.
func (c *client) straight(config string, steps int, what string) {
	c.Helper()
	data, _, at := c.weights()
	assert.True(c, at == steps && bytes.Equal(data, straight(c.T, config, steps)),
		"%s: at step %d, with other weights than by training straight to %d", what, at, steps)
}

// TestTrain: a run from open to done tells every step once and in order, the last validation and the test.
func TestTrain(t *testing.T) {
	c := newClient(t)
	o := ok[protocol.Opened](c, `{"type":"open","run":`+tiny+`}`, nil)
	assert.True(t, o.Step == 0 && o.Parameters != 0 && o.Backend == "cpu" && o.Notice == "notice" && o.Example != "",
		"%+v", o)
	var run map[string]any
	err := json.Unmarshal(o.Run, &run)
	assert.True(t, err == nil && run["batch"] == 8.0 && run["beta2"] == 0.98, "run %v, %v", run, err)
	s := ok[protocol.Status](c, `{"type":"start"}`, nil)
	assert.True(t, s.State == protocol.Running, "%+v", s)
	d := c.wait("done", func(e told) bool { return e.event.Type() == "done" }).(protocol.Done)
	assert.True(t, d.Step == 60 && d.Reason == "finished", "%+v", d)
	steps := c.losses()
	assert.Need(t, len(steps) == 60, "%d steps were told", len(steps))
	for i, s := range steps {
		assert.True(t, s.Step == i+1 && s.Loss > 0 && s.LR > 0 && s.Tokens != 0, "step %d: %+v", i+1, s)
	}
	var kinds []string
	for _, e := range c.all() {
		if x, ok := e.event.(protocol.Eval); ok {
			kinds = append(kinds, fmt.Sprint(x.Role, " ", x.Step, " ", x.Samples))
		}
	}
	assert.Is(t, kinds, []string{"validation 60 16", "test 60 16"}, "evaluations")
	s = ok[protocol.Status](c, `{"type":"start"}`, nil)
	assert.True(t, s.State == protocol.Ended && s.Step == 60, "start after the end: %+v", s)
	c.straight(tiny, 60, "a run with a session")
}

// TestStepPauseResetSeek: steps are counted exactly, a pause lets at most the step under way end, a reset brings the
// same losses again, and a seek ends at the same bits as training straight there.
func TestStepPauseResetSeek(t *testing.T) {
	c := clientOf(t, tiny)
	s := ok[protocol.Status](c, `{"type":"step","count":5}`, nil)
	assert.True(t, s.State == protocol.Paused && s.Step == 5, "%+v", s)
	assert.Is(t, ok[protocol.Status](c, `{"type":"step"}`, nil).Step, 6, "one step more")
	one, two := c.send(`{"type":"step","count":2}`, nil), c.send(`{"type":"step"}`, nil)
	for id, step := range map[int]int{one: 8, two: 9} {
		s := c.wait("two steps", func(e told) bool { return e.id == id }).(protocol.Status)
		assert.True(t, s.Step == step, "of two commands at once: %+v, step %d is right", s, step)
	}
	first := c.losses()
	assert.Need(t, len(first) == 9, "%d steps were told before the answer", len(first))

	const at = 14 // the step under way when pause is sent
	c.between(func() {
		if c.session.trainer.Count() == at {
			c.send(`{"type":"pause"}`, nil)
		}
	})
	c.do(`{"type":"start"}`, nil)
	s = c.wait("pause", func(e told) bool {
		x, ok := e.event.(protocol.Status)
		return ok && x.State == protocol.Paused && x.Step > 9
	}).(protocol.Status)
	assert.True(t, s.Step == at, "paused at step %d, asked at %d", s.Step, at)
	c.between(nil)
	c.do(`{"type":"speed","stepsPerSecond":0}`, nil)

	ok[protocol.Opened](c, `{"type":"reset"}`, nil)
	c.forget()
	c.do(`{"type":"step","count":9}`, nil)
	assert.Is(t, c.losses(), first, "after reset, where those before are wanted")

	c.do(`{"type":"step","count":41}`, nil)
	c.forget()
	for _, step := range []int{20, 50, 7, 0, 33} {
		s := ok[protocol.Status](c, fmt.Sprintf(`{"type":"seek","step":%d}`, step), nil)
		assert.True(t, s.State == protocol.Paused && s.Step == step, "seek %d: %+v", step, s)
		c.straight(tiny, step, "seek")
	}
	told := c.losses()
	assert.True(t, len(told) == 0, "steps that the page had seen were told on the way to another: %v", told)
	c.do(`{"type":"seek","step":3}`, nil)
	c.do(`{"type":"step","count":2}`, nil)
	assert.Is(t, c.losses(), first[3:5], "trained on from step 3, told")
	assert.Is(t, c.fails(`{"type":"seek","step":61}`, nil, "the run ends at step 60").Field, "step", "the field")
}

// TestSeekSnapshots: with states kept in memory a seek goes back to one of them and ends at the same bits.
func TestSeekSnapshots(t *testing.T) {
	c := clientOf(t, tiny)
	c.session.past.interval = 3 // the session's goroutine waits for a command
	for range 12 {
		c.session.past.last = time.Time{}
		c.do(`{"type":"step","count":3}`, nil)
	}
	kept := c.session.past.kept
	assert.Need(t, len(kept) == 12 && kept[3].step == 12, "%d states are kept", len(kept))
	c.do(`{"type":"seek","step":14}`, nil)
	c.straight(tiny, 14, "from a kept state")
	p := &c.session.past
	p.thin()
	assert.True(t, len(p.kept) == 6 && p.kept[5].step == 36 && p.interval == 6,
		"thinned to %d states, interval %d", len(p.kept), p.interval)
}

// TestSaveOpen: a full save opened in another session goes on as if it had never stopped; a bare checkpoint has the
// weights, step 0, and the run that stands in it.
func TestSaveOpen(t *testing.T) {
	c := clientOf(t, tiny)
	c.do(`{"type":"step","count":17}`, nil)
	data, state, step := c.weights()
	s := ok[protocol.Saved](c, `{"type":"save"}`, nil)
	assert.True(t, s.State == nil && bytes.Equal(s.Checkpoint, data) &&
		s.Name == "parity-mha-csp-s-seed-4-step-17.safetensors", "a save that is not full: %q", s.Name)
	other := newClient(t)
	files := map[string][]byte{"checkpoint": data, "state": state}
	assert.Is(t, ok[protocol.Opened](other, `{"type":"open"}`, files).Step, step, "opened at step")
	other.do(`{"type":"step","count":10}`, nil)
	other.straight(tiny, 27, "the opened run")
	for _, step := range []int{17, 5} { // what was opened, and before it, from the seed
		other.do(fmt.Sprintf(`{"type":"seek","step":%d}`, step), nil)
		other.straight(tiny, step, "seek in an opened run")
	}
	o := ok[protocol.Opened](other, `{"type":"load","backend":"cpu"}`, map[string][]byte{"checkpoint": data})
	assert.True(t, o.Step == 0 && o.Learned == 17,
		"a bare checkpoint is at step %d, with %d behind its weights", o.Step, o.Learned)
	got, _, _ := other.weights()
	assert.True(t, bytes.Equal(got, data), "the checkpoint came back changed")
	o = ok[protocol.Opened](other, `{"type":"open","run":{"lr":0.5}}`, map[string][]byte{"checkpoint": data})
	assert.True(t, strings.Contains(string(o.Run), `"lr":0.5`) && strings.Contains(string(o.Run), `"width":8`),
		"a key over the checkpoint's: %s", o.Run)
	other.do(`{"type":"step","count":2}`, nil)
	trained, state, _ := other.weights()
	again := newClient(t)
	o = ok[protocol.Opened](again, `{"type":"open"}`, map[string][]byte{"checkpoint": trained, "state": state})
	assert.True(t, o.Step == 2 && o.Learned == 19,
		"a run that began with a file goes on at step %d, with %d behind its weights", o.Step, o.Learned)
	again.fails(`{"type":"seek","step":1}`, nil, "began with the weights of a file")
	o = ok[protocol.Opened](other, `{"type":"reset"}`, nil)
	assert.Is(t, o.Learned, 0, "after reset … steps are behind the weights")
	other.do(`{"type":"seek","step":3}`, nil)
	f, err := checkpoint.Decode(bytes.NewReader(data), int64(len(data)))
	assert.True(t, err == nil && f.Metadata["config"] != "", "the save is no checkpoint: %v", err)
}

// TestQuestions: asking while training answers, and changes nothing of the training.
func TestQuestions(t *testing.T) {
	config := strings.NewReplacer("parity", "arithmetic", `"max_length":16`, `"format":"direct"`).Replace(tiny)
	c := clientOf(t, config)
	c.do(`{"type":"start"}`, nil)
	r := ok[protocol.Reading](c, `{"type":"read","text":"(3+5)"}`, nil)
	assert.True(t, r.Unpractised == nil && len(r.Tokens) == 15 && r.Expected == "8" && r.Right == (r.Answer == "8") &&
		r.Width == 8 && r.Heads == 2 && r.Turning == 4 && r.Modulus == 9 && len(r.State[14]) == 16 &&
		len(r.Probabilities[0]) == 9 && len(r.Attention[1][14]) == 15 && len(r.Fusion[14][1]) == 2,
		"reading of %d tokens: %+v", len(r.Tokens), r.Outcomes)
	r = ok[protocol.Reading](c, `{"type":"read","text":"9+1"}`, nil)
	nine := []tasks.Unpractised{{Kind: "number", Value: "9", Most: 8, Same: "0"}}
	assert.True(t, slices.Equal(r.Unpractised, nine) && r.Instead == "0 + 1",
		"9 is in no training sample: %+v, %q", r.Unpractised, r.Instead)
	l := ok[protocol.SampleList](c, `{"type":"samples","n":5}`, nil)
	assert.True(t, len(l.Samples) == 5 && l.Samples[0].Target != "" && l.Samples[0].Output != "" &&
		l.Samples[0].Right == (l.Samples[0].Answer == l.Samples[0].Expected), "%+v", l)
	e := ok[protocol.Embedding](c, `{"type":"embedding"}`, nil)
	var sum float64
	for _, x := range e.Spectrum {
		sum += x
	}
	assert.True(t, len(e.Points) == 10 && e.Points[3].Token == "3" && sum >= 0.999 && sum <= 1.001, "%+v", e)
	v := ok[protocol.Eval](c, `{"type":"evaluate","n":24,"role":"validation"}`, nil)
	assert.True(t, v.Samples == 24 && v.Role == "validation" && len(v.ByOperands) != 0 && len(v.ByDepth) != 0 &&
		v.Common > 0, "%+v", v)
	g := ok[protocol.LengthList](c, `{"type":"lengths","n":4}`, nil)
	assert.True(t, len(g.Sets) >= 2 && g.Sets[1].Operands == 2 && g.Sets[1].Samples == 4, "%+v", g)
	bad := c.fails(`{"type":"read","text":"3 + x"}`, nil, "column 5")
	assert.True(t, bad.At == 4 && bad.Field == "text" && bad.Expected != "" && !bad.Fatal, "%+v", bad)
	c.wait("done", func(e told) bool { return e.event.Type() == "done" })
	c.straight(config, 60, "after questions")
}

// TestLengths: sets beyond the trained lengths, each in addition to chance.
func TestLengths(t *testing.T) {
	c := clientOf(t, tiny)
	g := ok[protocol.LengthList](c, `{"type":"lengths","n":8}`, nil)
	var names []string
	for _, s := range g.Sets {
		names = append(names, s.Name)
		assert.True(t, s.Samples == 8 && s.Chance >= 0.5 && s.Accuracy <= 1, "%+v", s)
	}
	want := []string{"40 to 256 characters", "256 characters", "512 characters", "1024 characters"}
	assert.Is(t, names, want, "sets")
}

// TestStartEndsLengths: a measurement gives way to training and says so; what only asks does not wait for its end.
func TestStartEndsLengths(t *testing.T) {
	c := clientOf(t, tiny)
	measured, asked := c.send(`{"type":"lengths","n":900}`, nil), c.send(`{"type":"read","text":"101"}`, nil)
	first := c.wait("the reading", func(e told) bool { return e.id == asked || e.id == measured })
	_, ok := first.(protocol.Reading)
	assert.True(t, ok, "the reading waited for %+v", first)
	started := c.send(`{"type":"start"}`, nil)
	first = c.wait("the end", func(e told) bool { return e.id == measured || e.id == started })
	e, aborted := first.(*protocol.Error)
	assert.True(t, aborted && e.Aborted && !e.Fatal && !strings.Contains(e.Text, "session:"), "%+v", first)
	c.wait("the training", func(e told) bool { return e.event.Type() == "steps" })
}

// TestEmbeddingOfTheTask: the points are the characters that occur, each with the network's numbers; others never
// learn.
func TestEmbeddingOfTheTask(t *testing.T) {
	for task, want := range map[string]string{
		"parity": "01", "parenthesis": "()", "mod3": "0123456789", "modarith": "01234",
	} {
		c := clientOf(t, strings.Replace(tiny, "parity", task, 1))
		e := ok[protocol.Embedding](c, `{"type":"embedding"}`, nil)
		var got string
		for _, p := range e.Points {
			got += p.Token
		}
		assert.True(t, got == want && e.Points[0].X != e.Points[1].X, "%s: %+v", task, e.Points)
	}
}

// TestReadMemory: a reading has the memory's units after each token and their period; that of a model without a memory
// has neither.
func TestReadMemory(t *testing.T) {
	const small = `"task":"arithmetic","batch":4,"heads":2,"width":10`
	c := clientOf(t, `{"model":"mha-csp-m","memory":6,"memory_period":90,`+small+`}`)
	r := ok[protocol.Reading](c, `{"type":"read","text":"3+5"}`, nil)
	assert.True(t, r.Width == 4 && r.Period == 90 && len(r.Memory) == len(r.Tokens) && len(r.Memory[0]) == 12 &&
		r.Memory[1][3] != 0, "%d units, period %d, memory %v", r.Width, r.Period, r.Memory)
	ok[protocol.Opened](c, `{"type":"open","run":{"model":"mha-csp-s",`+small+`}}`, nil)
	r = ok[protocol.Reading](c, `{"type":"read","text":"3+5"}`, nil)
	text, err := protocol.Encode(r, 0)
	assert.True(t, err == nil && !bytes.Contains(text, []byte("memory")) && !bytes.Contains(text, []byte("period")),
		"without a memory: %s, %v", text, err)
}

// TestRefusedModel: a model that a task cannot have is blamed as such, for nobody chose the number of its memory.
func TestRefusedModel(t *testing.T) {
	c := newClient(t)
	for _, run := range []string{
		`{"task":"parity","model":"mha-csp-m"}`, `{"model":"mha-csp-m","supervision":"prefix"}`,
	} {
		e := ok[*protocol.Error](c, `{"type":"open","run":`+run+`}`, nil)
		assert.True(t, e.Field == "model" && strings.Contains(e.Text, "choose another model"), "%s: %+v", run, e)
	}
	const own = `{"task":"parity","model":"csp","rotate":"mixed","memory":3}`
	e := ok[*protocol.Error](c, `{"type":"open","run":`+own+`}`, nil)
	assert.True(t, e.Field == "memory" && strings.Contains(e.Text, "choose memory 0"),
		"a memory that was chosen: %+v", e)
}

// TestRoom: batches that the device has no memory for are refused, and what takes it is named.
func TestRoom(t *testing.T) {
	c := newClient(t)
	for _, field := range []string{"batch", "eval_batch"} {
		e := ok[*protocol.Error](c, `{"type":"open","run":{"`+field+`":4096}}`, nil)
		assert.True(t, e.Field == field && strings.Contains(e.Text, " MB of memory"), "%s: %+v", field, e)
	}
}

// TestPageWords: what a run says on a page names no flag of the command line.
func TestPageWords(t *testing.T) {
	c := clientOf(t, `{"task":"parity","model":"csp","width":4,"batch":2,"steps":2,"warmup":0,"eval_every":0,
		"test_samples":0,"max_length":128}`)
	c.send(`{"type":"start"}`, nil)
	c.wait("end", func(e told) bool { _, done := e.event.(protocol.Done); return done })
	said := 0
	for _, e := range c.all() {
		if w, ok := e.event.(protocol.Warning); ok {
			said++
			assert.True(t, !strings.Contains(w.Text, "--"), "%q", w.Text)
		}
	}
	assert.True(t, said != 0, "a run that ends before its curriculum says nothing")
}

// TestTooLongToRead: a text whose matrices would fill the memory is refused in one line, and the run is as it was.
func TestTooLongToRead(t *testing.T) {
	c := clientOf(t, tiny)
	e := c.fails(`{"type":"read","text":"`+strings.Repeat("10", 129)+`"}`, nil,
		"has 258 tokens as the model reads it (256 can be shown); shorten it")
	assert.True(t, !e.Fatal, "%+v", e)
	ok[protocol.Reading](c, `{"type":"read","text":"`+strings.Repeat("10", 128)+`"}`, nil)
}

// TestEnd: a run that was stopped in its last validation or in its test, and kept, does what is left when it goes on;
// one that had ended is open as such.
func TestEnd(t *testing.T) {
	whole := clientOf(t, tiny)
	whole.do(`{"type":"start"}`, nil)
	whole.wait("done", func(e told) bool { return e.event.Type() == "done" })
	want, state, _ := whole.weights()
	again := newClient(t)
	files := map[string][]byte{"checkpoint": want, "state": state}
	o := ok[protocol.Opened](again, `{"type":"open"}`, files)
	assert.True(t, o.State == protocol.Ended, "a run that had ended is open as %s", o.State)
	roles := map[string]bool{}
	for stop := 1; ; stop++ {
		c := newClient(t)
		ok[protocol.Opened](c, `{"type":"open","run":`+tiny+`}`, nil)
		paused, calls := make(chan int, 1), 0
		c.between(func() { // Yield is set while the end is under way
			if c.session.trainer != nil && c.session.trainer.Count() == 60 && c.session.trainer.Yield != nil {
				if calls++; calls == stop {
					paused <- c.send(`{"type":"pause"}`, nil)
				}
			}
		})
		c.do(`{"type":"start"}`, nil)
		c.wait("the pause or the end", func(e told) bool {
			s, is := e.event.(protocol.Status)
			return e.event.Type() == "done" || is && s.State == protocol.Paused && s.Step == 60
		})
		c.between(nil)
		if calls < stop {
			break // it has no more pieces
		}
		data, state, _ := c.weights()
		other := newClient(t)
		o := ok[protocol.Opened](other, `{"type":"open"}`, map[string][]byte{"checkpoint": data, "state": state})
		if o.State == protocol.Ended {
			t.Errorf("stopped in piece %d of its end it is open as one that has ended", stop)
			continue
		}
		other.do(`{"type":"start"}`, nil)
		other.wait("done", func(e told) bool { return e.event.Type() == "done" })
		first := other.wait("evaluation", func(e told) bool { return e.event.Type() == "eval" })
		roles[first.(protocol.Eval).Role] = true
		got, _, _ := other.weights()
		assert.True(t, bytes.Equal(got, want), "stopped in piece %d of its end it ends with other weights", stop)
	}
	assert.True(t, roles["validation"] && roles["test"] && len(roles) == 2, "what was left began with %v", roles)
}

// TestBetween: a question gets its answer in the midst of a validation; a pause ends it, and it is made when training
// goes on, so that the run ends as it would have.
func TestBetween(t *testing.T) {
	c := clientOf(t, strings.NewReplacer(`"eval_every":0`, `"eval_every":10,"patience":30`,
		`"eval_samples":16`, `"eval_samples":32`).Replace(tiny))
	asked, paused := make(chan int, 1), make(chan int, 1)
	calls := 0
	c.between(func() { // Yield is set while a validation is under way: three times, between its batches
		if c.session.trainer.Count() != 10 || c.session.trainer.Yield == nil {
			return
		}
		switch calls++; calls {
		case 1:
			asked <- c.send(`{"type":"read","text":"101"}`, nil)
		case 2:
			paused <- c.send(`{"type":"pause"}`, nil)
		}
	})
	c.do(`{"type":"start"}`, nil)
	id := <-asked
	c.wait("answer", func(e told) bool { return e.id == id })
	id = <-paused
	s := c.wait("pause", func(e told) bool { return e.id == id }).(protocol.Status)
	assert.True(t, s.State == protocol.Paused && s.Step == 10, "%+v", s)
	assert.True(t, !slices.ContainsFunc(c.all(), func(e told) bool { return e.event.Type() == "eval" }),
		"the answer or the pause waited for the validation")
	c.do(`{"type":"start"}`, nil)
	c.wait("done", func(e told) bool { return e.event.Type() == "done" })
	var evals []int
	for _, e := range c.all() {
		if x, ok := e.event.(protocol.Eval); ok && x.Role == "validation" {
			evals = append(evals, x.Step)
		}
	}
	_ = ok[protocol.Opened](c, `{"type":"reset"}`, nil)
	one, two := c.send(`{"type":"step","count":10}`, nil), c.send(`{"type":"step"}`, nil) // 10 is a validation's
	for id, step := range map[int]int{one: 10, two: 11} {
		s := c.wait("steps", func(e told) bool { return e.id == id }).(protocol.Status)
		assert.True(t, s.Step == step, "of two commands at a validation: %+v, step %d is right", s, step)
	}
	assert.True(t, len(evals) >= 2 && evals[0] == 10 && evals[1] == 20 &&
		len(slices.Compact(slices.Clone(evals))) == len(evals), "validations at %v", evals)
}

// TestSpeed: a bound on the rate holds, and goes away.
func TestSpeed(t *testing.T) {
	c := newClient(t)
	c.do(`{"type":"speed","stepsPerSecond":20}`, nil)
	ok[protocol.Opened](c, `{"type":"open","run":`+tiny+`}`, nil)
	begin := time.Now()
	c.do(`{"type":"start"}`, nil)
	c.wait("step 6", func(e told) bool {
		s, ok := e.event.(protocol.Steps)
		return ok && s.Steps[len(s.Steps)-1].Step >= 6
	})
	took := time.Since(begin)
	assert.True(t, took >= 200*time.Millisecond, "six steps took %v at 20 a second", took)
	c.do(`{"type":"speed","stepsPerSecond":0}`, nil)
	c.wait("done", func(e told) bool { return e.event.Type() == "done" })
}

// TestErrors: a mistake is one error that names it; what was open stays.
func TestErrors(t *testing.T) {
	c := newClient(t)
	c.fails(`{"type":"start"}`, nil, "nothing is open")
	ok[protocol.Opened](c, `{"type":"open","run":`+tiny+`}`, nil)
	c.do(`{"type":"step","count":3}`, nil)
	data, state, _ := c.weights()
	for _, x := range []struct {
		text, part, field string
		files             map[string][]byte
	}{
		{`{"type":"open","run":{"lr":-1}}`, "lr", "lr", nil},
		{`{"type":"open","run":{"task":"chess"}}`, "chess", "task", nil},
		{`{"type":"open","run":{"preset":"hard"}}`, "hard", "preset", nil},
		{`{"type":"open","run":{"colour":1}}`, "colour", "", nil},
		{`{"type":"open","run":{"width":4096}}`, "at most", "width", nil},
		{`{"type":"open","run":{"model":"mha-csp-s","heads":3,"width":8}}`, "width is 8", "width", nil},
		{`{"type":"open","backend":"gpu"}`, "choose auto or cpu", "backend", nil},
		{`{"type":"load"}`, "checkpoint", "checkpoint", map[string][]byte{"checkpoint": data[:len(data)/2]}},
		{`{"type":"load"}`, "checkpoint", "checkpoint", map[string][]byte{"checkpoint": []byte("no checkpoint at all")}},
		{`{"type":"open"}`, "state", "state", map[string][]byte{"checkpoint": data, "state": state[:100]}},
		{`{"type":"open"}`, "state", "", map[string][]byte{"checkpoint": data, "state": data}},
		{`{"type":"open","run":{"width":16}}`, "shape", "", map[string][]byte{"checkpoint": data}},
		{`{"type":"read","text":""}`, "empty", "", nil},
		{`{"type":"read","text":"` + strings.Repeat("1", 3000) + `"}`, "at most 2048", "text", nil},
		{`{"type":"read","text":"` + strings.Repeat("☃", 2049) + `"}`, "has 2049 characters", "text", nil},
	} {
		c.forget()
		e := c.fails(x.text, x.files, x.part)
		assert.True(t, e.Field == x.field && !e.Fatal, "%s: %+v", x.text, e)
		s := ok[protocol.Status](c, `{"type":"pause"}`, nil)
		assert.True(t, s.Step == 3 && s.State == protocol.Paused, "after %s: %+v", x.text, s)
		errors := slices.DeleteFunc(c.all(), func(e told) bool { return e.event.Type() != "error" })
		assert.Is(t, len(errors), 1, "%s: errors", x.text)
	}
}

// lost is a device that computes no more.
type lost struct{ backend.Backend }

func (lost) Sync() error { return backend.ErrDeviceLost }

// TestLost: with a device goes what it was to do, so that the next command is answered.
func TestLost(t *testing.T) {
	c := clientOf(t, tiny)
	c.between(func() {
		if s := c.session; s.trainer != nil && s.trainer.Count() == 3 {
			s.device.Backend = lost{s.device.Backend}
			c.send(`{"type":"read","text":""}`, nil)
		}
	})
	c.send(`{"type":"step","count":9}`, nil)
	c.wait("loss", func(e told) bool {
		x, is := e.event.(*protocol.Error)
		return is && x.Fatal
	})
	c.fails(`{"type":"step"}`, nil, "nothing is open")
}

// TestNotFinite: a run that leaves the numbers stops with one error that is not fatal, and a reset begins again.
func TestNotFinite(t *testing.T) {
	c := clientOf(t, tiny)
	data, _, _ := c.weights()
	f := assert.Must(checkpoint.Decode(bytes.NewReader(data), int64(len(data))))(t)
	head, _ := f.Find("head.weight")
	for i := range head.Data {
		head.Data[i] = 3e38 * float32(1-2*(i%2))
	}
	data = assert.Must(encode(f))(t)
	ok[protocol.Opened](c, `{"type":"load"}`, map[string][]byte{"checkpoint": data})
	c.do(`{"type":"start"}`, nil)
	e := c.wait("error", func(e told) bool { return e.event.Type() == "error" }).(*protocol.Error)
	assert.True(t, strings.Contains(e.Text, "not finite") && !strings.Contains(e.Text, "--") && !e.Fatal, "%+v", e)
	assert.Is(t, ok[protocol.Status](c, `{"type":"pause"}`, nil).State, protocol.Paused, "after the error it is")
	ok[protocol.Opened](c, `{"type":"reset"}`, nil)
	assert.Is(t, ok[protocol.Status](c, `{"type":"step"}`, nil).Step, 1, "after a reset, the step")
}

// TestBench: the steps that were asked for are timed; what is open stays.
func TestBench(t *testing.T) {
	c := clientOf(t, tiny)
	c.do(`{"type":"step","count":2}`, nil)
	b := ok[protocol.Timing](c, `{"type":"bench","backend":"cpu","n":2,"count":3}`, nil)
	assert.True(t, len(b.Milliseconds) == 3 && b.Batch == 2 && b.Prompt == 32 && b.Target == 36 &&
		b.Backend == "cpu" && b.Parameters >= 100_000, "%+v", b)
	for _, ms := range b.Milliseconds {
		assert.True(t, ms > 0, "a step of %v ms", ms)
	}
	assert.Is(t, ok[protocol.Status](c, `{"type":"pause"}`, nil).Step, 2, "the step of what is open")
}
