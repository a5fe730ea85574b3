//go:build !js

package native

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/cmd/ask"
	"mhacsp/native/cmd/eval"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// labelled are n lines of the task: is the number of a's even?
func labelled(n int) string {
	var s strings.Builder
	for i := range n {
		text := strings.NewReplacer("1", "a", "0", "b").Replace(fmt.Sprintf("%06b", i%64))
		label := []string{"even", "odd"}[strings.Count(text, "a")%2]
		fmt.Fprintf(&s, "{\"prompt\": %q, \"label\": %q, \"half\": %d}\n", text, label, i*2/n)
	}
	return s.String()
}

// ownRun are the flags of a run with data of its own that takes a moment.
func ownRun(out string, more ...string) []string {
	return append(words("train --data train.jsonl --validation v.jsonl --test t.jsonl --model csp --width 8 "+
		"--steps 60 --batch 16 --warmup 0 --eval-every 20 --checkpoint-every 5 --backend cpu --out", out), more...)
}

func ownPlace(t *testing.T) place {
	p := newPlace(t)
	p.Write("train.jsonl", labelled(50))
	p.Write("v.jsonl", labelled(20))
	p.Write("t.jsonl", labelled(30))
	return p
}

// TestOwn: a run with files trains, is evaluated on its own test and on other files, is asked, and describes itself
// from its folder and from its checkpoint alone.
func TestOwn(t *testing.T) {
	t.Parallel()
	p := ownPlace(t)
	out := p.OK(ownRun("run", "--group", "half")...)
	assert.Says(t, out, "own data, 50 samples of train.jsonl, 2 tokens, 2 classes, seed 0", "of 20 samples",
		"of 30 samples", "half        0: ", " ask --run run bbbbbb\n")
	var e eval.Evaluation
	p.JSON(&e, "eval", "--run", "run", "--backend", "cpu", "--json")
	assert.True(t, e.N == 30 && e.Source == "t.jsonl" && e.Split == "test" && e.ByGroup["half"]["1"].Count == 15 &&
		e.Seed == nil, "the test is evaluated as %+v", e)
	var log train.Evaluation
	for line := range strings.Lines(string(p.Read("run/metrics.jsonl"))) {
		if strings.Contains(line, `"role":"test"`) {
			assert.NoError(t, json.Unmarshal([]byte(line), &log))
		}
	}
	assert.True(t, log.Report.Exact == e.Exact && log.Report.Count == e.N,
		"training tells of its test %+v, eval %+v", log.Report, e.Report)
	assert.NoError(t, os.Remove(p.Path("train.jsonl"))) // the run's folder is enough for what follows
	p.JSON(&e, "eval", "--run", "run", "--data", "v.jsonl", "--backend", "cpu", "--json")
	assert.True(t, e.N == 20 && e.Source == "v.jsonl", "a file is evaluated as %+v", e)
	p.JSON(&e, words("eval --run run/model.safetensors --split validation --n 7 --backend cpu --json")...)
	assert.True(t, e.N == 7 && e.Seed != nil, "seven samples are evaluated as %+v", e)
	var a ask.OwnAnswer
	p.JSON(&a, "ask", "--run", "run", "--backend", "cpu", "--json", "abba")
	assert.True(t, a.Prompt == "abba" && (a.Output == "even" || a.Output == "odd") && len(a.Top) == 2,
		"the reply is %+v", a)
	assert.Says(t, p.OK("describe", "--checkpoint", "run/model.safetensors"), `"sha256"`)
	p.Write("batch.json", `{"prompts": [[16, 0, 1, 0]]}`)
	p.OK("forward", "--checkpoint", "run/model.safetensors", "--batch", "batch.json", "--out", "x.safetensors")
}

