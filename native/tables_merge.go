//go:build !js

package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mhacsp/model/study"
	"mhacsp/model/train"
)

// join copies the cells of the folders of --merge into --out, where they are further than what is there. All is
// compared before anything is written.
func (t *studying) join() error {
	var err error
	if t.plan, err = readPlanFile(filepath.Join(t.f.merge[0], study.PlanFile)); err != nil {
		return notAStudy(t.f.merge[0], err)
	}
	sources := t.f.merge
	if own, err := readPlanFile(filepath.Join(t.f.out, study.PlanFile)); err == nil {
		if difference := t.plan.Differs(own); difference != "" {
			return fmt.Errorf("%s holds another plan than %s: %s; choose another --out", t.f.out, sources[0],
				difference)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, dir := range sources[1:] {
		p, err := readPlanFile(filepath.Join(dir, study.PlanFile))
		if err != nil {
			return notAStudy(dir, err)
		}
		if difference := t.plan.Differs(p); difference != "" {
			return fmt.Errorf("%s holds another plan than %s: %s; leave one of them out", dir, sources[0], difference)
		}
	}
	for _, dir := range sources {
		if study.HasRecords(dir) {
			return fmt.Errorf("%s is a folder of records, and --merge joins the folders of studies; "+
				"give it as --records, beside --report or to go on from it", dir)
		}
	}
	best, there := map[string]string{}, 0 // by cell: the folder that has most of it
	for _, s := range t.plan.Cells {
		if best[s.Name], err = t.best(s, sources); err != nil {
			return err
		}
		if best[s.Name] != "" {
			there++
		}
	}
	if there == 0 {
		return fmt.Errorf("nothing is merged: no cell that can be read is begun in %s", strings.Join(sources, ", "))
	}
	if err := t.keepPlan("out", t.f.out); err != nil {
		return err
	}
	copied := 0
	for _, s := range t.plan.Cells {
		if from := best[s.Name]; from != "" && from != t.f.out {
			if err := copyCell(filepath.Join(from, study.CellsFolder, s.Name), t.folder(s.Name)); err != nil {
				return err
			}
			copied++
		}
	}
	if copied == 0 {
		fmt.Fprintf(t.out, "merged   nothing: %s has as much of %s as these folders\n", t.f.out, plural(there, "cell"))
	} else {
		fmt.Fprintf(t.out, "merged   %s into %s\n", plural(copied, "cell"), t.f.out)
	}
	return t.joinSpeeds(sources)
}

func notAStudy(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is no study: it has no %s; give folders that \"mhacsp tables --out\" made", dir,
			study.PlanFile)
	}
	return err
}

// best is the folder, --out or a source, that has most of a cell; empty where nobody has any. Two whole cells of
// different runs are an error.
func (t *studying) best(s study.Spec, sources []string) (string, error) {
	var best study.Cell
	from := ""
	for _, dir := range append([]string{t.f.out}, sources...) {
		at := filepath.Join(dir, study.CellsFolder, s.Name)
		c, err := study.Read(s, at, time.Now())
		switch {
		case err != nil:
			return "", err
		case c.State == study.Running:
			return "", fmt.Errorf("%s is being trained; merge when it is done", at)
		case c.State == study.Damaged:
			fmt.Fprintf(t.out, "damaged  %s: %s; left out\n", at, c.Reason)
		case c.Whole() && best.Whole() && !c.SameRun(best):
			return "", fmt.Errorf("two cells are called %s and differ: %s and %s; remove one of them", s.Name,
				filepath.Join(from, study.CellsFolder, s.Name), at)
		case c.Ahead(best):
			best, from = c, dir
		}
	}
	return from, nil
}

// copyCell puts a copy of a cell in the place of another, whole or not at all.
func copyCell(from, to string) error {
	half := to + ".tmp"
	if err := os.RemoveAll(half); err != nil {
		return err
	}
	if err := os.CopyFS(half, os.DirFS(from)); err != nil {
		os.RemoveAll(half)
		return fmt.Errorf("copying %s: %w; free space and merge again", from, err)
	}
	os.Remove(filepath.Join(half, train.LockFile)) // of a process that is dead
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(half, to)
}

// joinSpeeds keeps one measurement of each model.
func (t *studying) joinSpeeds(sources []string) error {
	for _, dir := range sources {
		speeds, err := study.ReadSpeeds(dir)
		if err != nil {
			return err
		}
		t.speeds = append(t.speeds, speeds...)
	}
	return keepSpeeds(t.f.out, t.speeds)
}
