package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2" // crypto/rand would be in the page's program too, with 170 KB of what it starts
	"os"
	"path/filepath"
	"strings"
	"time"

	"mhacsp/model/checkpoint"
)

// LockFile stands in a run's folder while a process trains the run (FORMATS.md).
const LockFile = "lock"

// lock holds a run's folder for one process. The system's lock on the file decides (flock; LockFileEx on Windows): it
// ends with its process however that ends, so a dead one never blocks. What the file says is for what that lock cannot
// tell: who holds it, and where a lock reaches one machine or one mount of the folder only, or the disk knows none,
// whether a process elsewhere is alive. There the sign of life is that the file changes.
type lock struct {
	dir   string
	file  *os.File
	me    Holder
	ended chan struct{}
	rest  chan struct{} // closed when the last sign of life is written
	Note  string        // that the lock of a dead process was taken over; else empty
}

// Holder is the process that has a run's folder: what the lock file says, as JSON, filled with blanks to holderSize.
type Holder struct {
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Since   time.Time `json:"since"`
	// Kernel tells apart machines of one name, and starts of one machine; empty where the system has no such number.
	Kernel string `json:"kernel,omitempty"`
	// Mount tells apart the mounts of one folder on a machine, as pods have their own: the system's lock does not
	// reach from one to another. Empty where the system does not tell.
	Mount string `json:"mount,omitempty"`
	ID    string `json:"id"`   // random
	Beats int    `json:"beat"` // grows while the process lives
}

const holderSize = 1024

// lockTimes are how long one waits for a process that is about to end, how often a holder shows that it is alive, and
// how long one elsewhere is watched before it counts as dead.
type lockTimes struct{ grace, beat, watch time.Duration }

func usualTimes() lockTimes { return lockTimes{3 * time.Second, 4 * time.Second, 13 * time.Second} }

// BusyError says that another process trains the run.
type BusyError struct {
	Dir    string
	Holder        // empty where it could not be read
	User   string // another one, who owns the lock
}

// Error names the folder, who holds it and what to do.
func (e *BusyError) Error() string {
	if e.Process == 0 {
		return fmt.Sprintf("%s is in use by another process; wait for its end or choose another folder", e.Dir)
	}
	of, end, how := "", "end it there", fmt.Sprintf("kill %d", e.Process)
	if e.Mount == "" { // of Windows, which has no such command
		how = "Ctrl-C"
	}
	if e.User != "" {
		of, end = " of "+e.User, "let "+e.User+" end it there"
	}
	return fmt.Sprintf("%s is in use: process %d%s on %s has trained it since %s; "+
		"wait for its end, %s (%s: it writes a checkpoint), or choose another folder",
		e.Dir, e.Process, of, e.Host, e.Since.UTC().Format("2006-01-02 15:04:05 UTC"), end, how)
}

// errLocked and errNoLocks are what tryLock returns where another has the lock, and where the disk knows none.
var (
	errLocked  = errors.New("locked")
	errNoLocks = errors.New("no locks")
)

// take locks a folder, or says who has it.
func take(dir string, t lockTimes) (*lock, error) {
	for deadline := time.Now().Add(t.grace); ; time.Sleep(50 * time.Millisecond) {
		l, err := try(dir, t)
		passes := errors.As(err, new(*BusyError))
		if errors.Is(err, fs.ErrNotExist) { // a mount may remember for a second a file that was removed by another
			_, gone := os.Stat(dir)
			passes = gone == nil
		}
		if err == nil || !passes || time.Now().After(deadline) {
			return l, err
		}
	}
}

