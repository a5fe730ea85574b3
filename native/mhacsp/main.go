//go:build !js

// Command mhacsp trains, evaluates and questions MHA-CSP models: go build, run or install ./native/mhacsp.
package main

import "mhacsp/native"

func main() { native.Main() }
