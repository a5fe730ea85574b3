// Package webgpu runs the kernels of package shaders on a GPU: natively through Vulkan, in the browser through
// WebGPU. Without cgo, outside a browser, the package is empty.
//
// Calls are recorded into one command encoder, which is submitted at Sync and Download, when an upload would change
// what a recorded call reads, and when the ring of parameters is full. All index memory is one device buffer, so that a
// kernel spends a single binding on any number of indices. Only device_native.go and device_js.go know the platform.
package webgpu
