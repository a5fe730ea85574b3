//go:build !js

package native

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"mhacsp/model/checkpoint"
	"mhacsp/native/cli"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// TestBadInput: every mistake gets one clear line and exit code 2.
func TestBadInput(t *testing.T) {
	p := newPlace(t)
	p.Write("cfg.json", smallModel)
	p.OK("init", "--config", "cfg.json", "--out", "ck.safetensors")
	p.OK("init", "--model", "csp", "--out", "csp.safetensors")
	p.Write("class.json", `{"model": "csp", "width": 8, "classes": 2}`)
	p.OK("init", "--config", "class.json", "--out", "class.safetensors")
	p.OK(nativetest.SmallRun("--task", "parity", "--max-length", "6", "--out", "run")...)
	p.OK(nativetest.SmallRun("--out", "sums", "--format", "direct")...)
	p.OK(nativetest.SmallRun("--model", "arformer", "--context", "8", "--task", "parity", "--max-length", "6", "--out",
		"former")...)
	whole := p.Read("ck.safetensors")
	p.Write("cut.safetensors", string(whole[:len(whole)-5]))
	p.Write("head.safetensors", string(whole[:100]))
	p.Write("long.safetensors", string(whole)+"x")
	p.Write("empty", "")
	p.Write("text.json", "hello")
	// A checkpoint whose configuration is not that of its tensors.
	p.Write("shape.safetensors", strings.Replace(string(whole), `\"width\":8`, `\"width\":6`, 1))
	huge := &checkpoint.File{
		Metadata: map[string]string{"config": `{"model": "csp", "width": 8192, "layers": 64}`},
		Tensors:  []checkpoint.Tensor{{Name: "embedding.weight", Shape: []int{21, 8192}, Data: make([]float32, 21*8192)}},
	}
	assert.NoError(t, checkpoint.WriteFile(p.Path("huge.safetensors"), huge))
	p.Write("batch.json", `{"prompts": [[16,1]], "targets": [[1,17]]}`)
	damaged := p.Path("damaged")
	assert.NoError(t, os.CopyFS(damaged, os.DirFS(p.Path("run"))))
	p.Write("damaged/optimizer.safetensors", string(p.Read("run/optimizer.safetensors")[:500]))
	p.Write("damaged/metrics.jsonl", "")

	lone := p.Path("lone")
	assert.NoError(t, os.CopyFS(lone, os.DirFS(p.Path("run"))))
	p.Write("lone/metrics.jsonl", "") // not finished
	assert.NoError(t, os.Remove(p.Path("lone/optimizer.safetensors")))

	files := 0
	file := func(text string) string {
		files++
		return p.Write(fmt.Sprintf("file%d", files), text)
	}
	config := func(text string) []string { return []string{"init", "--config", file(text), "--out", "x.safetensors"} }
	forward := func(checkpoint, batch string, more ...string) []string {
		if strings.HasPrefix(batch, "{") || strings.HasPrefix(batch, "[") {
			batch = file(batch)
		}
		return append([]string{
			"forward", "--checkpoint", checkpoint, "--batch", batch, "--out", "x.safetensors",
		}, more...)
	}
	batch := func(text string) []string { return forward("ck.safetensors", text) }
	p.here()
	lines := func(run, text string) []string { return []string{"eval", "--run", run, "--data", file(text)} }
	for _, c := range []struct {
		args []string
		want string
	}{
		// command line
		{[]string{"trian"}, `no command "trian", did you mean train?`},
		{[]string{"train", "--stpes", "3"}, "no flag --stpes, did you mean --steps?"},
		{[]string{"train", "-s", "3"}, "two dashes"},
		{[]string{"train", "--steps"}, "needs an argument"},
		{[]string{"train", "--steps", "many"}, `--steps is "many"; a whole number is needed`},
		{[]string{"train", "--seed", "-1"}, `--seed is "-1"; a whole number from 0 is needed`},
		{[]string{"train", "--lr", "fast"}, `--lr is "fast"; a number is needed`},
		{[]string{"train", "--skip=perhaps"}, "true or false is needed"},
		{[]string{"train", "--fusion", "mehs"}, "choose one of mesh, pooled, mean; did you mean mesh?"},
		{[]string{"train", "--task", "paritty"}, "did you mean parity?"},
		{[]string{"train", "--model", "MHA-CSP-M"}, "did you mean mha-csp-m?"},
		{[]string{"train", "--model", "mha-csp-n"}, "did you mean mha-csp-2?"},
		{[]string{"train", "--task", "ParitY"}, "did you mean parity?"},
		{[]string{"train", "--model", "transformer"}, "choose one of arformer, csp, "},
		{[]string{"train", "--backend", "cuda"}, "choose one of auto, cpu, cpu32, cpu64, gpu"},
		{[]string{"train", "--backend", "gpu", "--adapter", "no such adapter"}, "mhacsp devices lists what there is"},
		{[]string{"train", "--backend", "cpu", "--adapter", "x"}, "an adapter goes with --backend gpu"},
		{[]string{"train", "--split", "test"}, "choose one of structure, iid"},
		{[]string{"train", "parity"}, `takes no arguments, found "parity"`},
		{[]string{"train", "--steps", "0"}, "mhacsp: --steps is 0; choose a number from 1"},
		{[]string{"train", "--model", "mha-csp-s", "--width", "10", "--heads", "3"}, "mhacsp: --width is 10, no multiple"},
		{[]string{"train", "--model", "mha-csp-s", "--heads", "3"}, "mhacsp: --width is "},
		{[]string{"train", "--task", "parity", "--memory", "70"}, "choose --memory 72, or --width 118"},
		{[]string{"train", "--time-limit", "soon"}, `--time-limit is "soon"; a time is needed, as in 55m`},
		{[]string{"train", "--time-limit", "-3s"}, "--time-limit is -3s; give a time above 0"},
		{[]string{"train", "--task", "parity", "--format", "copy"}, `--format is "copy", and task parity has no such option; leave it out`},
		{[]string{"train", "--task", "parity", "--max-length", "70000"}, "--max-length is 70000; choose a number from 1 to 65536"},
		{[]string{"train", "--model", "mha-csp", "--width", "8000", "--heads", "1", "--layers", "60"}, "parameters"},
		{[]string{"train", "--model", "arformer", "--task", "parity", "--max-length", "300"},
			"have 301 tokens together, and the model has learned positions for 256; shorten them, or train with " +
				"--context 301"},
		{[]string{"train", "--model", "arformer", "--positions", "sine"}, "choose one of learned, rotary, none"},
		{[]string{"ask", "--run", "former", "10101010"}, "learned positions for 8"},
		{[]string{"eval", "--run", "former", "--min-length", "9", "--max-length", "9"}, "learned positions for 8"},
		{[]string{"train", "--steps", "99999999999999999999"}, "nearer to 0"},
		{[]string{"train", "--lr", "1e999"}, "nearer to 0"},
		{[]string{"train", "--resume", ""}, `--resume is ""; give a folder, or leave the flag out`},
		{[]string{"view", "--run", ""}, `--run is ""; give a folder, or leave the flag out`},
		{[]string{"view", "--size", ""}, `--size is ""; give WxH, or leave the flag out`},
		{[]string{"tables", "--only", "", "--dry-run"}, `--only is ""; give words, or leave the flag out`},
		{[]string{"figures", "--run", "run", "--out", "x", "--only", ""}, `--only is ""; give kinds`},
		{[]string{"figures", "--run", "", "--out", "x"}, `--run is ""; give a folder`},
		{[]string{"view", "--run", "run", "--size", "320x240"}, "280x280 to"},
		{[]string{"view", "--run", "run", "--record", "x.mp4"}, "a file that ends in .gif, or a folder"},
		{[]string{"help", "trian"}, `no command "trian", did you mean train?`},
		{[]string{"completion", "foo"}, `no completion for "foo"; mhacsp completion --help lists the shells`},
		{[]string{"completion", "bsh"}, `no completion for "bsh", did you mean bash?`},
		{[]string{"completion", "bash", "x"}, `takes no arguments, found "x"`},
		{[]string{"init", "--model", "csp"}, "missing: --out; "},
		{[]string{"serve", "--dir", "none"}, "make site"},
		{[]string{"forward", "--out", "x"}, "missing: --batch and --checkpoint; "},
		{[]string{"init", "--out", "x"}, "--config or --model is missing"},
		{[]string{"init", "--out", "x", "--config", "cfg.json", "--model", "csp"}, "exclude each other"},
		{[]string{"data", "--out", "x", "--n", "0"}, "--n is 0"},
		{[]string{"data", "--out", "x", "--split", "tset"}, "did you mean test?"},
		{[]string{"ask", "--run", "run"}, "the prompt is missing"},
		{[]string{"ask", "--run", "run", "1", "1"}, "one pair of quotes"},
		{[]string{"ask", "--run", "sums", "-3 + 4"}, `mhacsp ask -- "-3 + 4"`},
		{[]string{"ask", "--run", "csp.safetensors", "3"}, "csp.safetensors"},
		// run folders
		{[]string{"train", "--task", "parity", "--out", "run"}, "holds a run already"},
		{[]string{"train", "--out", "cfg.json"}, "run folder"},
		{[]string{"train", "--resume", "nowhere"}, "nowhere does not exist"},
		{[]string{"train", "--resume", "run", "--lr", "9"}, "--lr cannot be given with --resume"},
		{[]string{"train", "--resume", "run", "--steps", "3"}, "--steps is 3, and the run has 4; a run can only be made longer"},
		{[]string{"train", "--ablation", "nolse"}, "did you mean no-lse?"},
		{[]string{"train", "--ablation", "tree"}, "did you mean no-tree?"},
		{[]string{"train", "--threads", "-1"}, "--threads is -1; choose a number from 0 to 1024"},
		{[]string{"train", "--resume", "run", "--overwrite"}, "--overwrite cannot be given with --resume"},
		{[]string{"train", "--resume", "damaged"}, "damaged/optimizer.safetensors"},
		{[]string{"train", "--resume", "lone"}, "lone/optimizer.safetensors is missing"},
		{[]string{"train", "--config", "nowhere.json"}, "nowhere.json"},
		{[]string{"train", "--config", "text.json"}, "text.json: line 1, column 1: not valid JSON"},
		{[]string{"train", "--config", p.Write("key.json", `{"model": "csp", "widht": 8}`)}, `key.json: unknown key "widht"`},
		{[]string{"train", "--config", p.Write("type.json", `{"model": "csp", "steps": "8"}`)}, `key "steps" holds a string; a whole number is needed`},
		{[]string{"eval", "--run", "nowhere"}, "nowhere does not exist"},
		{[]string{"eval"}, "there is no run under runs/"},
		{[]string{"eval", "--checkpoint", "ck.safetensors"}, "--run"},
		{[]string{"eval", "--run", "run", "--checkpoint", "csp.safetensors"}, "of another task"},
		{[]string{"eval", "--run", "run", "--n", "-3"}, "--n is -3"},
		{[]string{"eval", "--run", "run", "--data", "empty", "--seed", "3"}, "cannot be given with --data"},
		{[]string{"eval", "--run", "sums", "--max-length", "9"}, "--max-length is 9, and task arithmetic has no such option"},
		// configurations
		{config(`{"width": 8}`), `no "model"`},
		{config(`{"model": "csp", "widht": 9}`), `unknown key "widht"`},
		{config(`{"model": "csp", "width": 0}`), "width is 0"},
		{config(`{"model": "csp"} {}`), "not valid JSON"},
		// checkpoints
		{forward("nowhere.safetensors", "batch.json"), "nowhere.safetensors"},
		{forward("cut.safetensors", "batch.json"), "cut.safetensors"},
		{forward("head.safetensors", "batch.json"), "head.safetensors"},
		{forward("long.safetensors", "batch.json"), "long.safetensors"},
		{forward("empty", "batch.json"), "empty"},
		{forward("run", "batch.json"), "is a folder"},
		{forward("cfg.json", "batch.json"), "cfg.json"},
		{forward("shape.safetensors", "batch.json"), "of another model"},
		{forward("huge.safetensors", "batch.json"), "is of another model"},
		{forward("class.safetensors", "batch.json"), "the model classifies"},
		// batches
		{batch("nowhere.json"), "nowhere.json"},
		{batch("text.json"), "text.json: line 1, column 1: not valid JSON"},
		{batch(`{}`), "no prompts"},
		{batch(`[1]`), "an object is needed"},
		{batch(`{"prompts": []}`), "no prompts"},
		{batch(`{"prompts": [[]]}`), "prompts[0] is empty"},
		{batch(`{"prompts": [[16,21]]}`), "prompts[0][1] is token 21"},
		{batch(`{"prompts": [[16,-1]]}`), "prompts[0][1] is token -1"},
		{batch(`{"prompts": [[16,1.5]]}`), "prompts[0][1] is 1.5; a whole number"},
		{batch(`{"prompts": [[16,null ]]}`), "prompts[0][1] is null"},
		{batch(`{"prompts": [[16,99999999999]]}`), "prompts[0][1]"},
		{batch(`{"prompts": [16]}`), "prompts[0] is 16; a list"},
		{batch(`{"prompts": 16}`), "prompts is 16; a list"},
		{batch(`{"prompts": [[16]], "tragets": [[17]]}`), `unknown key "tragets", did you mean targets?`},
		{batch(`{"prompts": [[16]], "targets": [[17],[17]]}`), "1 prompts and 2 targets"},
		{batch(`{"prompts": [[16]], "labels": [0]}`), "writes sequences"},
		{batch(`{"prompts": [[16]], "targets": [[1]]} extra`), "not valid JSON"},
		{forward("ck.safetensors", `{"prompts": [[16,1,1,1]]}`, "--max-length", "3"), "4 tokens, more than the limit of 3"},
		{forward("ck.safetensors", `{"prompts": [[16,1,1,1,1]]}`, "--max-memory", "1e-9"), "--max-memory"},
		{[]string{"grad", "--checkpoint", "ck.safetensors", "--batch", p.Write("prompt.json", `{"prompts": [[16]]}`), "--out", "x"}, "a gradient needs one of them"},
		// outputs
		{[]string{"init", "--model", "csp", "--out", "nowhere/x.safetensors"}, "nowhere/x.safetensors: not written"},
		{[]string{"init", "--model", "csp", "--out", "run"}, "run: not written"},
		{[]string{"data", "--out", "nowhere/x.jsonl"}, "nowhere/x.jsonl: not written"},
		// data files
		{lines("sums", ``), "holds no samples"},
		{lines("sums", "{}"), `line 1: field "prompt" is missing`},
		{lines("sums", "nonsense"), "line 1, column 1: not valid JSON"},
		{lines("sums", "[1, 2]"), "line 1: holds a JSON array"},
		{lines("sums", `{"prompt": 3}`), `line 1: field "prompt" holds 3; text is needed`},
		{lines("sums", `{"prompt": "3 x"}`), `line 1: field "prompt": column 3`},
		{lines("run", `{"prompt": "abc"}`), "the run learned task parity: use data of that task"},
		{lines("sums", `{"prompt": "3 mod 9 = "}`), `field "target" is missing`},
		{lines("sums", `{"prompt": "3 mod 9 = ", "target": "+"}`), `field "target" has no answer digit`},
		{lines("sums", `{"prompt": "3 mod 9 = ", "target": "3 repeat 3 mod 9 = 3"}`), "is of the format repeat, and the run writes direct"},
		{lines("sums", `{"prompt_ids": [3], "target": "3"}`), `field "prompt_ids" starts with token 3; <SOS> (16) is needed`},
		{lines("sums", `{"prompt": "3", "target_ids": [3]}`), `field "target_ids" ends with token 3; <EOS> (17) is needed`},
		{lines("sums", `{"prompt": "3", "target": "3"}`+"\n\n"+`{"prompt_ids": [16, 30], "target": "3"}`), `line 3: field "prompt_ids": [1] is token 30`},
		{lines("sums", `{"prompt": "3", "target": "3", "operands": "one"}`), `field "operands" holds "one"`},
		{lines("run", `{"prompt": "11"}`), `field "label" is missing`},
		{lines("run", `{"prompt": "11", "label": null}`), `field "label" is null, and "label_id" is missing`},
		{lines("run", `{"prompt": "11", "label": "2"}`), `field "label" holds "2"; a class of task parity is needed: 0, 1`},
		{lines("run", `{"prompt": "11", "label_id": 2}`), `field "label_id" holds 2`},
		{[]string{"eval", "--run", "run", "--data", "nowhere.jsonl"}, "nowhere.jsonl"},
		{[]string{"eval", "--run", "run", "--data", "run"}, "is a folder"},
		// prompts
		{[]string{"ask", "--run", "sums", "2 + 2 mod 7"}, "the modulus is 7"},
		{[]string{"ask", "--run", "sums", strings.Repeat("(", 70000)}, "at most 65 536"},
		{[]string{"ask", "--run", "run", ""}, "the prompt is empty"},
	} {
		code, _, errs := p.mistake(c.args...)
		line, one := strings.CutSuffix(errs, "\n")
		if code != cli.CodeUser || !one || strings.Contains(line, "\n") ||
			!strings.HasPrefix(line, "mhacsp: ") || len(line) > 400 {
			t.Errorf("mhacsp %.200s: exit code %d,\n%s", strings.Join(c.args, " "), code, errs)
		} else if !strings.Contains(line, c.want) {
			t.Errorf("mhacsp %.200s: %q does not say %q", strings.Join(c.args, " "), line, c.want)
		}
	}
	for _, left := range []string{"x", "x.safetensors", "runs"} {
		p.Absent(left)
	}
}

