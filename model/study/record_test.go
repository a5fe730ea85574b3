package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mhacsp/model/study/inside"
	"mhacsp/tasks/assert"
)

// shown is what figures show of a network of one head that read two tokens.
func shown() inside.Inside {
	ring := inside.Circularity{Score: 0.5, Chance: 0.7, K: 1}
	m := inside.MatrixOf([][][]float32{{{0, 9}, {0.25, 0.5}}}, func(row int) int { return row + 1 })
	return inside.Inside{
		Digits: &inside.Digits{
			Names: []string{"0", "1", "2", "3", "4", "5"}, Modulus: 9,
			Near:   [][2]float64{{0, 1}, {2, 3}, {4, 5}, {5, 4}, {3, 2}, {1, 0}},
			Plane:  [][2]float64{{0, 1}, {2, 3}, {4, 5}, {5, 4}, {3, 2}, {1, 0}},
			Shares: [2]float64{0.5, 0.25}, Ring: ring,
			Angle: &inside.Dial{Hands: []float64{1, 2, 3, 4, 5, 6}, Turn: ring, Line: ring},
		},
		Spectrum: &inside.Spectrum{Last: []float64{0.75, 0.25}, All: []float64{0.5, 0.5}},
		Matrices: &inside.Matrices{
			Text: "1 mod 9 =", Tokens: []string{"<SOS>", "1"}, Answer: "1", Expected: "1", Distance: m, Tree: m,
			Attention: m, Fusion: inside.MatrixOf([][][]float32{{{1}, {1}}}, func(int) int { return 1 }),
		},
	}
}

// finished is a whole cell in a study's folder, and its record's text.
func finished(t *testing.T, dir string, s Spec, exact int) (Cell, string) {
	t.Helper()
	at := filepath.Join(dir, CellsFolder, s.Name)
	record(t, at, s, 5, exact)
	write(t, at, EvalFile, `{"model":"csp","task":"parity","step":5,"n":2,"count":2,"exact":1,"answer":1,`+
		`"nontrivial":{"count":2,"exact":1,"answer":1},"loss":1,"majority":0.5}`+"\n"+
		`{"error":"\"too long\\\""}`+"\n")
	write(t, at, ProbeFile, `{"units":8,"chance":0.1,"clocks":[{"unit":3,"k":1,"r":0.75}],"half_turns":[]}`)
	write(t, at, HeadsFile, `{"error":"it has no heads, with a metric","blocks":null}`)
	c, err := Read(s, at, time.Now())
	assert.Need(t, err == nil && c.Recordable(), "%+v, %v", c, err)
	r := assert.Must(RecordOf(c, shown()))(t)
	return c, string(assert.Must(r.Text())(t))
}

// TestRecord: a record is the cell again, with what its network shows; a report of records is that of the folders.
func TestRecord(t *testing.T) {
	dir, s := t.TempDir(), tinySpec("parity-csp-1")
	c, text := finished(t, dir, s, 30)
	got := assert.Must(s.Recorded([]byte(text)))(t)
	assert.Is(t, got.Inside, shown(), "the network shows")
	n := strings.Count(text, "\n")
	assert.True(t, n >= 15 && json.Valid([]byte(text)), "%d lines:\n%s", n, text)
	now := time.Now()
	of := func(c Cell) string {
		var b bytes.Buffer
		assert.NoError(t, Make([]Cell{c}, nil, now).WriteJSON(&b))
		return b.String()
	}
	c.Inside = shown()
	assert.Is(t, of(got), of(c), "the report of the record, and that of the folder")
	assert.True(t, len(got.Loss.X) == 5 && got.Ended == "now", "%+v", got)
}

