// Package hands is what the page's view of the clocks asks of a model, behind messages, without a line of JavaScript:
// it is tested natively. All figures are package probe's.
//
// Every message is one object with a "type", and an "id" that its reply carries too:
//
//	open   checkpoint, samples?   opened   find the clocks of a model, whose file travels as an ArrayBuffer
//	read   text, cut?, turns?     dials    read a text, with units cut and turned by hand
//	sums   cut?                   sums     every sum of two digits: the phase of each unit
//	table                         table    the same: the answers, and where the clocks point
//
// A reply of the type error has a text, and at, the character of the typed text that is to blame, or −1.
package hands

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mhacsp/model/ask"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/checkpoint"
	"mhacsp/model/probe"
	"mhacsp/model/trace"
	"mhacsp/model/train"
	"mhacsp/tasks"
)

// Samples are how many texts the clocks are looked for on where the page does not say; fewer are measured faster.
const Samples = 200

// Command is a message of the page.
type Command struct {
	Type    string       `json:"type"`
	ID      int          `json:"id"`
	Samples int          `json:"samples"`
	Text    string       `json:"text"`
	Cut     []int        `json:"cut"`
	Turns   []probe.Turn `json:"turns"`

	Checkpoint []byte `json:"-"`
}

// Opened says which clocks a model has, and which half-turn clocks.
type Opened struct {
	Task    string `json:"task"`
	Modulus int    `json:"modulus"`
	// Quantity is what the values are that hands follow, of probe.Quantity.
	Quantity string       `json:"quantity"`
	Units    int          `json:"units"`
	Clocks   []probe.Hand `json:"clocks"`
	// HalfTurns keep the value with their line; their hands stand behind the clocks'.
	HalfTurns []probe.HalfTurn `json:"half_turns"`

	Best    []probe.Hand  `json:"best"` // for each frequency the unit of the greatest R, clock or not
	Chance  float64       `json:"chance"`
	Samples int           `json:"samples"`
	Places  []probe.Place `json:"places"`
	Seconds float64       `json:"seconds"` // that the search took
}

// Read is a text with what the clocks did.
type Read struct {
	Text     string   `json:"text"` // as the model reads it
	Tokens   []string `json:"tokens"`
	Expected string   `json:"expected"`
	*probe.Dials
}

// Mistake is what was wrong.
type Mistake struct {
	Text string `json:"text"`
	At   int    `json:"at"`
}

// Hands is a model that is open. It is not safe for concurrent use.
type Hands struct {
	run    train.Run
	task   tasks.Task
	reader *probe.Reader
}

// Do answers a command.
func (h *Hands) Do(c Command) (kind string, reply any) {
	kind = map[string]string{"open": "opened", "read": "dials", "sums": "sums", "table": "table"}[c.Type]
	var err error
	switch {
	case kind == "":
		err = fmt.Errorf("message type %q is not known: send open, read, sums or table", c.Type)
	case c.Type == "open":
		reply, err = h.open(c)
	case h.reader == nil:
		err = errors.New("no model is open; open one first")
	case c.Type == "read":
		reply, err = h.read(c)
	case c.Type == "sums":
		reply, err = h.reader.AllSums(h.tokens, probe.Change{Cut: c.Cut})
	default:
		reply, err = h.reader.Table(h.tokens)
	}
	if err == nil {
		return kind, reply
	}
	m := Mistake{Text: err.Error(), At: -1}
	if at, ok := errors.AsType[*tasks.ParseError](err); ok {
		m.At = at.Offset
	}
	return "error", m
}

func (h *Hands) open(c Command) (*Opened, error) {
	begin := time.Now()
	f, err := checkpoint.Decode(bytes.NewReader(c.Checkpoint), int64(len(c.Checkpoint)))
	if err != nil {
		return nil, fmt.Errorf("checkpoint: the file %w", err)
	}
	n, text, err := train.OpenModel(f, cpu.New())
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	run, task, err := train.Resolve(text)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if err := probe.Refuse(n.Config()); err != nil {
		return nil, err
	}
	set, err := probe.Draw(task, tasks.Draw{Seed: run.Training.Seed, IID: run.Training.Split == "iid"},
		cmp.Or(c.Samples, Samples))
	if err != nil {
		return nil, err
	}
	reader, err := set.NewReader(n)
	if err != nil {
		return nil, err
	}
	h.run, h.task, h.reader = run, task, reader
	m := reader.Measured
	return &Opened{
		Task: task.Name(), Modulus: m.Modulus, Quantity: probe.Quantity(task), Units: len(m.Units),
		Clocks: reader.Clocks, HalfTurns: reader.Lines, Best: m.Best(),
		Chance: m.Chance(), Samples: set.Size(), Places: m.Places, Seconds: time.Since(begin).Seconds(),
	}, nil
}

func (h *Hands) question(text string) (ask.Question, error) {
	q, err := ask.Parse(h.task, h.run.Training.Format, text)
	if err == nil {
		err = trace.Fits(h.run.Config.Traits(), q)
	}
	return q, err
}

func (h *Hands) read(c Command) (*Read, error) {
	q, err := h.question(c.Text)
	if err != nil {
		return nil, err
	}
	d, err := h.reader.Read(q.Tokens, probe.Change{Cut: c.Cut, Turns: c.Turns})
	if err != nil {
		return nil, err
	}
	r := &Read{Text: q.Prompt, Expected: q.Expected, Dials: d}
	for _, id := range q.Tokens {
		r.Tokens = append(r.Tokens, h.task.Vocabulary().Token(id))
	}
	return r, nil
}

func (h *Hands) tokens(text string) ([]int32, error) {
	q, err := h.question(text)
	return q.Tokens, err
}

// Encode writes a reply as JSON with its type and the id of the command.
func Encode(kind string, id int, reply any) ([]byte, error) {
	body, err := json.Marshal(reply)
	if err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, `{"type":%q,"id":%d,`, kind, id), body[1:]...), nil
}