// TestEmptyFlags: no command takes a text or a list without anything in it, and none begins to work with one.
func TestEmptyFlags(t *testing.T) {
	p := newPlace(t)
	p.here()
	tried := 0
	for _, c := range newRoot(bufio.NewWriter(io.Discard), io.Discard).Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if _, list := f.Value.(pflag.SliceValue); f.Value.Type() != "string" && !list || f.Name == "group" {
				return // an empty --group means no breakdown
			}
			tried++
			args := []string{c.Name(), "--" + f.Name + "="}
			if c.Name() == "ask" {
				args = append(args, "1")
			}
			code, out, errs := p.mistake(args...)
			if code != cli.CodeUser || out != "" || strings.Count(errs, "\n") != 1 ||
				!strings.HasPrefix(errs, "mhacsp: --"+f.Name+" is \"\"; ") {
				t.Errorf("%s --%s=: exit code %d, %s%s", c.Name(), f.Name, code, out, errs)
			}
		})
	}
	left, err := os.ReadDir(p.Dir)
	assert.True(t, err == nil && len(left) == 0 && tried >= 40, "%d flags tried, left %v, %v", tried, left, err)
}

// TestAskPoints: a prompt that does not parse is shown with a caret under the place.
func TestAskPoints(t *testing.T) {
	p := parallelPlace(t)
	p.OK(nativetest.SmallRun("--out", "sums", "--format", "direct")...)
	p.OK(nativetest.SmallRun("--out", "bits", "--task", "parity", "--max-length", "5")...)
	for _, c := range []struct {
		run, prompt string
		column      int
	}{
		{"sums", "(2 + x) mod 9", 5}, {"sums", "2 * 3", 2},
		{"sums", "(2 + 3", 6}, {"sums", "", 0}, {"bits", "1012", 3},
	} {
		code, _, errs := p.Try("ask", "--run", c.run, "--backend", "cpu", c.prompt)
		l := strings.Split(errs, "\n")
		assert.True(t, code == cli.CodeUser && len(l) == 4 && l[1] == "  "+c.prompt &&
			l[2] == strings.Repeat(" ", 2+c.column)+"^", "%q: exit code %d\n%s", c.prompt, code, errs)
	}
}

