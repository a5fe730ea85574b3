package pool

import (
	"slices"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/sequence"
)

// Link is the way to one helper.
type Link interface {
	// Send hands a task over and returns at once; it keeps nothing of the message.
	Send(Message)
	Close()
}

// Reply is what comes back from a helper: first a word that it is there, a message without numbers, then an answer to
// each task. The message stays as it is until the helper is sent another task.
type Reply struct {
	From int // number of the helper
	Message
	Gone bool // it will never answer again
}

// Host is what a Pool needs of its surroundings.
type Host struct {
	// Recruit starts helper number i, counted from 0, which replies by the channel; nil where that cannot be.
	Recruit func(i int, replies chan<- Reply) Link
	Pass    func() // gives whoever delivers replies the chance to
}

// What a Pool decides by the clock. The numbers that it computes do not depend on it.
const (
	worth  = 4 * time.Millisecond  // a shorter step is not spread: messages take a part of a millisecond
	grace  = 10 * time.Millisecond // that helpers are waited for, in addition to as long as its own share took
	known  = 3                     // steps before helpers are called: then one's speed is known, and training meant
	newest = 0.3                   // weight of the last step in a speed
	trust  = 0.02                  // of what a slow helper lacks in speed, it is lent so much each step
)

// Pool computes the gradients of a network's batches by parts, itself and with the help of others.
type Pool struct {
	host    Host
	cores   int
	hands   hands
	speed   speed // the main Worker's
	helpers []*helper
	replies chan Reply
	late    chan struct{} // it is time to look whether somebody is late
	// clock is the time since the pool began. A time.Time in the pool would bring all that package time can read and
	// write into the program.
	clock func() time.Duration

	known int           // as above; tests have none
	worth time.Duration // likewise

	steps   int         // made
	busy    int         // who worked at the last one
	partial partialSums // what is there of it
	instead partialSums
	hits    []float32
	message Message
	params  []float32
	results backend.Buffer
}

// replies is how many of one helper may wait: that it is there, an answer, and in several ways that it is gone.
const replies = 5

type helper struct {
	link  Link
	state state
	speed speed
	reply Message // to its last task; Ints is nil until it is there

	// Of the task that it has:
	span  span
	cost  float64
	asked time.Duration // by the pool's clock
}

type state int

const (
	starting state = iota
	idle
	working // perhaps on a task of an earlier step
	gone
)

// New is a pool of that many cores at most, the main Worker's among them, for a network on the processor. Nobody is
// called before training shows that it is worth it.
func New(n Network, cores int, host Host) *Pool {
	begin := time.Now()
	return &Pool{
		clock: func() time.Duration { return time.Since(begin) }, host: host, cores: cores, hands: hands{net: n},
		busy: 1, known: known, worth: worth, replies: make(chan Reply, replies*cores), late: make(chan struct{}, 1),
	}
}

// Cores is how many computed the last step.
func (c *Pool) Cores() int { return c.busy }

// Starting reports whether helpers may still join.
func (c *Pool) Starting() bool {
	return c.steps <= c.known || slices.ContainsFunc(c.helpers, func(h *helper) bool { return h.state == starting })
}

// Close ends the helpers.
func (c *Pool) Close() {
	for _, h := range c.helpers {
		if h.link != nil { // none where the browser gave no helper
			h.link.Close()
		}
	}
	c.helpers = nil
}

// Gradients computes what the network's Gradients does, by parts, into the cleared gradients of its parameters. Loss
// and hits are returned as the network's Results would have them.
func (c *Pool) Gradients(b *sequence.Batch) backend.Vec {
	c.steps++
	c.busy = 1
	parts := Parts(len(b.Prompts))
	if parts == 1 {
		c.hands.net.Gradients(b)
		return c.hands.net.Results()
	}
	begin, whole := c.clock(), b.Part(0, len(b.Prompts))
	list := costs(&whole, parts)
	own, team := c.deal(list)
	c.ask(team, &whole)
	c.partial.clear()
	c.hits = c.hits[:0]
	for i := own.from; i < own.to; i++ {
		c.hits = append(c.hits, c.compute(&whole, own.one(i), &c.partial)...)
	}
	c.speed.took(c.clock()-begin, total(list[own.from:own.to]))
	until := 2*c.clock() - begin + grace // as long again as this took
	for _, h := range team {
		if c.wait(h, until); !h.answered() {
			c.stand(h, &whole)
		}
		if h.answered() {
			c.hits = append(c.hits, readAnswer(h.reply, c.hands.size(), c.partial.add)...)
			c.busy++
		}
	}
	return c.finish()
}

