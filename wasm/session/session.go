// Package session is the trainer behind the protocol: it carries out a page's commands on the same
// packages as the command line and tells the page what happens. It knows no browser; whoever runs
// it gives it a device and takes its events.
package session

import (
	"errors"
	"slices"
	"sync"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/backend/tune"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/wasm/pool"
	"mhacsp/wasm/protocol"
)

// Device is what computes.
type Device struct {
	backend.Backend
	Notice string       // plain words for the page where the device is not what it may have hoped for; else empty
	Memory func() int64 // bytes allocated

	// Room, where set, reports whether that many bytes are there for each of that many cores, 0: as Pool takes them.
	Room func(bytes int64, cores int) bool

	// Pool, where set, spreads training steps over that many cores, 0: as many as suit the machine.
	Pool func(n sequence.Network, cores int) *pool.Pool

	// Tune makes a tuner of the kernels' forms for a run whose steps have that many sequences, as webgpu.NewTuner;
	// nil: there is but one form.
	Tune func(sequences int, known []tune.Record, tell func(r tune.Record, used bool)) Tuner
}

// Tuner chooses forms of kernels between steps. It is closed before the device.
type Tuner interface {
	train.StepObserver
	Close()
}

// Host is what a session needs of its surroundings.
type Host struct {
	Emit func(e protocol.Event, id int)    // id: of the command that e answers, or 0
	Open func(kind string) (Device, error) // kind: auto, gpu or cpu
	Fuse func(on bool)                     // may the processor fuse a product and a sum; nil: there is no choice
	Pass func()                            // gives whoever delivers messages the chance to; called between steps
}

// Session is one page's trainer. Send may be called from anywhere; all else happens in Run.
type Session struct {
	host Host

	mutex  sync.Mutex
	queue  []protocol.Command
	signal chan struct{} // something is in the queue

	device  Device
	trainer *train.Trainer // nil: nothing is open
	tuner   Tuner          // nil: there is nothing to tune
	net     sequence.Network
	pool    *pool.Pool // nil: the device computes alone
	past    past

	state   string
	goal    goal
	due     bool    // the validation or checkpoint after the step just made is still to do
	shown   int     // the farthest step that the page was told of
	rate    float64 // bound on steps a second; 0: none
	next    time.Time
	pending []train.Step
	flushed time.Time
	meter   meter
}

// goal is a step to stop at, and the command that asked for it.
type goal struct {
	step, id int
	set      bool
	counted  bool // by a step command; the next such waits for its end
}

// interval bounds how often steps are reported.
const interval = 50 * time.Millisecond

// New is a session with nothing open.
func New(h Host) *Session {
	return &Session{host: h, signal: make(chan struct{}, 1), state: protocol.Idle}
}

// Send puts a command into the queue. It never blocks.
func (s *Session) Send(c protocol.Command) {
	s.mutex.Lock()
	s.queue = append(s.queue, c)
	s.mutex.Unlock()
	s.wake()
}

