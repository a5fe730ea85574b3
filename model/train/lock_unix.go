//go:build unix && !solaris && !aix

package train

import (
	"errors"
	"fmt"
	"os"
	"os/user"
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
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EINVAL),
			errors.Is(err, syscall.EBADF): // a network disk locks no file that was opened to be read
			return errNoLocks
		}
		return err
	}
}

// discard removes the file of a lock that is held. Who has opened it already finds that it no longer stands.
func discard(f *os.File) { os.Remove(f.Name()) }

// mountOf is the number that the system gave the file's mount: one in use has it alone, and it stays in use while its
// holder has the file open.
func mountOf(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%x", s.Dev)
	}
	return ""
}

// Owner is who owns a file, empty where that is this process's user or cannot be told.
func Owner(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(s.Uid) == os.Geteuid() {
		return ""
	}
	id := fmt.Sprint(s.Uid)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "user " + id
}
