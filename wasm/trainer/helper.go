//go:build js

package main

import (
	"encoding/json"
	"syscall/js"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/cpu/vec"
	"mhacsp/model/sequence"
	"mhacsp/model/zoo"
	"mhacsp/wasm/pool"
)

// link is a helper as the trainer sees it: a Worker with the same program.
type link struct {
	wire      // far is the Worker
	listeners map[string]js.Func
}

// most bounds how many cores are taken unasked.
const most = 8

// coresOf are those that a pool takes. Unasked it takes every core, but for one that a machine with more than three
// leaves to the page.
func coresOf(cores int) int {
	if cores == 0 {
		cores = 1
		if n := js.Global().Get("navigator").Get("hardwareConcurrency"); n.Truthy() {
			cores = n.Int()
		}
		if cores > 3 {
			cores = min(cores-1, most)
		}
	}
	return cores
}

// team makes a pool for a network.
func (p *port) team(n sequence.Network, cores int) *pool.Pool {
	cores = coresOf(cores)
	recruit := js.Global().Get("recruit")
	return pool.New(n, cores, pool.Host{Pass: p.pass, Recruit: func(i int, replies chan<- pool.Reply) pool.Link {
		config, err := json.Marshal(n.Config())
		if err != nil {
			return nil
		}
		worker := recruit.Invoke(n.Config().Name(), string(config), vec.Fused())
		if !worker.Truthy() {
			return nil
		}
		l := &link{wire: wire{far: worker}, listeners: map[string]js.Func{}}
		// A helper posts an empty message when it is there, answers, and what the script says at its end.
		l.on("onmessage", func(event js.Value) {
			data := event.Get("data")
			replies <- pool.Reply{From: i, Message: l.receive(data), Gone: data.Get("type").Truthy()}
		})
		l.on("onerror", func(js.Value) { replies <- pool.Reply{From: i, Gone: true} })
		return l
	}})
}

func (l *link) on(event string, do func(js.Value)) {
	f := js.FuncOf(func(_ js.Value, args []js.Value) any {
		do(args[0])
		return nil
	})
	l.listeners[event] = f
	l.far.Set(event, f)
}

// Send implements pool.Link.
func (l *link) Send(m pool.Message) { l.send(m) }

// Close implements pool.Link. What the helper had posted may be delivered after this: nobody listens then.
func (l *link) Close() {
	l.far.Call("terminate")
	for event, f := range l.listeners {
		l.far.Set(event, js.Null())
		f.Release()
	}
	l.listeners = nil
}

// help is the program in a helper's Worker: it answers tasks until the Worker is ended. The network is that
// of the first message.
func help(self js.Value) {
	first := self.Get("early").Index(0)
	vec.Fuse(first.Get("fused").Bool()) // as its trainer
	config, err := zoo.Preset(first.Get("preset").String())
	if err == nil {
		err = json.Unmarshal([]byte(first.Get("config").String()), config)
	}
	if err != nil {
		panic(err) // the same program wrote it
	}
	net, err := config.Open(cpu.New())
	if err != nil {
		panic(err)
	}
	tasks := make(chan pool.Message, 1) // the next one comes after the answer
	w, h, answer := wire{far: self}, pool.NewHelper(net), pool.Message{}
	self.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		tasks <- w.receive(args[0].Get("data"))
		return nil
	}))
	self.Call("postMessage", map[string]any{})
	for {
		h.Do(<-tasks, &answer)
		w.send(answer)
	}
}
