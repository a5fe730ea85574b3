package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/checkpoint"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/tasks/strict"
)

// The files of a run folder; it holds nothing else, but for KeptFolder where the run asks for it.
const (
	ConfigFile    = "config.json"
	ModelFile     = "model.safetensors"     // parameters, configuration (FORMATS.md)
	OptimizerFile = "optimizer.safetensors" // everything a resumed run needs, in one file and so never half written
	MetricsFile   = "metrics.jsonl"         // one event a line
)

// progress is the trainer's own state under the optimizer file's metadata key "progress".
type progress struct {
	Step       int        `json:"step"`
	Adam       int        `json:"adam"`
	Curriculum limitState `json:"curriculum"`
	Early      earlyState `json:"early"`
	Waiting    tally      `json:"waiting"` // the last step's results, which the curriculum takes after the next step
	// Pending is what the run was stopped in, validation or test: it comes first when the run goes on.
	Pending string `json:"pending,omitempty"`
}

// WriteModel writes a checkpoint of FORMATS.md: every parameter under its name, the configuration as metadata.
func WriteModel(path string, config any, set *param.Set, values []float32) error {
	f, err := modelFile(config, set, values)
	if err != nil {
		return err
	}
	return checkpoint.WriteFile(path, f)
}

// Split cuts a flat buffer into named tensors.
func Split(prefix string, set *param.Set, flat []float32) []checkpoint.Tensor {
	var out []checkpoint.Tensor
	for _, t := range set.Tensors {
		out = append(out, checkpoint.Tensor{
			Name: prefix + t.Name, Shape: t.Shape, Data: flat[t.Offset : t.Offset+t.Len],
		})
	}
	return out
}

// matches reports whether every tensor of the set is there, in its shape.
func matches(prefix string, set *param.Set, f *checkpoint.File) error {
	for _, t := range set.Tensors {
		x, ok := f.Find(prefix + t.Name)
		if !ok {
			return fmt.Errorf("tensor %q is missing: the checkpoint is of another model; use its own configuration",
				prefix+t.Name)
		}
		if fmt.Sprint(x.Shape) != fmt.Sprint(t.Shape) {
			return fmt.Errorf("tensor %q has shape %v, the configuration needs %v; the checkpoint is of another model",
				prefix+t.Name, x.Shape, t.Shape)
		}
	}
	return nil
}

// join is the inverse of Split, for a file that matches.
func join(prefix string, set *param.Set, f *checkpoint.File) []float32 {
	flat := make([]float32, set.Size())
	for _, t := range set.Tensors {
		x, _ := f.Find(prefix + t.Name)
		copy(flat[t.Offset:], x.Data)
	}
	return flat
}

// LoadModel builds the network of a checkpoint on a backend.
func LoadModel(path string, b backend.Backend) (sequence.Network, []byte, error) {
	f, err := checkpoint.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	m, text, err := OpenModel(f, b)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, text, nil
}

// Folder is a run on disk, which this process alone may write until Close.
type Folder struct {
	Dir string
	// Accept makes Resume take changes that were made to config.json since the last checkpoint. Without it they are
	// ErrChanged.
	Accept  bool
	Changed []string // the keys that Resume found changed and took
	// Spent is what the steps and evaluations took that Resume found in the log, and kept.
	Spent time.Duration

	metrics *os.File
	lock    *lock
	batch   int // samples of a step
}

// ErrTaken says that a folder has a run, or what is left of one, which is ErrLeft too. ErrChanged says that the
// configuration of a run is not that of its last checkpoint.
var (
	ErrTaken   = errors.New("holds a run already")
	ErrLeft    = fmt.Errorf("%w, or what is left of one", ErrTaken)
	ErrChanged = errors.New("was changed since the last checkpoint")
)

// Create makes a new run folder; an existing run there, or any file of one, is ErrTaken unless overwrite is set. A
// folder whose run another process trains is a *BusyError.
func Create(dir string, r Run, overwrite bool) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("run folder: %w; choose another", err)
	}
	f, err := hold(dir)
	if err != nil {
		return nil, err
	}
	if err := f.fill(r, overwrite); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Open takes an existing run folder, for Resume. A folder whose run another process trains is a *BusyError.
