package main

import (
	"bytes"
	"os"
	"testing"

	"mhacsp/tasks/assert"
)

// TestCurrent: generated.go is what the generator makes of the files that are there.
func TestCurrent(t *testing.T) {
	want, err := calls("..")
	assert.NoError(t, err)
	got, err := os.ReadFile("../" + file)
	assert.NoError(t, err)
	assert.True(t, bytes.Equal(got, want), "generated.go is not up to date: run go generate ./model/backend")
}
