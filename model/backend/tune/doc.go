// Package tune finds out which forms of kernels are the fastest on a device, and keeps what was found. All forms give
// the same bits, so that training never depends on it.
//
// Search decides, from the times of training steps that are made anyway. Records are what was found, by adapter,
// driver, kernels, width, angle and batch. Neither knows a device: package webgpu's Tuner brings them together, and
// whoever trains says where records are kept.
package tune
