//go:build !js

package native

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mhacsp/model/metric"
	"mhacsp/model/zoo"
	"mhacsp/native/cli"
	"mhacsp/native/cmd/ask"
	"mhacsp/native/cmd/bench"
	"mhacsp/native/cmd/eval"
	"mhacsp/native/nativetest"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// TestForwardGrad drives init, describe, forward and grad on sequences.
func TestForwardGrad(t *testing.T) {
	p := parallelPlace(t)
	p.Write("cfg.json", smallModel)
	p.Write("batch.json", `{"prompts": [[16,3,13,10,13,4],[16,3]], "targets": [[7,17],[1,2,17]]}`)
	p.OK("init", "--config", "cfg.json", "--seed", "3", "--out", "ck.safetensors")
	p.OK("init", "--config", "cfg.json", "--seed", "3", "--out", "same.safetensors")
	p.Same("ck.safetensors", "same.safetensors")
	var d struct {
		Parameters int
		Tensors    []struct{ Name string }
	}
	p.JSON(&d, "describe", "--checkpoint", "ck.safetensors", "--json")
	p.OK(words("forward --checkpoint ck.safetensors --batch batch.json --out out.safetensors")...)
	p.OK(words("forward --checkpoint ck.safetensors --batch batch.json --out out32.safetensors --backend cpu32")...)
	p.OK(words("grad --checkpoint ck.safetensors --batch batch.json --out grad.safetensors --backend cpu")...)
	out, out32, grad := p.Tensors("out.safetensors"), p.Tensors("out32.safetensors"), p.Tensors("grad.safetensors")
	for _, l := range []string{"blocks.0.", "blocks.1."} {
		p.Shape(out, l+"state", 2, 6, 16)
		p.Shape(out, l+"distance", 2, 2, 6, 6)
		p.Shape(out, l+"tree", 2, 2, 6, 6)
		p.Shape(out, l+"fusion", 2, 6, 2, 2)
		p.Shape(out, l+"attention", 2, 2, 6, 6)
		p.Shape(out, l+"output", 2, 6, 16)
	}
	logits := p.Shape(out, "logits", 2, 3, 21)
	for i, x := range p.Shape(out32, "logits", 2, 3, 21) {
		assert.Need(t, math.Abs(float64(x-logits[i])) <= 1e-4, "logit %d: %v, in float64 %v", i, x, logits[i])
	}
	loss := p.Shape(out, "loss", 1)[0]
	g := p.Shape(grad, "loss", 1)[0]
	assert.True(t, g == loss && loss > 0 && loss < 20, "forward has loss %v, grad %v", loss, g)
	assert.True(t, len(grad.Tensors) == len(d.Tensors)+1,
		"grad wrote %d tensors for %d parameters and the loss", len(grad.Tensors), len(d.Tensors))
	count := 0
	for _, x := range d.Tensors {
		g, ok := grad.Find(x.Name)
		assert.Need(t, ok, "no gradient of %s", x.Name)
		count += len(g.Data)
	}
	assert.True(t, count == d.Parameters, "gradients of %d numbers, %d parameters", count, d.Parameters)
}

// onlyText drops everything but the texts from JSON lines, as another program may write them.
func onlyText(t *testing.T, lines []byte) string {
	t.Helper()
	var s strings.Builder
	for line := range strings.Lines(string(lines)) {
		var r map[string]any
		assert.NoError(t, json.Unmarshal([]byte(line), &r))
		maps.DeleteFunc(r, func(key string, _ any) bool { return !slices.Contains(words("prompt target label"), key) })
		s.Write(append(assert.Must(json.Marshal(r))(t), '\n'))
	}
	return s.String()
}

