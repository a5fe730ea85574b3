package main

import (
	"bytes"
	"os"
	"testing"

	"mhacsp/tasks/assert"
)

// TestCurrent: generated.go is what the generator makes of the files that are there.
func TestCurrent(t *testing.T) {
	want, got := assert.Must(calls(".."))(t), assert.Must(os.ReadFile("../"+file))(t)
	assert.True(t, bytes.Equal(got, want), "generated.go is not up to date: run go generate ./model/backend")
}