// TestOwnData: what data writes of a task is the user's own data as it stands, and eval reads it by its text.
func TestOwnData(t *testing.T) {
	p := parallelPlace(t)
	for name, n := range map[string]string{"train": "40", "v": "10", "t": "10"} {
		p.OK("data", "--task", "arithmetic", "--format", "direct", "--n", n, "--out", name+".jsonl")
	}
	p.OK(ownRun("run", "--steps", "2", "--group", "operands,trivial")...)
	out := p.OK("eval", "--run", "run", "--data", "t.jsonl", "--backend", "cpu", "--group", "depth")
	assert.Says(t, out, "depth 0")
	var a ask.OwnAnswer
	p.JSON(&a, "ask", "--run", "run", "--backend", "cpu", "--json", "3 mod 9 = ")
	assert.True(t, a.Ended != nil && len(a.Tokens) != 0, "the reply is %+v", a)
	// The folder's configuration makes the same run again.
	p.OK("train", "--config", "run/config.json", "--backend", "cpu", "--out", "again")
	p.Same("run/model.safetensors", "again/model.safetensors")
}

// TestOwnKill: however often a run with files is killed, it ends in the same bytes, its files moved or not.
func TestOwnKill(t *testing.T) {
	t.Parallel()
	p, random := ownPlace(t), moments(t)
	begin := time.Now()
	p.OK(ownRun("whole")...)
	whole := time.Since(begin)
	args := p.killedOften(4, whole/2, random, ownRun("killed"))
	assert.NoError(t, os.Rename(p.Path("train.jsonl"), p.Path("moved.jsonl")))
	if args[1] == "--resume" { // else it was killed before it had a folder; the last --data counts
		code, _, errs := p.Try(args...)
		assert.True(t, code == cli.CodeOK || code == cli.CodeUser && strings.Contains(errs, "--data"),
			"without its file the run is resumed: exit code %d\n%s", code, errs)
	}
	p.OK(append(args, "--data", "moved.jsonl")...)
	a, b := p.Tensors("whole/model.safetensors"), p.Tensors("killed/model.safetensors")
	for i, x := range a.Tensors {
		assert.Is(t, fmt.Sprint(b.Tensors[i]), fmt.Sprint(x), "the killed run's %s", x.Name)
	}
}

