package train

import (
	"os"
	"syscall"
)

// perMount reports whether the system's lock may end at the file's mount: of FUSE, where each pod has its own.
func perMount(f *os.File) bool {
	const fuse = 0x65735546
	var s syscall.Statfs_t
	return syscall.Fstatfs(int(f.Fd()), &s) == nil && s.Type == fuse
}
