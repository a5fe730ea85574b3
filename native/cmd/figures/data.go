//go:build !js

package figures

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"mhacsp/model/checkpoint"
	"mhacsp/model/metric"
	"mhacsp/model/study"
	"mhacsp/model/train"
	"mhacsp/native/album"
	"mhacsp/native/cli"
	"mhacsp/native/cmd/eval"
	"mhacsp/native/words"
	"mhacsp/tasks/strict"
)

// readSources reads what --run names: a run, or all finished cells of a study, or of a folder of records.
func readSources(path string) (list []*album.Run, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--run is %q, and there is no such file or folder; check the path", path)
	}
	paths := []string{path}
	if _, err := os.Stat(filepath.Join(path, study.PlanFile)); err == nil {
		if paths, err = finishedCells(path); err != nil {
			return nil, err
		}
	}
	for _, path := range paths {
		s, err := readSource(path)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// finishedCells are the records of a study's cells, and the folders of those that are finished and have no record.
func finishedCells(dir string) (paths []string, err error) {
	plan, err := cli.ReadPlan(filepath.Join(dir, study.PlanFile))
	if err != nil {
		return nil, err
	}
	for _, s := range plan.Cells {
		at := filepath.Join(dir, study.CellsFolder, s.Name)
		if _, err := os.Stat(at + study.RecordEnding); err == nil {
			paths = append(paths, at+study.RecordEnding)
			continue
		}
		c, err := study.Read(s, at, time.Now())
		if err != nil {
			return nil, err
		}
		if c.State == study.Finished {
			paths = append(paths, at)
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no finished cell, and no record of one; train some with mhacsp tables", dir)
	}
	return paths, nil
}

// sameSource reports whether two sources are one run: one file by two paths, or a copy, or a run and its record.
func sameSource(a, b *album.Run) bool {
	file := func(path string) fs.FileInfo {
		info, err := os.Stat(filepath.Join(path, train.ModelFile))
		if err != nil {
			info, _ = os.Stat(path)
		}
		return info
	}
	if os.SameFile(file(a.Path), file(b.Path)) {
		return true
	}
	if a.Report == nil || !reflect.DeepEqual(a.Report, b.Report) {
		return false
	}
	x, err := json.Marshal(a.Run)
	y, other := json.Marshal(b.Run)
	return err == nil && other == nil && bytes.Equal(x, y)
}

// readSource reads a run's folder, or a cell's record; of a checkpoint file look reads the configuration.
func readSource(path string) (*album.Run, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return readRecorded(path)
	}
	r, err := train.ReadRun(path)
	if err != nil {
		return nil, err
	}
	s := &album.Run{Path: path, Run: r, Task: cli.TaskText(r.Training)}
	for e, err := range train.ReadLog(path) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			s.Take(e.Event)
		}
	}
	return s, nil
}

// readRecorded reads a cell's record; of a checkpoint file it takes nothing.
func readRecorded(path string) (*album.Run, error) {
	f, err := checkpoint.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	switch {
	case err == nil && !study.IsRecord(text) && json.Valid(text):
		return nil, fmt.Errorf("%s is JSON, and no record of a cell; name a run's folder, a study's, a checkpoint "+
			"or a record", path)
	case err != nil, !study.IsRecord(text):
		return &album.Run{Path: path}, err
	}
	if len(text) > maxRecord {
		return nil, fmt.Errorf("%s has more than %s bytes, and no record has that many", path, words.Number(maxRecord))
	}
	c, err := study.ParseRecord(text)
	if err != nil {
		return nil, fmt.Errorf("%s: no record of a cell that can be believed: %w", path, err)
	}
	r := album.RunOf(c, cli.TaskText(c.Run.Training))
	r.Path = path
	return r, nil
}

// maxRecord is how many bytes a record has at most; usual are some ten thousand.
const maxRecord = 1 << 20

