package circle

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"mhacsp/tasks/assert"
)

func TestPlay(t *testing.T) {
	v := NewView()
	var told []Position
	v.Position = func(p Position) { told = append(told, p) }
	v.Play()
	v.Update(1)
	assert.Need(t, !v.player.playing && len(told) == 0, "an empty view plays")
	assert.NoError(t, v.SetReading(sample(sum, 12, 6, 2, 9)))
	v.Update(0)
	got := told[len(told)-1]
	assert.Need(t, got.At == len(sum)-1 && !got.Playing, "a new reading does not rest at its last token: %+v", got)
	assert.NoError(t, v.SetSpeed(4))
	v.Play()
	seconds := 0.0
	for ; v.player.playing && seconds < 60; seconds += 1.0 / 60 {
		v.Update(1.0 / 60)
	}
	beats := 0. // at 4 a second, then the last motion
	for _, x := range v.player.beats[:len(sum)-1] {
		beats += x
	}
	want := beats/4 + v.player.motion()
	assert.True(t, math.Abs(seconds-want) <= 0.1, "%.1f beats, 4 a second: %.2f s, want %.2f", beats, seconds, want)
	next := 0
	for _, p := range told {
		if p.Playing && p.At == next {
			next++
		}
	}
	assert.Is(t, next, len(sum), "positions told while playing reach token")
	last := told[len(told)-1]
	assert.True(t, !last.Playing && last.At == len(sum)-1, "the end was told as %+v", last)
	assert.True(t, !v.NeedsTime() || v.NeedsDraw(), "after the end the view asks for time")
}

func TestSpeedKeepsTime(t *testing.T) {
	for _, speed := range []float64{0.5, 2, 7, 60} {
		for _, frame := range []float64{1.0 / 240, 1.0 / 60, 0.2} {
			p := newPlayer()
			p.load(slices.Repeat([]float64{1}, 2000))
			p.jump(0)
			p.setSpeed(speed)
			p.play()
			for s := 0.0; s < 20; s += frame {
				p.advance(frame)
			}
			got := float64(p.at)
			assert.True(t, math.Abs(got-20*speed) <= 1+2*frame*speed,
				"at %v tokens/s and %v s a frame: %v tokens in 20 s", speed, frame, got)
		}
	}
}

// TestBeats: spaces go with what stands before them, and the end of a sum is one beat; together they take the time.
func TestBeats(t *testing.T) {
	got := beats([]string{"<SOS>", "4", " ", "-", " ", "(", "3", ")", " ", "mod", " ", "9", " ", "=", " "})
	want := []float64{1, 0.5, 0.5, 0.5, 0.5, 1, 1, 0.5, 0.5}
	assert.True(t, slices.Equal(got[:9], want) && got[9] == 1./6 && got[14] == 1./6, "the beats are %v", got)
	p := newPlayer()
	p.load(got)
	p.play()
	for seconds := 0.; p.playing; seconds += 0.05 {
		p.advance(0.05)
		assert.Need(t, seconds <= 6.5/UsualSpeed+1, "after %.2f s it stands at token %d", seconds, p.at)
	}
}

func TestTimeBeforePlayDoesNotCount(t *testing.T) {
	p := newPlayer()
	p.load(slices.Repeat([]float64{1}, 20))
	p.setSpeed(60)
	p.play()
	p.advance(longestFrame)
	assert.Is(t, p.at, 0, "the frame in which play began read on to token")
	p.advance(longestFrame)
	assert.True(t, p.at != 0, "the frame after it read nothing")
}

func TestStepAndSeek(t *testing.T) {
	v := NewView()
	assert.NoError(t, v.SetReading(sample(sum, 12, 6, 2, 9)))
	place := func() string { return fmt.Sprint(v.player.place()) }
	v.Seek(5)
	assert.Is(t, place(), "5 5 1", "a far seek moves: from, to, share")
	v.Step(1)
	assert.Is(t, place(), "5 6 0", "a step starts: from, to, share")
	v.Update(longestMotion)
	assert.True(t, v.Resting(), "a step's motion does not end")
	v.Step(-100)
	v.Step(-1)
	assert.Is(t, v.player.at, 0, "stepping back from the start leads to")
	v.Seek(1000)
	assert.Is(t, v.player.at, len(sum)-1, "seeking beyond the end leads to")
	v.SetReducedMotion(true)
	v.Step(-1)
	assert.True(t, v.Resting(), "reduced motion moves")
	v.SetReducedMotion(false)
	v.Step(-1)
	v.SetReducedMotion(true)
	assert.True(t, v.Resting(), "a motion under way goes on after motion was reduced")
}

// TestNewWeights replaces the reading of a text by that of newer weights: place and playing stay.
func TestNewWeights(t *testing.T) {
	v := NewView()
	assert.NoError(t, v.SetReading(sample(sum, 12, 6, 4, 9)))
	v.Seek(3)
	v.SetLayer(Attention, 3)
	v.Play()
	assert.NoError(t, v.SetReading(sample(sum, 12, 6, 4, 9)))
	assert.True(t, v.player.at == 3 && v.player.playing,
		"newer weights moved the place to %d, playing %t", v.player.at, v.player.playing)
	assert.NoError(t, v.SetReading(sample(sum[:9], 12, 6, 2, 9)))
	assert.True(t, v.player.at == 8 && !v.player.playing && v.head == 1,
		"another text stands at %d, playing %t, head %d", v.player.at, v.player.playing, v.head)
	bad := sample(sum, 12, 6, 2, 9)
	bad.State = nil
	assert.True(t, v.SetReading(bad) != nil, "a reading without states was taken")
	assert.Is(t, len(v.reading.Tokens), 9, "a refused reading replaced the shown one")
}

