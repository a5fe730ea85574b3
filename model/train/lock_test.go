package train

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mhacsp/tasks/assert"
)

func quickTimes() lockTimes {
	return lockTimes{grace: 30 * time.Millisecond, beat: 20 * time.Millisecond, watch: 800 * time.Millisecond}
}

// TestLock: one holder at a time, named to the others; what it leaves is nothing.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	l := assert.Must(take(dir, quickTimes()))(t)
	host, _ := os.Hostname()
	busyWith(t, errOf(take(dir, quickTimes())), dir, host, os.Getpid())
	l.release()
	assert.True(t, !there(dir, LockFile), "a released lock left its file")
	// One that ends soon is waited for.
	l = assert.Must(take(dir, quickTimes()))(t)
	time.AfterFunc(20*time.Millisecond, l.release)
	assert.Must(take(dir, lockTimes{5 * time.Second, 20 * time.Millisecond, 800 * time.Millisecond}))(t).release()
	assert.True(t, !there(dir, LockFile), "the next holder left its file")
}

// busyWith holds an error to say in one line that a process has a folder.
func busyWith(t *testing.T, err error, dir, host string, process int) {
	t.Helper()
	var busy *BusyError
	assert.True(t, errors.As(err, &busy) && busy.Dir == dir && busy.Host == host && busy.Process == process,
		"%v; process %d on %s has %s", err, process, host, dir)
}

// TestLockRace: of many that take a folder again and again never two have it; they wait for each other.
func TestLockRace(t *testing.T) {
	dir, times := t.TempDir(), quickTimes()
	times.grace = 20 * time.Second
	var all sync.WaitGroup
	var inside atomic.Int32
	taken := 0
	for range 4 {
		all.Go(func() {
			for range 10 {
				l, err := take(dir, times)
				if err != nil {
					t.Error(err)
					return
				}
				assert.True(t, inside.Add(1) == 1, "two have it")
				time.Sleep(time.Millisecond)
				taken++ // the race detector sees a second holder
				inside.Add(-1)
				l.release()
			}
		})
	}
	all.Wait()
	assert.True(t, taken == 40 && !there(dir, LockFile), "%d in all, a file left: %t", taken, there(dir, LockFile))
}

// show writes a lock file as another process does: in place, so that no reader finds it empty.
func show(t *testing.T, dir string, h Holder) {
	t.Helper()
	text := assert.Must(json.Marshal(h))(t)
	f := assert.Must(os.OpenFile(filepath.Join(dir, LockFile), os.O_RDWR|os.O_CREATE, 0o666))(t)
	defer f.Close()
	assert.Must(f.WriteAt([]byte(string(text)+strings.Repeat(" ", holderSize-len(text))), 0))(t)
}

// selfAt is this process as the holder of a folder's lock.
func selfAt(t *testing.T, dir string) Holder {
	t.Helper()
	f := assert.Must(os.Open(filepath.Join(dir, LockFile)))(t)
	defer f.Close()
	return self(f)
}

// alive shows a holder's signs of life until stop is called.
func alive(t *testing.T, dir string, h Holder) (stop func()) {
	ctx, end := context.WithCancel(t.Context())
	var beating sync.WaitGroup
	show(t, dir, h)
	beating.Go(func() {
		for ctx.Err() == nil {
			time.Sleep(quickTimes().beat)
			h.Beats++
			show(t, dir, h)
		}
	})
	return func() {
		end()
		beating.Wait()
	}
}

