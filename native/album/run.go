package album

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"mhacsp/model/metric"
	"mhacsp/model/study/curve"
	"mhacsp/model/study/inside"
	"mhacsp/model/train"
	"mhacsp/native/words"
)

// Run is one run as figures see it: what its log or its record says, or nothing but its configuration.
type Run struct {
	Path string // as the user named it
	Task string // in words
	Run  train.Run

	Origin     train.Origin
	Step       int // the last one
	Loss       curve.Curve
	Validation curve.Curve // of the loss
	Exact      curve.Curve // of validations
	Answer     curve.Curve // right answers of these
	Guess      float64     // a constant guess of the answer, of the last validation
	Samples    int         // of a validation
	Report     *metric.Report
	Role       string // that the report is of
	Tested     int    // its step
	Damaged    int    // lines of the log
	Inside     inside.Inside
	Recorded   bool // there is a record, and no network: Inside is all that is known
}

// Take reads one event of the log. A line without one, or with one that no run writes or that stands before its time,
// counts as damaged.
func (s *Run) Take(e train.Event) {
	switch e := e.(type) {
	case nil:
		s.Damaged++
	case train.Started:
		s.Origin = e.Origin
	case train.Step:
		if e.Step <= s.Step || e.Step > math.MaxInt32 || !(e.Loss >= 0) {
			s.Damaged++
			return
		}
		s.Step = e.Step
		s.Loss.Add(float64(e.Step), e.Loss)
	case train.Evaluation:
		if e.Step < s.Step || e.Step > math.MaxInt32 || !e.Report.Possible() {
			s.Damaged++
			return
		}
		s.Step = e.Step
		if s.Role != "test" || e.Role == "test" || e.Step > s.Tested { // a run that was made longer has two ends
			s.Report, s.Role, s.Tested = &e.Report, e.Role, e.Step
		}
		if e.Role == "validation" {
			s.Validation.Add(float64(e.Step), e.Report.Loss)
			s.Exact.Add(float64(e.Step), e.Report.ExactRate())
			s.Answer.Add(float64(e.Step), e.Report.AnswerRate())
			s.Guess, s.Samples = e.Report.Majority, e.Report.Count
		}
	}
}

// name is a run's in a title.
func (s *Run) name() string {
	return fmt.Sprintf("%s, seed %d", s.Run.Config.Name(), s.Run.Training.Seed)
}

// fileName is the run's in the name of a file.
func (s *Run) fileName() string {
	path, _ := filepath.Abs(s.Path) // "." has a name there
	name := filepath.Base(path)
	if s.Recorded {
		return strings.TrimSuffix(name, ".json")
	}
	return strings.TrimSuffix(name, ".safetensors")
}

// Group is runs that differ in their seed alone.
type Group struct {
	Name string
	Runs []*Run
}

// settingsOf are a run's keys and their values in JSON, but for the seed and for those that do not change what is
// learned, only how often and how well it is measured and kept.
func settingsOf(r train.Run) (keys map[string]json.RawMessage, err error) {
	text, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(text, &keys)
	}
	for _, k := range []string{"seed", "eval_every", "eval_samples", "eval_batch", "test_samples", "checkpoint_every",
		"keep_checkpoints"} {
		delete(keys, k)
	}
	return keys, err
}

// GroupsOf sorts runs of one task into groups, in the order of their first runs. A group is named by its model, and by
// what sets it apart from other groups of that model.
func GroupsOf(runs []*Run) ([]Group, error) {
	var groups []Group
	var all []map[string]json.RawMessage
	for _, s := range runs {
		keys, err := settingsOf(s.Run)
		if err != nil {
			return nil, err
		}
		same := func(m map[string]json.RawMessage) bool { return maps.EqualFunc(m, keys, slices.Equal) }
		i := slices.IndexFunc(all, same)
		if i < 0 {
			i, all, groups = len(all), append(all, keys), append(groups, Group{})
		}
		groups[i].Runs = append(groups[i].Runs, s)
	}
	for i := range groups {
		name := groups[i].Runs[0].Run.Config.Name()
		var apart []string
		for k, v := range all[i] {
			differs := func(other map[string]json.RawMessage) bool {
				return bytes.Equal(other["model"], all[i]["model"]) && !bytes.Equal(other[k], v)
			}
			if slices.ContainsFunc(all, differs) {
				apart = append(apart, strings.ReplaceAll(k, "_", " ")+" "+strings.Trim(string(v), `"`))
			}
		}
		slices.Sort(apart)
		groups[i].Name = strings.Join(append([]string{name}, apart...), ", ")
	}
	return groups, nil
}

// legend names the groups with the number of their seeds.
func legend(groups []Group) []string {
	var names []string
	for _, g := range groups {
		name := g.Name
		if len(g.Runs) > 1 {
			name += " (" + words.Plural(len(g.Runs), "seed") + ")"
		}
		names = append(names, name)
	}
	return names
}

// provenance says what a figure was made of: runs, steps, seeds and the program that trained them.
func provenance(groups []Group) []string {
	var lines []string
	versions := map[string]bool{}
	for _, g := range groups {
		var seeds, paths []string
		low, high := g.Runs[0].Step, 0
		for _, s := range g.Runs {
			seeds = append(seeds, fmt.Sprint(s.Run.Training.Seed))
			paths = append(paths, s.Path)
			low, high = min(low, s.Step), max(high, s.Step)
			versions[VersionOf(s.Origin)] = true
		}
		steps := "steps not known"
		if high > 0 {
			steps = words.Plural(high, "step")
			if low != high {
				steps = words.Number(low) + " to " + steps
			}
		}
		noun := "seed "
		if len(seeds) > 1 {
			noun = "seeds "
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s%s; %s.", g.Name, steps, noun,
			strings.Join(seeds, ", "), strings.Join(paths, ", ")))
	}
	return append(lines, "Trained by "+strings.Join(slices.Sorted(maps.Keys(versions)), "; ")+".")
}

// VersionOf is the program that made a record, its commit shortened.
func VersionOf(o train.Origin) string {
	if o.Version == "" {
		return "mhacsp, version not recorded"
	}
	revision, rest, _ := strings.Cut(o.Commit, " ")
	return strings.TrimSpace("mhacsp " + o.Version + ", commit " + revision[:min(10, len(revision))] + " " + rest)
}