// TestForwardWithoutTargets: prompts alone give the blocks; for classes also the logits.
func TestForwardWithoutTargets(t *testing.T) {
	p := parallelPlace(t)
	p.Write("batch.json", `{"prompts": [[16,1]]}`)
	for name, config := range map[string]string{
		"sequence": `{"model": "csp", "width": 8}`, "class": `{"model": "csp", "width": 8, "classes": 2}`,
	} {
		p.Write("cfg.json", config)
		p.OK("init", "--config", "cfg.json", "--out", "ck.safetensors")
		p.OK(words("forward --checkpoint ck.safetensors --batch batch.json --out out.safetensors")...)
		_, loss := p.Tensors("out.safetensors").Find("loss")
		_, logits := p.Tensors("out.safetensors").Find("logits")
		assert.True(t, !loss && logits == (name == "class"), "%s: loss %t, logits %t", name, loss, logits)
	}
}

// TestTrainArithmetic drives train, eval, data and ask on sequences.
func TestTrainArithmetic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format, preset, split string // as train and data know the format and preset, and data the split
		more                  string
	}{
		{"repeat", "author", "validation", ""},
		{"copy", "author", "iid", "--split iid --supervision prefix --curriculum"},
		{"direct", "paper", "validation", "--model mha-csp-2"},
	} {
		p := newPlace(t)
		draws := []string{"--format", c.format, "--preset", c.preset}
		out := p.OK(nativetest.SmallRun(append(words(c.more, draws...), "--out", "a run")...)...)
		assert.Says(t, out, "device   cpu", "parameters", "validation at step 2:", "test at step 4:", "operands",
			"depth", "a constant guess", ` ask --run 'a run' '`)
		p.onlyRunFiles("a run")
		p.refused("these have: parenthesis, mod3, parity, modarith", words("eval --lengths --run", "a run")...)

		// Drawn samples, the same from a file with ids, and the same as text alone give one report.
		var drawn, filed, text struct {
			metric.Report
			N             int
			Split, Source string
		}
		p.OK(words("data --n 20 --seed 5 --out d.jsonl --split "+c.split, draws...)...)
		p.JSON(&drawn, words("eval --backend cpu --json --n 20 --seed 5 --split "+c.split+" --run", "a run")...)
		p.JSON(&filed, words("eval --backend cpu --json --data d.jsonl --run", "a run")...)
		p.Write("text.jsonl", onlyText(t, p.Read("d.jsonl")))
		p.JSON(&text, words("eval --backend cpu --json --data text.jsonl --checkpoint", "a run/model.safetensors")...)
		assert.True(t, drawn.N == 20 && drawn.Split == c.split && filed.Source == "d.jsonl",
			"%s: eval says %d samples, split %q, source %q", c.format, drawn.N, drawn.Split, filed.Source)
		assert.Is(t, filed.Report, drawn.Report, "%s: the report of a file", c.format)
		assert.Is(t, text.Report, drawn.Report, "%s: the report of text", c.format)
		table := p.OK("eval", "--run", "a run", "--backend", "cpu", "--n", "20")
		assert.Says(t, table, "exact match", "operands 2", "depth 0", "a constant guess")

		var a ask.Answer
		p.JSON(&a, "ask", "--run", "a run", "--backend", "cpu", "--json", "((2 + 3) -4) mod 9 =")
		assert.True(t, a.Expected == "1" && a.Prompt == "((2 + 3) - 4) mod 9 = " && len(a.Tokens) != 0 &&
			a.Right == (a.Answer == "1"), "ask: %+v", a)
		var file ask.Answer
		p.JSON(&file, "ask", "--run", "a run/model.safetensors", "--backend", "cpu", "--json", "((2 + 3) -4) mod 9 =")
		assert.Is(t, file.Output, a.Output, "asked by its file the model answers")
		assert.True(t, c.format == "copy" || len(a.Top) == 3, "ask lists %d answers", len(a.Top))
	}
}

