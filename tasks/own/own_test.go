package own

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// disk is a set of files in memory.
type disk map[string]string

type memory struct{ *strings.Reader }

func (m memory) Size() int64 { return m.Reader.Size() }

func (d disk) open(path string) (Source, error) {
	text, ok := d[path]
	if !ok {
		return nil, fmt.Errorf("open %s: no such file", path)
	}
	return memory{strings.NewReader(text)}, nil
}

// options are those of the files train, validation and test, where they are there.
func (d disk) options() Options {
	o := Options{Train: "train", Validation: "validation"}
	if _, ok := d["test"]; ok {
		o.Test = "test"
	}
	return o
}

func mustRead(t testing.TB, d disk, o Options) *Task {
	t.Helper()
	return assert.Must(Read(o, d.open))(t)
}

const (
	twoLabels  = `{"prompt": "ab", "label": "no"}` + "\n" + `{"prompt": "b", "label": "yes"}` + "\n"
	twoTargets = `{"prompt": "ab", "target": "ba"}` + "\n" + `{"prompt": "b", "target": "b"}` + "\n"
)

// numbered are n lines, each of a group of its own from a number on.
func numbered(from, n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "{\"prompt\": \"ab\", \"label\": \"no\", \"group\": %d}\n", from+i)
	}
	return s.String()
}

