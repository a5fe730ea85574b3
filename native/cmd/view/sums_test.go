//go:build desktop && !js

package view

import (
	"math"
	"strings"
	"testing"
	"time"

	"mhacsp/model/trace"
	"mhacsp/native/hardware"
	"mhacsp/native/runs"
	"mhacsp/native/window"
	"mhacsp/site/circle"
	"mhacsp/tasks/assert"
)

// openViewer shows what a finished model of the page makes of a text, in a window that is not open.
func openViewer(t *testing.T, name, text string) *viewer {
	t.Helper()
	l := assert.Must(runs.Load("../../../site/demo/"+name+".safetensors", "", hardware.Flags{Backend: "cpu"}))(t)
	t.Cleanup(l.Device.Close)
	v := newViewer(l.Run, l.Task, l.Net, text)
	v.curves = &curves{}
	v.win = assert.Must(window.New(window.NewScreen(v, window.Options{}), "", nil))(t)
	return v
}

// TestViewerSums: the phases that the window shows of a unit are the network's own after each sum; its words tell a
// clock, a half-turn clock and any other unit apart, with chance; a task without such sums says so.
func TestViewerSums(t *testing.T) {
	for name, words := range map[string]string{"clocks": "", "arithmetic": "twice its phase "} {
		v := openViewer(t, name, "")
		assert.NoError(t, v.clocks.find(v))
		x := v.allSums(v.clocks.reader, v.clocks.set.Size())
		assert.Need(t, x.None == "" && len(x.Values) == 81 && len(x.Units) == v.run.Config.Traits().Units,
			"%s: %q, %d values, %d units", name, x.None, len(x.Values), len(x.Units))
		for text, at := range map[string]int{"0 + 0": 0, "4 + 7": 4*9 + 7, "8 + 8": 80} {
			q := assert.Must(v.parse(text))(t)
			reading := circle.Reading(*assert.Must(trace.Read(v.net, v.task, v.run.Training.Format, q))(t))
			behind := 6 // <SOS> and the five characters of the sum: the token after its second operand
			assert.Is(t, x.Values[at], (int(text[0]-'0')+int(text[4]-'0'))%9, "%s: %s has the value", name, text)
			for u := range x.Units {
				phase, ok := reading.Phase(behind, u)
				d := math.Remainder(phase-x.Units[u].Phases[at], 2*math.Pi)
				assert.True(t, ok && math.Abs(d) <= 1e-3,
					"%s, %s, unit %d: phase %v, the network's is %v", name, text, u, x.Units[u].Phases[at], phase)
			}
		}
		named := 0
		for _, u := range x.Units {
			assert.True(t, strings.Contains(u.Says, ", chance 0.") && strings.Contains(u.Says, "on 200 texts"),
				"%s: unit %s: %s", name, u.Name, u.Says)
			if !strings.Contains(u.Name, "no clock") {
				named++
				assert.True(t, strings.HasPrefix(u.Name, words+"+1: "), "%s: a clock is named %q", name, u.Name)
			}
		}
		assert.Is(t, named, map[string]int{"clocks": 4, "arithmetic": 3}[name], "%s: units are named as clocks", name)
	}
	v := openViewer(t, "parity", "")
	assert.NoError(t, v.clocks.find(v))
	assert.Says(t, v.allSums(v.clocks.reader, 1).None, `task is "parity", which has no sums`)
}

// TestViewerSumsAsked: a unit that is pointed at is told of once its phases are there; of another model they are asked
// for again, and what still comes of the one before is dropped.
func TestViewerSumsAsked(t *testing.T) {
	v := openViewer(t, "clocks", "")
	screen := window.NewScreen(v, window.Options{})
	screen.SetSize(1280, 800)
	v.look()
	v.win.RunTasks(screen)
	for x := 0.0; x < 1280 && screen.About() == ""; x += 4 {
		for y := 0.0; y < 800 && screen.About() == ""; y += 4 {
			screen.PointerOver(circle.Point{X: x, Y: y})
		}
	}
	const waits = "computing its phase"
	says := func(want string) {
		t.Helper()
		v.win.RunTasks(screen)
		assert.Need(t, strings.Contains(screen.About(), want), "it says %q, want %q", screen.About(), want)
	}
	come := func() { // the sums, from another goroutine
		t.Helper()
		for end := time.After(soon); !v.waiting(); {
			select {
			case <-v.wake:
			case <-end:
				t.Fatal("the sums do not come")
			}
		}
		v.answer()
	}
	says(waits)
	for range 2 {
		screen.Update(0.1) // asks
		v.answer()
		says(waits)
		come()
		says(", chance 0.")
		v.step++
		v.publish()
		says(waits)
	}
	screen.Update(0.1)
	v.answer()
	v.step++
	v.publish()
	come()
	says(waits)
}
