package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"mhacsp/model/ask"
	"mhacsp/model/metric"
	"mhacsp/model/train"
	"mhacsp/tasks"
	"mhacsp/tasks/own"
	"mhacsp/wasm/protocol"
)

// handle carries out one command and answers it.
func (s *Session) handle(c protocol.Command) {
	if s.trainer != nil {
		if err := s.drain(); err != nil && s.state == protocol.Running {
			s.broken(err) // the command then meets what is left
		}
	}
	e, err := s.carryOut(c)
	switch {
	case err != nil && s.lost():
		s.fatal(err, c.ID)
	case err != nil:
		s.emit(errorOf(err), c.ID)
	case e != nil:
		s.emit(e, c.ID)
	}
}

// carryOut returns a command's answer, or nothing where the answer came or comes by another way.
func (s *Session) carryOut(c protocol.Command) (protocol.Event, error) {
	switch c.Type {
	case protocol.Open, protocol.Load:
		s.giveUp()
		if err := s.open(c); err != nil {
			return nil, err
		}
		opened, err := s.opened()
		if err != nil {
			return nil, err
		}
		s.emit(opened, c.ID)
		for _, err := range s.trainer.Warnings() {
			s.emit(protocol.Warning{Text: err.Error()}, 0)
		}
		return nil, nil
	case protocol.Bench:
		return s.bench(c)
	case protocol.Speed:
		s.rate = c.StepsPerSecond
		return s.status(), nil
	}
	if s.trainer == nil {
		return nil, fmt.Errorf("command %q came while nothing is open; send open first", c.Type)
	}
	if err := s.fileless(c.Type); err != nil {
		return nil, err
	}
	switch c.Type {
	case protocol.Save:
		return s.save(c.Full)
	case protocol.Evaluate:
		role, err := tasks.ParseRole(c.Role)
		if err != nil {
			return nil, err
		}
		s.trainer.Yield = s.yieldAsked
		e, err := s.trainer.Evaluate(role, c.N)
		if s.trainer == nil {
			return nil, errAborted
		}
		s.trainer.Yield = nil
		return evalOf(e), err
	case protocol.Lengths:
		return s.lengths(c.N)
	case protocol.Read:
		return s.read(c.Text)
	case protocol.Samples:
		return s.samples(c.N)
	case protocol.Embed:
		return s.embedding()
	}
	return s.drive(c)
}

// drive carries out what moves training: start, pause, step, seek and reset.
func (s *Session) drive(c protocol.Command) (protocol.Event, error) {
	s.giveUp()
	switch c.Type {
	case protocol.Start:
		if s.state != protocol.Running && s.state != protocol.Ended {
			s.become(protocol.Running, c.ID)
			return nil, nil
		}
	case protocol.Pause:
		if s.state == protocol.Running {
			s.become(protocol.Paused, c.ID)
			return nil, nil
		}
	case protocol.Step:
		if s.state != protocol.Ended {
			s.goal = goal{step: s.trainer.Count() + c.Count, id: c.ID, set: true, counted: true}
			s.state = protocol.Running
			return nil, nil
		}
	case protocol.Seek:
		return nil, s.seek(c)
	case protocol.Reset:
		s.trainer.Reset() // to the start values of the seed
		s.past = newPast(snapshot{}, s.net.Params().Count())
		s.shown, s.due, s.pending, s.state = 0, false, nil, protocol.Paused
		return s.opened()
	}
	return s.status(), nil
}

// giveUp answers a command whose goal another command takes away.
func (s *Session) giveUp() {
	if s.goal.set {
		s.become(protocol.Paused, s.stopAt())
	}
}

// errorOf is the message that an error is worth, in words of the page.
func errorOf(err error) *protocol.Error {
	e := protocol.Refused(err)
	e.Aborted = errors.Is(err, errAborted)
	if bad := new(own.Error); errors.As(err, &bad) {
		if e.Field, e.Columns = "train", bad.Fields; bad.File != "" {
			e.Text = fmt.Sprintf("%s, line %d, column %d: %s", bad.File, bad.Line, bad.Column, bad.Text)
		}
		e.Text += [...]string{
			own.NameFields:     "; choose others beneath the button for your file",
			own.AddToken:       "; give training data that has it too",
			own.TakeCharacters: "; choose characters for tokens",
			own.ChooseGroup:    "; choose another beneath the button for your file, or none",
		}[bad.Remedy]
	}
	if parse, ok := errors.AsType[*tasks.ParseError](err); ok {
		e.At, e.Expected, e.Field = parse.Offset, parse.Expected, "text"
	}
	if numbers, ok := errors.AsType[*train.NotFiniteError](err); ok && numbers.Cause == train.States {
		e.Field = "state_clip"
	}
	return e
}

func (s *Session) parse(text string) (ask.Question, error) {
	t := s.trainer
	if n := utf8.RuneCountInString(text); n > maxText {
		return ask.Question{}, &protocol.Error{
			Text:  fmt.Sprintf("the text has %d characters, at most %d are possible; shorten it", n, maxText),
			Field: "text", At: maxText,
		}
	}
	if o := ownOf(t.Run); o != nil {
		ids, err := o.Prompt(text)
		if err != nil {
			return ask.Question{}, err
		}
		return ask.Question{Prompt: o.Text(ids), Tokens: ids}, nil // what is right nobody knows
	}
	return ask.Parse(t.Task, t.Run.Training.Format, text)
}

// maxText bounds what is read at once: matrices grow with its square.
const maxText = 2048

// evalOf is an evaluation as the page has it.
func evalOf(e train.Evaluation) protocol.Eval {
	r := e.Report
	out := protocol.Eval{
		Step: e.Step, Role: e.Role, Loss: r.Loss, Tally: tally(r.Tally), Common: r.Majority,
		ByOperands: []protocol.OperandGroup{}, ByDepth: []protocol.DepthGroup{}, ByLength: []protocol.LengthGroup{},
	}
	for _, k := range metric.Keys(r.ByOperands) {
		out.ByOperands = append(out.ByOperands, protocol.OperandGroup{Operands: k, Tally: tally(r.ByOperands[k])})
	}
	for _, k := range metric.Keys(r.ByDepth) {
		out.ByDepth = append(out.ByDepth, protocol.DepthGroup{Depth: k, Tally: tally(r.ByDepth[k])})
	}
	for _, k := range metric.Keys(r.ByLength) {
		out.ByLength = append(out.ByLength, protocol.LengthGroup{Length: k, Tally: tally(r.ByLength[k])})
	}
	for _, c := range r.Classes() {
		out.ByClass = append(out.ByClass, protocol.Class{
			Label: c.Name, Count: c.Count, Given: c.Given, Right: c.Right, As: c.As,
		})
	}
	for _, field := range slices.Sorted(maps.Keys(r.ByGroup)) {
		for _, value := range slices.Sorted(maps.Keys(r.ByGroup[field])) {
			out.ByGroup = append(out.ByGroup, protocol.FieldGroup{
				Group: field + "=" + value, Tally: tally(r.ByGroup[field][value]),
			})
		}
	}
	return out
}

func tally(t metric.Tally) protocol.Tally {
	return protocol.Tally{Samples: t.Count, Exact: t.ExactRate(), Answer: t.AnswerRate()}
}
