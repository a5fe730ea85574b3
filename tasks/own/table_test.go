package own

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// texts are the prompts, outcomes and groups of a role's samples in the order of their lines.
func texts(t *testing.T, task *Task, path string, d disk) (list [][3]string) {
	t.Helper()
	samples, _, err := task.SamplesOf(path, nil, nil, d.open)
	assert.NoError(t, err)
	for _, s := range samples {
		x := [3]string{task.Text(s.Prompt), "", fmt.Sprint(s.Groups)}
		if s.Label >= 0 {
			x[1] = task.ClassName(s.Label)
		} else {
			x[1] = task.Text(s.Target)
		}
		list = append(list, x)
	}
	return list
}

// TestTables: a table is read as its lines would be in JSON, whatever separates its columns, marks its texts and ends
// its lines; samples that are drawn are those of the file.
func TestTables(t *testing.T) {
	same := `{"prompt": "a,b", "label": "no", "group": "x"}
{"prompt": "say \"b\"", "label": "yes"}
{"prompt": "two\nlines", "label": "3", "group": "y"}`
	d := disk{
		"a.jsonl": same, "bom.jsonl": "\ufeff" + same,
		"a.csv": "prompt,label,group\n\"a,b\",no,x\n\"say \"\"b\"\"\",yes,\n\"two\nlines\",3,y\n",
		"b.CSV": "\ufeff\r\nfree,label,group,prompt\r\n\r\n1.5,no,x,\"a,b\"\r\n" +
			",yes,,\"say \"\"b\"\"\"\r\n,3,y,\"two\r\nlines\"",
		"c.txt": "prompt;label;group\na,b;no;x\n\"say \"\"b\"\"\";yes;\n\"two\nlines\";3;y",
	}
	want := texts(t, mustRead(t, d, Options{Train: "a.jsonl", Validation: "a.jsonl"}), "a.jsonl", d)
	for name := range d {
		task := mustRead(t, d, Options{Train: name, Validation: "a.jsonl"})
		assert.Is(t, texts(t, task, name, d), want, "%s is read as", name)
		sameSamples(t, name, task, reopened(t, task, d, tasks.Train), tasks.Draw{}, 6)
	}
	d["a.tsv"] = "prompt\tlabel\nsay \"b\tno\n\"a \"\"b\"\"\"\tyes\n\"a\" b\tno\n"
	got := texts(t, mustRead(t, d, Options{Train: "a.tsv", Validation: "a.tsv"}), "a.tsv", d)
	assert.True(t, got[0][0] == `say "b` && got[1][0] == `a "b"` && got[2][0] == `"a" b`,
		"between tabs stand %q", got)
}

// TestTableDraws: of a long table each sample is drawn once in an epoch, records of several lines among them.
func TestTableDraws(t *testing.T) {
	var s strings.Builder
	w := csv.NewWriter(&s)
	_ = w.Write([]string{"target", "prompt"})
	const n = 700
	for i := range n {
		_ = w.Write([]string{fmt.Sprint(i), strings.Repeat("x\n\"", i%70) + fmt.Sprint(i)})
	}
	w.Flush()
	d := disk{"a.csv": s.String()}
	task := mustRead(t, d, Options{Train: "a.csv", Validation: "a.csv"})
	seen := map[string]bool{}
	for i := range uint64(n) {
		var s tasks.Sample
		task.Sample(&s, tasks.Draw{Seed: 1}, i)
		target := task.Text(s.Target)
		assert.Need(t, strings.HasSuffix(task.Text(s.Prompt), target),
			"%q has the target %q", task.Text(s.Prompt), target)
		seen[target] = true
	}
	assert.True(t, len(seen) == n && task.Err() == nil && len(task.files[0].marks) >= 2,
		"%d of %d samples, %d marks, %v", len(seen), n, len(task.files[0].marks), task.Err())
}

