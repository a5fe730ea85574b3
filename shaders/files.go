package shaders

import "embed"

// files are the kernels and what they import. The build of the page puts texts without comments in their place.
//
//go:embed *.wgsl shared/*.wgsl
var files embed.FS