func Open(dir string) (*Folder, error) {
	if _, err := ReadRun(dir); err != nil {
		return nil, err
	}
	return hold(dir)
}

// hold locks a folder and removes what a killed process left half written there.
func hold(dir string) (*Folder, error) {
	l, err := take(dir, usualTimes())
	if err != nil {
		return nil, err
	}
	f := &Folder{Dir: dir, lock: l}
	f.sweep()
	return f, nil
}

// Note is what the user should know of how the folder was taken; usually empty.
func (f *Folder) Note() string { return f.lock.Note }

// sweep deletes half-written files. They are never read, so one that stays is harmless.
func (f *Folder) sweep() {
	for _, name := range []string{ConfigFile, ModelFile, OptimizerFile, MetricsFile, LockFile,
		KeptFolder + "/step-*.safetensors"} {
		half, _ := fs.Glob(os.DirFS(f.Dir), name+".????????.tmp")
		for _, path := range half {
			os.Remove(filepath.Join(f.Dir, path))
		}
	}
}

// fill writes the configuration of a new run.
func (f *Folder) fill(r Run, overwrite bool) error {
	dir := f.Dir
	switch _, err := os.Stat(filepath.Join(dir, ConfigFile)); {
	case overwrite:
	case errors.Is(err, fs.ErrNotExist):
		if err := Vacant(dir); err != nil {
			return err
		}
	case err != nil: // a run may be there that cannot be seen now
		return err
	default:
		return fmt.Errorf("%s %w", dir, ErrTaken)
	}
	names, err := remains(dir)
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	if err == nil {
		err = checkpoint.Remove(names...)
	}
	if err != nil {
		return fmt.Errorf("replacing the run: %w", err)
	}
	os.Remove(filepath.Join(dir, KeptFolder)) // unless something else is in it
	if err := f.WriteConfig(r); err != nil {
		return err
	}
	f.batch = r.Training.Batch
	return f.openMetrics(-1)
}

// remains are the files that a run may have in its folder without its configuration, by their names there.
func remains(dir string) (names []string, err error) {
	names = []string{ModelFile, OptimizerFile, MetricsFile}
	kept, err := Kept(dir)
	for _, k := range kept {
		names = append(names, filepath.Join(KeptFolder, filepath.Base(k.Path)))
	}
	return names, err
}

