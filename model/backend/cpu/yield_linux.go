package cpu

import "syscall"

// yield lets another thread have this processor, where one waits for it: on a busy machine that may be the one that is
// waited for. Where none waits it takes a third of a microsecond.
func yield() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
