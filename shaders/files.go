package shaders

import "embed"

// files are the kernels and what they import.
//
//go:embed *.wgsl shared/*.wgsl
var files embed.FS