// try is one attempt.
func try(dir string, t lockTimes) (*lock, error) {
	path := filepath.Join(dir, LockFile)
	f, err := checkpoint.Open(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = checkpoint.Open(path, os.O_RDWR|os.O_CREATE, 0o666)
	}
	foreign := errors.Is(err, fs.ErrPermission)
	if foreign { // another user's: to read it is enough where the folder may be written
		if read, failed := os.Open(path); failed == nil {
			f, err = read, nil
		}
	}
	if err != nil {
		return nil, unlocked(path, Holder{}, err)
	}
	l, err := claim(dir, f, foreign, t)
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// unlocked says why the lock at path cannot be had. Another user who owns it is named, and its dead holder.
func unlocked(path string, old Holder, err error) error {
	of := Owner(path)
	if of == "" {
		return fmt.Errorf("cannot lock the run: %w", checkpoint.Unwritten(path, checkpoint.Cause(err)))
	}
	left := ""
	if old.ID != "" {
		left = fmt.Sprintf(", left by process %d on %s", old.Process, old.Host)
	}
	return fmt.Errorf("cannot lock the run: %s is of %s%s: %w; to go on there you must be able to write the folder, "+
		"and it must not be sticky: let %s allow that (chmod g+w,-t %s), or choose another folder",
		path, of, left, checkpoint.Cause(err), of, filepath.Dir(path))
}

// claim takes over the lock file that f has open, where nobody alive holds it. A foreign one cannot be written: it is
// replaced.
func claim(dir string, f *os.File, foreign bool, t lockTimes) (*lock, error) {
	err := tryLock(f)
	old, known := readHolder(f)
	busy := &BusyError{Dir: dir, Holder: old}
	if foreign {
		busy.User = Owner(f.Name())
	}
	alone := err == nil && !perMount(f)
	switch {
	case errors.Is(err, errLocked):
		return nil, busy
	case err != nil && !errors.Is(err, errNoLocks):
		return nil, fmt.Errorf("cannot lock the run: %w; check the disk of %s, or choose another folder", err, dir)
	case !stands(f):
		return nil, busy // its holder has just removed it
	}
	l := &lock{dir: dir, file: f, me: self(f), ended: make(chan struct{}), rest: make(chan struct{})}
	if known {
		l.Note = fmt.Sprintf("process %d on %s, which trained %s, has ended without a word",
			old.Process, old.Host, dir)
		if !(err == nil && old.here(l.me)) && l.alive(old, t) {
			return nil, busy
		}
	}
	if foreign {
		if err := l.replace(old); err != nil {
			return nil, err
		}
	}
	if err := l.show(); err != nil {
		return nil, unlocked(f.Name(), old, err)
	}
	if !alone { // whoever wrote last has it
		time.Sleep(t.grace / 3)
		if err := l.Held(); err != nil {
			return nil, busy
		}
	}
	go l.beat(t.beat)
	return l, nil
}

// replace puts a file of this process in the place of another user's, whose lock is held.
func (l *lock) replace(old Holder) error {
	path := l.file.Name()
	err := checkpoint.WriteAtomic(path, func(io.Writer) error { return nil })
	if err != nil {
		return unlocked(path, old, errors.Unwrap(err))
	}
	f, err := checkpoint.Open(path, os.O_RDWR, 0)
	if err != nil {
		return unlocked(path, old, err)
	}
	switch err := tryLock(f); {
	case errors.Is(err, errLocked):
		f.Close()
		return &BusyError{Dir: l.dir}
	case err != nil && !errors.Is(err, errNoLocks):
		f.Close()
		return unlocked(path, old, err)
	}
	l.file.Close()
	l.file = f
	return nil
}

// stands reports whether an open file is still that of its name.
func stands(f *os.File) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(opened, named)
}

// self describes this process, which has the lock file open.
func self(f *os.File) Holder {
	h := Holder{Process: os.Getpid(), Since: time.Now().Round(time.Second), Mount: mountOf(f)}
	h.ID = fmt.Sprintf("%x-%x", rand.Uint64(), rand.Uint64())
	h.Host, _ = os.Hostname()
	// Linux: a number drawn when the machine started.
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	h.Kernel = strings.TrimSpace(string(id))
	return h
}

// here reports whether h is of this machine since its start, and came by the same mount: the system's lock can then
// vouch for it. Windows, which has no such number, and the Linux in it (WSL) have one name and two kinds of locks.
func (h Holder) here(me Holder) bool {
	return h.Mount == me.Mount && h.Kernel == me.Kernel && (h.Kernel != "" || h.Host == me.Host)
}

func readHolder(f *os.File) (h Holder, ok bool) {
	text := make([]byte, holderSize)
	n, _ := f.ReadAt(text, 0)
	return h, json.Unmarshal(text[:n], &h) == nil && h.ID != ""
}

// alive watches whether the file of a process elsewhere changes. It is opened again each time: only then does a
// network disk ask its server.
func (l *lock) alive(old Holder, t lockTimes) bool {
	for end := time.Now().Add(t.watch); time.Now().Before(end); time.Sleep(t.beat / 8) {
		now, err := l.read()
		if err != nil || now.ID != old.ID || now.Beats != old.Beats {
			return true
		}
	}
	return false
}

func (l *lock) read() (Holder, error) {
	f, err := checkpoint.Open(l.file.Name(), os.O_RDONLY, 0)
	if err != nil {
		return Holder{}, err
	}
	defer f.Close()
	h, ok := readHolder(f)
	if !ok {
		return h, fs.ErrNotExist
	}
	return h, nil
}

// show writes who holds the lock, to the disk.
func (l *lock) show() error {
	text, err := json.Marshal(l.me)
	if err != nil {
		return err
	}
	text = append(text, strings.Repeat(" ", max(0, holderSize-len(text)-1))+"\n"...)
	if _, err := l.file.WriteAt(text, 0); err != nil {
		return err
	}
	return l.file.Sync()
}

// beat shows signs of life. One that cannot be written is left out.
func (l *lock) beat(every time.Duration) {
	defer close(l.rest)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-l.ended:
			return
		case <-tick.C:
			if l.Held() == nil {
				l.me.Beats++
				l.show()
			}
		}
	}
}

// Held is an error where another process has taken the folder over: one on another machine that saw no sign of life.
func (l *lock) Held() error {
	now, err := l.read()
	switch {
	case err != nil:
		return fmt.Errorf("%s: the lock of this run is gone or unreadable: %w; nothing more is written", l.dir, err)
	case now.ID != l.me.ID:
		return fmt.Errorf("%s was taken over by process %d on %s, which saw no sign of life of this one; "+
			"nothing more is written", l.dir, now.Process, now.Host)
	}
	return nil
}

// release gives the folder back and removes the file, unless it is another's.
func (l *lock) release() {
	close(l.ended)
	<-l.rest
	if l.Held() == nil {
		discard(l.file)
	}
	l.file.Close()
}
