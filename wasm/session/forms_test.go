package session

import (
	"reflect"
	"sync"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/tune"
	"mhacsp/tasks/assert"
	"mhacsp/wasm/protocol"
)

// tuner stands for that of a GPU.
type tuner struct {
	known []tune.Record
	tell  func(tune.Record, bool)

	mutex sync.Mutex
	heard []string
}

func (x *tuner) hear(what string) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	x.heard = append(x.heard, what)
}

func (x *tuner) Begin() { x.hear("begin") }

func (x *tuner) Again(backend.Vec) bool { return false }

func (x *tuner) End(backend.StepTime) {
	x.hear("end")
	x.tell(tune.Record{Key: tune.Key{Adapter: "new"}}, true)
}

func (x *tuner) Close() { x.hear("close") }

// TestForms: a device's tuner gets what the page has kept, hears of the steps but those that a bound on the rate holds
// up, what it tells goes to the page, and it is closed before its device. What the page has kept in another form
// counts as nothing.
func TestForms(t *testing.T) {
	for _, x := range []struct {
		kept string
		want []tune.Record
	}{
		{`[{"adapter":"old","batch":64,"tries":1}]`, []tune.Record{{Key: tune.Key{Adapter: "old", Batch: 64}, Tries: 1}}},
		{`{"damaged":true}`, nil}, {`null`, nil},
	} {
		c := newClient(t)
		var made *tuner
		closed := false
		c.session.host.Open = func(string) (Device, error) {
			b := cpu.New()
			return Device{Backend: closing{b, &closed}, Memory: func() int64 { return 1 },
				Tune: func(n int, known []tune.Record, tell func(tune.Record, bool)) Tuner {
					assert.Is(t, n, 8, "steps of … sequences")
					made = &tuner{known: known, tell: tell}
					return made
				}}, nil
		}
		c.do(`{"type":"open","run":`+tiny+`,"forms":`+x.kept+`}`, nil)
		assert.Need(t, made != nil && (reflect.DeepEqual(made.known, x.want) || len(made.known)+len(x.want) == 0),
			"%s: %+v, want to know %+v", x.kept, made, x.want)
		first := made
		for _, command := range []string{
			`{"type":"step","count":2}`, `{"type":"speed","stepsPerSecond":1000}`, `{"type":"step","count":2}`,
			`{"type":"open","run":` + tiny + `}`, // which closes what was open
		} {
			c.do(command, nil)
		}
		assert.Is(t, first.heard, []string{"begin", "begin", "end", "end", "close"}, "heard")
		assert.True(t, closed && made == first, "closed: %t; tuned again, without forms: %t", closed, made != first)
		told := 0
		for _, e := range c.all() {
			if f, ok := e.event.(protocol.Forms); ok && f.Used && f.Record.(tune.Record).Adapter == "new" {
				told++
			}
		}
		assert.Is(t, told, 2, "the page was told … times")
	}
}

// closing notes that a device was closed.
type closing struct {
	backend.Backend
	closed *bool
}

func (c closing) Close() {
	*c.closed = true
	c.Backend.Close()
}
