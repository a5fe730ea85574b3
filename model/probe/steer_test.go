package probe

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mhacsp/tasks/assert"
)

// TestSteer: in the model with four clocks some of the units that know of a minus before a bracket steer. Cut
// together from their token on, they move a hand to another mark at the next digit; as many other units, drawn at
// random from all that are no clock and do not steer, do so far less often.
func TestSteer(t *testing.T) {
	r, parse := demo(t, "clocks", 100)
	random := rand.New(rand.NewPCG(1, 2))
	places, steered, others, draws := 0, 0, 0, 0
	for _, text := range []string{"4-(3+5)", "7-(2+1)", "1-(8+4)", "2-(1+(3-(4+5)))"} {
		prompt := assert.Must(parse(text))(t)
		d := assert.Must(r.Read(prompt, Change{}))(t)
		course := assert.Must(r.walker.states(prompt, Change{}))(t)
		turned := make([]bool, len(prompt))
		for at := range prompt {
			turned[at] = len(d.Lit[at]) > 0
		}
		moves := func(units []int, at, to int) bool {
			return d.moved(to, course.States, r.without(units, at, to, course.States, prompt, Change{}))
		}
		some := false
		for at, steers := range d.Steers {
			to := d.next(at, turned)
			assert.Need(t, steers != nil && (len(steers) == 0 || to >= 0),
				"%s, token %d: steers %v", text, at, steers)
			var free []int
			for u := range r.walker.units {
				clock := slices.ContainsFunc(d.Dials, func(x Dial) bool { return x.Unit == u })
				if !clock && !slices.Contains(steers, u) {
					free = append(free, u)
				}
			}
			for _, u := range d.Lit[at] {
				assert.True(t, to <= 0 || moves([]int{u}, at, to) == slices.Contains(steers, u),
					"%s, token %d: unit %d", text, at, u)
			}
			if len(steers) == 0 {
				continue
			}
			some = true
			places++
			if moves(steers, at, to) {
				steered++
			}
			for range 20 {
				random.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
				draws++
				if moves(free[:len(steers)], at, to) {
					others++
				}
			}
		}
		assert.True(t, some, "%s: no unit steers", text)
	}
	t.Logf("the steering units move a hand at %d of %d tokens, as many others in %d of %d draws",
		steered, places, others, draws)
	assert.True(t, steered >= places*9/10 && others <= draws/4, "too few, or too many")
}
