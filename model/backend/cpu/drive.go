package cpu

import "mhacsp/model/backend"

// DriveForward is the drive of the recurrence, of the kernels of its parts.
func (r *Reference[T]) DriveForward(a backend.DriveForward) {
	a.Check()
	a.Separately(r)
}

// DriveBackward is the backward pass of DriveForward.
func (r *Reference[T]) DriveBackward(a backend.DriveBackward) {
	a.Check()
	a.Separately(r, &backend.DriveScratch{})
}
