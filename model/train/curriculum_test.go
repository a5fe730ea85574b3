package train

import (
	"math"
	"strings"
	"testing"

	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// curriculumOf is the curriculum of a task as New makes it.
func curriculumOf(t *testing.T, task string, o tasks.Options, on bool) *curriculum {
	t.Helper()
	return newCurriculum(assert.Must(tasks.New(task, o))(t), on)
}

// until feeds the same result until the limit moves, and says after how many steps.
func until(t *testing.T, c *curriculum, hits, count int) int {
	t.Helper()
	before, step := c.state, 0
	for ; c.state.Limit == before.Limit && c.state.Over == before.Over; step++ {
		assert.Need(t, step < 1000, "limit %v does not move with %d of %d right", before.Limit, hits, count)
		c.update(hits, count)
	}
	return step
}

// stays feeds the same result for a long time, in which the limit must not move.
func stays(t *testing.T, c *curriculum, hits, count int) {
	t.Helper()
	before := c.limit()
	for range 500 {
		c.update(hits, count)
		assert.Need(t, c.limit() == before,
			"limit moved from %d to %d with %d of %d right", before, c.limit(), hits, count)
	}
}

func TestLengthGrows(t *testing.T) {
	c := curriculumOf(t, "parity", tasks.Options{}, true)
	assert.Need(t, c.limit() == 4, "the limit starts at %d, SPEC §8 has 4", c.limit())
	want := 4.0
	for want < 128 {
		n := until(t, c, 49, 50) // 98 % is enough, one lucky batch is not
		assert.True(t, n >= 2, "limit %v was left after %d step", want, n)
		want = min(128, max(1.2*want, want+1))
		assert.Need(t, c.limit() == int(want+1e-9), "limit %d, %v wanted", c.limit(), want)
		assert.Need(t, c.state.Age == 0 && c.state.Seen == 0 && c.state.Accuracy == 0,
			"a new limit starts with %+v", c.state)
	}
	var d tasks.Draw
	c.apply(&d)
	assert.True(t, d.MaxLength == 128 && d.MaxOperands == 0, "the draw is %+v at limit 128", d)
	until(t, c, 50, 50)
	assert.True(t, c.state.Over && c.limit() == 0, "after the full length: %+v, limit %d", c.state, c.limit())
	c.apply(&d)
	assert.Is(t, d.MaxLength, 0, "the draw still has the limit")
	stays(t, c, 36, 50)
}

// TestLengthLost: a rule that is lost after the full length was mastered is looked for on shorter strings again.
func TestLengthLost(t *testing.T) {
	c := curriculumOf(t, "parity", tasks.Options{}, true)
	c.state = limitState{Limit: 128}
	until(t, c, 50, 50)
	n := until(t, c, 25, 50)
	assert.True(t, n <= 10 && !c.state.Over && c.limit() == 89,
		"after %d steps of guessing: %+v, limit 89 wanted", n, c.state)
	for range 3 {
		until(t, c, 50, 50)
	}
	assert.True(t, c.state.Over, "mastered again: %+v", c.state)
	for length, want := range map[int]bool{96: true, 95: false} { // three quarters of the full length count
		assert.Is(t, c.at(c.limit(), &tasks.Sample{Length: length}), want, "length %d, the limit being gone", length)
	}
}

// TestLengthStays: a limit that is neither mastered nor failed is kept, and below the first one there is none.
func TestLengthStays(t *testing.T) {
	c := curriculumOf(t, "parity", tasks.Options{}, true)
	stays(t, c, 97, 100)
	stays(t, c, 0, 100)
	c.state = limitState{Limit: 50}
	stays(t, c, 71, 100)
}

// TestLengthShrinks: a limit that fails its trial gives way to 0.7 of it, as often as it takes.
func TestLengthShrinks(t *testing.T) {
	c := curriculumOf(t, "parity", tasks.Options{}, true)
	c.state = limitState{Limit: 50}
	until(t, c, 100, 100)
	assert.Need(t, c.limit() == 60, "after growth: %+v", c.state)
	want := 60.0
	for want > 4 {
		n := until(t, c, 69, 100)
		assert.True(t, n == trialSteps, "limit %v was given up after %d steps, the trial is %d", want, n, trialSteps)
		want = max(4, 0.7*want)
		assert.Need(t, math.Abs(c.state.Limit-want) <= 1e-9 && !c.state.Over && c.state.Age == 0 && c.state.Seen == 0,
			"after a failed trial: %+v, limit %v wanted", c.state, want)
	}
	c.state = limitState{Limit: 128}
	until(t, c, 0, 100)
	assert.True(t, !c.state.Over && c.limit() == 89, "the full length failed: %+v", c.state)
}

// TestRunningAccuracy: what counts is the recent past, and steps without a sample at the limit change nothing.
func TestRunningAccuracy(t *testing.T) {
	c := curriculumOf(t, "parity", tasks.Options{}, true)
	c.state.Limit = 10
	for range trialSteps - 1 {
		c.update(8, 10)
	}
	n := until(t, c, 10, 10)
	assert.True(t, n >= 5 && n <= 60, "after a long failure the limit moved in %d good steps", n)
	c = curriculumOf(t, "parity", tasks.Options{}, true)
	for range 1000 {
		c.update(0, 0)
	}
	assert.True(t, c.limit() == 4 && c.state.Seen == 0 && c.state.Age == 1000,
		"after steps without samples: %+v", c.state)
}

func TestOperands(t *testing.T) {
	for _, preset := range []string{"author", "paper"} {
		c := curriculumOf(t, "arithmetic", tasks.Options{Preset: preset}, true)
		assert.Need(t, c.limit() == 2, "%s: starts at %d operands", preset, c.limit())
		stays(t, c, 79, 100)
		for want := 3; want <= c.full; want++ {
			until(t, c, 80, 100)
			assert.Need(t, c.limit() == want, "%s: %d operands, %d wanted", preset, c.limit(), want)
			var d tasks.Draw
			c.apply(&d)
			assert.True(t, d.MaxOperands == want && d.MaxLength == 0, "%s: the draw is %+v", preset, d)
		}
		stays(t, c, 0, 100) // an operand limit never shrinks
		until(t, c, 100, 100)
		assert.True(t, c.state.Over && c.limit() == 0, "%s: after all operands: %+v", preset, c.state)
	}
}

// TestOperandsRare: with less than a sample a step the limit hardly cuts anything and is dropped.
func TestOperandsRare(t *testing.T) {
	c := curriculumOf(t, "arithmetic", tasks.Options{}, true)
	steps := 0
	for !c.state.Over && steps < 1000 {
		steps++
		c.update(0, steps%2)
	}
	assert.True(t, steps == rareSteps && c.limit() == 0, "dropped after %d steps, limit %d", steps, c.limit())
	c = curriculumOf(t, "arithmetic", tasks.Options{}, true)
	stays(t, c, 0, 1)
	// A length limit is never dropped: short strings are as common as long ones.
	c = curriculumOf(t, "parity", tasks.Options{}, true)
	stays(t, c, 0, 0)
}

func TestCurriculumOff(t *testing.T) {
	for _, task := range tasks.Names() {
		c := curriculumOf(t, task, tasks.Options{}, false)
		d := tasks.Draw{Seed: 4, Role: tasks.Test}
		c.apply(&d)
		for range 100 {
			c.update(10, 10)
		}
		assert.True(t, c.limit() == 0 && d == (tasks.Draw{Seed: 4, Role: tasks.Test}) && c.state == (limitState{}),
			"%s: limit %d, draw %+v, state %+v without a curriculum", task, c.limit(), d, c.state)
	}
}

func TestAtLimit(t *testing.T) {
	c := curriculumOf(t, "parity", tasks.Options{}, true)
	c.state.Limit = 40
	for length, want := range map[int]bool{29: false, 30: true, 40: true} {
		assert.Is(t, c.at(c.limit(), &tasks.Sample{Length: length}), want, "length %d at limit 40", length)
	}
	c = curriculumOf(t, "arithmetic", tasks.Options{}, true)
	c.state.Limit = 3
	for operands, want := range map[int]bool{1: false, 2: false, 3: true, 4: true} {
		assert.Is(t, c.at(c.limit(), &tasks.Sample{Operands: operands}), want, "%d operands at limit 3", operands)
	}
}

// TestUnfinished: a run that ends below its task's full range says so, and only then. A page says it too: no flag is
// named.
func TestUnfinished(t *testing.T) {
	c := &curriculum{kind: tasks.Length, from: 4, full: 128, state: limitState{Limit: 40}}
	text := c.unfinished()
	assert.True(t, strings.Contains(text, "40 of 128 characters") && !strings.Contains(text, "--"),
		"at limit 40: %q", text)
	for _, s := range []limitState{{Limit: 128}, {Limit: 40, Over: true}} {
		c.state = s
		assert.Is(t, c.unfinished(), "", "%+v", s)
	}
	assert.Is(t, (&curriculum{}).unfinished(), "", "without a curriculum")
}

// TestLongShare: the share of the training samples that has three numbers or more, and no more than the limit allows.
func TestLongShare(t *testing.T) {
	for _, x := range []struct {
		share float64
		limit int // of the curriculum; 0: none
		want  int // long ones of 64 samples
	}{{0, 0, 0}, {0.5, 0, 32}, {0.75, 4, 48}, {1, 0, 64}, {0.5, 2, 32}} {
		r := tiny(t, "arithmetic")
		r.Training.LongShare, r.Training.Batch, r.Training.Curriculum = x.share, 64, x.limit > 0
		trainer := trainer(t, r, network(t, r))
		if x.limit > 0 {
			trainer.curriculum.state.Limit = float64(x.limit)
		}
		s := slot{samples: make([]tasks.Sample, 64)}
		trainer.next(&s)
		count := map[int]int{}
		for i, sample := range s.samples {
			least := long(x.share, i, trainer.Task.Curriculum())
			count[least]++
			if x.limit > 0 {
				least = min(least, x.limit)
			}
			assert.True(t, sample.Operands >= least && (x.limit <= 0 || sample.Operands <= x.limit),
				"%+v: sample %d has %d numbers, not %d or more", x, i, sample.Operands, least)
		}
		for least := 3; least <= 6; least++ {
			assert.Is(t, count[least], x.want/4, "share %v: samples of %d numbers or more", x.share, least)
		}
	}
	r := defaultRun(t, "parity")
	r.Training.LongShare = 0.5
	sequencetest.Unfit(t, "long_share of strings", r.Validate(), "long_share", 0.5)
}
