//go:build !js

package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mhacsp/model/metric"
	"mhacsp/model/study/curve"
	"mhacsp/model/study/inside"
	"mhacsp/model/train"
)

// source is one run as figures see it: what its log says, or nothing but its configuration.
type source struct {
	path string // as the user named it
	run  train.Run

	origin     train.Origin
	step       int // the last one
	loss       curve.Curve
	validation curve.Curve // of the loss
	exact      curve.Curve // of validations
	guess      float64     // a constant guess, of the last validation
	samples    int         // of a validation
	report     *metric.Report
	role       string // that the report is of
	damaged    int    // lines of the log
	inside     inside.Inside
}

// readSource reads a run's folder, or of a checkpoint file its configuration alone.
func readSource(path string) (*source, error) {
	s := &source{path: path}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return s, nil // load reads its configuration
	}
	var err error
	if s.run, err = train.ReadRun(path); err != nil {
		return nil, err
	}
	damaged, err := train.ReadLog(path, s.take)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s.damaged += damaged
	return s, nil
}

// take reads one event of the log. One that no run writes, or that stands before its time, counts as damaged.
func (s *source) take(e train.Event) {
	switch e := e.(type) {
	case train.Started:
		s.origin = e.Origin
	case train.Step:
		if e.Step <= s.step || e.Step > math.MaxInt32 || !(e.Loss >= 0) {
			s.damaged++
			return
		}
		s.step = e.Step
		s.loss.Add(float64(e.Step), e.Loss)
	case train.Evaluation:
		if e.Step < s.step || e.Step > math.MaxInt32 || !e.Report.Possible() {
			s.damaged++
			return
		}
		s.step = e.Step
		if s.role != "test" || e.Role == "test" {
			s.report, s.role = &e.Report, e.Role
		}
		if e.Role == "validation" {
			s.validation.Add(float64(e.Step), e.Report.Loss)
			s.exact.Add(float64(e.Step), e.Report.ExactRate())
			s.guess, s.samples = e.Report.Majority, e.Report.Count
		}
	}
}

// name is a run's in a title.
func (s *source) name() string {
	return fmt.Sprintf("%s, seed %d", s.run.Config.Name(), s.run.Training.Seed)
}

// group is runs that differ in their seed alone.
type runGroup struct {
	name string
	runs []*source
}

// settingsOf are a run's keys and their values in JSON, but for the seed and for those that do not change what is
// learned, only how often and how well it is measured and kept.
func settingsOf(r train.Run) (map[string]string, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for k, v := range raw {
		switch k {
		case "seed", "eval_every", "eval_samples", "eval_batch", "test_samples", "checkpoint_every",
			"keep_checkpoints":
		default:
			keys[k] = string(v)
		}
	}
	return keys, nil
}

// groupsOf sorts runs of one task into groups, in the order of their first runs. A group is named by its model, and by
// what sets it apart from other groups of that model.
func groupsOf(runs []*source) ([]runGroup, error) {
	var groups []runGroup
	var all []map[string]string
	for _, s := range runs {
		keys, err := settingsOf(s.run)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(m map[string]string) bool { return fmt.Sprint(m) == fmt.Sprint(keys) })
		if i < 0 {
			i, all, groups = len(all), append(all, keys), append(groups, runGroup{})
		}
		groups[i].runs = append(groups[i].runs, s)
	}
	for i := range groups {
		name := groups[i].runs[0].run.Config.Name()
		var apart []string
		for k, v := range all[i] {
			for _, other := range all {
				if other["model"] == all[i]["model"] && other[k] != v {
					apart = append(apart, strings.ReplaceAll(k, "_", " ")+" "+strings.Trim(v, `"`))
					break
				}
			}
		}
		slices.Sort(apart)
		groups[i].name = strings.Join(append([]string{name}, apart...), ", ")
	}
	return groups, nil
}

// legend names the groups with the number of their seeds.
func legend(groups []runGroup) []string {
	var names []string
	for _, g := range groups {
		name := g.name
		if len(g.runs) > 1 {
			name += " (" + plural(len(g.runs), "seed") + ")"
		}
		names = append(names, name)
	}
	return names
}

