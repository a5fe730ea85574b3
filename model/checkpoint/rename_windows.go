package checkpoint

import (
	"errors"

	"golang.org/x/sys/windows"
)

// held reports whether an error may say that somebody has a file open: Windows neither replaces nor removes it then. A
// folder that may not be written has the first of these errors too.
func held(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}

// full reports whether an error says that the disk has no room.
func full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
