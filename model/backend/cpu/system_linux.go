package cpu

import (
	"syscall"
	"unsafe"
)

// yield lets another thread have this processor, where one waits for it: on a busy machine that may be the one that is
// waited for. Where none waits it takes a third of a microsecond.
func yield() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }

// huge asks for pages of 2 MiB around x. A step goes through all of its memory several times, which is thousands of
// pages of 4 KiB to look up; most distributions give larger ones to programs that ask. This is a hint, and may fail.
func huge(x []float32) {
	const page, advice = 2 << 20, 14 // MADV_HUGEPAGE
	from := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	to := from + uintptr(len(x))*unsafe.Sizeof(x[0]) + page - 1
	from, to = from&^(page-1), to&^(page-1)
	syscall.Syscall(syscall.SYS_MADVISE, from, to-from, advice)
}