// provenance says what a figure was made of: runs, steps, seeds and the program that trained them.
func provenance(groups []runGroup) []string {
	var lines []string
	versions := map[string]bool{}
	for _, g := range groups {
		var seeds, paths []string
		low, high := g.runs[0].step, 0
		for _, s := range g.runs {
			seeds = append(seeds, fmt.Sprint(s.run.Training.Seed))
			paths = append(paths, s.path)
			low, high = min(low, s.step), max(high, s.step)
			versions[versionOf(s.origin)] = true
		}
		steps := "steps not known"
		if high > 0 {
			steps = plural(high, "step")
			if low != high {
				steps = group(low) + " to " + steps
			}
		}
		noun := "seed "
		if len(seeds) > 1 {
			noun = "seeds "
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s%s; %s.", g.name, steps, noun,
			strings.Join(seeds, ", "), strings.Join(paths, ", ")))
	}
	return append(lines, "Trained by "+strings.Join(slices.Sorted(maps.Keys(versions)), "; ")+".")
}

// versionOf is the program that made a record, its commit shortened.
func versionOf(o train.Origin) string {
	if o.Version == "" {
		return "mhacsp, version not recorded"
	}
	revision, rest, _ := strings.Cut(o.Commit, " ")
	return strings.TrimSpace("mhacsp " + o.Version + ", commit " + revision[:min(10, len(revision))] + " " + rest)
}

// accuracies are what a chart of accuracy shows: groups of samples by one property.
type accuracies struct {
	name    string   // operands, depth, length
	classes []string // in order
	tallies []map[string]metric.Tally
}

// thinBelow is how many samples a point has that is not faint.
const thinBelow = 30

// accuraciesOf sorts the reports of each group by property; those of one group are added up.
func accuraciesOf(reports [][]*metric.Report) []accuracies {
	var list []accuracies
	for g, all := range reports {
		for _, r := range all {
			for _, b := range breakdowns(*r) {
				i := slices.IndexFunc(list, func(a accuracies) bool { return a.name == b.name })
				if i < 0 {
					i, list = len(list), append(list, accuracies{name: b.name})
				}
				a := &list[i]
				for len(a.tallies) < len(reports) {
					a.tallies = append(a.tallies, map[string]metric.Tally{})
				}
				for _, x := range b.groups {
					t := a.tallies[g][x.name]
					t.Count, t.Exact, t.Answer = t.Count+x.Count, t.Exact+x.Exact, t.Answer+x.Answer
					a.tallies[g][x.name] = t
					if !slices.Contains(a.classes, x.name) {
						a.classes = append(a.classes, x.name)
					}
				}
			}
		}
	}
	for _, a := range list {
		slices.SortStableFunc(a.classes, func(x, y string) int { return cmp.Compare(size(x), size(y)) })
	}
	return slices.DeleteFunc(list, func(a accuracies) bool { return len(a.classes) < 2 })
}

// size is the number in a class's name, 0 where there is none.
func size(name string) float64 {
	x, err := strconv.ParseFloat(strings.TrimPrefix(name, "≤"), 64)
	if err != nil {
		return 0
	}
	return x
}

// evaluated is one line of a file of records.
type evaluated struct {
	evaluation
	at string // file and line
}

// readRecords reads what eval --json printed. The same evaluation twice would count its samples twice: it is refused.
func readRecords(path string) ([]evaluated, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w; check the path", err)
	}
	defer f.Close()
	var list []evaluated
	seen := map[string]string{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(strings.TrimSpace(lines.Text())) == 0 {
			continue
		}
		e := evaluated{at: fmt.Sprintf("%s:%d", path, n)}
		err := json.Unmarshal(lines.Bytes(), &e.evaluation)
		if err != nil || e.Model == "" || e.N == 0 || e.Count != e.N || !e.Possible() {
			return nil, fmt.Errorf("%s: no record that mhacsp eval --json prints; remove the line", e.at)
		}
		var seed uint64
		if e.Seed != nil {
			seed = *e.Seed
		}
		key := fmt.Sprint(e.Checkpoint, e.Source, e.Split, e.IID, seed, e.N, e.MinLength, e.MaxLength)
		if first, ok := seen[key]; ok {
			return nil, fmt.Errorf("%s: the same evaluation as %s; remove one", e.at, first)
		}
		seen[key] = e.at
		list = append(list, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no records; give what mhacsp eval --json printed", path)
	}
	return list, nil
}

// taskName names a task briefly, for a file.
func taskName(c train.Config) string {
	if c.Task != defaultTask {
		return c.Task
	}
	return c.Task + " " + orElse(c.Format, "repeat") + " " + strings.TrimPrefix(orElse(c.Preset, "author"), "author")
}

// fileName names a run for a file.
func fileName(path string) string {
	return strings.TrimSuffix(filepath.Base(filepath.Clean(path)), ".safetensors")
}
