package backend

// Adam updates all parameters at once (SPEC §8). The gradient is first scaled by Clip/‖g‖ where ‖g‖² = Norm2[0]
// exceeds Clip² (Clip 0: never), then weight decay is added to it (Decoupled false, Adam) or applied to the
// parameters (Decoupled true, AdamW). Where Norm2 or Loss is not finite nothing is changed, and Guard, where given,
// is set; while Guard is set nothing is changed either. So a host that reads the numbers of a step only after it has
// enqueued further steps finds the parameters as they were before the first bad one.
type Adam struct {
	Param, M, V, Grad Vec // of one length
	Norm2             Vec // [1]
	Loss              Vec // [1], optional
	Guard             Vec // [1], optional: 0, or 1 once it is set
	Rate              float32
	Beta1, Beta2, Eps float32
	Decay             float32
	Decoupled         bool
	Clip              float32
	Step              int // from 1
}

// Check panics on a shape that does not fit.
func (a Adam) Check() {
	const k = "Adam"
	need(k, "Param", a.Param, 0)
	n := a.Param.Len
	need(k, "M", a.M, n)
	need(k, "V", a.V, n)
	need(k, "Grad", a.Grad, n)
	need(k, "Norm2", a.Norm2, 1)
	maybe(k, "Loss", a.Loss, 1)
	maybe(k, "Guard", a.Guard, 1)
	positive(k, "Step", a.Step)
}

// On enqueues the call on b.
func (a Adam) On(b Backend) { b.Adam(a) }
