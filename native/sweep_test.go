//go:build !js

package native

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mhacsp/model/study"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/cmd/tables"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// tinySweep are the flags of a sweep whose runs are of no size.
func tinySweep(out string, more ...string) []string {
	return append(words("sweep --backend cpu --task parity --model csp --max-length 8 --width 8 --eval-samples 64 "+
		"--test-samples 32 --out", out), more...)
}

// TestSweep: a grid is trained to the bytes of train, reported and drawn; the same command has nothing left to do, and
// what is lost of it is made again; a study's other commands take its folder.
func TestSweep(t *testing.T) {
	p := parallelPlace(t)
	grid := tinySweep("s", words("--steps 40 --eval-every 10 --vary lr=0.002,0.02 --vary batch=8..16:2 --seeds 2 "+
		"--seed 5 --target 0.6")...)
	out := p.OK(grid...)
	assert.Says(t, out, "s: grid, 4 configurations, 2 seeds", "accuracy", "to 60 %", "of 2)", "batch  8 ",
		"s/SWEEP.md")
	alone := tinySweep("alone", words("--steps 40 --eval-every 10 --lr 0.02 --batch 8 --seed 6")...)
	p.OK(append([]string{"train"}, alone[1:]...)...)
	p.Same("alone/model.safetensors", "s/cells/003-seed6/model.safetensors")
	assert.Is(t, p.OK(grid...), out, "a second time it prints")
	assert.NoError(t, os.RemoveAll(p.Path("s/cells/002-seed5")))
	half := p.OK("sweep", "--out", "s", "--report", "--target", "0.6")
	assert.True(t, half != out && strings.Contains(half, "0      –"), "without a run the report is\n%s", half)
	assert.Is(t, p.OK("sweep", "--out", "s", "--backend", "cpu", "--target", "0.6"), out, "by --out alone it makes")
	texts, paths := p.svgTexts("s/sweep.svg", "")
	assert.Says(t, texts, "Sweep s", "lr", "batch", "accuracy", "0.002", "16")
	assert.True(t, paths >= 8, "the picture has %d paths", paths)
	text := string(p.Read("s/SWEEP.md"))
	assert.True(t, strings.Count(text, "\n| 00") == 4 && strings.Contains(text, "(sweep.svg)"), "%s", text)
	old := p.Path("s/cells/003-seed6/metrics.jsonl")
	before, err := os.Stat(old)
	out = p.OK(append(grid, "--seeds", "3")...)
	after, wrong := os.Stat(old)
	assert.True(t, err == nil && wrong == nil && before.ModTime() == after.ModTime() &&
		strings.Contains(out, "Means over 3 seeds"), "with a seed more it makes\n%s", out)
	out = p.OK("tables", "--out", "s", "--records", "kept", "--backend", "cpu")
	r := p.Reported("s")
	assert.True(t, r.Counts.Whole == 12 && len(p.Files("kept/cells/*.json")) == 12 && len(r.Verdicts) == 0 &&
		!strings.Contains(out+string(p.Read("s/report.md")), "laims"), "%+v\n%s", r.Counts, out)
	guess := 0.0
	for _, text := range p.Files("kept/cells/*.json") {
		var r study.Record
		assert.NoError(t, json.Unmarshal(text, &r))
		guess += r.Validations[len(r.Validations)-1].Guess / 12
	}
	assert.Says(t, string(p.Read("s/SWEEP.md")), fmt.Sprintf("A constant guess gets %.2f %%.", 100*guess))
}

// TestSweepHalving: of two processes that halve in one folder one is killed, with the runs that it trains; a third
// goes on. Few runs come to their end, and these have the bytes of runs that nobody stopped.
func TestSweepHalving(t *testing.T) {
	p := parallelPlace(t)
	halving := func(out string) []string {
		return tinySweep(out, words("--steps 180 --eval-every 20 --checkpoint-every 10 --vary lr=0.001..0.03:log "+
			"--vary gate_bias=-2..0 --method halving --runs 9 --jobs 1")...)
	}
	var both []*exec.Cmd
	for range 2 {
		c := p.Command(halving("s")...)
		assert.NoError(t, c.Start())
		both = append(both, c)
	}
	for end := time.Now().Add(time.Minute); len(p.Files("s/cells/*/metrics.jsonl")) < 3 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	both[0].Process.Kill()
	both[0].Wait()
	for name, text := range p.Files("s/cells/*/lock") { // children of both: the living one takes that for a failure
		var h train.Holder
		if json.Unmarshal(text, &h) == nil {
			if child, err := os.FindProcess(h.Process); err == nil {
				child.Kill() // and in place of the time after which a lock is a dead one's:
				os.Chtimes(p.Path(name), time.Time{}, time.Now().Add(-time.Hour))
			}
		}
	}
	both[1].Wait()
	out := p.OK(halving("s")...)
	ends := map[int]int{}
	for name, text := range p.Files("s/cells/*/metrics.jsonl") {
		ends[nativetest.Steps(text)]++
		dir := filepath.Dir(name)
		if nativetest.Steps(text) != 180 {
			continue
		}
		p.OK("train", "--config", dir+"/config.json", "--out", "alone", "--overwrite", "--backend", "cpu")
		p.Same("alone/model.safetensors", dir+"/model.safetensors")
	}
	for end, n := range ends { // one that was killed on its way to 60 may be overtaken by others since
		assert.True(t, end >= 20 && ends[180] >= 1 && ends[20] >= 1 && n <= 8,
			"runs by the steps of their ends: %v\n%s", ends, out)
	}
	first := strings.Index(out, "accuracy")
	assert.True(t, strings.Contains(out[first:first+200], " 180 "), "the first row is no finished run\n%s", out)
}

