package checkpoint

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// WriteAtomic lets write fill a temporary file next to path, flushes it to the disk and renames it to path. On any
// error, and on a panic of write, the temporary file is removed and what stood at path stays as it was. w is buffered.
// The permissions of an existing file are kept; a symbolic link is replaced, not followed. An error names path and the
// remedy and wraps its cause. Where the system replaces no file that is open, one that somebody reads is waited for,
// up to 2 s.
//
// The folder is flushed too, so that the rename itself outlives a power cut, but as well as the system can: Windows
// and the browser cannot, and the new file is whole either way, so an error there is not reported.
func WriteAtomic(path string, write func(w io.Writer) error) error {
	return Unwritten(path, writeAtomic(path, write))
}

// WriteText is WriteAtomic of a text.
func WriteText(path string, text []byte) error {
	return WriteAtomic(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Writable tells why WriteAtomic cannot put a file at path as things are, for
// those who compute long before they write. What stands there stays as it is.
func Writable(path string) error {
	temporary, _, err := begin(path)
	if err == nil {
		temporary.Close()
		os.Remove(temporary.Name())
	}
	return Unwritten(path, err)
}

// Remove removes those of the files that are there. Where the system removes
// no file that is open, one that somebody reads is waited for, up to 2 s.
func Remove(paths ...string) error {
	for _, path := range paths {
		err := patiently(patience, held, func() error { return os.Remove(path) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Open is os.OpenFile. Where the system opens no file that is just being
// replaced or removed, it waits for the end of that, up to 2 s.
func Open(path string, flag int, mode fs.FileMode) (f *os.File, err error) {
	err = patiently(patience, held, func() error {
		f, err = os.OpenFile(path, flag, mode)
		return err
	})
	return f, err
}

// ReadText is os.ReadFile with Open's patience.
func ReadText(path string) (text []byte, err error) {
	err = patiently(patience, held, func() error {
		text, err = os.ReadFile(path)
		return err
	})
	return text, err
}

// Unwritten is a *DiskError, nil where err is.
func Unwritten(path string, err error) error {
	if err == nil {
		return nil
	}
	return &DiskError{path, err}
}

// DiskError says that a file could not be written.
type DiskError struct {
	Path  string
	Cause error
}

// Error names the file, the cause and the remedy.
func (e *DiskError) Error() string {
	return fmt.Sprintf("%s: not written: %v; %s", e.Path, e.Cause, remedy(e.Cause))
}

// Unwrap is the cause.
func (e *DiskError) Unwrap() error { return e.Cause }

// errNotFile is what WriteAtomic will not put a file in the place of.
var errNotFile = errors.New("what stands there is not a regular file")

// begin makes the temporary file for path, and tells the permissions of what stands there, 0 where nothing does.
func begin(path string) (temporary *os.File, mode fs.FileMode, err error) {
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return nil, 0, errNotFile
		}
		mode = info.Mode().Perm()
	}
	temporary, err = create(path)
	return temporary, mode, err
}

func writeAtomic(path string, write func(w io.Writer) error) (err error) {
	temporary, mode, err := begin(path)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			temporary.Close()
			os.Remove(temporary.Name())
		}
	}()
	if mode != 0 {
		temporary.Chmod(mode) // as well as the file system can
	}
	w := bufio.NewWriterSize(nameless{temporary}, chunk)
	if err := write(w); err != nil {
		return err
	}
	rename := func() error { return os.Rename(temporary.Name(), path) }
	for _, do := range []func() error{
		w.Flush, temporary.Sync, temporary.Close, func() error { return patiently(patience, held, rename) },
	} {
		if err := do(); err != nil {
			return Cause(err)
		}
	}
	done = true
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		folder.Sync()
		folder.Close()
	}
	return nil
}

// patience is how long a file that somebody has open is waited for.
const patience = 2 * time.Second

// patiently calls do again while its error is one that passes, until the time is over.
func patiently(most time.Duration, passes func(error) bool, do func() error) error {
	end := time.Now().Add(most)
	for wait := time.Millisecond; ; wait = min(2*wait, most/20) {
		if err := do(); err == nil || !passes(err) || time.Now().After(end) {
			return err
		}
		time.Sleep(wait)
	}
}

// create opens a new file next to path. os.CreateTemp would make it readable by its owner alone, whatever the umask.
func create(path string) (*os.File, error) {
	for attempt := 0; ; attempt++ {
		name := fmt.Sprintf("%s.%08x.tmp", path, rand.Uint32())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, fs.ErrExist) || attempt == 100 {
			return nil, Cause(err)
		}
	}
}

// nameless is a temporary file whose name no error tells, however it is
// wrapped: what was to be written is the file that it becomes.
type nameless struct{ file *os.File }

func (n nameless) Write(p []byte) (int, error) {
	written, err := n.file.Write(p)
	return written, Cause(err)
}

// Cause is what an error of the system says apart from the paths.
func Cause(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}

// Full reports whether an error says that there is no room for what is written,
// on a disk or by a limit on the size of files.
func Full(err error) bool { return full(err) || errors.Is(err, syscall.EFBIG) }

func remedy(err error) string {
	switch {
	case full(err):
		return "free space or choose another folder"
	case errors.Is(err, syscall.EPERM): // not EACCES: no permission bit helps
		return "make the folder and the file changeable (lsattr -d shows whether they are immutable, ls -l whose " +
			"they are) or choose another folder"
	case errors.Is(err, syscall.EFBIG):
		return "raise the limit on the size of a file (ulimit -f) or choose another folder"
	case held(err):
		return "close what has it open, make the folder writable, or choose another folder"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "make it and its folder writable, or choose another folder"
	case errors.Is(err, fs.ErrNotExist):
		return "create the folder first or choose another folder"
	case errors.Is(err, errNotFile), errors.Is(err, syscall.ENOTDIR):
		return "choose another path"
	default:
		return "the file there, if any, is as it was"
	}
}