// TestMistakes: each mistake is reported by file, line and column.
func TestMistakes(t *testing.T) {
	long := strings.Repeat("a", MaxTokens+1)
	var labels strings.Builder
	for i := range maxClasses + 1 {
		fmt.Fprintf(&labels, "{\"prompt\": \"ab\", \"label\": %d}\n", i)
	}
	for _, c := range []struct {
		train, validation string // "": as in the other; - is twoLabels
		want              string
	}{
		{"", twoLabels, "train:1:1: the file holds no samples"},
		{"\n \r\n\t\n", twoLabels, "train:1:1: the file holds no samples"},
		{twoLabels + "\xef\xbb\xbf" + twoLabels, twoLabels, "train:3:1: found \\ufeff{"},
		{"\xff\xfe{\x00", twoLabels, "train:1:1: the file is UTF-16"},
		{"\xff{}", twoLabels, "train:1:1: byte 0xff is no UTF-8"},
		{"{\"prompt\": \"a\xe9\"}", twoLabels, "train:1:14: byte 0xe9 is no UTF-8"},
		{"[1, 2]", twoLabels, "train:1:1: found [1, 2]; a JSON object is needed"},
		{"  \"text\"", twoLabels, "train:1:3: found \"text\"; a JSON object is needed"},
		{twoLabels + "{\"prompt\": NaN, \"label\": 1}", twoLabels, "train:3:12: not valid JSON: found \"NaN\""},
		{"\n\n{\"prompt\": \"a\", }", twoLabels, "train:3:17: not valid JSON"},
		{"{\"prompt\": \"a\", \"label\": \"no\"", twoLabels, "train:1:30: not valid JSON: it ends too early"},
		{"{\"prompt\": \"a\", \"label\": \"no\"\n{}", twoLabels, "train:1:30: not valid JSON: it ends too early"},
		{"{\"prompt\": \"a\", \"label\": \"no\"} {}", twoLabels, "train:1:32: not valid JSON"},
		{"{\"prompt\": \"a\", \"label\": \"no\"}\r{\"prompt\"", twoLabels, "train:1:32: not valid JSON"},
		{"{\"prompt\": \"a\tb\"}", twoLabels, "train:1:14: not valid JSON"},
		{"{}", twoLabels, `train:1:1: field "prompt" is missing; the line has no fields`},
		{` {"Prompt": "a", "answer": 1}`, twoLabels, `train:1:2: field "prompt" is missing; the line has "Prompt", "answer"`},
		{`{"prompt": null, "label": 1}`, twoLabels, `train:1:12: field "prompt" is null`},
		{`{"prompt": "a", "label": null}`, twoLabels, `train:1:26: field "label" is null`},
		{`{"prompt": "a", "target": null}`, twoLabels, `train:1:27: field "target" is null`},
		{`{"prompt": "a"}`, twoLabels, `train:1:1: field "target" or "label" is missing`},
		{`{"prompt": "a", "label": 1, "target": "x"}`, twoLabels, `train:1:39: both "target" and "label" stand`},
		{`{"prompt": "é", "label": 1, "prompt": "x"}`, twoLabels, `train:1:29: key "prompt" stands twice`},
		{`{"prompt": "é", "x": 1, "x": [{"x": 2}], "label": 1}`, twoLabels, `train:1:25: key "x" stands twice`},
		{`{"prompt": 12, "label": 1}`, twoLabels, `train:1:12: field "prompt" holds 12; a text in quotation marks`},
		{`{"prompt": ["a"], "label": 1}`, twoLabels, `train:1:12: field "prompt" holds ["a"]; a text`},
		{`{"prompt": "", "label": 1}`, twoLabels, `train:1:12: field "prompt" is empty`},
		{`{"prompt": "a", "label": 1.5}`, twoLabels, `train:1:26: field "label" holds 1.5; a text, a whole number`},
		{`{"prompt": "a", "label": [1]}`, twoLabels, `train:1:26: field "label" holds [1]; a text`},
		{`{"prompt": "a", "target": 1}`, twoTargets, `train:1:27: field "target" holds 1; a text`},
		{`{"prompt": "a", "label": "no"}`, twoLabels, `train:1:1: every label is "no"; two classes are needed`},
		{twoLabels + `{"prompt": "a", "target": "b"}`, twoLabels, `train:3:27: field "target" stands here, but the lines before`},
		{twoTargets + `{"prompt": "a", "label": "b"}`, twoTargets, `train:3:26: field "label" stands here, but the lines before`},
		{labels.String(), "-", "train:10001:27: more than 10000 different labels"},
		{fmt.Sprintf(`{"prompt": "%s", "label": 1}`, long), "-", `train:1:12: field "prompt" has 65537 tokens`},
		{fmt.Sprintf(`{"prompt": "a", "target": "%s"}`, long), twoTargets, `train:1:27: field "target" has 65537 tokens`},
		{"-", fmt.Sprintf(`{"prompt": "%s", "label": "no"}`, long), `validation:1:12: field "prompt" has 65537 tokens`},
		{fmt.Sprintf(`{"prompt": "%s", "label": 1}`, strings.Repeat("a", 5<<20)), "-", `field "prompt" has 5242880 tokens`},
		{fmt.Sprintf(`{"prompt": "a", "label": 1, "x": "%s"}`, strings.Repeat("a", maxLine)), "-", "train:1:1: the line has more than 16 MiB"},
		{`{"prompt": "\ud83d", "label": 1}`, "-", `train:1:13: \ud83d is half of a character`},
		{`{"prompt": "a", "label": "é\udc00\ud83d"}`, "-", `train:1:28: \udc00 is half of a character`},
		{`{"prompt": "a", "label": 1, "gr\ud83dup": 1}`, "-", `train:1:32: \ud83d is half`},
		{"-", `{"prompt": "a", "label": "no", "x": {"y": ["\ud83d\ud83d\ude00"]}}`, `validation:1:45: \ud83d is half`},
		{"{\"prompt\u200b\": \"a\", \"labe\u0301l\": 1}", "-", `the line has "prompt<U+200B>", "labe<U+0301>l"`},
		{"-", "{\"prompt\": \"a\", \"label\": \"no\u202e\"}", `label "no<U+202E>" is no class`},
		{"-", `{"prompt": "a", "label": "\u001b[2J\n"}`, `label "<U+001B>[2J<U+000A>" is no class`},

		{"-", "", "validation:1:1: the file holds no samples"},
		{"-", twoTargets, `validation:1:28: field "target" stands here, but the training file has labels`},
		{twoTargets, twoLabels, `validation:1:27: field "label" stands here, but the training file has targets`},
		{"-", `{"prompt": "ab", "label": "maybe"}`, `validation:1:27: label "maybe" is no class of the training file, which has "no", "yes"`},
		{"-", twoLabels + `{"prompt": "éabc", "label": "no"}`, `validation:3:13: field "prompt": "é" is no token; expected one of the 2 characters of the training data: "a" "b"`},
		{"-", `{"prompt": "abc", "label": "no"}`, `validation:1:15: field "prompt": "c" is no token`},
		{"-", `{"prompt": "a\tb", "label": "no"}`, `validation:1:12: field "prompt": "\t" is no token`},
		{twoTargets, `{"prompt": "a", "target": "bX"}`, `validation:1:29: field "target": "X" is no token`},
	} {
		d := disk{"train": c.train, "validation": c.validation}
		for name, text := range d {
			if text == "-" {
				d[name] = twoLabels
			}
		}
		_, err := Read(d.options(), d.open)
		shown := fmt.Sprintf("%.200q", c.train+c.validation)
		assert.OneLine(t, shown, err, c.want)
		assert.True(t, errors.As(err, new(*Error)), "%s: the error is a %T", shown, err)
	}
}