// TestFullDisk: output for which there is no room is no mistake of the user, wherever it goes.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs a device that is always full")
	}
	p := newPlace(t)
	for _, args := range [][]string{
		{"data", "--n", "1", "--out", "-"}, {"data", "--n", "1000", "--out", "-"}, {"version"}, {"describe"},
		{"train", "--task", "parity", "--model", "csp", "--width", "4", "--steps", "1", "--backend", "cpu", "--out", "r"},
	} {
		c := p.Command(args...)
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		var errs strings.Builder
		c.Stdout, c.Stderr = full, &errs
		c.Run()
		full.Close()
		code := c.ProcessState.ExitCode()
		assert.True(t, code == cli.CodeInternal && strings.Count(errs.String(), "no space left") == 1,
			"%v: exit code %d, %s", args, code, errs.String())
	}
}

// TestLostOutput: nor is output that nobody takes, however much of it there is.
func TestLostOutput(t *testing.T) {
	read, write := io.Pipe()
	read.Close()
	for _, n := range []string{"1", "1000"} {
		var errs strings.Builder
		code := run([]string{"data", "--n", n, "--out", "-"}, write, &errs)
		assert.True(t, code == cli.CodeInternal, "%s lines: exit code %d, %s", n, code, errs.String())
	}
}

// TestKeepStack: what a panic's message names is a file with the stack.
func TestKeepStack(t *testing.T) {
	path, ok := strings.CutPrefix(keepStack(), " and the stack in ")
	defer os.Remove(path)
	text, err := os.ReadFile(path)
	assert.True(t, ok && err == nil && strings.Contains(string(text), "keepStack"), "%s: %v\n%s", path, err, text)
}

