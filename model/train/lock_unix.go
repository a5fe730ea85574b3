//go:build unix && !solaris && !aix

package train

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the system's lock on an open file, without waiting. The system ends it when the file is closed.
func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EINVAL):
			return errNoLocks
		}
		return err
	}
}

// discard removes the file of a lock that is held. Who has opened it already finds that it no longer stands.
func discard(f *os.File) { os.Remove(f.Name()) }