// TestMost: what is just within the bounds is read and drawn; each file has its own values of a group.
func TestMost(t *testing.T) {
	long := strings.Repeat("ab", MaxTokens/2)
	for _, text := range []string{
		fmt.Sprintf("{\"prompt\": %q, \"target\": %q}\n", long, long),
		twoLabels + fmt.Sprintf("{\"prompt\": %q, \"label\": \"no\"}\n", long),
	} {
		d := disk{"train": text, "validation": text, "test": text}
		first := mustRead(t, d, d.options())
		again := reopened(t, first, d, tasks.Train, tasks.Validation, tasks.Test)
		for _, task := range []*Task{first, again} {
			assert.Is(t, task.MaxPrompt(), MaxTokens+1, "the longest prompt has … tokens")
			for role := range tasks.Role(3) {
				longest := 0
				for i := range uint64(task.Samples(role)) {
					var s tasks.Sample
					task.Sample(&s, tasks.Draw{Role: role}, i)
					longest = max(longest, len(s.Prompt))
				}
				err := task.Err()
				assert.True(t, err == nil && longest == MaxTokens+1,
					"%s: the longest prompt that is drawn has %d tokens, %v", role, longest, err)
			}
		}
		all, _, err := first.SamplesOf("test", nil, nil, d.open)
		assert.True(t, err == nil && len(all) == first.Samples(tasks.Test), "%d samples are read, %v", len(all), err)
	}
	for _, training := range []string{twoLabels, strings.ReplaceAll(twoLabels, "}", `, "group": "x"}`)} {
		d := disk{"train": training, "validation": numbered(0, maxValues), "test": numbered(1000, maxValues)}
		assert.Is(t, mustRead(t, d, d.options()).Data().Groups, []string{usual}, "the groups are")
	}
}

// TestOptions: mistakes that are not on a line.
func TestOptions(t *testing.T) {
	d := disk{"train": twoLabels, "validation": twoLabels,
		"half": twoLabels[:32] + `{"prompt": "b", "label": "yes", "half": 0.5}`,
		"many": numbered(0, maxValues+1)}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Tokens: "bytes", Vocabulary: []string{"a"}}, `tokens is "bytes"`},
		{Options{Vocabulary: []string{}}, "the vocabulary has 0 tokens"},
		{Options{Vocabulary: []string{"a", ""}}, "token 2 of the vocabulary"},
		{Options{Vocabulary: []string{"a", "b", "a"}}, `the vocabulary has "a" twice`},
		{Options{Vocabulary: []string{"a", "<EOS>"}}, "which every vocabulary has"},
		{Options{Tokens: Words, Vocabulary: []string{"a b"}}, "which is no word"},
		{Options{Vocabulary: []string{"a"}}, `train:1:14: field "prompt": "b" is not in the vocabulary`},
		{Options{Groups: []string{"length"}}, `no line has the field "length"`},
		{Options{Groups: []string{"half"}, Train: "half"}, `half:2:41: field "half" holds 0.5`},
		{Options{Groups: []string{usual}, Validation: "many"}, `many:201:42: field "group" has more than 200 values`},
		{Options{Test: "nowhere"}, "no such file"},
	} {
		c.o.Train, c.o.Validation = cmp.Or(c.o.Train, "train"), cmp.Or(c.o.Validation, "validation")
		_, err := Read(c.o, d.open)
		assert.OneLine(t, fmt.Sprintf("%+v", c.o), err, c.want)
	}
}