// TestNotFinite: a run that leaves the numbers names the step, and its last checkpoint, which is a good one; a
// checkpoint that has left them is refused.
func TestNotFinite(t *testing.T) {
	p := parallelPlace(t)
	p.OK(nativetest.SmallRun("--task", "parity", "--max-length", "6", "--out", "run")...)
	code, _, errs := p.Try(nativetest.SmallRun("--task", "parity", "--max-length", "6", "--out", "far",
		"--lr", "10", "--clip", "0", "--weight-decay", "10", "--optimizer", "adamw", "--steps", "300",
		"--checkpoint-every", "20")...)
	assert.True(t, code == cli.CodeInternal && strings.Contains(errs, "is not finite") &&
		strings.Contains(errs, "last good checkpoint: step "), "train: exit code %d, %s", code, errs)
	for _, f := range p.Tensors("far/optimizer.safetensors").Tensors {
		for _, x := range f.Data {
			assert.Need(t, !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0),
				"%s of the last good checkpoint holds %v", f.Name, x)
		}
	}
	for name, tensor := range map[string]string{
		"run/optimizer.safetensors": "param.head.bias", "run/model.safetensors": "head.bias",
	} {
		f := p.Tensors(name)
		x, _ := f.Find(tensor)
		x.Data[0] = float32(math.NaN())
		assert.NoError(t, checkpoint.WriteFile(p.Path(name), f))
	}
	p.Write("batch.json", `{"prompts": [[16,1,0]], "labels": [1]}`)
	p.OK(nativetest.SmallRun("--task", "parity", "--max-length", "6", "--out", "large")...)
	large := p.Tensors("large/model.safetensors")
	x, _ := large.Find("head.weight")
	for i := range x.Data {
		x.Data[i] = 3e38 * float32(1-2*(i%2))
	}
	assert.NoError(t, checkpoint.WriteFile(p.Path("large/model.safetensors"), large))
	for _, args := range [][]string{
		{"eval", "--run", "large"}, {"ask", "101", "--run", "large"},
		{"forward", "--checkpoint", "large/model.safetensors", "--batch", "batch.json", "--out", "x.safetensors"},
	} {
		p.refused(`but far too large, up to 3e+38 in tensor "head.weight"`, args...)
	}
	for _, args := range [][]string{
		{"eval", "--json", "--run", "run"}, {"eval", "--n", "3", "--run", "run"}, {"ask", "101", "--run", "run"},
		{"ask", "101", "--json", "--run", "run"}, {"train", "--resume", "run", "--steps", "8"},
		{"forward", "--checkpoint", "run/model.safetensors", "--batch", "batch.json", "--out", "x.safetensors"},
		{"grad", "--checkpoint", "run/model.safetensors", "--batch", "batch.json", "--out", "x.safetensors"},
	} {
		p.refused("not finite", args...)
	}
}

