//go:build !js

package native

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
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
	p.Write("class.json", `{"model": "csp", "width": 8, "classes": 2}`)
	p.OK(words("init --config cfg.json --out ck.safetensors")...)
	p.OK(words("init --model csp --out csp.safetensors")...)
	p.OK(words("init --config class.json --out class.safetensors")...)
	p.OK(parityRun("run")...)
	p.OK(nativetest.SmallRun("--out", "sums", "--format", "direct")...)
	p.OK(parityRun("former", "--model", "arformer", "--context", "8")...)
	whole := p.Read("ck.safetensors")
	p.Write("cut.safetensors", string(whole[:len(whole)-5]))
	p.Write("head.safetensors", string(whole[:100]))
	p.Write("long.safetensors", string(whole)+"x")
	p.Write("empty", "")
	// A checkpoint whose configuration is not that of its tensors.
	p.Write("shape.safetensors", strings.Replace(string(whole), `\"width\":8`, `\"width\":6`, 1))
	huge := &checkpoint.File{
		Metadata: map[string]string{"config": `{"model": "csp", "width": 8192, "layers": 64}`},
		Tensors:  []checkpoint.Tensor{{Name: "embedding.weight", Shape: []int{21, 8192}, Data: make([]float32, 21*8192)}},
	}
	assert.NoError(t, checkpoint.WriteFile(p.Path("huge.safetensors"), huge))
	p.Write("batch.json", `{"prompts": [[16,1]], "targets": [[1,17]]}`)
	p.Write("four.json", `{"prompts": [[16,1,1,1]]}`)
	for _, dir := range []string{"damaged", "lone"} {
		assert.NoError(t, os.CopyFS(p.Path(dir), os.DirFS(p.Path("run"))))
		p.Write(dir+"/metrics.jsonl", "") // not finished
	}
	p.Write("damaged/optimizer.safetensors", string(p.Read("run/optimizer.safetensors")[:500]))
	assert.NoError(t, os.Remove(p.Path("lone/optimizer.safetensors")))
	p.here()
	for _, c := range []struct{ args, want string }{
		// command line
		{"trian", `no command "trian", did you mean train?`},
		{"train --stpes 3", "no flag --stpes, did you mean --steps?"}, {"train -s 3", "two dashes"},
		{"train --steps", "needs an argument"}, {"train --steps many", `--steps is "many"; a whole number is needed`},
		{"train --seed -1", `--seed is "-1"; a whole number from 0 is needed`},
		{"train --lr fast", `--lr is "fast"; a number is needed`}, {"train --skip=perhaps", "true or false is needed"},
		{"train --fusion mehs", "choose one of mesh, pooled, mean; did you mean mesh?"},
		{"train --task paritty", "did you mean parity?"}, {"train --model MHA-CSP-M", "did you mean mha-csp-m?"},
		{"train --model mha-csp-n", "did you mean mha-csp-2?"}, {"train --task ParitY", "did you mean parity?"},
		{"train --model transformer", "choose one of arformer, csp, "},
		{"train --backend cuda", "choose one of auto, cpu, cpu32, cpu64, gpu"},
		{"train --backend cpu --adapter x", "an adapter goes with --backend gpu"},
		{"train --split test", "choose one of structure, iid"}, {"train parity", `takes no arguments, found "parity"`},
		{"train --steps 0", "mhacsp: --steps is 0; choose a number from 1"},
		{"train --model mha-csp-s --width 10 --heads 3", "mhacsp: --width is 10, no multiple"},
		{"train --model mha-csp-s --heads 3", "mhacsp: --width is "},
		{"train --task parity --memory 70", "choose --memory 72, or --width 118"},
		{"train --time-limit soon", `--time-limit is "soon"; a time is needed, as in 55m`},
		{"train --time-limit -3s", "--time-limit is -3s; give a time above 0"}, {"train --time-limit 0", "is 0s; give"},
		{"train --task parity --format copy", `--format is "copy", and task parity has no such option; leave it out`},
		{"train --task parity --max-length 70000", "--max-length is 70000; choose a number from 1 to 65536"},
		{"train --model mha-csp --width 8000 --heads 1 --layers 60", "parameters"},
		{"train --model arformer --positions sine", "choose one of learned, rotary, none"},
		{"ask --run former 10101010", "learned positions for 8"},
		{"eval --run former --min-length 9 --max-length 9", "learned positions for 8"},
		{"train --steps 99999999999999999999", "nearer to 0"}, {"train --lr 1e999", "nearer to 0"},
		{"train --model arformer --task parity --max-length 300", "have 301 tokens together, and the model has " +
			"learned positions for 256; shorten them, or train with --context 301"},
		{"train --resume=", `--resume is ""; give a folder, or leave the flag out`},
		{"view --run=", `--run is ""; give a folder, or leave the flag out`},
		{"view --size=", `--size is ""; give WxH, or leave the flag out`},
		{"tables --only= --dry-run", `--only is ""; give words, or leave the flag out`},
		{"figures --run run --out x --only=", `--only is ""; give kinds`},
		{"figures --run= --out x", `--run is ""; give a folder`}, {"view --run run --size 320x240", "280x280 to"},
		{"view --run run --record x.mp4", "a file that ends in .gif, or a folder"},
		{"help trian", `no command "trian", did you mean train?`},
		{"completion foo", `no completion for "foo"; mhacsp completion --help lists the shells`},
		{"completion bsh", `no completion for "bsh", did you mean bash?`},
		{"completion bash x", `takes no arguments, found "x"`}, {"init --model csp", "missing: --out; "},
		{"serve --dir none", "make site"}, {"forward --out x", "missing: --batch and --checkpoint; "},
		{"init --out x", "--config or --model is missing"},
		{"init --out x --config cfg.json --model csp", "exclude each other"}, {"data --out x --n 0", "--n is 0"},
		{"data --out x --split tset", "did you mean test?"}, {"ask --run run", "the prompt is missing"},
		{"ask --run run 1 1", "one pair of quotes"}, {"ask --run csp.safetensors 3", "csp.safetensors"},
		// run folders
		{"train --task parity --out run", "holds a run already"}, {"train --out cfg.json", "run folder"},
		{"train --resume nowhere", "nowhere does not exist"},
		{"train --resume run --lr 9", "--lr cannot be given with --resume"},
		{"train --resume run --steps 3", "--steps is 3, and the run has 4; a run can only be made longer"},
		{"train --ablation nolse", "did you mean no-lse?"}, {"train --ablation tree", "did you mean no-tree?"},
		{"train --threads -1", "--threads is -1; choose a number from 0 to 1024"},
		{"train --resume run --overwrite", "--overwrite cannot be given with --resume"},
		{"train --resume damaged", "damaged/optimizer.safetensors"},
		{"train --resume lone", "lone/optimizer.safetensors is missing"},
		{"train --config nowhere.json", "nowhere.json"},
		{"eval --run nowhere", "nowhere does not exist"}, {"eval", "there is no run under runs/"},
		{"eval --checkpoint ck.safetensors", "--run"},
		{"eval --run run --checkpoint csp.safetensors", "of another task"}, {"eval --run run --n -3", "--n is -3"},
		{"eval --run run --data empty --seed 3", "cannot be given with --data"},
		{"eval --run sums --max-length 9", "--max-length is 9, and task arithmetic has no such option"},
		// batches
		{"forward --out x --checkpoint ck.safetensors --batch nowhere.json", "nowhere.json"},
		{"forward --out x --checkpoint ck.safetensors --batch four.json --max-length 3", "4 tokens, more than the limit of 3"},
		{"forward --out x --checkpoint ck.safetensors --batch four.json --max-memory 1e-9", "--max-memory"},
		{"grad --out x --checkpoint ck.safetensors --batch four.json", "a gradient needs one of them"},
		// outputs
		{"init --model csp --out nowhere/x.safetensors", "nowhere/x.safetensors: not written"},
		{"init --model csp --out run", "run: not written"},
		{"data --out nowhere/x.jsonl", "nowhere/x.jsonl: not written"},
		// data files
		{"eval --run run --data nowhere.jsonl", "nowhere.jsonl"}, {"eval --run run --data run", "is a folder"},
		// prompts
		{"ask --run sums " + strings.Repeat("(", 70000), "at most 65 536"},
	} {
		p.mistaken(c.want, strings.Fields(c.args)...)
	}
	p.mistaken("mhacsp devices lists what there is", words("train --backend gpu --adapter", "no such adapter")...)
	p.mistaken(`mhacsp ask -- "-3 + 4"`, words("ask --run sums", "-3 + 4")...)
	p.mistaken("the modulus is 7", words("ask --run sums", "2 + 2 mod 7")...)
	p.mistaken("the prompt is empty", words("ask --run run", "")...)
	for file, want := range map[string]string{
		"nowhere.safetensors": "nowhere.safetensors", "cut.safetensors": "cut.safetensors", "run": "is a folder",
		"head.safetensors": "head.safetensors", "long.safetensors": "long.safetensors", "empty": "empty",
		"cfg.json": "cfg.json", "shape.safetensors": "of another model", "huge.safetensors": "is of another model",
		"class.safetensors": "the model classifies",
	} {
		p.mistaken(want, words("forward --out x --batch batch.json --checkpoint", file)...)
	}
	for command, list := range map[string][]struct{ text, want string }{
		"train --config case.json": {
			{`{"model": "csp", "widht": 8}`, `case.json: unknown key "widht"`},
			{`{"model": "csp", "steps": "8"}`, `key "steps" holds a string; a whole number is needed`},
			{"hello", "case.json: line 1, column 1: not valid JSON"},
		},
		"init --config case.json --out x.safetensors": {
			{`{"width": 8}`, `no "model"`}, {`{"model": "csp", "widht": 9}`, `unknown key "widht"`},
			{`{"model": "csp", "width": 0}`, "width is 0"}, {`{"model": "csp"} {}`, "not valid JSON"},
		},
		"forward --checkpoint ck.safetensors --batch case.json --out x.safetensors": {
			{"hello", "case.json: line 1, column 1: not valid JSON"}, {`{}`, "no prompts"},
			{`[1]`, "an object is needed"}, {`{"prompts": []}`, "no prompts"},
			{`{"prompts": [[]]}`, "prompts[0] is empty"}, {`{"prompts": [[16,21]]}`, "prompts[0][1] is token 21"},
			{`{"prompts": [[16,-1]]}`, "prompts[0][1] is token -1"},
			{`{"prompts": [[16,1.5]]}`, "prompts[0][1] is 1.5; a whole number"},
			{`{"prompts": [[16,null ]]}`, "prompts[0][1] is null"},
			{`{"prompts": [[16,99999999999]]}`, "prompts[0][1]"}, {`{"prompts": [16]}`, "prompts[0] is 16; a list"},
			{`{"prompts": 16}`, "prompts is 16; a list"},
			{`{"prompts": [[16]], "tragets": [[17]]}`, `unknown key "tragets", did you mean targets?`},
			{`{"prompts": [[16]], "targets": [[17],[17]]}`, "1 prompts and 2 targets"},
			{`{"prompts": [[16]], "labels": [0]}`, "writes sequences"},
			{`{"prompts": [[16]], "targets": [[1]]} extra`, "not valid JSON"},
		},
		"eval --run sums --data case.json": {
			{``, "holds no samples"}, {"{}", `line 1: field "prompt" is missing`},
			{"nonsense", "line 1, column 1: not valid JSON"}, {"[1, 2]", "line 1: holds a JSON array"},
			{`{"prompt": 3}`, `line 1: field "prompt" holds 3; text is needed`},
			{`{"prompt": "3 x"}`, `line 1: field "prompt": column 3`},
			{`{"prompt": "3 mod 9 = "}`, `field "target" is missing`},
			{`{"prompt": "3 mod 9 = ", "target": "+"}`, `field "target" has no answer digit`},
			{`{"prompt": "3 mod 9 = ", "target": "3 repeat 3 mod 9 = 3"}`, "is of the format repeat, and the run writes direct"},
			{`{"prompt_ids": [3], "target": "3"}`, `field "prompt_ids" starts with token 3; <SOS> (16) is needed`},
			{`{"prompt": "3", "target_ids": [3]}`, `field "target_ids" ends with token 3; <EOS> (17) is needed`},
			{`{"prompt": "3", "target": "3"}` + "\n\n" + `{"prompt_ids": [16, 30], "target": "3"}`, `line 3: field "prompt_ids": [1] is token 30`},
			{`{"prompt": "3", "target": "3", "operands": "one"}`, `field "operands" holds "one"`},
		},
		"eval --run run --data case.json": {
			{`{"prompt": "abc"}`, "the run learned task parity: use data of that task"},
			{`{"prompt": "11"}`, `field "label" is missing`},
			{`{"prompt": "11", "label": null}`, `field "label" is null, and "label_id" is missing`},
			{`{"prompt": "11", "label": "2"}`, `field "label" holds "2"; a class of task parity is needed: 0, 1`},
			{`{"prompt": "11", "label_id": 2}`, `field "label_id" holds 2`},
		},
	} {
		for _, c := range list {
			p.Write("case.json", c.text)
			p.mistaken(c.want, strings.Fields(command)...)
		}
	}
	for _, left := range []string{"x", "x.safetensors", "runs"} {
		p.Absent(left)
	}
}