// Vacant refuses a folder without a configuration that has other files of a run: they may be all that is left of it.
func Vacant(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, ConfigFile)); err == nil {
		return nil
	}
	names, err := remains(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		switch _, err := os.Lstat(filepath.Join(dir, name)); {
		case err == nil:
			return fmt.Errorf("%s %w: %s, without %s, which must be put back", dir, ErrLeft, name, ConfigFile)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// WriteConfig replaces the configuration of the run.
func (f *Folder) WriteConfig(r Run) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return checkpoint.WriteText(filepath.Join(f.Dir, ConfigFile), append(text, '\n'))
}

// unchanged compares a run with the configuration that its last checkpoint was written with.
func (f *Folder) unchanged(r Run, file *checkpoint.File) error {
	old, err := ParseRun([]byte(file.Metadata["config"]))
	if err != nil {
		return nil // of a build that knew other keys
	}
	changes, err := r.since(old)
	if err != nil || len(changes) == 0 {
		return err
	}
	if !f.Accept {
		c := changes[0]
		return fmt.Errorf("%s %w: %s is %s, and was %s", filepath.Join(f.Dir, ConfigFile), ErrChanged, c.Key, c.Here,
			c.There)
	}
	for _, c := range changes {
		f.Changed = append(f.Changed, c.Key)
	}
	return nil
}

// ReadRun reads a run folder's configuration.
func ReadRun(dir string) (Run, error) {
	path := filepath.Join(dir, ConfigFile)
	text, err := checkpoint.ReadText(path)
	if err != nil {
		return Run{}, noRun(dir, err)
	}
	r, err := ParseRun(strict.TrimBOM(text))
	if err != nil {
		return Run{}, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// noRun says why a folder's configuration could not be read.
func noRun(dir string, err error) error {
	info, there := os.Stat(dir)
	_, model := os.Stat(filepath.Join(dir, ModelFile))
	switch {
	case errors.Is(there, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist; give the folder of a run", dir)
	case there == nil && !info.IsDir():
		return fmt.Errorf("%s is a file; give the folder of a run", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; name a run that can be read", err)
	case model == nil:
		return fmt.Errorf("%s has %s but no %s; put that back, or give the file itself where a model is enough",
			dir, ModelFile, ConfigFile)
	}
	return fmt.Errorf("%s is no run folder: it has no %s; give the folder of a run", dir, ConfigFile)
}

// openMetrics opens the event log for appending, without what was logged after step keep (−1: nothing is kept): a
// resumed run makes those steps again. So it does with some evaluations and warnings at that step, by role and text.
func (f *Folder) openMetrics(keep int, again ...string) error {
	path := filepath.Join(f.Dir, MetricsFile)
	old, err := checkpoint.Open(path, os.O_RDONLY, 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the run's log cannot be read: %w; make it readable, or choose another folder", err)
	}
	defer old.Close()
	err = checkpoint.WriteAtomic(path, func(w io.Writer) error {
		if old == nil {
			return nil
		}
		spent, err := keepEvents(w, old, keep, again)
		f.Spent = spent
		return errors.Join(err, old.Close()) // Windows replaces no file that is open
	})
	if err != nil {
		return err
	}
	f.metrics, err = checkpoint.Open(path, os.O_APPEND|os.O_WRONLY, 0)
	return notLogged(err)
}

// keepEvents copies the lines of a log that openMetrics keeps, one at a time: the log of a long run is large. It
// returns what the kept ones took.
func keepEvents(w io.Writer, log io.Reader, keep int, again []string) (spent time.Duration, err error) {
	for lines := bufio.NewReader(log); ; {
		line, end := lines.ReadBytes('\n')
		if end != nil && end != io.EOF {
			return spent, end
		}
		var at struct {
			Step    int
			Role    string
			Text    string
			Seconds float64
		}
		if json.Unmarshal(line, &at) == nil && at.Step <= keep &&
			!(at.Step == keep && (slices.Contains(again, at.Role) || slices.Contains(again, at.Text))) {
			if _, err := w.Write(append(bytes.TrimRight(line, "\r\n"), '\n')); err != nil {
				return spent, err
			}
			spent += time.Duration(at.Seconds * float64(time.Second))
		}
		if end == io.EOF {
			return spent, nil
		}
	}
}

// Log appends an event to metrics.jsonl. An error names the file and what to do, and wraps its cause.
func (f *Folder) Log(e Event) error {
	record := any(e)
	switch e := e.(type) {
	case Step:
		record = StepRecord{e, f.batch}
	case Evaluation:
		if !finite(e.Report.Loss) {
			return &StrayedError{e.Step, fmt.Sprintf("the loss of the %s is %v", e.Role, e.Report.Loss)}
		}
		record = EvaluationRecord{e, RatesOf(e.Report)}
	}
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.metrics, "{\"event\":%q,\"time\":%q,%s\n", e.event(), Stamp(time.Now()), text[1:])
	return notLogged(err)
}

func notLogged(err error) error {
	if path := new(fs.PathError); errors.As(err, &path) {
		return checkpoint.Unwritten(path.Path, path.Err)
	}
	return err
}

// Close closes the event log and lets other processes have the folder. A second call does nothing.
func (f *Folder) Close() (err error) {
	if f.metrics != nil {
		err = f.metrics.Close()
		f.metrics = nil
	}
	if f.lock != nil {
		f.lock.release()
		f.lock = nil
	}
	return err
}

// Save writes a checkpoint. The log up to there comes first, so that no power cut leaves it shorter; then what is kept
// of the checkpoint, so that none is missing however the run ends; then the optimizer file, which alone is enough to
// resume; then the model.
func (f *Folder) Save(t *Trainer) error {
	if err := f.lock.Held(); err != nil {
		return err
	}
	file, err := t.State()
	if err != nil {
		return err
	}
	if err := possible(t.Run.Training, file); err != nil {
		return &StrayedError{t.step, err.Error()}
	}
	model := t.ModelOf(file, t.step)
	if f.metrics != nil {
		if err := f.metrics.Sync(); err != nil {
			return notLogged(err)
		}
		if !stands(f.metrics) { // what was logged since the last checkpoint is lost: these steps are made again
			return fmt.Errorf("%s was removed or replaced while the run trained: nothing is logged any more; "+
				"if it was moved put it back, and resume the run", f.metrics.Name())
		}
	}
	if err := f.keep(model, t); err != nil {
		return err
	}
	if err := checkpoint.WriteFile(filepath.Join(f.Dir, OptimizerFile), file); err != nil {
		return err
	}
	return checkpoint.WriteFile(filepath.Join(f.Dir, ModelFile), model)
}

// ErrTookBest says that a run cannot be made longer: its checkpoint has the parameters of its best validation.
var ErrTookBest = errors.New("the run has gone back to the parameters of its best validation: " +
	"it cannot be made longer")

// Resume puts the trainer where the run's last checkpoint was. A run that was stopped before its first checkpoint
// starts again, from the same start values. One that was made longer and cannot be is ErrTookBest, and stays as it is.
func (f *Folder) Resume(t *Trainer) error {
	f.batch = t.Run.Training.Batch
	file, err := f.state(t.Run, t.Network.Params())
	if err != nil {
		return err
	}
	if file == nil {
		return f.openMetrics(-1)
	}
	if err := t.Restore(file); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(f.Dir, OptimizerFile), err)
	}
	if old, err := ParseRun([]byte(file.Metadata["config"])); err == nil && t.TookBest() &&
		(!t.Over() || old.Training.Steps != t.Run.Training.Steps) {
		return ErrTookBest
	}
	return f.openMetrics(t.step, t.again()...)
}

// state reads the last checkpoint of a run with these parameters, nil before the first one.
func (f *Folder) state(r Run, params *param.Set) (*checkpoint.File, error) {
	path := filepath.Join(f.Dir, OptimizerFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		// A run killed before its first checkpoint has neither file. A model alone is
		// another's work: it is not trained over.
		if _, err := os.Stat(filepath.Join(f.Dir, ModelFile)); err == nil {
			return nil, fmt.Errorf("%s is missing and %s is there: such a run cannot go on; "+
				"copy the file from where the run was trained, or train again in another folder", path, ModelFile)
		}
		return nil, nil
	}
	file, err := checkpoint.ReadFile(path)
	if errors.Is(err, checkpoint.ErrFormat) {
		return nil, fmt.Errorf("%w; a run goes on from this file alone: without it train again, in another folder",
			err)
	}
	if err != nil {
		return nil, err
	}
	if err := f.unchanged(r, file); err != nil {
		return nil, err
	}
	p, err := progressOf(params, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.Step > r.Training.Steps { // config.json was changed by hand
		return nil, fmt.Errorf("%s: steps is %d, and the last checkpoint is of step %d; choose as many or more",
			filepath.Join(f.Dir, ConfigFile), r.Training.Steps, p.Step)
	}
	if err := possible(r.Training, file); err != nil {
		return nil, fmt.Errorf("%s: %w; no run leaves that: copy the file again, or train again", path, err)
	}
	return file, nil
}

// Damage says why the run in a folder can never go on, by what its files hold. It is nil where nothing is wrong with
// them, and where they cannot be read at the moment, which says nothing of them. Nothing is changed.
func Damage(dir string) error {
	r, err := ReadRun(dir)
	var params *param.Set
	if err == nil {
		params, err = r.Config.Parameters()
	}
	if err == nil {
		_, err = (&Folder{Dir: dir}).state(r, params)
	}
	if OfSystem(err) {
		return nil
	}
	return err
}

// OfSystem reports whether an error is of a file that the system could not read or write, not of what it holds.
func OfSystem(err error) bool {
	return errors.As(err, new(*fs.PathError)) || errors.As(err, new(syscall.Errno))
}
