//go:build !js

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/train"
	"mhacsp/tasks/assert"
)

// TestWritableFolder: a folder can be written whatever stands in it.
func TestWritableFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"mhacsp", "x"} {
		assert.NoError(t, errors.Join(os.Mkdir(filepath.Join(dir, name), 0o755), WritableFolder("out", dir)))
	}
}

func TestExitCodes(t *testing.T) {
	assert.Says(t, InWords(fmt.Errorf("x: %w", syscall.EMFILE)), "too many open files (raise the limit: ulimit -n)")
	full := fmt.Errorf("x: not written: %w", syscall.ENOSPC)
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {errors.New("a mistake"), 2}, {Working(nil), 0}, {Working(full), 1}, {full, 1},
		{fmt.Errorf("writing the output: %w", &fs.PathError{Err: syscall.EFBIG}), 1}, {Working(&fs.PathError{Err: syscall.EIO}), 2},
		{Working(errors.New("the device is lost")), 1}, {fmt.Errorf("at step 3: %w", &train.NotFiniteError{Step: 3, Tensor: "loss"}), 1},
		{fmt.Errorf("model: %w", backend.ErrOutOfMemory), 1}, {fmt.Errorf("%w at step 3", ErrInterrupted), 130},
		{fmt.Errorf("%w by SIGTERM at step 3", ErrPreempted), 75}, {fmt.Errorf("x: %w", &train.BusyError{Dir: "run"}), 3},
	} {
		assert.Is(t, ExitCode(c.err), c.want, "%v: exit code", c.err)
	}
}