// TestOwnMistakes: every mistake around the user's own files is one line that names place and remedy, and exit code 2.
func TestOwnMistakes(t *testing.T) {
	p := ownPlace(t)
	p.OK(ownRun("run", "--steps", "2")...)
	p.OK(nativetest.SmallRun("--task", "parity", "--out", "parity")...)
	untested := ownRun("untested", "--steps", "2")
	p.OK(append(untested[:5:5], untested[7:]...)...) // without --test
	p.Write("bad.jsonl", labelled(3)+`{"prompt": "abc", "label": NaN}`)
	p.Write("empty.jsonl", "")
	p.Write("named.jsonl", `{"text": "ab", "label": "odd"}`)
	p.Write("other.jsonl", labelled(49)+`{"prompt": "bbbbba", "label": "odd", "half": 1}`)
	p.Write("list.json", `{"a": 1}`)
	p.Write("damaged.json", "[\n\"a\",\n]")
	text := string(p.Read("run/config.json"))
	p.Write("both.json", strings.Replace(text, `"task": "own"`, `"task": "parity"`, 1))
	p.Write("no.json", `{"task": "own"}`)
	p.Write("odd/config.json", `{"model": "nope"}`)
	p.Write("half.json", strings.Replace(text, `"vocabulary"`, `"vocabularies"`, 1))
	p.Write("half/config.json", strings.Replace(text, `"vocabulary"`, `"vocabularies"`, 1))
	other := string(p.Read("parity/config.json"))
	p.Write("mod3/config.json", strings.Replace(other, `"task": "parity"`, `"task": "mod3"`, 1))
	p.Write("classless/config.json", strings.Replace(other, `"classes": 2`, `"classes": 0`, 1))
	assert.NoError(t, os.CopyFS(p.Path("changed"), os.DirFS(p.Path("run"))))
	p.Write("changed/config.json", strings.ReplaceAll(text, "train.jsonl", "other.jsonl"))
	p.Write("changed/metrics.jsonl", "")
	p.here()
	for _, c := range []struct{ args, want string }{
		{"--task parity", "--task cannot be given with --data, which"},
		{"--format direct", "--format cannot be given with --data"},
		{"--long-share 0.5", "--long-share cannot be given with --data"},
		{"--data bad.jsonl", "bad.jsonl:4:28: not valid JSON"},
		{"--data empty.jsonl", "empty.jsonl:1:1: the file holds no samples"},
		{"--data named.jsonl", `the line has "text", "label"; --fields prompt=NAME`},
		{"--data .", ". is a folder; name a file"}, {"--data nowhere.jsonl", "nowhere.jsonl: no such file"},
		{"--group nowhere", `no line has the field "nowhere"; --group names another field`},
		{"--eval-samples 21", "--eval-samples is 21, but the data has 20 validation samples"},
		{"--test-samples 1", "--test-samples is 1, but the data has 0 test samples"},
		{"--vocabulary list.json", "list.json: a JSON list of texts is needed"},
		{"--vocabulary damaged.json", "damaged.json: line 3, column 1: not valid JSON"},
		{"--tokens letters", `--tokens is "letters"`},
	} {
		p.mistaken(c.want, words("train --data train.jsonl --validation v.jsonl --out x "+c.args)...)
	}
	for _, c := range []struct{ args, want string }{
		{"train --data train.jsonl", "--data needs --validation FILE"},
		{"train --test t.jsonl", "--test is about files of your own and needs --data"},
		{"train --group half", "--group is about files of your own and needs --data"},
		{"train --config both.json", "data stands with task parity"},
		{"train --config no.json", `task "own" has no "data"`},
		{"train --config half.json", `half.json: key "data": unknown key "vocabularies"`}, {"train --resume changed", "other.jsonl has "},
		{"train --resume run --tokens words", "--tokens cannot be given with --resume"},
		{"train --resume parity --data train.jsonl", "--data names a file of your own data, and the run in parity has none: its task is parity"},
		{"train --resume parity --validation v.jsonl", "--validation names a file of your own data"},
		{"train --resume untested --test t.jsonl", "--test names a file, and the run in untested has no test file"},
		{"eval --run run --split iid", "--split is iid"},
		{"eval --run run --max-length 5", "--min-length and --max-length are about"},
		{"eval --run run --n 31", "--n is 31"}, {"eval --run run --lengths", "the task own has no length"},
		{"eval --run run --data bad.jsonl", "bad.jsonl:4:28: not valid JSON"},
		{"eval --run parity --group half", "--group is for runs with data of their own"},
		{"probe --run run", "mhacsp probe knows the program's own tasks"},
		{"train --config odd/config.json", `config.json: model is "nope"`}, {"describe --run odd", `config.json: model is "nope"`},
		{"train --resume half", `half/config.json: key "data": unknown key`}, {"describe --run half", `config.json: key "data": unknown key`},
		{"train --resume mod3 --accept-changes", "mod3/config.json: the model has 21 tokens and 2 classes, task mod3 has 21 and 3"},
		{"train --resume classless", "classless/config.json: the model has 21 tokens and 0 classes, task parity has 21 and 2"},
		{"train --config odd", "is a directory; name a file"}, {"eval --run list.json/x", "; name a run that can be read"},
	} {
		p.mistaken(c.want, strings.Fields(c.args)...)
	}
	p.mistaken("the prompt is empty", words("ask --run run", "")...)
	p.Write("untested/config.json", strings.Replace(text, `"vocabulary"`, `"vocabularies"`, 1))
	p.mistaken(`untested: key "data": unknown key "vocabularies"`, words("eval --run untested")...)
	code, _, errs := p.mistake("ask", "--run", "run", "abcabc")
	assert.Is(t, code, cli.CodeUser, "exit code")
	assert.Says(t, errs, `column 3: found "c", expected one of the 2 characters`, "\n  abcabc\n    ^\n")
	p.Absent("x")
}