// deal gives parts to oneself and to helpers who have nothing to do.
func (c *Pool) deal(costs []float64) (own span, team []*helper) {
	c.listen()
	own = span{0, len(costs), len(costs)}
	if c.steps <= c.known || total(costs)/float64(c.speed) < c.worth.Seconds() {
		return own, nil
	}
	for len(c.helpers) < min(c.cores, len(costs))-1 {
		h := &helper{state: gone}
		if h.link = c.host.Recruit(len(c.helpers), c.replies); h.link != nil {
			h.state = starting
		}
		c.helpers = append(c.helpers, h)
	}
	speeds := []float64{float64(c.speed)}
	for _, h := range c.helpers {
		if h.state != idle {
			continue
		}
		if h.speed == 0 {
			h.speed = c.speed
		}
		h.speed += trust * max(0, c.speed-h.speed)
		team, speeds = append(team, h), append(speeds, float64(h.speed))
	}
	spans := share(costs, speeds)
	some := team[:0]
	for i, h := range team {
		if h.span = spans[i+1]; h.span.from < h.span.to {
			h.cost = total(costs[h.span.from:h.span.to])
			some = append(some, h)
		}
	}
	return spans[0], some
}

func (c *Pool) ask(team []*helper, whole *sequence.Batch) {
	if len(team) == 0 {
		return
	}
	values := c.hands.net.Params().Values()
	c.params = slices.Grow(c.params[:0], values.Len+extra)[:values.Len+extra]
	_ = c.hands.net.Backend().Download(c.params[:values.Len], values)
	for _, h := range team {
		task{h.span, *whole}.write(&c.message, c.params)
		h.state, h.reply, h.asked = working, Message{}, c.clock()
		h.link.Send(c.message)
	}
}

// compute adds one part to p and returns its hits.
func (c *Pool) compute(whole *sequence.Batch, part span, p *partialSums) []float32 {
	b := whole.Part(part.samples(len(whole.Prompts)))
	return c.hands.part(&b, part.from, p)
}

// wait returns when a helper has answered, is gone, or is late.
func (c *Pool) wait(h *helper, until time.Duration) {
	c.listen()
	// AfterFunc, because a timer's channel links all that package time can read and write into the program.
	timer := time.AfterFunc(max(0, until-c.clock()), func() {
		select {
		case c.late <- struct{}{}:
		default:
		}
	})
	defer timer.Stop()
	for h.state == working && !h.answered() {
		select {
		case r := <-c.replies:
			c.take(r)
		case <-c.late:
			if c.clock() >= until {
				return
			}
		}
	}
}

func (c *Pool) listen() {
	for {
		select {
		case r := <-c.replies:
			c.take(r)
		default:
			return
		}
	}
}

func (c *Pool) take(r Reply) {
	h := c.helpers[r.From]
	switch {
	case r.Gone || h.state == working && len(r.Ints) == 0:
		h.state = gone
		h.link.Close()
	case h.state == working:
		h.speed.took(c.clock()-h.asked, h.cost)
		h.state, h.reply = idle, r.Message
	case h.state == starting:
		h.state = idle
	}
}

func (h *helper) answered() bool { return h.reply.Ints != nil }

// stand computes a helper's parts in its place, until it answers after all.
func (c *Pool) stand(h *helper, whole *sequence.Batch) {
	c.instead.clear()
	before := len(c.hits)
	for i := h.span.from; i < h.span.to; i++ {
		c.host.Pass()
		if c.listen(); h.answered() {
			c.hits = c.hits[:before]
			return
		}
		c.hits = append(c.hits, c.compute(whole, h.span.one(i), &c.instead)...)
	}
	for _, s := range c.instead.sums {
		c.partial.add(s.at, s.size, s.flat)
	}
}

// finish puts the sum of all parts where the optimizer reads it.
func (c *Pool) finish() backend.Vec {
	device, grads := c.hands.net.Backend(), c.hands.net.Params().Grads()
	sum := c.partial.sums[0].flat
	device.Upload(grads, sum[:grads.Len])
	n := sequence.ResultHits + len(c.hits)
	if c.results == nil || c.results.Len() < n {
		c.results = device.Floats(n + n/4)
	}
	results := backend.All(c.results).Slice(0, n)
	device.Upload(results.Slice(sequence.ResultLoss, 1), sum[grads.Len:])
	device.Upload(results.Slice(sequence.ResultHits, len(c.hits)), c.hits)
	return results
}
