// Package webgpu runs the kernels of package shaders on a GPU: natively through Vulkan, on macOS through Metal, on
// Windows also through Direct3D 12, in the browser through WebGPU. Without cgo, outside a browser, the package is
// empty. Only files with a build tag know the platform.
//
// # Where things are
//
// A kernel has one stem. The calls of recurrence are in recurrence.go, its shaders are shaders/recurrence*.wgsl, its
// argument structs backend/recurrence.go, its float64 reference reference/recurrence.go, its fast path
// cpu/recurrence.go, its contract backendtest/recurrence.go. Shaders that belong to no kernel are called what they do:
// pad, zero, zeros, transpose, partial_sum, weighted_sum. The parts of the attention that the paper names are
// shaders/shared/distance.wgsl, tree.wgsl and fusion.wgsl; the attention's shaders import them. Gradients that are
// sums over the rows which read one entry of a table, tokens for one, are made by gather.go,
// shaders/shared/gather.wgsl and slices.wgsl. What the time loops of LSTM and GRU share is in gated.go,
// shaders/shared/gated_forward.wgsl and gated_backward.wgsl.
//
// Every adapter gets the same shaders. They are made for real GPUs; one that computes on the processor runs them too,
// slowly, and is what the tests have.
//
// Some kernels have several forms of the same bits (forms.go). Which are the fastest depends on the GPU: tuner.go has
// a run's own steps measured in each, by the host's clock, and goes on in the best. Package tune decides, and has what
// is kept.
//
// # A dispatch, from the call to the device
//
// 1. The call. The model calls, say, DriveForward with an argument struct; its Check panics on a wrong shape.
//
// 2. The plan (the file of the kernel's stem, gather.go, padding.go). The call becomes one or several dispatches. Rows
// that are no whole quads of numbers are copied to padded ones first. Loops that would hold a GPU for too long are cut
// into several dispatches (Backend.stepsPerCall).
//
// 3. The place (indices.go). Indices of all calls lie in one device buffer, ints; place tells where, and the dispatch
// passes the number. So a kernel spends one binding on any number of indices. What the host wrote there goes to the
// device at the submission, in one piece.
//
// 4. The names (args.go). A dispatch lists its parameters and its buffers under the names that they have in the
// shader, in the shader's order. Package shaders read both from the text of the .wgsl file, so a wrong name panics
// with kernel and field.
//
// 5. The pipeline (dispatch.go). A kernel is compiled when it is first asked for, in the form that the call needs: for
// windows of one buffer, over quads, of that many invocations, with THETA or PARTS. Forms are the fields of
// pipelineKey. Those that differ in nothing but speed have names: Forms in forms.go chooses among them, by default
// what is right for most GPUs, and Prepare compiles others while the training runs. loop.go has those of the
// recurrence's time loop. A browser compiles while the program runs; the commands wait in command.go.
//
// 6. What waits (later.go). Clearing, sums over parts and the norm's last sum are put off and done many at a time.
// Before a dispatch touches a window, Backend.before makes sure that what waits for it is recorded first.
//
// 7. The bind group (dispatch.go). It is made once for each pipeline and windows, and kept. A window that is alone in
// its buffer is widened to the buffer's end, so that batches of other sizes find the same group.
//
// 8. The submission (command.go, webgpu.go). The parameters go to a slot of a ring, the command to an encoder. All
// that was recorded is submitted at Sync, Download and Fetch.Start, when an upload would change what a recorded call
// reads, and when the ring is full. A training step is one submission. Errors are kept and come out of Sync and
// Download.
//
// # The gradient of the tree accumulation
//
// shaders/shared/tree.wgsl has the equation (SPEC §4). tree_scan_backward.wgsl next to it computes the gradient for
// attention_backward.wgsl, one row by one workgroup. The edges' gradients become those of q in attention_gather.wgsl.
//
// TestContract compares them with package reference in float64, by the cases of backendtest/attention.go;
// TestShortLoops with loops cut short; TestFirstStep and TestTenSteps as part of a training step. The reference's own
// gradient is checked against finite differences in package model.
package webgpu
