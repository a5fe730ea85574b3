//go:build !windows && !darwin && !js

package report

// systemVersion is that of the distribution and of the kernel, which in WSL says "microsoft".
func systemVersion() string {
	version := field("/etc/os-release", "PRETTY_NAME")
	if kernel := field("/proc/sys/kernel/osrelease", ""); kernel != "" {
		version += ", kernel " + kernel
	}
	return version
}
