//go:build desktop && !js

package view

import (
	"testing"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/native/window"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// TestViewerFamilies: the window shows every family of the zoo on every task, those whose units have no phase too.
func TestViewerFamilies(t *testing.T) {
	for _, name := range tasks.Names() {
		for _, p := range zoo.Presets() {
			t.Run(name+"/"+p.Name, func(t *testing.T) {
				run := assert.Must(train.Default(name))(t)
				task := assert.Must(tasks.New(name, tasks.Options{}))(t)
				run.Config = p.New()
				run.Config.Fit(task.Vocabulary().Size(), task.Classes())
				sequencetest.Small(t, run.Config, sequencetest.Keys{"width": 12})
				sequencetest.Usable(t, run.Config)
				net := assert.Must(run.Config.Open(cpu.New()))(t)
				net.Initialise(4)
				screen := window.NewScreen(nil, window.Options{})
				v := newViewer(run, task, net, "")
				v.win = assert.Must(window.New(screen, "", nil))(t)
				v.read()
				assert.Need(t, v.reading != nil, "nothing was read")
				assert.NoError(t, screen.SetReading(*v.reading))
				assert.Is(t, screen.View.Where().At, len(v.reading.Tokens)-1, "the window stands at token")
			})
		}
	}
}