func (s *Session) wake() {
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// take removes the first command that wanted accepts.
func (s *Session) take(wanted func(protocol.Command) bool) (protocol.Command, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	at := slices.IndexFunc(s.queue, wanted)
	if at < 0 {
		return protocol.Command{}, false
	}
	c := s.queue[at]
	s.queue = slices.Delete(s.queue, at, at+1)
	return c, true
}

// ready reports whether a command may be carried out now.
func (s *Session) ready(c protocol.Command) bool { return !s.goal.counted || c.Type != protocol.Step }

// Run carries out commands and trains until done is closed.
func (s *Session) Run(done <-chan struct{}) {
	defer s.drop()
	for {
		for c, ok := s.take(s.ready); ok; c, ok = s.take(s.ready) {
			s.handle(c)
		}
		switch wait := s.pace(); {
		case wait == 0:
			s.host.Pass()
			if s.waits(s.ready) {
				continue
			}
			if err := s.advance(); err != nil && !errors.Is(err, errAborted) {
				s.broken(err)
			}
		case wait < 0:
			s.flush()
			select {
			case <-s.signal:
			case <-done:
			}
		default:
			// AfterFunc, because a timer's channel links all that package time can read and write into the program.
			timer := time.AfterFunc(min(wait, interval), s.wake)
			select {
			case <-s.signal:
				s.tell()
			case <-done:
			}
			timer.Stop()
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

// waits reports whether a command that wanted accepts is in the queue.
func (s *Session) waits(wanted func(protocol.Command) bool) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.ContainsFunc(s.queue, wanted)
}

// pace is how long to wait before the next step; below 0: none comes.
func (s *Session) pace() time.Duration {
	switch {
	case s.state != protocol.Running:
		return -1
	case s.rate == 0 || s.goal.set:
		return 0
	}
	return max(0, time.Until(s.next))
}

// emit tells the steps first, so that events come in the order of what happened.
func (s *Session) emit(e protocol.Event, id int) {
	s.flush()
	s.host.Emit(e, id)
}

// tell hands the steps over where it is time.
func (s *Session) tell() {
	if time.Since(s.flushed) >= interval {
		s.flush()
	}
}

func (s *Session) flush() {
	if len(s.pending) == 0 {
		return
	}
	steps := s.pending
	s.pending, s.flushed = nil, time.Now()
	s.host.Emit(protocol.Steps{Steps: steps}, 0)
}

func (s *Session) status() protocol.Status {
	x := protocol.Status{State: s.state}
	if s.trainer != nil {
		x.Step, x.Memory = s.trainer.Count(), s.device.Memory()
	}
	if s.state == protocol.Running {
		x.StepsPerSecond = s.meter.rate
	}
	if s.pool != nil {
		x.Cores = s.pool.Cores()
	}
	return x
}

// become changes the state and tells it, in answer to command id or unasked.
func (s *Session) become(state string, id int) {
	if state != protocol.Running {
		s.meter = meter{}
	} else if s.state != protocol.Running {
		s.next = time.Now()
	}
	s.state = state
	s.emit(s.status(), id)
}

// stopAt reaches a goal, or gives it up: its command is answered with where training stands.
func (s *Session) stopAt() int {
	id := s.goal.id
	s.goal = goal{}
	return id
}

// advance makes one training step with all that is due after it. What a command aborts is done when training goes on.
func (s *Session) advance() error {
	t := s.trainer
	if !s.due && !t.Over() {
		if err := s.step(); err != nil {
			return err
		}
		s.due = true
	}
	if err := s.settle(s.yield); err != nil {
		return err
	}
	if err := s.keep(); err != nil {
		return err
	}
	switch {
	case t.Over():
		return s.finish()
	case s.goal.set && t.Count() >= s.goal.step:
		if err := s.drain(); err != nil {
			return err
		}
		s.become(protocol.Paused, s.stopAt())
	case s.meter.count():
		s.emit(s.status(), 0)
	}
	return nil
}

// step enqueues a training step and reports the one before it.
func (s *Session) step() error {
	if s.rate > 0 {
		s.next = s.next.Add(time.Duration(float64(time.Second) / s.rate))
		if late := time.Now().Add(-time.Second); s.next.Before(late) {
			s.next = late
		}
	}
	s.trainer.Observer = nil
	if s.tuner != nil && s.rate == 0 { // steps that wait for one another say nothing of the device
		s.trainer.Observer = s.tuner
	}
	return s.report(s.trainer.Advance())
}

// keep stores the state in memory where it is time.
func (s *Session) keep() error {
	if !s.past.wants(s.trainer.Count()) {
		return nil
	}
	if err := s.drain(); err != nil {
		return err
	}
	return s.past.keep(s.trainer)
}

// drain waits for the step under way and reports it.
func (s *Session) drain() error { return s.report(s.trainer.Drain()) }

// report puts a step among those to be told. On the way to one that was asked for, those that the page knows are not.
func (s *Session) report(r train.Step, ok bool, err error) error {
	under := s.goal.set && !s.goal.counted
	if ok && (r.Step > s.shown || !under) {
		s.shown = max(s.shown, r.Step)
		s.pending = append(s.pending, r)
		s.tell()
	}
	return err
}

// settle does what is due after the step just made: validation and checkpoint. Where the page has seen it and nothing
// depends on it, it is left out.
func (s *Session) settle(yield func() error) error {
	t := s.trainer
	if !s.due || t.Over() || t.Count() < s.shown && t.Run.Training.Patience == 0 {
		s.due = false
		return nil
	}
	t.Yield = yield
	defer func() { t.Yield = nil }()
	err := t.Due(s.event, nil)
	if err == nil {
		s.due = false
	}
	return err
}

// event tells what the trainer reports.
func (s *Session) event(e train.Event) {
	switch e := e.(type) {
	case train.Step:
		_ = s.report(e, true, nil)
	case train.Evaluation:
		s.emit(evalOf(e), 0)
	case train.Warning:
		s.emit(protocol.Warning{Text: e.Text}, 0)
	}
}

func (s *Session) finish() error {
	t := s.trainer
	if err := s.drain(); err != nil {
		return err
	}
	t.Yield = s.yield
	defer func() { t.Yield = nil }()
	reason, err := t.Finish(s.event)
	if err != nil {
		return err
	}
	s.state = protocol.Ended
	s.emit(protocol.Done{Step: t.Count(), Reason: reason}, 0)
	s.become(protocol.Ended, s.stopAt())
	return nil
}

// errAborted ends an evaluation because a command does not let it go on.
var errAborted = errors.New("a newer command has ended the measurement; measure again")

// meanwhile are the commands that are carried out while an evaluation is under way; aborting are those
// that end it; all others wait for its end. What stands first in either is so for an evaluation of one kind alone.
var (
	meanwhile = []string{protocol.Start, protocol.Read, protocol.Samples, protocol.Embed, protocol.Speed}
	aborting  = []string{
		protocol.Pause, protocol.Start, protocol.Step, protocol.Seek, protocol.Reset, protocol.Open, protocol.Load,
	}
)

// yield lets commands in between the batches of an evaluation that training makes.
func (s *Session) yield() error { return s.between(meanwhile, aborting) }

// yieldAsked is yield for an evaluation that a command asked for, which a pause of the training does not end. A start
// does: who wants to train does not wait for figures.
func (s *Session) yieldAsked() error {
	for c, ok := s.take(isOneOf(protocol.Pause)); ok; c, ok = s.take(isOneOf(protocol.Pause)) {
		s.handle(c)
	}
	return s.between(meanwhile[1:], aborting[1:])
}

func (s *Session) between(meanwhile, aborting []string) error {
	s.tell()
	s.host.Pass()
	for c, ok := s.take(isOneOf(meanwhile...)); ok; c, ok = s.take(isOneOf(meanwhile...)) {
		s.handle(c)
		if s.trainer == nil {
			return errAborted
		}
	}
	ends := isOneOf(aborting...)
	if s.waits(func(c protocol.Command) bool { return s.ready(c) && ends(c) }) {
		return errAborted
	}
	return nil
}

func isOneOf(names ...string) func(protocol.Command) bool {
	return func(c protocol.Command) bool { return slices.Contains(names, c.Type) }
}

// broken ends training on an error. Where the device is of no more use everything is closed, after the newest
// state that is kept outside it was handed over.
func (s *Session) broken(err error) {
	id := s.stopAt()
	if s.lost() {
		s.fatal(err, id)
		return
	}
	s.emit(errorOf(err), id)
	s.due = false
	s.become(protocol.Paused, 0)
}

// lost reports whether the device can compute no more.
func (s *Session) lost() bool { return s.trainer != nil && s.device.Sync() != nil }

func (s *Session) fatal(err error, id int) {
	if newest, ok := s.past.newest(); ok {
		if saved, failed := savedOf(s.trainer, newest); failed == nil {
			s.emit(saved, 0)
		}
	}
	e := errorOf(err)
	e.Fatal = true
	s.drop()
	s.emit(e, id)
	s.become(protocol.Idle, 0)
}

func (s *Session) drop() {
	if s.pool != nil {
		s.pool.Close()
	}
	if s.tuner != nil {
		s.tuner.Close()
	}
	if s.trainer != nil {
		s.device.Close()
	}
	s.device, s.trainer, s.tuner, s.net, s.pool, s.past = Device{}, nil, nil, nil, nil, past{}
	s.due, s.state, s.goal, s.meter = false, protocol.Idle, goal{}, meter{}
}

// meter counts steps a second.
type meter struct {
	begin time.Time
	steps int
	rate  float64
}

// count takes a step in, and reports whether another second is over.
func (m *meter) count() bool {
	if m.begin.IsZero() {
		m.begin = time.Now()
		return false
	}
	m.steps++
	over := time.Since(m.begin).Seconds()
	if over < 1 {
		return false
	}
	m.rate, m.steps, m.begin = float64(m.steps)/over, 0, time.Now()
	return true
}