// parityRun are the flags of a small run on short strings.
func parityRun(out string, more ...string) []string {
	return nativetest.SmallRun(append(more, "--task", "parity", "--max-length", "6", "--out", out)...)
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
			p.mistaken("mhacsp: --"+f.Name+` is ""; `, args...)
		})
	}
	left, err := os.ReadDir(p.Dir)
	assert.True(t, err == nil && len(left) == 0 && tried >= 40, "%d flags tried, left %v, %v", tried, left, err)
}

// TestAskPoints: a prompt that does not parse is shown with a caret under the place.
func TestAskPoints(t *testing.T) {
	p := parallelPlace(t)
	p.OK(nativetest.SmallRun("--out", "sums", "--format", "direct")...)
	p.OK(parityRun("bits")...)
	for _, c := range []struct {
		run, prompt string
		column      int
	}{
		{"sums", "(2 + x) mod 9", 5}, {"sums", "2 * 3", 2}, {"sums", "(2 + 3", 6}, {"sums", "", 0},
		{"bits", "1012", 3},
	} {
		points := "\n  " + c.prompt + "\n" + strings.Repeat(" ", 2+c.column) + "^\n"
		_, errs := p.ends(cli.CodeUser, points, "ask", "--run", c.run, "--backend", "cpu", c.prompt)
		assert.Is(t, strings.Count(errs, "\n"), 3, "%q: lines of %q", c.prompt, errs)
	}
}