// TestChanges: a config.json that was changed by hand is noticed; a run is made longer by --steps, which its records
// tell, and goes on as a run that was made so long at first where the learning rate is constant.
func TestChanges(t *testing.T) {
	p := parallelPlace(t)
	run := nativetest.SmallRun("--task", "parity", "--max-length", "6", "--schedule", "constant")
	p.OK(append(run, "--out", "run")...)
	p.OK(append(run, "--out", "long", "--steps", "8")...)
	text := string(p.Read("run/config.json"))
	p.Write("run/config.json", strings.Replace(text, `"lr": 0.001`, `"lr": 0.002`, 1))
	p.Write("run/metrics.jsonl", "")
	p.refused("lr is 0.002, and was 0.001", "train", "--resume", "run")
	p.OK("train", "--resume", "run", "--accept-changes")
	assert.Says(t, string(p.Read("run/metrics.jsonl")), `"changed":["lr"]`)
	p.OK(append(run, "--out", "run", "--overwrite")...)
	p.OK("train", "--resume", "run", "--steps", "8")
	assert.True(t, string(p.Read("run/model.safetensors")) != string(p.Read("long/model.safetensors")),
		"the model does not tell that its run was extended")
	for _, x := range p.Tensors("long/model.safetensors").Tensors {
		got, _ := p.Tensors("run/model.safetensors").Find(x.Name)
		assert.True(t, slices.Equal(got.Data, x.Data), "%s is not that of a run of 8 steps", x.Name)
	}
	log := string(p.Read("run/metrics.jsonl"))
	assert.True(t, strings.Contains(log, `"steps":8,"extended":[4]`) && nativetest.Steps([]byte(log)) == 8,
		"the log is\n%s", log)
	assert.Says(t, p.OK("train", "--resume", "run"), "nothing to do")
	p.Write("whole", string(p.Read("run/model.safetensors")))
	p.Write("run/model.safetensors", "damaged")
	p.OK("train", "--resume", "run")
	p.Same("whole", "run/model.safetensors")
}

