package report

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// systemVersion is that of Windows, as in "Windows 10.0.22631".
func systemVersion() string {
	v := windows.RtlGetVersion()
	return fmt.Sprintf("Windows %d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)
}