// TestFullDisk: output for which there is no room is no mistake of the user, wherever it goes.
func TestFullDisk(t *testing.T) {
	p := parallelPlace(t)
	for _, line := range []string{
		"data --n 1 --out -", "data --n 1000 --out -", "version", "describe",
		"train --task parity --model csp --width 4 --steps 1 --backend cpu --out r",
	} {
		c := p.Command(words(line)...)
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip("no device that is always full:", err)
		}
		var errs strings.Builder
		c.Stdout, c.Stderr = full, &errs
		c.Run()
		full.Close()
		code := c.ProcessState.ExitCode()
		assert.True(t, code == cli.CodeInternal && strings.Count(errs.String(), "no space left") == 1,
			"%s: exit code %d, %s", line, code, errs.String())
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
	p.OK(parityRun("run")...)
	_, errs := p.ends(cli.CodeInternal, "is not finite", parityRun("far", words(
		"--lr 10 --clip 0 --weight-decay 10 --optimizer adamw --steps 300 --checkpoint-every 20")...)...)
	assert.Says(t, errs, "last good checkpoint: step ")
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
	p.OK(parityRun("large")...)
	large := p.Tensors("large/model.safetensors")
	x, _ := large.Find("head.weight")
	for i := range x.Data {
		x.Data[i] = 3e38 * float32(1-2*(i%2))
	}
	assert.NoError(t, checkpoint.WriteFile(p.Path("large/model.safetensors"), large))
	for _, line := range []string{
		"eval --run large", "ask 101 --run large",
		"forward --checkpoint large/model.safetensors --batch batch.json --out x.safetensors",
	} {
		p.refused(`but far too large, up to 3e+38 in tensor "head.weight"`, words(line)...)
	}
	for _, line := range []string{
		"eval --json --run run", "eval --n 3 --run run", "ask 101 --run run", "ask 101 --json --run run",
		"train --resume run --steps 8",
		"forward --checkpoint run/model.safetensors --batch batch.json --out x.safetensors",
		"grad --checkpoint run/model.safetensors --batch batch.json --out x.safetensors",
	} {
		p.refused("not finite", words(line)...)
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
	p.OK(parityRun("run", "--patience", "3")...)
	model := p.Read("run/model.safetensors")
	lines := strings.SplitAfter(string(p.Read("run/metrics.jsonl")), "\n")
	ended := len(lines) - 2 // the line that says so
	for name, log := range map[string][]string{
		"finished": lines, "killed": lines[:ended],
		"stopped": append(slices.Clone(lines[:ended-1]), `{"event":"done","step":4,"reason":"interrupted"}`+"\n"),
	} {
		p.Write("run/metrics.jsonl", strings.Join(log, ""))
		before := p.Files("run/*")
		p.refused("--steps cannot make run longer: it is finished, with the parameters of its best validation",
			"train", "--resume", "run", "--steps", "8")
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
	run := nativetest.SmallRun(words("--format direct --split iid --warmup 100 --ablation no-lse --model mha-csp " +
		"--preset paper --threads")...)
	const dir = "runs/arithmetic-mha-csp-paper-direct-iid-no-lse-0"
	out := p.OK(append(run, "1")...)
	assert.Says(t, out, "warning: --warmup is 100, and the run ends at step 4")
	p.OK(append(run, "3", "--out", "three")...)
	p.Same(dir+"/optimizer.safetensors", "three/optimizer.safetensors")
	for name, want := range map[string]string{dir: `"threads":1,`, "three": `"threads":3,`} {
		assert.Says(t, string(p.Read(name+"/metrics.jsonl")), want)
	}
	assert.Says(t, p.OK("describe", "--run", dir), `"ablation": "no-lse"`)
}

// TestNoDisk: a run that no disk can hold is refused before its folder is made.
func TestNoDisk(t *testing.T) {
	p := parallelPlace(t)
	code, _, errs := p.Try(words("train --keep-checkpoints 10000 --checkpoint-every 1 --width 2048 --heads 1 "+
		"--model csp --backend cpu --out run --time-limit 1s --steps", fmt.Sprint(1<<30))...)
	if code == cli.CodePreempted {
		t.Skip("the disk has room for it, or its room is not known here")
	}
	assert.True(t, code == cli.CodeUser && strings.Contains(errs, "of disk"), "exit code %d, %s", code, errs)
	p.Absent("run")
}

// TestHelp: every command explains itself and every flag of it, with a default where there is one.
func TestHelp(t *testing.T) {
	p := parallelPlace(t)
	for _, c := range newRoot(bufio.NewWriter(io.Discard), io.Discard).Commands() {
		help := p.OK(c.Name(), "--help")
		assert.True(t, c.Short != "" && strings.Contains(help, "mhacsp "+c.Name()), "%s: help is\n%s", c.Name(), help)
		assert.True(t, !strings.Contains(help, "--time-limit") || c.Flags().Lookup("time-limit") != nil,
			"%s: help names --time-limit, and there is none", c.Name())
		c.Flags().VisitAll(func(f *pflag.Flag) {
			assert.True(t, strings.Contains(help, "--"+f.Name) && f.Usage != "",
				"%s: help does not explain --%s", c.Name(), f.Name)
		})
	}
}

// TestCompletion: the shell is offered commands, flags and the values of enumerated flags.
func TestCompletion(t *testing.T) {
	p := parallelPlace(t)
	for _, c := range []struct{ line, want string }{
		{"tr", "train"}, {"train --tas", "--task"}, {"train --task pari", "parity"}, {"train --fusion ", "pooled"},
		{"train --model ", "mha-csp-2"}, {"forward --backend c", "cpu64"}, {"data --split ", "iid"}, {"train --schedule ", "cosine"},
		{"forward --batch ", "json"},
	} {
		out := p.OK(append([]string{"__complete"}, strings.Split(c.line, " ")...)...)
		assert.True(t, strings.Contains("\n"+out, "\n"+c.want), "%q completes to\n%s", c.line, out)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		out := p.OK("completion", shell)
		assert.True(t, len(out) >= 1000, "completion for %s is %d bytes", shell, len(out))
	}
}