// TestOrder: an order is a permutation, for every number of samples; seed, role and epoch make another; and a sample
// comes at every place about as often.
func TestOrder(t *testing.T) {
	for n := uint64(1); n < 300; n++ {
		seen := make([]bool, n)
		for x := range n {
			at := place(n*77, n, x)
			assert.Need(t, at < n && !seen[at], "of %d samples place %d holds %d, out of range or again", n, x, at)
			seen[at] = true
		}
	}
	const n = 1000
	keys := map[string]uint64{
		"one": orderKey(tasks.Draw{}, 0), "seed": orderKey(tasks.Draw{Seed: 1}, 0),
		"role": orderKey(tasks.Draw{Role: tasks.Test}, 0), "epoch": orderKey(tasks.Draw{}, 1),
	}
	for a, x := range keys {
		for b, y := range keys {
			same := 0
			for i := range uint64(n) {
				if place(x, n, i) == place(y, n, i) {
					same++
				}
			}
			assert.True(t, a == b || same <= 10, "%s and %s put %d of %d samples in the same place", a, b, same, n)
		}
	}
	// 64 cells with 10 000 each expected: their chi-square has 49 degrees of freedom, 5 standard deviations are 100.
	var cells [8][8]float64
	for epoch := range uint64(80000) {
		key := orderKey(tasks.Draw{Seed: 3}, epoch)
		for x := range uint64(8) {
			cells[x][place(key, 8, x)]++
		}
	}
	chi := 0.0
	for _, row := range cells {
		for _, c := range row {
			chi += (c - 10000) * (c - 10000) / 10000
		}
	}
	assert.True(t, chi <= 150, "places are not evenly drawn: chi-square %.0f", chi)
}

// many is a file of that many samples with lines of all lengths, blank ones and both ends of lines.
func many(n int) string {
	var s strings.Builder
	for i := range n {
		prompt := fmt.Sprint(i) + strings.Repeat("x", i*i%(97+i/100*i%9000))
		fmt.Fprintf(&s, "{\"group\": %d, \"prompt\": %q, \"target\": \"%d\"}%s", i%7, prompt, i%13,
			[]string{"\n", "\r\n", "\n\n", "\n  \r\n"}[i%4])
	}
	return strings.TrimSpace(s.String())
}

// TestSamples: an epoch has every line once, with its target and its group, and sample and index are all that counts.
func TestSamples(t *testing.T) {
	const n = 500
	text := many(n)
	d := disk{"train": text, "validation": text, "test": text}
	task := mustRead(t, d, d.options())
	assert.Is(t, task.Samples(tasks.Train), n, "samples")
	seen := map[string]int{}
	var s tasks.Sample
	for i := range uint64(2 * n) {
		task.Sample(&s, tasks.Draw{Seed: 5}, i)
		prompt := task.Text(s.Prompt)
		seen[prompt]++
		number := 0
		fmt.Sscan(strings.TrimRight(prompt, "x"), &number)
		assert.Need(t, s.Prompt[0] == tasks.SOS && s.Target[len(s.Target)-1] == tasks.EOS && s.Label == -1 &&
			s.AnswerAt == -1 && s.Length == len(prompt) && task.Text(s.Target) == fmt.Sprint(number%13) &&
			slices.Equal(s.Groups, []tasks.Group{{Field: "group", Value: fmt.Sprint(number % 7)}}),
			"sample %d is %+v (%q)", i, s, prompt)
		path, line, err := task.Place(tasks.Draw{Seed: 5}, i)
		found := strings.Split(text, "\n")[max(line, 1)-1]
		assert.Need(t, err == nil && path == "train" && strings.Contains(found, fmt.Sprintf("%q", prompt)),
			"sample %d, %q, is said to be line %d of %s, %.60q; %v", i, prompt, line, path, found, err)
		assert.True(t, i != n-1 || len(seen) == n, "the first epoch has %d of %d samples", len(seen), n)
	}
	for prompt, times := range seen {
		assert.Is(t, times, 2, "%.20q came … times in two epochs", prompt)
	}
	want := make([]tasks.Sample, 300)
	draw := tasks.Draw{Seed: 9, Role: tasks.Test}
	for i := range want {
		task.Sample(&want[i], draw, uint64(i))
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			s := tasks.Sample{Prompt: []int32{1}, Target: []int32{2}, Label: 7, Groups: []tasks.Group{{Field: "x"}}}
			for i := len(want) - 1; i >= 0; i-- {
				task.Sample(&s, draw, uint64(i))
				if !reflect.DeepEqual(s, want[i]) {
					t.Errorf("sample %d is %+v, want %+v", i, s, want[i])
					return
				}
			}
		})
	}
	wait.Wait()
}