// TestLonger: a run with the parameters of its best validation is not made longer, also where it was stopped in its
// test or killed behind it; nothing of it is changed, and it goes on to its end.
func TestLonger(t *testing.T) {
	p := parallelPlace(t)
	p.OK(nativetest.SmallRun("--task", "parity", "--max-length", "6", "--patience", "3", "--out", "run")...)
	model := p.Read("run/model.safetensors")
	lines := strings.SplitAfter(string(p.Read("run/metrics.jsonl")), "\n")
	ended := len(lines) - 2 // the line that says so
	for name, log := range map[string][]string{
		"finished": lines, "killed": lines[:ended],
		"stopped": append(slices.Clone(lines[:ended-1]), `{"event":"done","step":4,"reason":"interrupted"}`+"\n"),
	} {
		p.Write("run/metrics.jsonl", strings.Join(log, ""))
		before := p.Files("run/*")
		code, _, errs := p.Try("train", "--resume", "run", "--steps", "8")
		if code != cli.CodeUser || strings.Count(errs, "\n") != 1 || !strings.Contains(errs,
			"--steps cannot make run longer: it is finished, with the parameters of its best validation") {
			t.Errorf("%s: exit code %d, %s", name, code, errs)
		}
		for file, text := range before {
			assert.Is(t, p.Read(file), text, "%s: %s was changed", name, file)
		}
		p.OK("train", "--resume", "run", "--backend", "cpu")
		text := string(p.Read("run/metrics.jsonl"))
		assert.True(t, strings.Count(text, `"role":"test"`) == 1 && strings.Count(text, `"role":"validation"`) == 2 &&
			bytes.Equal(p.Read("run/model.safetensors"), model), "%s: another model, or the log\n%s", name, text)
	}
}

