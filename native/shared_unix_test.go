//go:build unix

package native

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// The users of a shared folder, and their group.
const (
	anna, bert = 60001, 60002
	members    = 60000
)

// as is a command of another user, whose files their group may write where umask lets it.
func (p place) as(user int, umask string, args ...string) *exec.Cmd {
	p.Helper()
	script := []string{"-c", "umask " + umask + ` && exec "$@"`, "sh", nativetest.Binary()}
	c := exec.Command("sh", append(script, args...)...)
	c.Dir, c.Env = p.Dir, append(os.Environ(), "HOME="+p.Dir)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: members}}
	return c
}

// endsAs holds such a command to its exit code and to what it writes to standard error.
func (p place) endsAs(user, end int, want string, args ...string) {
	p.Helper()
	code, _, errs := p.Finish(p.as(user, "002", args...))
	assert.True(p, code == end && regexp.MustCompile(want).MatchString(errs),
		"user %d, %q: exit code %d, want %d and %s in\n%s", user, args, code, end, want, errs)
}

// killedAs starts a run of a user and kills it behind a checkpoint. Its lock is left.
func (p place) killedAs(user int, umask, dir string, args ...string) {
	p.Helper()
	c := p.as(user, umask, args...)
	assert.NoError(p, c.Start())
	defer c.Wait()
	defer c.Process.Kill()
	p.until("training steps", func() bool { return p.steps(dir) > 12 })
}

// TestSharedFolder: what is made may be written by the group where the umask lets it, so that another user goes on
// with a run whose process was killed, whoever owns its lock. Where that cannot be, owner and holder are named.
func TestSharedFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root becomes another user")
	}
	p := newPlace(t)
	nativetest.Binary()
	for _, dir := range []string{nativetest.Programs, filepath.Dir(p.Dir)} {
		assert.NoError(t, os.Chmod(dir, 0o755))
	}
	assert.NoError(t, os.Chown(p.Dir, 0, members))
	assert.NoError(t, os.Chmod(p.Dir, 0o775))
	run := func(dir string, more ...string) []string {
		return killRun("folder/"+dir, words("--steps 400 --checkpoint-every 10 --eval-every 0 --keep-checkpoints 3",
			more...)...)
	}
	p.killedAs(anna, "002", "folder/shared", run("shared")...)
	assert.NoError(t, filepath.WalkDir(p.Path("folder"), func(path string, d fs.DirEntry, err error) error {
		assert.NoError(t, err)
		mode := assert.Must(d.Info())(t).Mode()
		assert.Is(t, mode.Perm(), map[bool]fs.FileMode{true: 0o775, false: 0o664}[d.IsDir()], "%s is %v", path, mode)
		return nil
	}))
	assert.NoError(t, os.Chmod(p.Path("folder/shared/"+train.LockFile), 0o644)) // as older builds made it
	p.endsAs(bert, cli.CodeOK, "", run("shared")...)                            // another user goes on
	p.OK(run("whole")...)
	for _, name := range []string{train.ModelFile, train.OptimizerFile} {
		p.Same("folder/whole/"+name, "folder/shared/"+name)
	}

	p.killedAs(anna, "022", "folder/own", run("own")...)
	left := fmt.Sprintf("lock is of user %d, left by process .*: permission denied", anna)
	p.endsAs(bert, cli.CodeUser, left, run("own")...)
	assert.NoError(t, os.Chmod(p.Path("folder/own/"+train.MetricsFile), 0o444))
	p.endsAs(anna, cli.CodeUser, `metrics\.jsonl: not written: permission denied`, run("own")...)

	for dir, umask := range map[string]string{"done": "022", "closed": "077"} {
		output(t, p.as(anna, umask, run(dir, "--steps", "8")...))
	}
	for _, x := range [][]string{
		run("done", "--steps", "8", "--overwrite"), {"train", "--resume", "folder/done", "--steps", "9"},
		run("done/new"), run("closed", "--steps", "8"), run("closed/new"), {"ask", "--run", "folder/closed", "1"},
		{"eval", "--run", "folder/closed"}, {"tables", "--out", "folder/done/tables"},
		{"serve", "--dir", "folder/closed"},
	} {
		p.endsAs(bert, cli.CodeUser, ` folder/(done|closed) is of user 60001, who`, x...)
	}

	c := p.as(anna, "022", run("busy", "--steps", "1000000")...)
	assert.NoError(t, c.Start())
	defer c.Wait()
	defer c.Process.Kill()
	p.until("training steps", func() bool { return p.steps("folder/busy") > 0 })
	use := fmt.Sprintf("is in use: process %d of user %d on ", c.Process.Pid, anna)
	p.endsAs(bert, cli.CodeBusy, use, run("busy", "--steps", "1000000")...)
}

// TestUmask: no folder or file is made with fewer permissions than the umask leaves.
func TestUmask(t *testing.T) {
	narrow := regexp.MustCompile(`\b0o?(755|750|775|644|640|664)\b`)
	assert.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		found := narrow.Find(text)
		assert.True(t, found == nil, "%s: %s; the umask decides where it is 0o777 or 0o666", path, found)
		return err
	}))
}

// TestImmutable: a folder that nothing can be written to, though its permissions allow it, is reported as that.
func TestImmutable(t *testing.T) {
	p := parallelPlace(t)
	p.OK(killRun("run", "--steps", "8")...)
	if out, err := exec.Command("chattr", "+i", p.Path("run")).CombinedOutput(); err != nil {
		t.Skipf("no folder can be made immutable: %v: %s", err, out)
	}
	defer exec.Command("chattr", "-i", p.Path("run")).Run()
	_, errs := p.ends(cli.CodeUser, "operation not permitted; ", words("train --resume run --steps 12")...)
	assert.True(t, strings.Contains(errs, "lsattr") && !strings.Contains(errs, "free space"), "%s", errs)
}

// TestFolderGone: of a run whose folder is removed while it trains nobody is told to go on there.
func TestFolderGone(t *testing.T) {
	p := parallelPlace(t)
	c := p.Command(killRun("run", "--steps", "1000000", "--checkpoint-every", "1000000")...)
	var errs bytes.Buffer
	c.Stderr = &errs
	assert.NoError(t, c.Start())
	defer c.Process.Kill()
	p.until("training steps", func() bool { return p.steps("run") > 0 })
	assert.NoError(t, os.Rename(p.Path("run"), p.Path("moved")))
	c.Process.Signal(syscall.SIGTERM)
	c.Wait()
	text := errs.String()
	code := c.ProcessState.ExitCode()
	assert.True(t, code == cli.CodeInternal && !strings.Contains(text, "--resume run") &&
		strings.Contains(text, "is no longer in run"), "exit code %d\n%s", code, text)
}
