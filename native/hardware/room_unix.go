//go:build (linux || darwin) && !js

package hardware

import "syscall"

// freeDisk is what a user may still write to the disk of a folder.
func freeDisk(dir string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