// TestOwnInputs: every file that a person writes is read in one way only: what could be read in two is one line that
// names the place or the key, and a byte order mark at its beginning is none of its content.
func TestOwnInputs(t *testing.T) {
	const bom = "\ufeff"
	p := ownPlace(t)
	p.Write("train.csv", bom+"text,intent,group\r\naab,odd,0.25\r\n\"ab\nb\",even,0.5\r\n")
	p.Write("v.csv", "intent,text\neven,b\nodd,aab\n")
	p.Write("tokens.json", bom+`["a", "b", "\n"]`)
	p.Write("run.json", bom+`{"model": "csp", "width": 8, "task": "parity", "steps": 2, "warmup": 0, `+
		`"test_samples": 8, "eval_every": 0}`)
	out := p.OK(ownRun("table", words("--data train.csv --validation v.csv --test train.csv --vocabulary tokens.json "+
		"--fields prompt=text,label=intent --steps 2")...)...)
	assert.Says(t, out, "3 tokens, 2 classes", "warning  1 of the 2 samples for validation (v.csv)",
		"warning  the file for test, train.csv, is the same")
	p.OK("train", "--resume", "table", "--steps", "4", "--backend", "cpu")
	var e eval.Evaluation
	p.JSON(&e, words("eval --run table --backend cpu --json --data v.csv")...)
	assert.Is(t, e.N, 2, "%+v", e)
	p.JSON(&e, words("eval --run table --backend cpu --json --data train.jsonl --fields prompt=prompt,label=label")...)
	assert.Is(t, e.N, 50, "%+v", e)
	p.OK("train", "--config", "run.json", "--backend", "cpu", "--out", "sums")
	p.Write("half.jsonl", labelled(2)+`{"prompt": "a", "label": "odd", "group": 0.5}`+"\n")
	out = p.OK(ownRun("half", "--data", "half.jsonl", "--validation", "half.jsonl", "--steps", "2")...)
	assert.Says(t, out, `warning  half.jsonl: field "group" holds 0.5`)
	out = p.OK(ownRun("none", "--data", "half.jsonl", "--validation", "half.jsonl", "--steps", "2", "--group", "")...)
	assert.True(t, !strings.Contains(out, `field "group"`), "a group that was switched off is reported\n%s", out)

	p.here()
	const own = "train --data train.jsonl --validation v.jsonl --out y "
	for _, c := range []struct{ args, text, want string }{
		{"train --config x", `{"steps": 3, "steps": 7}`, `x: line 1, column 14: key "steps" stands twice`},
		{"train --config x", `{"Steps": 3}`, `x: unknown key "Steps", did you mean "steps"?`},
		{"train --config x", `{"Task": "parity"}`, `unknown key "Task", did you mean "task"?`},
		{"train --config x", `{"task": "own", "data": {"Tokens": "words"}}`, `unknown key "Tokens", did you mean "tokens"?`},
		{"init --config x --out y", `{"model": "csp", "Width": 8}`, `"Width", did you mean "width"?`},
		{"describe --config x", `{"model": "csp", "model": "mha-csp"}`, `"model" stands twice`},
		{"tables --plan x --dry-run", `{"cells": [{"name": "a", "name": "b"}]}`, `key "name" stands twice`},
		{"tables --plan x --dry-run", `{"Cells": []}`, `"Cells", did you mean "cells"?`},
		{"forward --checkpoint table/model.safetensors --batch x --out y", `{"prompts": [[16]], "prompts": [[16]]}`, `"prompts" stands twice`},
		{"eval --run sums --data x", `{"prompt": "0", "label": "even", "label": "odd"}`, `x: line 1, column 34: key "label" stands twice`},
		{"eval --run sums --data x", "\n" + `{"prompt": "0", "Label": "even"}`, `x: line 2: unknown field "Label", did you mean "label"?`},
		{"eval --run sums --data x", "\n" + `{"prompt": "0", "label": NaN}`, "x: line 2, column 26: not valid JSON"},
		{"eval --run sums --data x", `{"prompt": "0", "label": "even\ud83d"}`, `x: line 1, column 31: \ud83d is half of a character`},
		{"eval --run sums --data x", "\x1f\x8b\x08", "x:1:1: the file is packed with gzip"},
		{"eval --run sums --data x", "prompt,label\n0,even\n", "x:1:1: the file is a table"},
		{"eval --run table --data x", `{"text": "a", "intent": "odd\ud83d"}`, `x:1:29: \ud83d is half of a character`},
		{own + "--vocabulary x", `["a", "\udc00"]`, `x: line 1, column 8: \udc00 is half of a character`},
		{own + "--fields group=x", "", `--fields: results are broken down by --group x`},
		{own + "--fields label", "", `--fields: "label" has no "="; write what a field is for`},
		{"eval --run table --fields label=x", "", "--fields names the fields of a file and needs --data"},
		{"eval --run sums --fields label=x", "", "--fields is for runs with data of their own"},
	} {
		p.Write("x", c.text)
		errs := p.mistaken(c.want, strings.Fields(c.args)...)
		assert.True(t, strings.Count(errs, "line ") <= 1, "two places: %s", errs)
	}
}

