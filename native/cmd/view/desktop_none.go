//go:build !desktop && !js

package view

import (
	"bufio"
	"errors"

	"github.com/spf13/cobra"

	"mhacsp/native/runs"
)

// view has no window in this build: ebiten would cost every other command its start-up time, and half of its size.
func view(*cobra.Command, *bufio.Writer, viewFlags, *runs.Settings) error {
	return errors.New(`this build has no window: "make desktop" makes one that has (without make: ` +
		`go build -tags desktop ./native/mhacsp); train without a window with "mhacsp train"`)
}

// LeaveMainThread has nothing to leave.
func LeaveMainThread() {}
