package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mhacsp/model/checkpoint"
	"mhacsp/model/study/curve"
	"mhacsp/model/study/inside"
	"mhacsp/model/train"
)

// Record is all that a study says of a finished cell, and what figures show of its network, in one small file: it
// stays where the cell's folder does not (STUDIES.md, Records of cells).
type Record struct {
	Cell   Spec            `json:"cell"`
	Config json.RawMessage `json:"config"` // config.json of the run's folder
	Outcome
}

// Recordable reports whether a cell is finished, and measured where it has all of its steps.
func (c Cell) Recordable() bool { return c.Thin() || c.Whole() && c.Evaluated }

// RecordOf is the record of such a cell, whose network shows x.
func RecordOf(c Cell, x inside.Inside) (Record, error) {
	config, err := json.Marshal(c.Run)
	r := Record{c.Spec, config, c.Outcome}
	r.Loss, r.Inside = curve.Curve{X: inside.Rounded(c.Loss.X, 6), Y: inside.Rounded(c.Loss.Y, 4)}, x
	return r, err
}

// Text is the record as Spec.Recorded reads it, a key a line.
func (r Record) Text() ([]byte, error) {
	flat, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var out []byte
	var value json.RawMessage
	d, at := json.NewDecoder(bytes.NewReader(flat)), 0
	for _, err = d.Token(); err == nil && d.More(); {
		_, _ = d.Token() // a key
		err = d.Decode(&value)
		next := int(d.InputOffset()) + 1 // behind the comma, or the last brace
		out, at = append(append(out, flat[at:next]...), '\n'), next
	}
	return out, err
}

// IsRecord reports whether a file with such a text means to be a record: no checkpoint begins so.
func IsRecord(text []byte) bool { return bytes.HasPrefix(text, []byte(`{"cell":`)) }

// ParseRecord is the cell of a record, whatever plan it is of.
func ParseRecord(text []byte) (Cell, error) {
	var r struct {
		Cell Spec `json:"cell"`
	}
	if err := train.ReadJSON(text, &r); err != nil {
		return Cell{}, err
	}
	if _, err := Parse(Plan{[]Spec{r.Cell}}.Text()); err != nil {
		return Cell{}, err
	}
	return r.Cell.Recorded(text)
}

// Recorded is the cell of a record. An error is why it cannot be believed, or is of another cell.
func (s Spec) Recorded(text []byte) (Cell, error) {
	c := Cell{Spec: s, State: Finished}
	var r Record
	if err := train.ReadKnownJSON(text, &r); err != nil {
		return c, err
	}
	if r.Cell.Name != s.Name {
		return c, foreignError{fmt.Errorf("it is the record of %s, and a cell has one; remove it", r.Cell.Name)}
	}
	if difference := (Plan{[]Spec{s}}).Differs(Plan{[]Spec{r.Cell}}); difference != "" {
		return c, foreignError{fmt.Errorf("it is of another plan: %s; choose another folder", difference)}
	}
	asked, err := s.Asked()
	if err != nil {
		return c, err
	}
	if c.Run, err = resolve(r.Config); err != nil {
		return c, fmt.Errorf("config: %w", err)
	}
	if err := c.same(c.Run); err != nil {
		return c, err
	}
	c.Asked, c.Of, c.Outcome = asked.Training.Steps, c.Run.Training.Steps, r.Outcome
	if err := c.believe(); err != nil {
		return c, err
	}
	if d := c.Inside.Digits; d != nil && len(d.Names) < inside.Fewest { // older builds recorded them
		c.Inside.Digits = nil
	}
	return c, nil
}

// foreignError is of a record that is another cell's.
type foreignError struct{ error }

// believe refuses a recorded cell that no run leaves.
func (c *Cell) believe() error {
	early := c.Run.Training.Patience > 0
	switch {
	case c.Steps > c.Of || c.Steps < c.Of && !early || c.Steps < 1:
		return fmt.Errorf("it is of %d of %d steps", c.Steps, c.Of)
	case c.Parameters < 1 || c.Version == "" || c.Host == "" || c.Device == "" || c.Ended == "":
		return errors.New("it does not say what made it, where and when")
	case !(c.Seconds > 0 && c.StepSeconds > 0) || math.IsInf(c.Seconds, 0) || c.StepSeconds > c.Seconds:
		return errors.New("its times are none")
	case !c.Recordable():
		return errors.New("it has all of its steps, but was not measured")
	case c.Evaluated && (c.Probe == nil || c.Heads == nil):
		return errors.New("it has no probe or no heads, not even why")
	}
	if err := believable(c.Test, c.Run.Training, "test"); err != nil {
		return err
	}
	last := Point{}
	for _, p := range c.Validations {
		if p.Step <= last.Step || p.Step > c.Steps || !(p.Seconds >= last.Seconds) || !(p.Loss >= 0) ||
			!share01(p.Exact) || !share01(p.Answer) || !share01(p.Guess) {
			return fmt.Errorf("its validation at step %d is none", p.Step)
		}
		last = p
	}
	if n := len(c.Loss.X); n == 0 || n > CurvePoints || len(c.Loss.Y) != n {
		return fmt.Errorf("its curve has %d points", n)
	}
	for i, x := range c.Loss.X {
		if x > float64(c.Steps) || i > 0 && x <= c.Loss.X[i-1] || !(c.Loss.Y[i] >= 0) || !(x > 0) {
			return fmt.Errorf("point %d of its curve is none", i)
		}
	}
	for _, e := range c.Lengths {
		if err := c.longer(e); err != nil {
			return err
		}
	}
	if c.Probe != nil {
		for _, x := range slices.Concat(c.Probe.Clocks, c.Probe.HalfTurns) {
			if x.Unit < 0 || x.Unit >= c.Probe.Units || !share01(x.R) {
				return fmt.Errorf("its clock of unit %d is none", x.Unit)
			}
		}
	}
	if c.Heads != nil {
		for _, h := range c.Heads.Blocks {
			if h.Count < 1 || math.Abs(h.Cosine) > 1.001 || math.Abs(h.Shape) > 1.001 || !(h.Effective > 0.99) {
				return errors.New("its heads are none")
			}
		}
	}
	return c.Inside.Check()
}

