//go:build !windows

package checkpoint

import (
	"errors"
	"syscall"
)

// held reports whether an error may say that somebody has a file open. That hinders nobody here.
func held(error) bool { return false }

// full reports whether an error says that the disk has no room.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