// TestTrainStrings drives train, eval, data and ask on the tasks with labels; parity as they are without --backend.
func TestTrainStrings(t *testing.T) {
	t.Parallel()
	for task, expected := range map[string]string{
		"parity": "0", "mod3": "1", "parenthesis": "balanced", "modarith": "3",
	} {
		p := newPlace(t)
		device := "cpu"
		if task == "parity" {
			device = "auto"
		}
		// No --out: the run lies under runs/ and ask finds it.
		run := words("--model csp --max-length 12 --seed 4 --backend "+device+" --task", task)
		out := p.OK(nativetest.SmallRun(run...)...)
		dir := "runs/" + task + "-csp-max12-4"
		assert.Says(t, out, "length")
		p.onlyRunFiles(dir)
		var drawn, filed, long struct{ metric.Report }
		evaluation := func(line string) []string { return words("eval --run " + dir + " --backend " + device + line) }
		p.OK(words("data --max-length 12 --split test --n 30 --seed 1 --out d.jsonl --task", task)...)
		p.JSON(&drawn, evaluation(" --n 30 --seed 1 --json")...)
		p.JSON(&filed, evaluation(" --data d.jsonl --json")...)
		assert.Is(t, filed, drawn, "%s: the report of a file", task)
		p.Write("text.jsonl", onlyText(t, p.Read("d.jsonl")))
		p.JSON(&filed, evaluation(" --data text.jsonl --json")...)
		p.JSON(&long, evaluation(" --n 3 --min-length 40 --max-length 40 --json")...)
		assert.Is(t, long.ByLength[64].Count, 3, "%s: of strings of 40 characters %+v", task, long.ByLength)
		sets := 0
		lines := json.NewDecoder(strings.NewReader(p.OK(evaluation(" --n 2 --lengths --json")...)))
		for lines.More() {
			var e eval.Evaluation
			assert.NoError(t, lines.Decode(&e))
			want := tasks.LengthSets(task, tasks.Options{})[sets]
			assert.True(t, e.Count == 2 && e.Task == task && e.MinLength == want.MinLength &&
				e.MaxLength == want.MaxLength && e.Step != nil && *e.Step == 4, "%s: set %d is %+v", task, sets, e)
			sets++
		}
		text := p.OK(evaluation(" --n 2 --lengths")...)
		assert.True(t, sets == len(tasks.LengthSets(task, tasks.Options{})) &&
			strings.Count(text, "a constant guess") == sets, "%s: %d sets in JSON, and\n%s", task, sets, text)
		var a ask.Answer
		k := assert.Must(tasks.New(task, tasks.Options{}))(t)
		p.JSON(&a, "ask", "--backend", device, "--json", k.Example())
		assert.True(t, a.Expected == expected && len(a.Top) >= 2 && strings.HasPrefix(a.Checkpoint, "runs"),
			"%s: %+v", task, a)
		p.OK("ask", "--backend", device, k.Example())
	}
}

// TestConfig: a run's config.json is a configuration, and flags override it.
func TestConfig(t *testing.T) {
	p := parallelPlace(t)
	p.OK(parityRun("a")...)
	p.OK("train", "--config", "a/config.json", "--backend", "cpu", "--out", "b")
	p.Same("a/model.safetensors", "b/model.safetensors")
	p.OK("train", "--config", "a/config.json", "--seed", "9", "--backend", "cpu", "--out", "c")
	assert.True(t, string(p.Read("a/model.safetensors")) != string(p.Read("c/model.safetensors")),
		"another seed gives the same run")
	p.Write("small.json", smallModel)
	isModel := func(s string) bool { return s == "--model" || s == "mha-csp-s" }
	small := slices.DeleteFunc(nativetest.SmallRun(), isModel)
	p.OK(append(small, "--config", "small.json", "--task", "mod3", "--max-length", "5", "--out", "d")...)
	assert.Says(t, string(p.Read("d/config.json")), `"gate_bias": -1.2`, `"model": "mha-csp-2"`)
	p.OK("describe", "--config", "d/config.json")
	p.OK("describe", "--model", "csp")
}

