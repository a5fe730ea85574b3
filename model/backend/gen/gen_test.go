package main

import (
	"bytes"
	"os"
	"testing"
)

// TestCurrent: generated.go is what the generator makes of the files that are there.
func TestCurrent(t *testing.T) {
	want, err := calls("..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../" + file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("generated.go is not up to date: run go generate ./model/backend")
	}
}