// TestRecordDamage: what no run leaves is not believed; another cell's record, or another plan's, is an error.
func TestRecordDamage(t *testing.T) {
	dir, s := t.TempDir(), tinySpec("parity-csp-1")
	_, text := finished(t, dir, s, 30)
	plan := Plan{[]Spec{s, tinySpec("parity-csp-2")}}
	records := filepath.Join(dir, "records")
	assert.NoError(t, os.Mkdir(records, 0o755))
	read := func() (map[string]Cell, map[string]string, error) { return ReadRecords(plan, records) }
	write(t, records, "parity-csp-1.json", text)
	cells, damaged, err := read()
	assert.Need(t, err == nil && len(cells) == 1 && len(damaged) == 0, "%v, %v, %v", cells, damaged, err)
	for _, x := range [][2]string{
		{`"steps":5,` + "\n" + `"seconds"`, `"steps":4,` + "\n" + `"seconds"`}, {`"exact":30`, `"exact":41`},
		{`"steps":5,"batch"`, `"steps":7,"batch"`}, {`"width":8,"rotate"`, `"width":12,"rotate"`},
		{`"test":`, `"tests":`}, {`"step":2,`, `"step":1,`}, {`"guess":0.5`, `"guess":1.5`}, {`"x":[1,2`, `"x":[2,1`},
		{`"evaluated":true`, `"evaluated":false`}, {`"unit":3`, `"unit":8`}, {`"heads":{"error"`, `"blocks":{"error"`},
		{`"near":[[0,1],`, `"near":[`}, {`"last":[0.75,`, `"last":[0.15,`}, {`[500,1000]`, `[500,1001]`},
		{`[500,1000]`, `[500]`}, {`"host":"here"`, `"host":""`}, {`"n":2`, `"n":3`}, {`"loss":{"x"`, `{"x"`},
		{"}\n", "}\n{}"}, {`"parameters":119000,` + "\n" + `"steps"`, `"parameters":0,` + "\n" + `"steps"`},
	} {
		changed := strings.Replace(text, x[0], x[1], 1)
		assert.Need(t, changed != text, "the record has no %q:\n%s", x[0], text)
		write(t, records, "parity-csp-1.json", changed)
		cells, damaged, err := read()
		assert.True(t, err == nil && len(cells) == 0 && damaged["parity-csp-1"] != "",
			"%q in the place of %q: %v, %v", x[1], x[0], damaged, err)
	}
	for end := 0; end < len(text)-1; end += 97 {
		write(t, records, "parity-csp-1.json", text[:end])
		cells, damaged, err := read()
		assert.True(t, err == nil && len(cells) == 0 && len(damaged) == 1,
			"the first %d bytes: %v, %v", end, cells, err)
	}
	write(t, records, "parity-csp-1.json", text)
	for name, x := range map[string][2]string{
		"parity-csp-2.json": {text, "it is the record of parity-csp-1, and a cell has one"},
		"parity-csp-1.json": {strings.Replace(text, `"test_samples":40,`, `"test_samples":41,`, 1),
			"of another plan: cell"},
		"parity-csp-3.json": {text, "is no record of a cell of the plan"},
		"plan.json":         {"{}", "is no record of a cell of the plan"},
	} {
		write(t, records, name, x[0])
		_, _, err := read()
		assert.OneLine(t, name, err, x[1], name)
		assert.NoError(t, os.Remove(filepath.Join(records, name)))
	}
	cells, _, err = ReadRecords(plan, filepath.Join(dir, "nowhere"))
	assert.True(t, err == nil && len(cells) == 0, "%v, %v", cells, err)
}

// TestAdd: a record takes the place of less, never of more; a damaged one of nothing. Of two whole runs of a cell the
// recorded one stands, and that is reported.
func TestAdd(t *testing.T) {
	whole := Cell{Spec: Spec{Name: "a"}, State: Finished, Of: 10, Asked: 10,
		Outcome: Outcome{Ended: "1", Steps: 10, Evaluated: true}}
	thin := whole
	thin.Of, thin.Steps = 4, 4
	thinner := whole
	thinner.Of, thinner.Steps = 3, 3
	state := func(s State) Cell { return Cell{Spec: Spec{Name: "a"}, State: s, Asked: 10} }
	for i, x := range []struct {
		cell, record Cell
		takes        bool
	}{
		{state(Absent), whole, true}, {state(Absent), thin, true}, {state(Damaged), thin, true},
		{state(Failed), thin, true}, {state(Half), thin, false}, {state(Half), whole, true},
		{state(Running), thin, false}, {thin, whole, true}, {whole, thin, false}, {thin, thinner, false},
		{thinner, thin, true},
	} {
		got, twice := Add([]Cell{x.cell}, map[string]Cell{"a": x.record}, nil)
		want := x.cell
		if x.takes {
			want = x.record
		}
		assert.True(t, twice == nil && reflect.DeepEqual(got[0], want), "%d: %+v, %v", i, got, twice)
	}
	other := whole
	other.Ended = "2"
	for _, x := range []struct {
		record Cell
		twice  int
	}{{other, 1}, {whole, 0}} {
		got, twice := Add([]Cell{whole}, map[string]Cell{"a": x.record}, nil)
		assert.True(t, len(twice) == x.twice && reflect.DeepEqual(got[0], x.record),
			"a run that ended %s, and the record of one that ended %s: %+v, %v", whole.Ended, x.record.Ended, got,
			twice)
	}
	got, twice := Add([]Cell{state(Absent), {Spec: Spec{Name: "b"}, State: Half}}, nil,
		map[string]string{"a": "no JSON", "b": "no JSON"})
	assert.True(t, twice == nil && got[0].State == Damaged && strings.Contains(got[0].Reason, "no JSON") &&
		got[1].State == Half, "%+v, %v", got, twice)
	assert.True(t, fmt.Sprint(whole.Recordable(), thin.Recordable(), state(Half).Recordable()) == "true true false",
		"what is recorded")
}