// TestDescribeConfig: describe takes what train and init take for a configuration, whole or in part.
func TestDescribeConfig(t *testing.T) {
	p := parallelPlace(t)
	for text, want := range map[string][]string{
		`{"model": "csp", "width": 8, "classes": 2}`: {`"classes": 2`, " 610\n"}, // a model
		`{"model": "csp", "steps": 100}`:             {`"steps": 100`, `"task": "arithmetic"`, " 119973\n"},
		`{"task": "parity", "max_length": 6}`:        {`"max_length": 6`, `"model": "mha-csp-s"`, " 114282\n"},
		`{}`:                                         {`"model": "mha-csp-m"`, " 120104\n"},
	} {
		p.Write("part.json", text)
		assert.Says(t, p.OK("describe", "--config", "part.json"), want...)
	}
	for text, want := range map[string]string{
		`{"model": "csp", "steps": 0}`:    "steps is 0",
		`{"model": "csp", "widht": 3}`:    `unknown key "widht"`,
		`{"task": "parity", "lr": "x"}`:   `key "lr" holds a string`,
		`{"task": "own", "model": "csp"}`: `task is "own"`,
		`[]`:                              "holds a JSON array",
		`{"model": "csp"} {}`:             `line 1, column 18: not valid JSON: "{" stands behind the JSON value`,
	} {
		p.Write("bad.json", text)
		p.refused("mhacsp: bad.json: "+want, "describe", "--config", "bad.json")
	}
}

// TestBench: times and shares of kernels; a batch without memory is refused before any is taken.
func TestBench(t *testing.T) {
	p := parallelPlace(t)
	var b bench.Result
	p.JSON(&b, words("bench --model mha-csp --width 8 --heads 2 --batch 4 --steps 2 --warmup 1 --json")...)
	assert.True(t, b.Steps == 2 && b.Batch == 4 && b.MedianMs >= b.MinMs && b.MinMs > 0 && b.Tokens > 0, "%+v", b)
	var share float64
	for _, k := range b.Kernels {
		share += k.Share
	}
	assert.True(t, len(b.Kernels) >= 5 && math.Abs(share-1) <= 0.01 && b.Gflops > 0,
		"kernels take %v of a step: %+v", share, b.Kernels)
	assert.Says(t, p.OK(words("bench --task parity --width 8 --model csp --batch 2 --steps 1")...), "GFLOP/s")
	p.refused("--batch is 1048576: such a batch ", words("bench --backend cpu --batch 1048576 --steps 1")...)
}

// onlyRunFiles: a run's folder holds what it should and nothing else.
func (p place) onlyRunFiles(dir string) {
	p.Helper()
	entries := assert.Must(os.ReadDir(p.Path(dir)))(p)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Is(p, names, words("config.json metrics.jsonl model.safetensors optimizer.safetensors"), "%s holds", dir)
}

// TestAskPractised: ask says what of a prompt training never drew, and the command that it offers asks for one of the
// same right answer that training draws.
func TestAskPractised(t *testing.T) {
	p := parallelPlace(t)
	p.OK(nativetest.SmallRun("--format", "direct", "--out", "a run")...)
	p.OK(parityRun("bits")...)
	p.OK(nativetest.SmallRun("--task", "modarith", "--out", "mod")...)
	for prompt, note := range map[string]string{
		"(9+(7+-6))": "it has practised 0 to 4; 9 is 4, 7 is 2, -6 is -1 here",
		"1+2*3":      "it has practised a bracket around every two parts",
	} {
		assert.Says(t, p.OK("ask", "--run", "mod", prompt), "\nnote        "+note+"\n")
	}
	for _, x := range []struct {
		run, prompt, says string
		want              tasks.Unpractised
		instead           string
	}{
		{"a run", "9+1", "it has practised 0 to 8; 9 is 0 here",
			tasks.Unpractised{Kind: tasks.LackNumber, Value: "9", Most: 8, Same: "0"}, "0 + 1"},
		{"a run", "-5+9", "it has practised 0 to 8; 9 is 0 here",
			tasks.Unpractised{Kind: tasks.LackNumber, Value: "9", Most: 8, Same: "0"}, "-5 + 0"},
		{"bits", "1101101", "it has practised lengths of 1 to 6; this is 7",
			tasks.Unpractised{Kind: tasks.LackLength, Value: "7", Least: 1, Most: 6}, "110111"},
	} {
		out := p.OK("ask", "--backend", "cpu", "--run", x.run, "--", x.prompt)
		program := cli.Quote(filepath.Join(nativetest.Programs, "mhacsp.exe"))
		_, line, offered := strings.Cut(out, "\npractised   "+program+" ask --run "+cli.Quote(x.run)+" ")
		command, _, _ := strings.Cut(line, "\n")
		assert.True(t, strings.Contains(out, "\nnote        "+x.says+"\n") && offered &&
			strings.TrimPrefix(command, "-- ") == cli.Quote(x.instead), "%s, %q:\n%s", x.run, x.prompt, out)
		args := []string{"ask", "--backend", "cpu", "--run", x.run, x.instead}
		if strings.HasPrefix(command, "-- ") {
			args = slices.Insert(args, 5, "--")
		}
		out = p.OK(args...)
		assert.True(t, !strings.Contains(out, "practised"), "%s, %q is offered:\n%s", x.run, x.instead, out)
		var a ask.Answer
		p.JSON(&a, "ask", "--json", "--backend", "cpu", "--run", x.run, "--", x.prompt)
		assert.True(t, slices.Equal(a.Unpractised, []tasks.Unpractised{x.want}) && a.Instead == x.instead,
			"%s, %q: %+v, %q", x.run, x.prompt, a.Unpractised, a.Instead)
	}
}

