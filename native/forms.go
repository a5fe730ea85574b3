//go:build !js

package native

import (
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

// formsFile is where the forms of kernels that were found to be the fastest are kept, in the user's cache: losing it
// costs a measurement.
func formsFile() (string, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("the forms of kernels are not kept: %w", err)
	}
	return filepath.Join(folder, "mhacsp", "forms.json"), nil
}

// readForms reads what was found. A file that is damaged or of another version counts as none; the error says so, on
// one line.
func readForms(path string) (tune.Records, error) {
	text, err := os.ReadFile(path)
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
	l, _ := readForms(path)
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

// forgetForms deletes what was found.
func forgetForms(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the forms of kernels cannot be forgotten: %w", err)
	}
	return nil
}

// formsOf are the records of an adapter, small models and batches first.
func formsOf(l tune.Records, adapter string) tune.Records {
	l = slices.DeleteFunc(slices.Clone(l), func(r tune.Record) bool { return r.Adapter != adapter })
	slices.SortStableFunc(l, func(a, b tune.Record) int {
		if a.Width != b.Width {
			return a.Width - b.Width
		}
		return a.Batch - b.Batch
	})
	return l
}

// formsLine is a record for a reader.
func formsLine(r tune.Record) string {
	return fmt.Sprintf("width %d, angles by %s, up to %s: %s",
		r.Width, r.Angle, words.Plural(r.Batch, "sequence"), tune.Text(r))
}

// stepTuner is a tuner for train.
type stepTuner interface {
	train.StepObserver
	Idle() bool
	Close()
}

// keptForms are what was found before, and what a tuner tells of: it is kept, and said where it is used. What cannot
// be read or written is said, each on one line and once, and no error: it costs a measurement.
func keptForms(say func(string)) (known tune.Records, tell func(r tune.Record, used bool)) {
	path, err := formsFile()
	said := false
	fails := func(err error) {
		if err != nil && !said {
			said = true
			say(err.Error() + "\n")
		}
	}
	if err == nil {
		known, err = readForms(path)
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
