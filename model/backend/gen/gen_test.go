package main

import (
	"bytes"
	"os"
	"testing"

	"mhacsp/tasks/require"
)

// TestCurrent: generated.go is what the generator makes of the files that are there.
func TestCurrent(t *testing.T) {
	want, err := calls("..")
	require.NoError(t, err)
	got, err := os.ReadFile("../" + file)
	require.NoError(t, err)
	require.True(t, bytes.Equal(got, want), "generated.go is not up to date: run go generate ./model/backend")
}
