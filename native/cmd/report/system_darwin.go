package report

import "golang.org/x/sys/unix"

// systemVersion is that of macOS and the kind of the machine, as in "macOS 15.6, Mac14,2".
func systemVersion() string {
	version, _ := unix.Sysctl("kern.osproductversion")
	kind, _ := unix.Sysctl("hw.model")
	return "macOS " + version + ", " + kind
}
