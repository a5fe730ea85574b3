//go:build !js

package hardware

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mhacsp/model/backend/tune"
	"mhacsp/model/checkpoint"
	"mhacsp/model/train"
	"mhacsp/native/words"
)

// FormsFile is where the forms of kernels that were found to be the fastest are kept, in the user's cache: losing it
// costs a measurement.
func FormsFile() (string, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("the forms of kernels are not kept: %w", err)
	}
	return filepath.Join(folder, "mhacsp", "forms.json"), nil
}

// ReadForms reads what was found. A file that is damaged or of another version counts as none; the error says so, on
// one line.
func ReadForms(path string) (tune.Records, error) {
	text, err := checkpoint.ReadText(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the forms of kernels cannot be read: %w", err)
	}
	l, err := tune.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s %w; it is ignored, and the forms are measured again", path, err)
	}
	return l, nil
}

// keepForm puts a record among those in the file. Of two programs that write at the same time one may be forgotten: it
// measures again.
func keepForm(path string, r tune.Record) error {
	l, _ := ReadForms(path)
	text, err := l.With(r).Encode()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err == nil {
		err = checkpoint.WriteText(path, text)
	}
	if err != nil {
		return fmt.Errorf("the forms of kernels are not kept: %w", err)
	}
	return nil
}

// ForgetForms deletes what was found.
func ForgetForms(path string) error {
	if err := checkpoint.Remove(path); err != nil {
		return fmt.Errorf("the forms of kernels cannot be forgotten: %w", err)
	}
	return nil
}

// FormsOf are the records of an adapter, small models and batches first.
func FormsOf(l tune.Records, adapter string) tune.Records {
	l = slices.DeleteFunc(slices.Clone(l), func(r tune.Record) bool { return r.Adapter != adapter })
	slices.SortStableFunc(l, func(a, b tune.Record) int { return cmp.Or(a.Width-b.Width, a.Batch-b.Batch) })
	return l
}

// FormsLine is a record for a reader.
func FormsLine(r tune.Record) string {
	return fmt.Sprintf("width %d, angles by %s, up to %s: %s",
		r.Width, r.Angle, words.Plural(r.Batch, "sequence"), tune.Text(r))
}

// StepTuner is a tuner for train.
type StepTuner interface {
	train.StepObserver
	Idle() bool
	Close()
}

// keptForms are what was found before, and what a tuner tells of: it is kept, and said where it is used. What cannot
// be read or written is said, each on one line and once, and no error: it costs a measurement.
func keptForms(say func(string)) (known tune.Records, tell func(r tune.Record, used bool)) {
	path, err := FormsFile()
	said := false
	fails := func(err error) {
		if err != nil && !said {
			said = true
			say(err.Error() + "\n")
		}
	}
	if err == nil {
		known, err = ReadForms(path)
	}
	fails(err)
	return known, func(r tune.Record, used bool) {
		if path != "" {
			fails(keepForm(path, r))
		}
		if used {
			say("kernels: " + tune.Text(r) + "\n")
		}
	}
}