// reopened is the task of another's configuration, with the files of some roles.
func reopened(t *testing.T, first *Task, d disk, roles ...tasks.Role) *Task {
	t.Helper()
	raw := assert.Must(json.Marshal(first.Data()))(t)
	again := assert.Must(Parse(raw))(t)
	assert.NoError(t, again.Load(d.open, roles...))
	return again
}

// sameSamples holds two tasks to the same first n samples of a draw.
func sameSamples(t *testing.T, what string, a, b *Task, draw tasks.Draw, n uint64) {
	t.Helper()
	for i := range n {
		var x, y tasks.Sample
		a.Sample(&x, draw, i)
		b.Sample(&y, draw, i)
		err := errors.Join(a.Err(), b.Err())
		assert.Need(t, err == nil && reflect.DeepEqual(x, y), "%s: sample %d is %+v, and %+v of the other task, %v",
			what, i, x, y, err)
	}
}

// TestAgain: the task of a configuration draws what the task that was read draws.
func TestAgain(t *testing.T) {
	text := many(50)
	for _, d := range []disk{
		{"train": text, "validation": text}, {"train": twoLabels, "validation": twoLabels, "test": twoLabels},
	} {
		first := mustRead(t, d, d.options())
		again := reopened(t, first, d, tasks.Train, tasks.Validation)
		assert.True(t, again.MaxPrompt() == first.MaxPrompt() && again.MaxTarget() == first.MaxTarget() &&
			again.Classes() == first.Classes() && again.Example() == first.Example() &&
			again.Vocabulary().Size() == first.Vocabulary().Size(), "%+v makes another task", first.Data())
		sameSamples(t, "again", first, again, tasks.Draw{Seed: 2}, 100)
	}
}

// TestTokens: characters, words, and tokens that were given; and their numbers.
func TestTokens(t *testing.T) {
	for _, c := range []struct {
		text string
		o    Options
		ask  string
		want []int32
		back string
	}{
		{`{"prompt": "éa", "target": "b"}`, Options{}, "aéb", []int32{16, 0, 2, 1}, "aéb"},
		{`{"prompt": "<EOS>", "target": "\u00e9\n"}`, Options{}, "<\né", []int32{16, 1, 0, 6}, "<\né"},
		{`{"prompt": "abcdefghijklmnopqrst", "target": ""}`, Options{}, "apqt", []int32{16, 0, 15, 19, 22}, "apqt"},
		{`{"prompt": " a  cat,\tcats ", "target": "dog"}`, Options{Tokens: Words}, "dog  cats", []int32{16, 3, 2}, "dog cats"},
		{`{"prompt": "mod 9", "target": "9"}`, Options{Vocabulary: []string{"9", " ", "mod", "m"}}, "mod m9", []int32{16, 2, 1, 3, 0}, "mod m9"},
		{`{"prompt": "a b", "target": ""}`, Options{Tokens: Words, Vocabulary: []string{"b", "c", "a"}}, "c a", []int32{16, 1, 2}, "c a"},
	} {
		d := disk{"train": c.text, "validation": c.text}
		c.o.Train, c.o.Validation = "train", "validation"
		task := mustRead(t, d, c.o)
		ids, err := task.Prompt(c.ask)
		assert.True(t, err == nil && slices.Equal(ids, c.want) && task.Text(ids) == c.back,
			"%s: %q is %v (%v), and back %q; want %v and %q", c.text, c.ask, ids, err, task.Text(ids), c.want, c.back)
		for id, name := range map[int32]string{tasks.SOS: "<SOS>", tasks.EOS: "<EOS>", tasks.PAD: "<PAD>"} {
			assert.Is(t, task.Vocabulary().Token(id), name, "%s: token %d is", c.text, id)
		}
	}
	d := disk{"train": twoLabels, "validation": twoLabels}
	task := mustRead(t, d, d.options())
	for _, text := range []string{"", "abX"} {
		_, err := task.Prompt(text)
		assert.True(t, err != nil, "%q is taken for a prompt", text)
	}
}