// TestFields: fields have the names that are given, in JSON lines and in tables; other names are free then.
func TestFields(t *testing.T) {
	d := disk{
		"a.jsonl": `{"text": "a", "intent": "no", "target": 7}` + "\n" +
			`{"text": "b", "intent": "yes", "prompt": [1]}`,
		"a.csv": "target,text,intent,\n7,a,no,\n,b,yes,\n",
	}
	fields := &Fields{Prompt: "text", Label: "intent"}
	want := [][3]string{{"a", "no", "[]"}, {"b", "yes", "[]"}}
	for name := range d {
		task := mustRead(t, d, Options{Train: name, Validation: name, Fields: fields})
		assert.Is(t, texts(t, reopened(t, task, d, tasks.Train), name, d), want, "%s is read as", name)
		_, err := Read(Options{Train: name, Validation: name}, d.open)
		var bad *Error
		assert.True(t, errors.As(err, &bad) && slices.Contains(bad.Fields, "intent") &&
			slices.Contains(bad.Fields, "text") && !slices.Contains(bad.Fields, ""),
			"%s: %v, of which the fields %+v are known", name, err, bad)
	}
	for _, names := range []map[string]string{{"group": "x"}, {"prompt": ""}, {"target": "a", "label": "b"}} {
		_, err := ParseFields(names)
		assert.True(t, err != nil, "%v are taken for names", names)
	}
}

// TestShapes: files of another kind are named as what they are, with a line as it should be.
func TestShapes(t *testing.T) {
	for name, c := range map[string]struct{ text, place, what string }{
		"gzip":    {"\x1f\x8b\x08\x00", "1:1", "packed with gzip"},
		"xlsx":    {"PK\x03\x04\x14", "1:1", "a spreadsheet"},
		"utf-16":  {"\xff\xfea\x00", "1:1", "UTF-16"},
		"list":    {"\n[\n {\"prompt\": \"a\",\n \"label\": 1}]", "2:1", `one JSON list`},
		"pretty":  {"{\n  \"prompt\": \"a\",\n  \"label\": 1\n}\n{", "1:1", "more than one line"},
		"a.csv":   {"text,intent\na,b\n", "1:1", `column "prompt" is missing; the first line names the columns "text", "intent"`},
		"b.csv":   {"prompt,x\na,b\n", "1:1", `column "target" or "label" is missing`},
		"c.csv":   {"prompt,target,label\na,b,c\n", "1:1", `both columns "target" and "label"`},
		"d.csv":   {"prompt,prompt,label\na,b,c\n", "1:1", `column "prompt" stands twice`},
		"e.csv":   {"prompt,label\na,b\nc\n", "3:1", "the first line names 2 columns, this one has 1"},
		"f.csv":   {"prompt,label\na,b\n\n\"c\nd\" e,b\n", "4:1", "a quotation mark of the line is never closed"},
		"g.csv":   {"prompt,label\né\"a\",b\n", "2:2", "a quotation mark stands within a column"},
		"h.csv":   {"prompt,label\n\"a\n\n", "2:1", "never closed"},
		"i.csv":   {"prompt,label\n\"a\na\",x\na,\n", "4:3", `column "label" is empty`},
		"j.csv":   {"prompt,label\na\xe9,b\n", "2:2", "byte 0xe9 is no UTF-8"},
		"k.csv":   {"prompt,label\n,b\n", "2:1", `field "prompt" is empty`},
		"l.csv":   {"prompt,label\n", "1:1", "the file holds no samples"},
		"m.csv":   {"prompt\n", "1:1", `column "target" or "label" is missing`},
		"n.csv":   {"prompt,label\n\"" + strings.Repeat("a\n", maxLine/2+1), "2:1", "or close the quotation mark"},
		"o.tsv":   {"prompt\tlabel\na\tb\tc\n", "2:1", "the first line names 2 columns, this one has 3"},
		"p.csv":   {"prompt,label\ra,b\rc,d\r", "1:1", "the lines end with CR alone"},
		"x.jsonl": {"hello\n", "1:1", "found hello; a JSON object is needed"},
	} {
		_, err := Read(Options{Train: name, Validation: name}, disk{name: c.text}.open)
		var bad *Error
		assert.True(t, errors.As(err, &bad) && strings.HasPrefix(err.Error(), name+":"+c.place+": ") &&
			strings.Contains(bad.Text, c.what), "%.80q: %v, want %s: %s", c.text, err, c.place, c.what)
		flat := `{"prompt":"a","label":1}`
		assert.True(t, name != "list" && name != "pretty" || strings.Contains(err.Error(), flat),
			"%v does not show %s", err, flat)
	}
}

