package backend

// Adam updates all parameters at once (SPEC §8). The gradient is first scaled by Clip/‖g‖ where ‖g‖² = Norm2[0]
// exceeds Clip² (Clip 0: never), then weight decay is added to it (Decoupled false, Adam) or applied to the
// parameters (Decoupled true, AdamW). Where Norm2 or Loss is not finite nothing is changed, and Guard, where given,
// is set; while Guard is set nothing is changed either. So a host that reads the numbers of a step only after it has
// enqueued further steps finds the parameters as they were before the first bad one.
type Adam struct {
	Param             Vec // [·]
	M, V, Grad        Vec // [Param.Len]
	Norm2             Vec // [1]
	Loss              Vec // [1], optional
	Guard             Vec // [1], optional: 0, or 1 once it is set
	Rate              float32
	Beta1, Beta2, Eps float32
	Decay             float32
	Decoupled         bool
	Clip              float32
	Step              int // from 1, at least 1
}