// TestClasses: labels are in order, numbers by their size; a number and its text are one class.
func TestClasses(t *testing.T) {
	line := func(label string) string { return fmt.Sprintf("{\"prompt\": \"a\", \"label\": %s}\n", label) }
	for want, labels := range map[string][]string{
		"2 9 10": {"10", `"9"`, "2", `"10"`}, "false true": {"true", "false"}, "10 9 x": {"9", `"x"`, "10"},
		"-18446744073709551616 0 9 18446744073709551615": {"18446744073709551615", "-0", "-18446744073709551616", "9"},
	} {
		text := ""
		for _, x := range labels {
			text += line(x)
		}
		d := disk{"train": text, "validation": line(labels[0])}
		task := mustRead(t, d, d.options())
		assert.Is(t, strings.Join(task.Data().Classes, " "), want, "%v: classes are", labels)
		var s tasks.Sample
		task.Sample(&s, tasks.Draw{Role: tasks.Validation}, 0)
		assert.Is(t, task.ClassName(s.Label), strings.Trim(labels[0], `"`), "%v: the first label is read as", labels)
	}
}

// TestChanged: a file that is not what the run began with is refused, and one that changes later is noticed.
func TestChanged(t *testing.T) {
	text := many(100)
	d := disk{"train": text, "validation": text}
	first := mustRead(t, d, d.options())
	raw, _ := json.Marshal(first.Data())
	for name, c := range map[string]struct{ text, want string }{
		"longer":  {text + "\n" + text, "bytes, but had"},
		"another": {strings.Replace(text, "5xx", "6xx", 1), "is not the file that the run began with"},
	} {
		assert.OneLine(t, name, assert.Must(Parse(raw))(t).Load(disk{"train": c.text}.open, tasks.Train), c.want)
	}
	task, _ := Parse(raw)
	assert.OneLine(t, "a test file that the run has not", task.Load(d.open, tasks.Test), "has no test file")
	for name, later := range map[string]string{
		"shorter": text[:len(text)/2], "blank": strings.Repeat("\n", len(text)),
		"damaged": strings.ReplaceAll(text, "prompt", "pro\"pt"),
	} {
		task := mustRead(t, d, d.options())
		task.files[tasks.Train].source = memory{strings.NewReader(later)}
		var s tasks.Sample
		for i := range uint64(100) {
			task.Sample(&s, tasks.Draw{}, i)
		}
		assert.OneLine(t, name, task.Err(), "train changed while it was read")
	}
}

// TestParse: what is no data of a run is refused in a line.
func TestParse(t *testing.T) {
	d := disk{"train": twoTargets, "validation": twoTargets}
	raw, _ := json.Marshal(mustRead(t, d, d.options()).Data())
	assert.Must(Parse(raw))(t)
	for _, c := range [][]string{
		{`"characters"`, `"bytes"`}, {`["a","b"]`, `[]`}, {`["a","b"]`, `["a","a"]`}, {`"samples":2`, `"samples":-2`},
		{`"prompt":3`, `"prompt":70000000`}, {`"target":3`, `"target":0`, "classes has 0 and the longest target"},
		{`"target":3`, `"target":-3`}, {`"tokens"`, `"token"`}, {`"path":"train"`, `"path":""`},
		{`"example"`, `"classes":["a"],"example"`}, {`"example":"ab"`, `"example":7`}, {`{`, `[`},
	} {
		text := strings.Replace(string(raw), c[0], c[1], 1)
		assert.True(t, text != string(raw), "%s has no %s", raw, c[0])
		_, err := Parse([]byte(text))
		assert.OneLine(t, text, err, c[2:]...)
	}
}

// endless is a file of equal pieces that is never in memory.
type endless struct {
	piece string
	times int64
}

func (e endless) Size() int64 { return e.times * int64(len(e.piece)) }