// TestWarnings: what is odd and forbids nothing is reported with its count: a usual group that makes no breakdown, the
// same file twice, and lines of training in other files.
func TestWarnings(t *testing.T) {
	half := strings.ReplaceAll(twoLabels, "}", `, "group": 0.5}`)
	list := strings.ReplaceAll(twoLabels, "}", `, "group": ["x"]}`)
	grouped := strings.ReplaceAll(twoLabels, "}", `, "group": "x"}`)
	other := `{"prompt": "bb", "label": "no"}` + "\n"
	for _, c := range []struct {
		d      disk
		groups int
		want   []string // a part of each warning
	}{
		{disk{"train": grouped, "validation": other}, 1, nil},
		{disk{"train": half, "validation": other}, 0, []string{`train: field "group" holds 0.5`}},
		{disk{"train": other + twoLabels, "validation": list + other}, 0, []string{`validation: field "group" holds ["x"]`,
			"3 of the 3 samples for validation"}},
		{disk{"train": grouped, "validation": numbered(0, maxValues+1) + other}, 0, []string{"more than 200 values",
			"201 of the 202 samples for validation (validation)"}},
		{disk{"train": twoLabels, "validation": other, "test": twoLabels}, 0, []string{"is the same as that for training: all its 2"}},
		{disk{"train": twoLabels, "validation": other, "test": `{"label":"yes", "prompt":"\u0062"}` + "\n" + other}, 0,
			[]string{"1 of the 2 samples for test"}},
		{disk{"train": "prompt,label\nb,yes\na,no\n", "validation": other[:12] + `a", "label": "yes"}`, "test": twoLabels[32:]}, 0,
			[]string{"1 of the 1 samples for test"}},
	} {
		task := mustRead(t, c.d, c.d.options())
		got := task.Warnings()
		assert.Need(t, len(got) == len(c.want) && len(task.Data().Groups) == c.groups,
			"%.200q: warnings %q, groups %q", c.d, got, task.Data().Groups)
		for i := range got {
			assert.True(t, strings.Contains(got[i].Error(), c.want[i]), "%.200q: %s, want %s", c.d, got[i], c.want[i])
		}
		var s tasks.Sample
		task.Sample(&s, tasks.Draw{Role: tasks.Validation}, 0)
		err := task.Err()
		assert.True(t, err == nil && (c.groups != 0 || s.Groups == nil),
			"a sample of the groups %v is drawn, %v", s.Groups, err)
	}
	d := disk{"train": half, "validation": half}
	o := d.options()
	o.Groups = []string{}
	task := mustRead(t, d, o)
	assert.True(t, len(task.Warnings()) == 1 && len(task.Data().Groups) == 0,
		"no groups are asked for: %q, %q", task.Warnings(), task.Data().Groups)
	task = mustRead(t, disk{"train": grouped, "validation": other}, Options{Train: "train", Validation: "validation"})
	samples, warnings, err := task.SamplesOf("x", nil, nil, disk{"x": grouped + half}.open)
	assert.True(t, err == nil && len(samples) == 4 && samples[0].Groups == nil && len(warnings) == 1,
		"a file with an unfit group: %v, %q, %v", samples, warnings, err)
	for file, group := range map[string]string{half: usual, grouped: "gruop"} {
		_, _, err := task.SamplesOf("x", []string{group}, nil, disk{"x": file}.open)
		assert.True(t, err != nil, "the group %s is taken", group)
	}
}

// TestSplitTable: a table that stands alone is split as its lines would be, and keeps its first line in both parts.
func TestSplitTable(t *testing.T) {
	json, table := "", "\ufeffprompt,label\n"
	for i := range 40 {
		json += fmt.Sprintf("{\"prompt\": \"%d\\n%d\", \"label\": %d}\n", i%20, i, i%2)
		table += fmt.Sprintf("\"%d\n%d\",%d\n", i%20, i, i%2)
	}
	a := assert.Must(ReadSplit(Options{Train: "a"}, []byte(json)))(t)
	b := assert.Must(ReadSplit(Options{Train: "b"}, []byte(table)))(t)
	for _, role := range []tasks.Role{tasks.Train, tasks.Validation} {
		sameSamples(t, role.String(), a, b, tasks.Draw{Role: role}, 40)
	}
	assert.True(t, a.Samples(tasks.Validation) == 4 && len(a.Warnings()) == 0,
		"%d samples for validation, warnings %q", a.Samples(tasks.Validation), a.Warnings())
	warnings := assert.Must(ReadSplit(Options{Train: "c"}, []byte(strings.Repeat(json, 20))))(t).Warnings()
	assert.True(t, len(warnings) == 1 && strings.HasPrefix(warnings[0].Error(), "80 of the 80 samples"),
		"lines that stand 20 times: %q", warnings)
}
