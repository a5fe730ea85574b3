package train

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"mhacsp/model/checkpoint"
	"mhacsp/tasks/assert"
)

// TestPossible: what a run leaves is taken, and a number that no run leaves is refused, at load and at saving.
func TestPossible(t *testing.T) {
	r := tiny(t, "parity")
	r.Training.Patience = 3
	tr := trainer(t, r, network(t, r))
	assert.NoError(t, tr.Continue(context.Background(), func(Event) {}, nil))
	state := func() *checkpoint.File { return assert.Must(tr.State())(t) }
	assert.NoError(t, possible(r.Training, state()))
	inf := float32(math.Inf(1))
	for _, x := range []struct {
		tensor string
		value  float32
		says   string
	}{
		{"param.head.bias", float32(math.NaN()), "not finite"}, {"best.head.bias", -inf, "not finite"},
		{"param.head.bias", -1e18, "too large"}, {"best.head.bias", 1e18, "too large"},
		{"adam.m.head.bias", 1e19, "excludes"}, {"adam.m.head.bias", -1e-3, "excludes"},
		{"adam.m.head.bias", inf, "not finite"},
		{"adam.v.head.bias", -1e-9, "mean of squares"}, {"adam.v.head.bias", inf, "not finite"},
	} {
		f := state()
		if x.says == "excludes" { // a mean next to squares that are 0
			v, _ := f.Find("adam.v.head.bias")
			v.Data[0] = 0
		}
		bad, ok := f.Find(x.tensor)
		assert.Need(t, ok, "%s is missing", x.tensor)
		bad.Data[0] = x.value
		assert.OneLine(t, fmt.Sprintf("%s of %v", x.tensor, x.value), possible(r.Training, f), x.says)
	}
	good := state().Metadata["progress"]
	step := fmt.Sprintf(`"step":%d`, tr.Count())
	for _, x := range [][2]string{
		{step, `"step":-1`}, {step, `"step":1000000`}, {`"adam":`, `"adam":9`}, {`"limit":`, `"limit":-`},
		{`"waiting":{`, `"waiting":{"pending":`}, {`}`, `},"pending":"x"`}, {`"since":`, `"since":-1`},
	} {
		f := state()
		f.Metadata["progress"] = strings.Replace(good, x[0], x[1], 1)
		err := possible(r.Training, f)
		assert.True(t, f.Metadata["progress"] != good && err != nil, "progress %s: %v", f.Metadata["progress"], err)
	}

	dir := t.TempDir()
	f := create(t, dir, r)
	defer f.Close()
	values := parameters(t, tr.Network)
	values[0] = 1e18
	tr.Network.Params().Upload(values)
	assert.OneLine(t, "saving a number that no run leaves", f.Save(tr), "no checkpoint was written")
}

// TestReach: the bound on a mean is that of Adam's equations: no series of gradients passes it, and the worst one
// comes near.
func TestReach(t *testing.T) {
	c := Config{Beta1: 0.9, Beta2: 0.98, LR: 1e-3, Optimizer: "adam"}
	const slack = 100
	var m, v float64
	for k := range 2000 { // the worst gradients grow as (β₂/β₁)ᵏ
		g := math.Pow(c.Beta2/c.Beta1, float64(k))
		m, v = c.Beta1*m+(1-c.Beta1)*g, c.Beta2*v+(1-c.Beta2)*g*g
	}
	bound := reachOf(c, 2000).mean / slack
	ratio := m / math.Sqrt(v)
	assert.True(t, ratio <= bound*(1+1e-9) && ratio >= 0.99*bound, "the ratio is %v, the bound %v", ratio, bound)
	c.Beta1, c.Beta2 = 0.9, 0.5
	assert.True(t, math.IsInf(reachOf(c, 1).mean, 1), "there is no bound where the mean of squares forgets faster")
}