func share01(x float64) bool { return x >= 0 && x <= 1 }

// RecordEnding is that of a record's file, behind the name of its cell.
const RecordEnding = ".json"

// ReadRecords reads the records of a plan's cells in a folder, by the names of the cells. What cannot be believed is
// in damaged, with the reason. A file there that is no cell's of the plan, and one of another plan, is an error. A
// folder that is not there has none.
func ReadRecords(p Plan, dir string) (cells map[string]Cell, damaged map[string]string, err error) {
	cells, damaged = map[string]Cell{}, map[string]string{}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return cells, damaged, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), RecordEnding)
		i := slices.IndexFunc(p.Cells, func(s Spec) bool { return s.Name == name })
		if !ok || i < 0 {
			if strings.HasSuffix(e.Name(), ".tmp") || strings.HasPrefix(e.Name(), ".") { // a killed process wrote it
				continue
			}
			return nil, nil, fmt.Errorf("%s is no record of a cell of the plan; remove it, or choose another folder",
				filepath.Join(dir, e.Name()))
		}
		text, err := checkpoint.ReadText(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, nil, err
		}
		c, err := p.Cells[i].Recorded(text)
		switch {
		case errors.As(err, new(foreignError)):
			return nil, nil, fmt.Errorf("%s: %w", filepath.Join(dir, e.Name()), err)
		case err != nil:
			damaged[name] = err.Error()
		default:
			cells[name] = c
		}
	}
	return cells, damaged, nil
}

// Add puts records in the place of cells that are not as far: of what is not finished, and is not half done where the
// record is thin, and of thin ones. A whole record stands, whatever else there is. Where there is nothing of a cell
// but a damaged record, the cell is Damaged. twice are the whole cells that are another run than their whole records.
func Add(cells []Cell, records map[string]Cell, damaged map[string]string) (out []Cell, twice []string) {
	out = slices.Clone(cells)
	for i, c := range out {
		if why, ok := damaged[c.Name]; ok && c.State == Absent {
			out[i].State, out[i].Reason = Damaged, "its record: "+why
		}
		r, ok := records[c.Name]
		if !ok {
			continue
		}
		same := c.Ended == r.Ended && c.Origin == r.Origin && c.Seconds == r.Seconds // or copies of one run
		if c.Whole() && r.Whole() && !same {
			twice = append(twice, c.Name)
		}
		if r.Whole() || r.Ahead(c) {
			out[i] = r
		}
	}
	return out, twice
}

// Ahead reports whether a cell takes the place of another with its name in records: a whole one stands above what is
// half done, and that above a thin one; of two thin or half ones the one with more steps.
func (c Cell) Ahead(of Cell) bool {
	if a, b := c.rank(), of.rank(); a != b || c.Whole() {
		return a > b
	}
	return c.Steps > of.Steps
}

func (c Cell) rank() int {
	switch {
	case c.Whole() && c.Evaluated:
		return 5
	case c.Whole():
		return 4
	case c.State == Half, c.State == Running:
		return 3
	case c.Thin():
		return 2
	case c.State == Failed:
		return 1
	}
	return 0
}

// Archive is a folder of records: the plan, its cells as far as they are recorded, and speeds.
type Archive struct {
	Plan   Plan
	Cells  []Cell
	Speeds []Speed
}

// ReadArchive reads a folder of records.
func ReadArchive(dir string) (a Archive, err error) {
	text, err := checkpoint.ReadText(filepath.Join(dir, PlanFile))
	if err != nil {
		return a, err
	}
	if a.Plan, err = Parse(text); err != nil {
		return a, fmt.Errorf("%s: %w", filepath.Join(dir, PlanFile), err)
	}
	for _, s := range a.Plan.Cells {
		c := Cell{Spec: s, State: Absent}
		if c.Run, err = s.Asked(); err != nil {
			return a, err
		}
		c.Asked, c.Of = c.Run.Training.Steps, c.Run.Training.Steps
		a.Cells = append(a.Cells, c)
	}
	records, damaged, err := ReadRecords(a.Plan, filepath.Join(dir, CellsFolder))
	if err != nil {
		return a, err
	}
	a.Cells, _ = Add(a.Cells, records, damaged)
	a.Speeds, err = ReadSpeeds(dir)
	return a, err
}
