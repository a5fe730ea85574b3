//go:build !cgo || !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "stats: this needs Linux, and a C compiler to build (CGO_ENABLED=1)")
	os.Exit(2)
}