// TestNotes: ask and eval say where a prompt is longer than the memory can tell apart, and only there.
func TestNotes(t *testing.T) {
	p := parallelPlace(t)
	p.OK(nativetest.SmallRun(words("--out run --model mha-csp-m --memory 2 --width 10 --memory-period 20")...)...)
	const note = "tokens, and the memory starts again after 20"
	for prompt, noted := range map[string]bool{"3+5": false, "3+5-1+2-8": true} { // of 13 and 25 tokens
		out := p.OK("ask", "--run", "run", "--backend", "cpu", prompt)
		assert.Is(t, strings.Contains(out, note), noted, "ask %s: %s", prompt, out)
		assert.True(t, !noted || strings.Contains(out, "a prompt has 25 "+note), "%s", out)
	}
	p.Write("short.jsonl", `{"prompt": "3 mod 9 = ", "target": "3 repeat 3 mod 9 = 3"}`+"\n")
	out := p.OK("eval", "--run", "run", "--backend", "cpu", "--data", "short.jsonl")
	assert.True(t, !strings.Contains(out, note), "a short prompt is warned of: %s", out)
	for _, more := range []string{"", " --json"} {
		assert.Says(t, p.OK(words("eval --run run --backend cpu --n 64"+more)...), note, "--memory-period")
	}
}

// TestDescribeAll: every preset stands in the table with its parameters.
func TestDescribeAll(t *testing.T) {
	p := parallelPlace(t)
	var presets []struct {
		Model      string
		Parameters int
	}
	p.JSON(&presets, "describe", "--all", "--json")
	assert.Is(t, len(presets), len(zoo.Names()), "describe --all lists … presets")
	table := p.OK("describe", "--all")
	for _, x := range presets {
		assert.True(t, regexp.MustCompile(fmt.Sprintf(`(?m)^%s +%d `, x.Model, x.Parameters)).MatchString(table),
			"describe --all has no row of %s with %d parameters:\n%s", x.Model, x.Parameters, table)
	}
	p.refused("--all", "describe", "--all", "--model", "csp")
}

// TestWarningsOfFlags: a warning that advises a setting names its flag.
func TestWarningsOfFlags(t *testing.T) {
	p := parallelPlace(t)
	for flags, warning := range map[string]string{
		"--task parity --model gru --state-clip 0.2": "--state-clip is 0.2, and gru has no state",
		"--model mha-csp-m --memory-period 16":       "--memory-period is 16, and a prompt may have up to ",
		"--task parity --warmup 9":                   "--warmup is 9, and the run ends at step 1: ",
	} {
		out := p.OK(words("train --backend cpu --steps 1 --batch 1 --eval-samples 1 --test-samples 0 --overwrite " +
			"--out run " + flags)...)
		assert.Says(t, out, warning)
	}
}
