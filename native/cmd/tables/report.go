//go:build !js

package tables

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"mhacsp/model/checkpoint"
	"mhacsp/model/study"
)

// report writes what the cells of the whole plan say, and prints the verdicts.
func (t *studying) report() error {
	cells, err := t.readCells(t.plan)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(t.f.out, 0o777); err != nil {
		return fmt.Errorf("the study's folder: %w; choose another --out", err)
	}
	kept := t.keepRecords()
	if t.f.records != "" && !t.f.report { // with what the networks of new records show
		if cells, err = t.readCells(t.plan); err != nil {
			return err
		}
	}
	speeds, err := study.ReadSpeeds(t.f.out)
	if err == nil && t.f.records != "" { // of other models
		var recorded []study.Speed
		recorded, err = study.ReadSpeeds(t.f.records)
		speeds = study.MergeSpeeds(recorded, speeds)
	}
	if err != nil {
		return err
	}
	r := study.Make(cells, speeds, time.Now())
	for _, x := range []struct {
		name  string
		write func(io.Writer) error
	}{{"report.md", r.WriteMarkdown}, {"report.csv", r.WriteCSV}, {"report.json", r.WriteJSON}} {
		if err := checkpoint.WriteAtomic(filepath.Join(t.f.out, x.name), x.write); err != nil {
			return cmp.Or(kept, err)
		}
	}
	n := r.Counts
	t.printTwice()
	t.printDamaged(cells, "the next pass makes it", "the next pass measures it")
	fmt.Fprintf(t.out, "cells    %d: %d whole, %d thin, %d half, %d running, %d failed, %d damaged, %d not run\n",
		n.All, n.Whole, n.Thin, n.Half, n.Running, n.Failed, n.Damaged, n.Absent)
	if len(r.Verdicts) > 0 {
		fmt.Fprintf(t.out, "claims   %d: %s\n", len(r.Verdicts), r.Summary())
	}
	fmt.Fprintf(t.out, "report   %s (.csv, .json)\n", filepath.Join(t.f.out, "report.md"))
	return kept
}
