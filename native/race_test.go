//go:build !js

package native

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"mhacsp/model/train"
)

// TestRacers: two to four models that are there, each once; all else is told what to do.
func TestRacers(t *testing.T) {
	for text, want := range map[string]string{
		"lstm,gdn": "", " lstm , gdn,csp,gcn": "",
		"lstm":                 "that is 1 model; name two to four",
		"lstm,gdn,gru,csp,gcn": "that is 5 models; name two to four",
		"lstm,foo":             `"foo" is no model; name two to four of: arformer, csp`,
		"lstm,":                `"" is no model`,
		"lstm,gdn,lstm":        "lstm runs already; name each model once",
		"lstm gdn":             `"lstm gdn" is no model`,
	} {
		names, err := racers(text)
		if want == "" && (err != nil || len(names) != strings.Count(text, ",")+1) {
			t.Errorf("%q: %v, %v", text, names, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// racing are the runs of a race with flags of view.
func racing(t *testing.T, names string, args ...string) ([]train.Run, error) {
	t.Helper()
	var f trainFlags
	c := &cobra.Command{}
	s := addTrainFlags(c, &f)
	c.Flags().String("race", "", "")
	if err := c.ParseFlags(append(args, "--race", names)); err != nil {
		t.Fatal(err)
	}
	list, err := racers(names)
	if err != nil {
		t.Fatal(err)
	}
	return raceRuns(s, list)
}

// TestRaceRuns: the runs have all that decides on their samples in common, whatever suits their models; flags stand
// above what a race starts from, and what makes no sense in a race is refused.
func TestRaceRuns(t *testing.T) {
	for _, args := range [][]string{
		nil, {"--task", "arithmetic"}, {"--task", "modarith", "--max-length", "9"}, {"--steps", "70", "--seed", "3"},
	} {
		second := "mha-csp"
		if len(args) == 2 { // with a memory, which needs answers that are written
			second = "mha-csp-m"
		}
		runs, err := racing(t, "lstm,"+second+",mha-csp-s,gdn", args...)
		if err != nil {
			t.Errorf("%v: %v", args, err)
			continue
		}
		first := runs[0].Training
		for i, name := range []string{"lstm", second, "mha-csp-s", "gdn"} {
			x := runs[i].Training
			if runs[i].Config.Name() != name || x.Task != first.Task || x.Options != first.Options ||
				x.Split != first.Split || x.Seed != first.Seed || x.Batch != first.Batch || x.Steps != first.Steps ||
				x.LongShare != 0 || x.Curriculum || x.EvalEvery != x.Steps/10 {
				t.Errorf("%v: %s has other samples: %+v, not %+v", args, name, x, first)
			}
		}
		if len(args) == 0 &&
			(first.Task != "parity" || first.MaxLength != 16 || first.Steps != 1500 || first.Batch != 64) {
			t.Errorf("without flags: %+v", first)
		}
		if len(args) == 2 && first.Format != "direct" || len(args) == 4 && first.MaxLength != 9 && first.Steps != 70 {
			t.Errorf("%v: %+v", args, first)
		}
	}
	_, err := racing(t, "lstm,mha-csp-m")
	if err == nil || !strings.HasPrefix(err.Error(), `--race names "mha-csp-m"`) {
		t.Errorf("a memory on parity: %v", err)
	}
	for args, want := range map[string]string{
		"--model csp":             "--model cannot stand beside --race, which names the models",
		"--out x":                 "which keeps nothing",
		"--curriculum":            "--curriculum cannot stand beside --race",
		"--resume x":              "which starts anew",
		"--heads 2":               "--heads is no setting of the model lstm; leave it out, or choose models",
		"--patience 2":            "which takes the same steps",
		"--task parity --steps 0": "steps is 0",
	} {
		_, err := racing(t, "lstm,csp", strings.Fields(args)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", args, err, want)
		}
	}
}
