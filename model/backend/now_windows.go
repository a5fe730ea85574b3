package backend

import (
	"syscall"
	"time"
	"unsafe"
)

var (
	kernel32  = syscall.NewLazyDLL("kernel32.dll")
	counter   = kernel32.NewProc("QueryPerformanceCounter")
	frequency = kernel32.NewProc("QueryPerformanceFrequency")
)

// Now is the time since the machine started: Go's own clock stands still for up to 15 ms here.
func Now() time.Time {
	var count, second int64
	syscall.SyscallN(counter.Addr(), uintptr(unsafe.Pointer(&count))) // neither fails since Windows XP
	syscall.SyscallN(frequency.Addr(), uintptr(unsafe.Pointer(&second)))
	return time.Unix(count/second, count%second*int64(time.Second)/second)
}