func TestHidden(t *testing.T) {
	v := NewView()
	assert.NoError(t, v.SetReading(sample(sum, 12, 6, 2, 9)))
	v.Play()
	v.SetVisible(false)
	for range 100 {
		v.Update(0.1)
	}
	assert.True(t, v.player.at == 0 && !v.NeedsDraw() && !v.NeedsTime(),
		"a hidden view went on to %d, asks to be drawn %t, for time %t", v.player.at, v.NeedsDraw(), v.NeedsTime())
	v.SetVisible(true)
	assert.True(t, v.NeedsDraw() && v.NeedsTime(), "a view that is seen again is not drawn")
}

func TestRefusals(t *testing.T) {
	v := NewView()
	_, trees := ParseLayer("trees")
	for name, err := range map[string]error{
		"speed 0": v.SetSpeed(0), "speed NaN": v.SetSpeed(math.NaN()),
		"layer 9": v.SetLayer(9, 0), "head −1": v.SetLayer(Tree, -1), "layer trees": trees,
	} {
		assert.True(t, err != nil, "%s was taken", name)
	}
	for l := None; l < layers; l++ {
		assert.Is(t, assert.Must(ParseLayer(l.String()))(t), l, "layer is read as")
	}
}

func TestKeys(t *testing.T) {
	v := NewView()
	for _, k := range Keys() { // nothing to act on: no harm
		assert.True(t, v.Press(k), "key %s is listed and not known", k)
	}
	assert.True(t, !v.Press("Tab"), "Tab is taken: it must leave the frame")
	v = NewView()
	assert.NoError(t, v.SetReading(sample(sum, 12, 6, 3, 9)))
	const u = UsualSpeed
	for _, c := range []struct {
		key  Key
		want Position
	}{
		{"Home", Position{0, false, None, 0, u}}, {"ArrowRight", Position{1, false, None, 0, u}},
		{"Digit3", Position{1, false, Tree, 0, u}}, {"h", Position{1, false, Tree, 1, u}},
		{"h", Position{1, false, Tree, 2, u}}, {"h", Position{1, false, Tree, 0, u}},
		{"Digit5", Position{1, false, Attention, 0, u}}, {"Space", Position{1, true, Attention, 0, u}},
		{"+", Position{1, true, Attention, 0, 1.5 * u}}, {"-", Position{1, true, Attention, 0, u}},
		{"ArrowLeft", Position{0, false, Attention, 0, u}}, {"End", Position{14, false, Attention, 0, u}},
		{"Digit1", Position{14, false, None, 0, u}},
	} {
		v.Press(c.key)
		assert.Is(t, v.Where(), c.want, "after %s", c.key)
	}
}

func TestPointer(t *testing.T) {
	v := NewView()
	v.SetSize(1000, 600)
	assert.True(t, !v.Clickable(Point{500, 300}), "an empty view can be clicked")
	v.PointerDown(Point{500, 300})
	assert.NoError(t, v.SetReading(sample(sum, 12, 6, 3, 9)))
	v.SetLayer(Distance, 0)
	l := v.arrange()
	cells, _, _ := v.tokenCells(l)
	v.PointerDown(cells[4].rect.Center())
	v.PointerUp()
	assert.Is(t, v.player.at, 4, "a click on token 4 leads to")
	v.PointerDown(Point{l.Track.X + 1, l.Track.Center().Y})
	v.PointerMove(Point{l.Track.Right() + 500, 0})
	assert.Is(t, v.player.at, len(sum)-1, "dragging the track to its end leads to")
	v.PointerUp()
	v.PointerMove(Point{l.Track.X, l.Track.Y})
	assert.Is(t, v.player.at, len(sum)-1, "moving without a press seeks")
	across, down := 1/v.width, 1/v.height // touches are shares of the view
	v.TouchDown(l.Center.X*across, l.Center.Y*down)
	v.TouchMove((l.Track.X+1)*across, l.Track.Center().Y*down)
	assert.True(t, v.player.at == len(sum)-1 && !v.player.playing,
		"a finger that comes down next to the track scrubs or plays")
	v.TouchDown(l.Track.Center().X*across, l.Track.Center().Y*down)
	assert.Is(t, v.player.at, len(sum)/2, "a finger in the middle of the track leads to … of %d", len(sum))
	v.TouchMove((l.Track.X-50)*across, 0)
	v.PointerUp()
	assert.Is(t, v.player.at, 0, "a finger beyond the track's start leads to")
	chips := arrangePanel(l.Panel, l.Em, v.layer, 3).chips
	v.PointerDown(chips[2].Center())
	assert.Is(t, v.head, 2, "a click on the third head chooses")
	v.PointerDown(l.Center)
	assert.True(t, v.player.playing, "a click on the circle does not play")
	assert.True(t, !v.Clickable(Point{l.Legend.X, l.Legend.Center().Y}), "the legend can be clicked")
}

func TestPercent(t *testing.T) {
	for p, want := range map[float64]string{0: "0 %", 0.001: "< 1 %", 0.25: "25 %", 0.999: "> 99 %", 1: "100 %"} {
		assert.Is(t, Percent(p), want, "%v is written", p)
	}
}
