package native

import (
	"os"
	"syscall"
)

func init() {
	peak = func(s *os.ProcessState) int64 { return s.SysUsage().(*syscall.Rusage).Maxrss << 10 }
}
