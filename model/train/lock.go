package train

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// LockFile stands in a run's folder while a process trains the run (SPEC §12).
const LockFile = "lock"

// lock holds a run's folder for one process. The system's lock on the file decides (flock; LockFileEx on Windows): it
// ends with its process however that ends, so a dead one never blocks. What the file says is for what that lock cannot
// tell: who holds it, and on disks where a lock reaches one machine only, or that know no locks, whether a process on
// another machine is alive. There the sign of life is that the file changes.
type lock struct {
	dir   string
	file  *os.File
	me    holder
	ended chan struct{}
	rest  chan struct{} // closed when the last sign of life is written
	Note  string        // that the lock of a dead process was taken over; else empty
}

// holder is what the lock file says, as JSON, filled with blanks to holderSize.
type holder struct {
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Since   time.Time `json:"since"`
	// Kernel tells apart machines of one name, and starts of one machine; empty where the system has no such number.
	Kernel string `json:"kernel,omitempty"`
	ID     string `json:"id"`   // random
	Beats  int    `json:"beat"` // grows while the process lives
}

const holderSize = 1024

// patience of a lock: how long one waits for a process that is about to end, how often a holder shows that it is
// alive, and how long another machine's is watched before it counts as dead.
type lockTimes struct{ grace, beat, watch time.Duration }

func usualTimes() lockTimes { return lockTimes{3 * time.Second, 4 * time.Second, 13 * time.Second} }

// BusyError says that another process trains the run.
type BusyError struct {
	Dir, Host string // Host and Process are empty where they could not be read
	Process   int
	Since     time.Time
}

// Error names the folder, who holds it and what to do.
func (e *BusyError) Error() string {
	if e.Process == 0 {
		return fmt.Sprintf("%s is in use by another process; wait for its end or choose another folder", e.Dir)
	}
	return fmt.Sprintf("%s is in use: process %d on %s has trained it since %s; "+
		"wait for its end, end it there (kill %d: it writes a checkpoint), or choose another folder",
		e.Dir, e.Process, e.Host, e.Since.UTC().Format("2006-01-02 15:04:05 UTC"), e.Process)
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
		var busy *BusyError
		if err == nil || !errors.As(err, &busy) || time.Now().After(deadline) {
			return l, err
		}
	}
}

// try is one attempt.
func try(dir string, t lockTimes) (*lock, error) {
	path := filepath.Join(dir, LockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the run: %w; make the folder writable or choose another", err)
	}
	l, err := claim(dir, f, t)
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

func claim(dir string, f *os.File, t lockTimes) (*lock, error) {
	err := tryLock(f)
	old, known := readHolder(f)
	busy := &BusyError{dir, old.Host, old.Process, old.Since}
	alone := err == nil
	switch {
	case errors.Is(err, errLocked):
		return nil, busy
	case err != nil && !errors.Is(err, errNoLocks):
		return nil, fmt.Errorf("cannot lock the run: %w; check the disk of %s, or choose another folder", err, dir)
	case !stands(f):
		return nil, busy // its holder has just removed it
	}
	l := &lock{dir: dir, file: f, me: self(), ended: make(chan struct{}), rest: make(chan struct{})}
	if known {
		l.Note = fmt.Sprintf("process %d on %s, which trained %s, has ended without a word",
			old.Process, old.Host, dir)
		if !(alone && old.here(l.me)) && l.alive(old, t) {
			return nil, busy
		}
	}
	if err := l.show(); err != nil {
		return nil, fmt.Errorf("cannot lock the run: %w; free space or choose another folder", err)
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

// stands tells whether an open file is still that of its name.
func stands(f *os.File) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(opened, named)
}

// self describes this process.
func self() holder {
	h := holder{Process: os.Getpid(), Since: time.Now().Round(time.Second), ID: rand.Text()}
	h.Host, _ = os.Hostname()
	// Linux: a number drawn when the machine started.
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	h.Kernel = strings.TrimSpace(string(id))
	return h
}

// here tells whether h is of this machine since its start: the system's lock can then vouch for it.
func (h holder) here(me holder) bool {
	if h.Kernel != "" && me.Kernel != "" {
		return h.Kernel == me.Kernel
	}
	return h.Host == me.Host
}

func readHolder(f *os.File) (h holder, ok bool) {
	text := make([]byte, holderSize)
	n, _ := f.ReadAt(text, 0)
	return h, json.Unmarshal(text[:n], &h) == nil && h.ID != ""
}

// alive watches whether the file of another machine's process changes. It is opened anew each time: only then does a
// network disk ask its server.
func (l *lock) alive(old holder, t lockTimes) bool {
	for end := time.Now().Add(t.watch); time.Now().Before(end); time.Sleep(t.beat / 8) {
		now, err := l.read()
		if err != nil || now.ID != old.ID || now.Beats != old.Beats {
			return true
		}
	}
	return false
}

func (l *lock) read() (holder, error) {
	f, err := os.Open(l.file.Name())
	if err != nil {
		return holder{}, err
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
		return fmt.Errorf("%s: the lock of this run is gone: %w; nothing more is written", l.dir, err)
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