func (e endless) ReadAt(p []byte, at int64) (int, error) {
	n := min(int64(len(p)), e.Size()-at)
	for i := int64(0); i < n; {
		i += int64(copy(p[i:n], e.piece[(at+i)%int64(len(e.piece)):]))
	}
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// TestMemory: a file takes 16 bytes of memory for each KiB, not its own size: 1 GB would take 16 MB.
func TestMemory(t *testing.T) {
	source := endless{strings.Repeat(`{"prompt": "abcabc", "target": "cba"}`+"\n", 256), 1 << 10}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	task := assert.Must(Read(Options{Train: "train", Validation: "validation"}, func(path string) (Source, error) {
		if path == "train" {
			return source, nil
		}
		return endless{source.piece, 1}, nil
	}))(t)
	used := int64(heap() - before)
	most := source.Size() / 40
	assert.True(t, used <= most, "a file of %d bytes takes %d of memory, more than %d", source.Size(), used, most)
	var s tasks.Sample
	for i := range uint64(1000) {
		task.Sample(&s, tasks.Draw{}, i*997)
	}
	err := task.Err()
	assert.True(t, err == nil && task.Samples(tasks.Train) == 1<<18, "%d samples, %v", task.Samples(tasks.Train), err)
	t.Logf("%d bytes of file take %d of memory", source.Size(), used)
}

// FuzzRow: whatever a line holds, it is read as package json reads it, or refused with a place on the line.
func FuzzRow(f *testing.F) {
	for _, line := range []string{
		twoLabels, `{"prompt":"a\"b\\","label":[{"x":"}"}],"group":-1.5e3}`,
		`{"a":{},"b":[],"prompt":true,"target":null}`,
		"\xff", `{"pro\u006dpt": "a", "target" : "b" } `, "", "{", `{"":""}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		if len(bytes.TrimSpace(line)) == 0 {
			return
		}
		r, err := readRow(line, &Data{Groups: []string{"group"}})
		if err != nil {
			var at *Error
			assert.Need(t, errors.As(locate(err, "f", 1, line), &at) && at.Column >= 1 && at.Column <= len(line)+1,
				"%q: %v", line, err)
			return
		}
		var want map[string]json.RawMessage
		err = json.Unmarshal(line, &want)
		assert.Need(t, err == nil, "%q is taken for an object: %v", line, err)
		for name, v := range map[string]value{
			"prompt": r.prompt, "target": r.target, "label": r.label, "group": r.groups[0],
		} {
			raw := want[name]
			if string(raw) == "null" {
				raw = nil
			}
			assert.Need(t, v.raw == nil == (raw == nil) && bytes.Equal(v.raw, raw),
				"%q: %s is %s, want %s", line, name, v.raw, raw)
		}
	})
}

// TestUnpractised: a token that only targets have, or only the given vocabulary, and a prompt longer than all of
// training are reported; a configuration of before, which does not tell the tokens, has the length alone.
func TestUnpractised(t *testing.T) {
	d := disk{
		"train":      `{"prompt": "ab", "target": "x"}` + "\n" + `{"prompt": "b", "target": "b"}`,
		"validation": `{"prompt": "abab", "target": "x"}`,
	}
	given := d.options()
	given.Vocabulary = []string{"a", "b", "q", "x"}
	words := disk{"train": `{"prompt": "a b", "target": "x"}`, "validation": `{"prompt": "a b a b", "target": "x"}`}
	spaced := words.options()
	spaced.Tokens = Words
	long := tasks.Unpractised{Kind: tasks.LackLength, Value: "4", Least: 1, Most: 2}
	token := func(s string) tasks.Unpractised { return tasks.Unpractised{Kind: tasks.LackToken, Value: s} }
	for _, x := range []struct {
		task   *Task
		prompt string
		want   []tasks.Unpractised
	}{
		{mustRead(t, d, d.options()), "ab", nil}, {mustRead(t, d, d.options()), "abab", []tasks.Unpractised{long}},
		{mustRead(t, d, d.options()), "xx", []tasks.Unpractised{token("x")}},
		{mustRead(t, d, given), "qaxq", []tasks.Unpractised{long, token("q"), token("x")}},
		{mustRead(t, words, spaced), "a x", []tasks.Unpractised{token("x")}}, {mustRead(t, words, spaced), "b a", nil},
	} {
		raw := assert.Must(json.Marshal(x.task.Data()))(t)
		for _, task := range []*Task{x.task, assert.Must(Parse(raw))(t)} {
			ids := assert.Must(task.Prompt(x.prompt))(t)
			list, instead := task.Unpractised(ids)
			assert.True(t, slices.Equal(list, x.want) && instead == "",
				"%q: %+v, instead %q; want %+v", x.prompt, list, instead, x.want)
		}
	}
	old := mustRead(t, d, d.options()).Data()
	old.Unasked = nil
	list, _ := newTask(old).Unpractised([]int32{tasks.SOS, 2, 2, 2, 2})
	assert.True(t, slices.Equal(list, []tasks.Unpractised{long}), "without the tokens: %+v", list)
}
