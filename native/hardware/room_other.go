//go:build !linux && !darwin && !js

package hardware

// freeDisk is not known here.
func freeDisk(string) (int64, bool) { return 0, false }
