//go:build !js

package native

import (
	"encoding/json"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mhacsp/model/metric"
	"mhacsp/model/train"
	"mhacsp/native/cmd/eval"
	"mhacsp/tasks/assert"
)

// recordKeys are the keys of the table "Records" in FORMATS.md, by the first cell of its rows.
func recordKeys(t *testing.T) map[string][]string {
	t.Helper()
	_, section, ok := strings.Cut(string(assert.Must(os.ReadFile("../model/train/FORMATS.md"))(t)), "\n## Records\n")
	assert.Need(t, ok, "FORMATS.md has no section Records")
	section, _, _ = strings.Cut(section, "\n#")
	rows := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 4 {
			continue
		}
		for _, key := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells[2], -1) {
			name := strings.Trim(cells[1], " `")
			rows[name] = append(rows[name], key[1])
		}
	}
	return rows
}

// jsonKeys are those that a struct may be written with.
func jsonKeys(x reflect.Type) (keys []string) {
	for f := range x.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name != "" && name != "-" && f.IsExported():
			keys = append(keys, name)
		case f.Anonymous:
			keys = append(keys, jsonKeys(f.Type)...)
		}
	}
	return keys
}

// TestRecords: FORMATS.md names every key of every record, and no other; what train and eval write has them.
func TestRecords(t *testing.T) {
	t.Parallel()
	rows := recordKeys(t)
	events := map[string]any{
		"start": train.Started{}, "step": train.StepRecord{}, "eval": train.EvaluationRecord{}, "warning": train.Warning{},
		"done": train.Done{}, "eval --json": eval.Evaluation{}, "report": metric.Report{},
	}
	parts := map[string][]string{
		"start": {"made by", "made of"}, "eval": {"rates"}, "eval --json": {"made by", "made of", "rates", "report"},
	}
	want := map[string][]string{}
	for name, x := range events {
		keys := slices.Clone(rows[name])
		for _, part := range parts[name] {
			keys = append(keys, rows[part]...)
		}
		has := jsonKeys(reflect.TypeOf(x))
		if name != "eval --json" && name != "report" {
			keys, has = append(keys, rows["every event"]...), append(has, "event", "time")
		}
		slices.Sort(keys)
		slices.Sort(has)
		want[name] = slices.Compact(keys)
		assert.Is(t, slices.Compact(has), want[name], "the keys that %s is written with, those of FORMATS.md", name)
	}

	p := newPlace(t)
	p.OK(parityRun("run")...)
	check := func(name string, line []byte, needed ...string) map[string]any {
		var m map[string]any
		assert.NoError(t, json.Unmarshal(line, &m))
		for key := range m {
			assert.True(t, slices.Contains(want[name], key), "%s: FORMATS.md does not name %q", name, key)
		}
		for _, key := range append(needed, "time", "step") {
			assert.True(t, m[key] != nil, "%s has no %q: %s", name, key, line)
		}
		assert.Must(time.Parse(train.StampFormat, m["time"].(string)))(t)
		return m
	}
	made := append([]string{"model", "parameters", "task", "min_length", "max_length", "threads"}, rows["made by"]...)
	seen := map[string]bool{}
	for line := range strings.Lines(string(p.Read("run/metrics.jsonl"))) {
		var e struct{ Event string }
		assert.NoError(t, json.Unmarshal([]byte(line), &e))
		seen[e.Event] = true
		switch e.Event {
		case "start":
			m := check("start", []byte(line), append(made, "process", "seed", "steps")...)
			assert.True(t, m["task"] == "parity" && m["min_length"] == 1.0 && m["max_length"] == 6.0 &&
				m["step"] == 0.0, "%v", m)
		case "eval":
			check("eval", []byte(line), append(rows["rates"], "seconds", "report")...)
		case "step":
			check("step", []byte(line), "count", "seconds")
		default:
			check(e.Event, []byte(line))
		}
	}
	assert.True(t, seen["start"] && seen["step"] && seen["eval"] && seen["done"], "the log has events %v", seen)
	out := p.OK("eval", "--run", "run", "--n", "10", "--backend", "cpu", "--json")
	m := check("eval --json", []byte(out), append(append(made, rows["rates"]...), "seconds", "count", "step")...)
	assert.True(t, m["step"] == 4.0 && m["count"] == 10.0 && m["max_length"] == 6.0, "%s", out)
}

// TestCommit: the program that make builds knows its commit wherever git does, in a worktree and without Go's own
// stamp too. Elsewhere it says that it does not.
func TestCommit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("needs make")
	}
	p := newPlace(t)
	c := exec.Command("make", "-C", "..", "build", "BIN="+p.Path("built"))
	c.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false")
	output(t, c)
	out := output(t, exec.Command(p.Path("built"), "version"))
	want := "unknown"
	if inside, err := exec.Command("git", "-C", "..", "rev-parse", "--show-prefix").Output(); err == nil &&
		string(inside) == "\n" {
		head := assert.Must(exec.Command("git", "log", "-1", "--format=%H of ").Output())(t)
		want = strings.TrimSuffix(string(head), "\n")
	}
	assert.Says(t, out, "\ncommit  "+want)
}
