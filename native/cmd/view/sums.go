//go:build desktop && !js

package view

import (
	"fmt"

	"mhacsp/model/probe"
	"mhacsp/native/window"
	"mhacsp/site/circle"
)

// sums are what the window was told, or waits for: the phases of its network's units after every sum of two digits.
type sums struct {
	asked bool
	step  int // of the network that was asked about
}

// Sums implements window.Host. The network is asked by its owner; the sums are read from the reader's copy meanwhile.
func (v *viewer) Sums() {
	v.do(func() {
		v.sums = sums{true, v.step}
		if err := v.clocks.find(v); err != nil {
			v.tell(&window.Sums{None: err.Error()})
			return
		}
		reader, samples, step := v.clocks.reader, v.clocks.set.Size(), v.step
		go func() {
			x := v.allSums(reader, samples)
			v.do(func() {
				if v.sums == (sums{true, step}) {
					v.tell(x)
				}
			})
		}()
	})
}

// forget tells the window that the network is another than the one whose sums it has or waits for.
func (v *viewer) forget() {
	if v.sums.asked && v.sums.step != v.step {
		v.sums.asked = false
		v.tell(nil)
	}
}

func (v *viewer) tell(x *window.Sums) { v.win.Do(func(s *window.Screen) { s.SetSums(x) }) }

// allSums reads every sum of two digits. It changes nothing of the viewer's, so any goroutine may call it.
func (v *viewer) allSums(reader *probe.Reader, samples int) *window.Sums {
	found, err := reader.AllSums(v.tokens, probe.Change{})
	if err != nil {
		return &window.Sums{None: err.Error()}
	}
	x := &window.Sums{Values: found.Values}
	for u, phases := range found.Phases {
		unit := aboutUnit(reader, samples, u)
		unit.Phases = phases
		x.Units = append(x.Units, unit)
	}
	return x
}

// aboutUnit says what +1 does to a unit where it is a clock or a half-turn clock, and how exactly it follows the
// value on that many texts.
func aboutUnit(reader *probe.Reader, samples, u int) window.Unit {
	m := reader.Measured
	says := func(r, chance float64) string {
		return fmt.Sprintf("R %.2f, chance %.2f, on %d texts", r, chance, samples)
	}
	turns := func(k int) string { return circle.Turns(k, m.Modulus) }
	for _, h := range reader.Lines {
		if h.Unit == u {
			return window.Unit{Name: "twice its phase " + turns(h.K), Says: says(h.R, h.Chance)}
		}
	}
	h := m.Units[u]
	if h.IsClock() {
		return window.Unit{Name: turns(h.K), Says: says(h.R, m.Chance())}
	}
	return window.Unit{Name: "no clock", Says: says(h.R, m.Chance()) + "; at best " + turns(h.K)}
}