// TestOwnShown: text of data that a terminal would obey is shown as the list of tokens shows it, wherever it stands.
func TestOwnShown(t *testing.T) {
	p := parallelPlace(t)
	const evil = `\u001b[31m\u202e\n\u009b2J`
	line := func(label string) string {
		return `{"prompt": "a` + evil + `", "label": "` + label + evil + `", "group": "` + evil +
			`", "` + evil + `": "` + evil + `"}` + "\n"
	}
	for _, name := range []string{"train.jsonl", "v.jsonl", "t.jsonl"} {
		p.Write(name, line("x")+line("y"))
	}
	p.Write("bad\u202e.jsonl", line("z"))
	p.Write("list.jsonl", `{"prompt": ["a`+"\u202e\u009b"+`"], "label": 1}`)
	shown := func(command string, args ...string) {
		t.Helper()
		_, out, errs := p.Try(append([]string{command}, args...)...)
		for _, text := range []string{out, errs} {
			at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) })
			assert.True(t, at < 0, "%s shows %q", command, text[max(0, at-40):min(len(text), at+40)])
		}
		text := out + errs
		assert.True(t, strings.Contains(text, `\u202e`) || strings.Contains(text, "<U+202E>") ||
			command == "describe", "%s shows no data:\n%s", command, text)
	}
	prompt := "a\x1b[31m\u202e\n\u009b2J"
	shown("train", ownRun("run\u202e", "--steps", "2", "--group", `group,"`+prompt[1:]+`"`)[1:]...)
	shown("ask", "--run", "run\u202e", "--backend", "cpu", prompt)
	shown("ask", "--run", "run\u202e", "--backend", "cpu", prompt+"\u202dX")
	shown("eval", "--run", "run\u202e", "--backend", "cpu")
	shown("eval", "--run", "run\u202e", "--backend", "cpu", "--data", "bad\u202e.jsonl")
	shown("eval", "--run", "run\u202e", "--backend", "cpu", "--data", "list.jsonl")
	shown("describe", "--checkpoint", "run\u202e/model.safetensors")
}

