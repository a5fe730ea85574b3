package checkpoint

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"mhacsp/tasks/assert"
)

// TestHeld: a file that somebody reads is replaced and removed when it is closed again; one that stays open is
// reported.
func TestHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	assert.NoError(t, WriteFile(path, &File{}))
	reader := assert.Must(os.Open(path))(t)
	assert.OneLine(t, "a file that stays open", WriteFile(path, sample()), "; close what has it open")
	alone(t, path)
	time.AfterFunc(300*time.Millisecond, func() { reader.Close() })
	assert.NoError(t, WriteFile(path, sample()))
	assert.Is(t, assert.Must(ReadFile(path))(t), sample(), "read back")
	reader = assert.Must(os.Open(path))(t)
	time.AfterFunc(300*time.Millisecond, func() { reader.Close() })
	assert.NoError(t, Remove(path))
}

// TestWindowsRemedies: what only Windows says has its remedy.
func TestWindowsRemedies(t *testing.T) {
	for err, want := range map[error]string{
		windows.ERROR_DISK_FULL: "free space", windows.ERROR_ACCESS_DENIED: "close what has it open",
		windows.ERROR_SHARING_VIOLATION: "close what has it open",
	} {
		got := remedy(fmt.Errorf("%w", &fs.PathError{Op: "write", Path: "f", Err: err}))
		assert.True(t, strings.Contains(got, want), "%v: %s", err, got)
	}
}