// TestSweepShares: shares begin their configurations alone, and together all; data of the user's, without a test, is
// trained like a task; a run that fails is named, stands last, and is tried again. tables takes such a plan.
func TestSweepShares(t *testing.T) {
	p := parallelPlace(t)
	p.Write("t.jsonl", strings.Repeat(`{"prompt": "ab", "label": "x"}`+"\n"+`{"prompt": "ba", "label": "y"}`+"\n", 9))
	flags := words("sweep --out own --backend cpu --data t.jsonl --validation t.jsonl --vary model=lstm,csp,gru " +
		"--width 8 --steps 4 --eval-every 2 --batch 4")
	for i, want := range []int{2, 3} {
		p.OK(append(slices.Clone(flags), "--shard", fmt.Sprintf("%d/2", i))...)
		assert.Is(t, len(p.Files("own/cells/*/model.safetensors")), want, "after share %d there are … runs", i)
	}
	name := "own/cells/001-seed0"
	assert.NoError(t, os.RemoveAll(p.Path(name)))
	p.Write(name, "in the way")
	out, errs := p.ends(cli.CodeInternal, "1 run failed", flags...)
	assert.True(t, strings.Contains(errs, "001-seed0 (model=lstm): ") &&
		strings.Index(out, "\n001 ") >= strings.Index(out, "\n003 "), "%s%s", out, errs)
	os.Remove(p.Path(name))
	p.OK(flags...)
	p.OK(append(slices.Clone(flags), "--out", "tested", "--test", "t.jsonl")...)
	p.OK("tables", "--out", "st", "--plan", "tested/plan.json", "--backend", "cpu")
	r := p.Reported("st")
	assert.True(t, r.Counts.Whole == 3, "of own data tables makes %+v", r.Counts)
}

// TestSweepInput: every mistake gets one clear line and exit code 2, and leaves nothing.
func TestSweepInput(t *testing.T) {
	p := newPlace(t)
	p.OK(tinySweep("s", "--steps", "2", "--vary", "batch=2,4", "--seeds", "2")...)
	p.Write("study/"+study.PlanFile, "{}")
	assert.NoError(t, os.CopyFS(p.Path("odd"), os.DirFS(p.Path("s"))))
	p.Write("odd/"+tables.SweepFile, `{"method": "grid", "vary": ["batch=2,4"], "runs": 0, "seeds": 3}`)
	same := strings.Join(tinySweep("s", "--steps", "2", "--seeds", "2")[1:], " ")
	for _, c := range []struct{ args, want string }{
		{"--vary btch=1,2", `--vary is "btch=1,2", and a run has no key btch, did you mean batch?`},
		{"--vary Learning_Rate=1,2", "did you mean lr?"}, {"--batch-size 2", "did you mean --batch?"},
		{"--vary batch", "write KEY=VALUES"}, {"--vary lr=2..1", `--vary is "lr=2..1": the range is empty`},
		{"--vary lr=0..1:log", "begin above 0"}, {"--vary seed=1,2", "as in --seeds 3"},
		{"--vary batch=2,4 --batch 4", "--vary batch and --batch are both given; leave one"},
		{"--vary batch=2,4 --vary batch=8,9", "--vary batch is given twice"},
		{"--vary gate-bias=-2..0 --model lstm", "--gate-bias is no setting of the model lstm; leave it out"},
		{"--vary batch=0,4", "--batch is 0; choose a number from 1"}, {"--vary batch=4,x", `--batch is "x"; a whole number`},
		{"--vary model=lstm,grru", "did you mean gru?"}, {"--vary lr=1..2 --method grid", "lr is a range, and a grid needs"},
		{"--vary batch=2,4 --runs 3 --method grid", "--runs is of configurations that are drawn"},
		{"--vary batch=2,4 --method halving --steps 90", "--eval-every is 500: halving compares"},
		{"--vary steps=90,180 --method halving --eval-every 5", "give --steps and --eval-every, the same for all"},
		{"--vary batch=2,4 --target 3", "--target is 3"}, {"--vary batch=2,4 --seeds 0", "--seeds is 0"},
		{"--vary batch=2,4 --shard 2/2", "--shard: share 2 of 2"}, {"--vary batch=2,4 --config -", "give a file"},
		{"--report", "new, where no sweep was begun"}, {"", "new, where no sweep was begun; say what to vary"},
		{"--report --jobs 2", "--jobs cannot be given with --report"}, {"--out study --vary lr=1,2", "it is no sweep"},
		{"--out s/cells/001-seed0", "has config.json and no sweep.json"}, {"--out s --lr 1", "--lr is given and no --vary"},
		{"--out s --seeds 3", "--seeds is given and no --vary"}, {"--out s --test x", "--test is given and no --vary"},
		{same + " --vary batch=2,4 --seed 5", "s holds another sweep: --seed is 0 there, not 5"},
		{"--out odd", "odd: sweep.json and plan.json are not of one sweep"},
		{same + " --vary batch=2,8", "--vary is batch=2,4 there, not batch=2,8"},
		{same + " --vary batch=2,4 --seeds 1", "s holds another sweep: --seeds is 2 there, not 1; choose another --out"},
		{same + " --vary batch=2,4 --lr 1", "lr of run 001-seed0 is 0.001 there, not 1"},
	} {
		p.refused(c.want, append([]string{"sweep", "--out", "new"}, strings.Fields(c.args)...)...)
	}
	p.Absent("new")
}
