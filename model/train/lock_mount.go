//go:build !linux

package train

import "os"

// perMount reports whether the system's lock may end at the file's mount, which is known on Linux alone.
func perMount(*os.File) bool { return false }
