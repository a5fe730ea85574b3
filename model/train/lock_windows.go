package train

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// beyond is where the locked byte lies: behind all that is written, because others may not read what is locked.
const beyond = 1 << 30

// tryLock takes the system's lock on an open file, without waiting. The system ends it when the file is closed.
func tryLock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		&windows.Overlapped{Offset: beyond})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return errLocked
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return errNoLocks
	}
	return err
}

// discard removes the file of a lock that is held: Windows removes none that is open. Where another process has it by
// then it stays.
func discard(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

// mountOf is empty: the system's lock is the disk's own.
func mountOf(*os.File) string { return "" }

// Owner is not told here.
func Owner(string) string { return "" }