// TestOwnPrompt: the line that a run ends with asks the first prompt of its file, whatever stands there, when it is
// pasted into a shell; and a place in a prompt is counted in characters.
func TestOwnPrompt(t *testing.T) {
	p := parallelPlace(t)
	const prompt = `-é$é "it's"`
	line := assert.Must(json.Marshal(map[string]string{"prompt": prompt, "target": "é"}))(t)
	for _, name := range []string{"train.jsonl", "v.jsonl", "t.jsonl"} {
		p.Write(name, string(line)+"\n")
	}
	out := p.OK(ownRun("run", "--steps", "1", "--eval-every", "0")...)
	_, next, ok := strings.Cut(out, "\nnext: ")
	assert.Need(t, ok, "no next line in\n%s", out)
	if runtime.GOOS != "windows" {
		c := exec.Command("sh", "-c", `mhacsp() { name=$1; shift; "$BINARY" "$name" --backend cpu "$@"; }; `+next)
		c.Dir, c.Env = p.Dir, append(os.Environ(), "BINARY="+nativetest.Binary())
		assert.Says(t, output(t, c), "prompt      "+prompt+"\n")
	}
	_, errs := p.ends(cli.CodeUser, `column 5: found "X"`, "ask", "--run", "run", "--backend", "cpu", "--", "-é$éX")
	assert.True(t, strings.HasSuffix(errs, "\n  -é$éX\n      ^\n"), "%s", errs)
}

// TestOwnLaughs: a long repetitive line is trained on. Without the bound on the states' gradients it ends the run; the
// error has its place and what helps, also where a resumed run meets it with its first step.
func TestOwnLaughs(t *testing.T) {
	p := parallelPlace(t)
	p.Write("v.jsonl", labelled(20))
	p.Write("train.jsonl", "\n"+labelled(7)+`{"prompt": "`+strings.Repeat("ab ", 500)+`", "label": "odd"}`+"\n")
	run := func(out string, more ...string) []string {
		return append(words("train --data train.jsonl --validation v.jsonl --model csp --steps 8 --batch 1 "+
			"--warmup 0 --eval-every 0 --checkpoint-every 1 --backend cpu --seed 5 --out", out), more...)
	}
	p.OK(run("bounded")...)
	var errs string
	for _, args := range [][]string{run("free", "--state-clip", "0"), words("train --resume free --backend cpu")} {
		_, errs = p.ends(cli.CodeInternal, "train.jsonl, line 9, 1501 tokens", args...)
		assert.True(t, strings.Count(errs, "mhacsp: ") == 1 && strings.Contains(errs, "--state-clip 0.2") &&
			!strings.Contains(errs, "--lr") && !strings.Contains(errs, "copy it again"), "%s", errs)
	}
	assert.True(t, strings.Contains(errs, "last good checkpoint: step ") &&
		!strings.Contains(errs, "checkpoint: step 0 "), "the resumed run was to have made a step before: %s", errs)
}

// TestDates: the worked example of your-own-data.md makes files that are good, always the same, and share no day.
func TestDates(t *testing.T) {
	p := parallelPlace(t)
	days := map[string]string{}
	for _, dir := range []string{"a", "b"} {
		assert.NoError(t, os.Mkdir(p.Path(dir), 0o755))
		output(t, exec.Command("go", "run", "../tasks/own/testdata/dates.go", p.Path(dir)))
	}
	for _, name := range []string{"train", "validation", "test"} {
		text := p.Read("a/" + name + ".jsonl")
		assert.Is(t, text, p.Read("b/"+name+".jsonl"), "%s.jsonl is another file the second time", name)
		for line := range strings.Lines(string(text)) {
			var x struct{ Prompt, Target string }
			assert.NoError(t, json.Unmarshal([]byte(line), &x))
			other := days[x.Target]
			assert.Need(t, other == "" || other == name, "%s stands in %s and in %s", x.Target, other, name)
			days[x.Target] = name
			assert.Must(time.Parse(time.DateOnly, x.Target))(t)
		}
	}
	p.OK(words("train --data a/train.jsonl --validation a/validation.jsonl --test a/test.jsonl --width 8 --memory 4 " +
		"--heads 2 --steps 1 --batch 2 --eval-samples 4 --test-samples 4 --backend cpu --out run")...)
}