// TestLockLeft: what a dead process of this machine left does not block, nor does an empty file; another machine's
// counts as dead when it has shown no sign of life for a while, and not before.
func TestLockLeft(t *testing.T) {
	t.Parallel() // it waits
	dir := t.TempDir()
	show(t, dir, Holder{})
	here := selfAt(t, dir)
	show(t, dir, here)
	long := quickTimes()
	long.watch = 20 * time.Second // no busy machine is as late as that
	// next is a holder's note of the last one, and how long it took to become the holder.
	next := func(times lockTimes) (note string, took time.Duration) {
		t.Helper()
		begin := time.Now()
		l := assert.Must(take(dir, times))(t)
		defer l.release()
		return l.Note, time.Since(begin)
	}
	note, took := next(long)
	assert.True(t, took <= long.watch/2 && strings.Contains(note, here.Host),
		"a dead process here: %v, %q", took, note)
	write(t, dir, LockFile, nil)
	note, _ = next(quickTimes())
	assert.Is(t, note, "", "an empty file")

	there := Holder{Host: "n12", Process: 77, Since: time.Now(), Kernel: "another", ID: "x"}
	show(t, dir, there)
	note, took = next(quickTimes())
	assert.True(t, took >= quickTimes().watch && strings.Contains(note, "process 77 on n12"),
		"a dead process elsewhere: %v, %q", took, note)

	system := here // another one on this machine, as Windows and WSL are
	system.Kernel, system.Process = map[bool]string{true: "another"}[here.Kernel == ""], 32
	for _, h := range []Holder{there, system} {
		stop := alive(t, dir, h)
		_, err := take(dir, long) // a busy machine is late with a beat; the first one ends the watch
		busyWith(t, err, dir, h.Host, h.Process)
		assert.True(t, err == nil || strings.Contains(err.Error(), "kill ") != (h.Mount == ""), "%v", err)
		stop()
	}
	if here.Mount == "" {
		return // the system does not tell mounts apart
	}
	here.Mount = "another" // which the system's lock does not reach
	stop := alive(t, dir, here)
	busyWith(t, errOf(take(dir, long)), dir, here.Host, here.Process)
	stop()
	note, took = next(quickTimes())
	assert.True(t, took >= quickTimes().watch && note != "", "a dead process of another mount: %v, %q", took, note)
}

// TestLockMounts: a folder that is mounted twice on one machine has one holder at a time, whichever way it comes; so
// have those that come at the same moment. The mount is of FUSE, whose locks end at it.
func TestLockMounts(t *testing.T) {
	t.Parallel() // it waits
	dir, second := t.TempDir(), t.TempDir()
	if out, err := exec.Command("bindfs", dir, second).CombinedOutput(); err != nil {
		t.Skipf("no FUSE: bindfs %s: %v %s", dir, err, out)
	}
	t.Cleanup(func() {
		out, err := exec.Command("umount", "-l", second).CombinedOutput()
		assert.True(t, err == nil, "%v: %s", err, out)
	})
	times := quickTimes()
	times.grace, times.watch = 3*time.Second, 20*time.Second // as long as a busy machine may be late with a beat
	soon := times
	soon.grace = 30 * time.Millisecond
	for _, x := range [][2]string{{dir, second}, {second, dir}} {
		l := assert.Must(take(x[0], times))(t)
		busyWith(t, errOf(take(x[1], soon)), x[1], l.me.Host, l.me.Process)
		assert.NoError(t, l.Held())
		l.release()
		assert.True(t, !there(dir, LockFile) && !there(second, LockFile), "a released lock left its file")
	}
	show(t, second, Holder{})
	show(t, second, selfAt(t, second)) // killed there
	l := assert.Must(take(dir, quickTimes()))(t)
	assert.True(t, l.Note != "", "nothing is said of the dead process")
	l.release()
	// Another one comes at the same moment, by the other mount, and is the last to write.
	times.grace, times.watch = 6*time.Second, time.Minute
	refused := make(chan error)
	go func() { refused <- errOf(take(second, times)) }()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if text, _ := os.ReadFile(filepath.Join(dir, LockFile)); strings.Contains(string(text), `"id"`) {
			break
		}
		assert.Need(t, !time.Now().After(end), "no lock was taken")
	}
	stop := alive(t, dir, Holder{Host: "n12", Process: 77, ID: "x"})
	defer stop()
	busyWith(t, <-refused, second, "n12", 77)
}

// TestLockLost: a holder that another has taken for dead notices, and removes nothing.
func TestLockLost(t *testing.T) {
	dir := t.TempDir()
	l := assert.Must(take(dir, quickTimes()))(t)
	assert.NoError(t, l.Held())
	if os.Remove(filepath.Join(dir, LockFile)) == nil { // Windows removes no open file
		assert.OneLine(t, "a file that is gone", l.Held(), dir, "gone")
	}
	show(t, dir, Holder{Host: "n12", Process: 77, ID: "x"})
	assert.OneLine(t, "another's file", l.Held(), "taken over by process 77 on n12")
	l.release()
	assert.True(t, there(dir, LockFile), "the other's file is gone")
}