// TestSmallWords: what asks for the version gets it, a run is described, and threads change no bit.
func TestSmallWords(t *testing.T) {
	p := parallelPlace(t)
	a, b := p.OK("--version"), p.OK("version")
	assert.True(t, a == b && strings.Contains(a, "go1."), "--version prints %q, version %q", a, b)
	run := nativetest.SmallRun("--format", "direct", "--split", "iid", "--warmup", "100", "--ablation", "no-lse",
		"--model", "mha-csp", "--preset", "paper", "--threads")
	const dir = "runs/arithmetic-mha-csp-paper-direct-iid-no-lse-0"
	out := p.OK(append(run, "1")...)
	assert.Says(t, out, "warning: --warmup is 100, and the run ends at step 4")
	p.OK(append(run, "3", "--out", "three")...)
	p.Same(dir+"/optimizer.safetensors", "three/optimizer.safetensors")
	for name, want := range map[string]string{dir: `"threads":1,`, "three": `"threads":3,`} {
		assert.True(t, strings.Contains(string(p.Read(name+"/metrics.jsonl")), want),
			"the log of %s has no %s", name, want)
	}
	assert.Says(t, p.OK("describe", "--run", dir), `"ablation": "no-lse"`)
}

// TestNoDisk: a run that no disk can hold is refused before its folder is made.
func TestNoDisk(t *testing.T) {
	p := parallelPlace(t)
	code, _, errs := p.Try("train", "--steps", fmt.Sprint(1<<30), "--keep-checkpoints", "10000", "--checkpoint-every",
		"1", "--width", "2048", "--heads", "1", "--model", "csp", "--backend", "cpu", "--out", "run", "--time-limit",
		"1s")
	if code == cli.CodePreempted {
		t.Skip("the disk has room for it, or its room is not known here")
	}
	assert.True(t, code == cli.CodeUser && strings.Contains(errs, "of disk"), "exit code %d, %s", code, errs)
	p.Absent("run")
}
