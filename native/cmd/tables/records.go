//go:build !js

package tables

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mhacsp/model/checkpoint"
	"mhacsp/model/study"
	"mhacsp/model/study/inside"
	"mhacsp/model/train"
	"mhacsp/native/album"
	"mhacsp/native/cli"
	"mhacsp/native/cmd/figures"
	"mhacsp/native/hardware"
	"mhacsp/native/runs"
	"mhacsp/native/words"
)

// matricesText is the text whose matrices are recorded, of cells that learn arithmetic: a minus before a bracket.
const matricesText = "4 - (3 + 5)"

// readCells is how far the cells of a plan are in --out, and with --records by what is recorded of them.
func (t *studying) readCells(p study.Plan) ([]study.Cell, error) {
	cells, err := study.ReadAll(p, t.f.out, time.Now())
	if err != nil || t.f.records == "" {
		t.learn(cells)
		return cells, err
	}
	recorded, damaged, err := t.recorded()
	if err != nil {
		return nil, err
	}
	t.learn(slices.AppendSeq(slices.Clone(cells), maps.Values(recorded)))
	cells, t.twice = study.Add(cells, recorded, damaged)
	return cells, nil
}

// learn takes the lengths of strings from finished cells, and which rows have whole ones. It keeps what is known of
// other ones.
func (t *studying) learn(cells []study.Cell) {
	if t.lengths == nil {
		t.lengths, t.shown = study.Lengths{}, map[study.Need]bool{}
	}
	maps.Copy(t.lengths, study.LengthsOf(cells))
	for _, c := range cells {
		if c.Whole() {
			t.shown[c.Need()] = true
		}
	}
}

// printTwice names the cells that are one run in --out and another in --records.
func (t *studying) printTwice() {
	if len(t.twice) > 0 {
		fmt.Fprintf(t.out, "twice    %s: another run in %s than in %s; the record stands until you remove it\n",
			strings.Join(t.twice, ", "), filepath.Join(t.f.out, study.CellsFolder),
			filepath.Join(t.f.records, study.CellsFolder))
	}
}

// noRecords refuses a folder of --records without a plan unless it can be one that is to be made, which it says.
func (t *studying) noRecords() error {
	if t.f.records == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(t.f.records, study.PlanFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil // it is read later
	}
	entries, err := os.ReadDir(t.f.records)
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.f.report:
		return fmt.Errorf("--records is %q, and there is no such folder; check the path", t.f.records)
	case t.f.report || len(entries) > 0:
		return fmt.Errorf("--records is %q, which has no %s; give a folder that \"mhacsp tables --records\" made, or "+
			"one that is not there yet", t.f.records, study.PlanFile)
	}
	fmt.Fprintf(t.out, "records  none in %s yet: nothing counts as finished\n", t.f.records)
	return nil
}

// recorded reads the folder of --records, and refuses one of another plan.
func (t *studying) recorded() (cells map[string]study.Cell, damaged map[string]string, err error) {
	path := filepath.Join(t.f.records, study.PlanFile)
	there, err := cli.ReadPlan(path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a folder that is to be made
	case err != nil:
		return nil, nil, err
	default:
		if difference := t.plan.Differs(there); difference != "" {
			return nil, nil, fmt.Errorf("%s is another plan than that of %s: %s; choose another --records or --out",
				path, t.f.out, difference)
		}
	}
	return study.ReadRecords(t.plan, filepath.Join(t.f.records, study.CellsFolder))
}

// keepRecords adds to --records what is finished in --out and stands not there yet, and what was measured of speeds.
// It says what it left out. With --report it changes nothing.
func (t *studying) keepRecords() error {
	if t.f.records == "" {
		return nil
	}
	recorded, _, err := t.recorded()
	if err != nil {
		return err
	}
	if t.f.report {
		fmt.Fprintf(t.out, "records  %s in %s\n", words.Plural(len(recorded), "cell"), t.f.records)
		return nil
	}
	cells, err := study.ReadAll(t.plan, t.f.out, time.Now())
	if err != nil {
		return err
	}
	there := len(recorded)
	var left, open []string
	for _, c := range cells {
		if c.State == study.Finished && !c.Recordable() {
			open = append(open, c.Name)
		}
		r, known := recorded[c.Name]
		if !c.Recordable() || known && !c.Ahead(r) {
			continue
		}
		if err := t.keepRecord(c); err != nil {
			left = append(left, fmt.Sprintf("%s (%v)", c.Name, err))
			continue
		}
		if !known {
			there++
		}
	}
	if err := t.keepBeside(); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "records  %s in %s\n", words.Plural(there, "cell"), t.f.records)
	if len(open) > 0 {
		fmt.Fprintf(t.out, "left out %s: trained and not measured; the next pass does that\n",
			strings.Join(open, ", "))
	}
	if len(left) > 0 {
		return fmt.Errorf("%s not recorded: %s; their folders are whole, and the same command tries again",
			words.Plural(len(left), "cell"), strings.Join(left, "; "))
	}
	return nil
}

// keepBeside writes plan and speeds into the folder of records: the report is made of these too.
func (t *studying) keepBeside() error {
	if err := t.keepPlan("records", t.f.records); err != nil {
		return err
	}
	speeds, err := study.ReadSpeeds(t.f.out)
	if err != nil {
		return err
	}
	return keepSpeeds(t.f.records, speeds)
}

// keepRecord writes the record of a finished cell, with --records. One that stands there and is as far stays: another
// process may have written it, from another --out.
func (t *studying) keepRecord(c study.Cell) error {
	if t.f.records == "" || !c.Recordable() {
		return nil
	}
	path := filepath.Join(t.f.records, study.CellsFolder, c.Name+study.RecordEnding)
	there, _ := checkpoint.ReadText(path)
	if r, err := c.Recorded(there); err == nil && !c.Ahead(r) {
		return nil
	}
	if err := t.keepBeside(); err != nil {
		return err
	}
	dir := t.folder(c.Name)
	x, err := recordedInside(c, dir)
	if err != nil {
		return err
	}
	r, err := study.RecordOf(c, x)
	if err != nil {
		return cli.Internal(err)
	}
	text, err := r.Text()
	if err != nil {
		return cli.Internal(err)
	}
	text = anonymous(text, dir, c.Name)
	if _, err := c.Recorded(text); err != nil {
		return fmt.Errorf("its record is not believed: %w", err)
	}
	return checkpoint.WriteText(path, text)
}

// anonymous is the JSON of a record without the path of this machine, which the reason of a failure may have.
func anonymous(text []byte, dir, name string) []byte {
	path := strings.ReplaceAll(dir, `\`, `\\`) // of Windows, as JSON has it
	return bytes.ReplaceAll(text, []byte(path), []byte(name))
}

// recordedInside is what figures show of a cell's network.
func recordedInside(c study.Cell, dir string) (inside.Inside, error) {
	l, err := runs.Load(dir, "", hardware.Flags{Backend: "cpu"})
	if err != nil {
		return inside.Inside{}, err
	}
	defer l.Device.Close()
	kinds := []string{album.Spectrum, album.Embedding}
	if c.Run.Training.Task == train.DefaultTask {
		kinds = append(kinds, album.Matrices)
	}
	return figures.InsideOf(l, matricesText, kinds, func(string, string) {})
}