// recorded draws the accuracies of files of records, a figure for each task.
func (f *figuresFlags) recorded(a *album.Album) error {
	paths := f.records
	var all []evaluated
	seen := map[string]string{}
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return fmt.Errorf("--records is %q, a folder; give a file of what mhacsp eval --json printed, or name a "+
				"folder of cells' records with --run", path)
		}
		if slices.Contains(paths[:i], path) {
			return fmt.Errorf("--records %s stands twice; its samples would count twice, leave one out", path)
		}
		list, err := readRecords(path, seen)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	type kind struct {
		name       string
		parameters int
	}
	var done []string
	for _, first := range all {
		task := first.set()
		if slices.Contains(done, task) {
			continue
		}
		done = append(done, task)
		var kinds []kind
		var reports [][]*metric.Report
		samples := map[string]int{} // by what was evaluated
		versions := map[string]bool{}
		for _, e := range all {
			if e.set() != task {
				continue
			}
			k := kind{strings.TrimSpace(e.Model + " " + e.Ablation), e.Parameters}
			i := slices.Index(kinds, k)
			if i < 0 {
				i, kinds, reports = len(kinds), append(kinds, k), append(reports, nil)
			}
			reports[i] = append(reports[i], &e.Report)
			step := "step not known"
			if e.Step != nil {
				step = "step " + words.Number(*e.Step)
			}
			seed := ""
			if e.Seed != nil {
				seed = fmt.Sprintf(", samples of seed %d", *e.Seed)
			}
			samples[fmt.Sprintf("%s: %s, %s%s", k.name, e.Checkpoint, step, seed)] += e.N
			versions[album.VersionOf(e.Origin)] = true
		}
		var names []string
		for _, k := range kinds {
			if slices.ContainsFunc(kinds, func(x kind) bool { return x.name == k.name && x != k }) {
				k.name += ", " + words.Plural(k.parameters, "parameter")
			}
			names = append(names, k.name)
		}
		var about []string
		for _, what := range slices.Sorted(maps.Keys(samples)) {
			about = append(about, fmt.Sprintf("%s: %s.", what, words.Plural(samples[what], "sample")))
		}
		about = append(about, "Records: "+strings.Join(paths, ", ")+". Evaluated by "+
			strings.Join(slices.Sorted(maps.Keys(versions)), "; ")+".")
		a.AddReports(task, task, names, reports, about)
	}
	return nil
}

// evaluated is one line of a file of records.
type evaluated struct {
	eval.Evaluation
	at string // file and line
}

// set names what samples an evaluation is of, but for their lengths. Those of other samples are no part of its figure.
func (e evaluated) set() string {
	parts := []string{e.Task, e.Preset, e.Format}
	if e.Brackets != nil && !*e.Brackets {
		parts = append(parts, "flat")
	}
	if e.Operators == "+-" {
		parts = append(parts, "no-times")
	}
	switch {
	case e.Source != "drawn":
		parts = append(parts, e.Source)
	case e.IID:
		parts = append(parts, "iid")
	case e.Split != "test":
		parts = append(parts, e.Split)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// maxLine bounds a line of a file of records in bytes.
const maxLine = 16 << 20

// readRecords reads what eval --json printed. The same evaluation twice would count its samples twice: it is refused.
// seen says where each stood, in other files too.
func readRecords(path string, seen map[string]string) ([]evaluated, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w; check the path", err)
	}
	defer f.Close()
	var list []evaluated
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if n == 1 {
			line = strict.TrimBOM(line)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if study.IsRecord(line) {
			return nil, fmt.Errorf("%s is the record of a cell; name it with --run, and with --records what mhacsp "+
				"eval --json printed", path)
		}
		e := evaluated{at: fmt.Sprintf("%s:%d", path, n)}
		err := strict.Unmarshal(line, &e.Evaluation)
		if err != nil || e.Model == "" || e.N == 0 || e.Count != e.N || !e.Possible() {
			return nil, fmt.Errorf("%s: no record that mhacsp eval --json prints; give a file of such lines alone",
				e.at)
		}
		key, err := json.Marshal([]any{e.Checkpoint, e.Step, e.Model, e.Ablation, e.Parameters, e.Source, e.Split,
			e.IID, e.Seed, e.N, e.MinLength, e.MaxLength})
		cli.Must(err)
		if first, ok := seen[string(key)]; ok {
			return nil, fmt.Errorf("%s: the same evaluation as %s; remove one", e.at, first)
		}
		seen[string(key)] = e.at
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
	if c.Task != train.DefaultTask {
		return c.Task
	}
	return c.Task + " " + cmp.Or(c.Format, "repeat") + " " + strings.TrimPrefix(cmp.Or(c.Preset, "author"), "author")
}
