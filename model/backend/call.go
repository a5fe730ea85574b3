package backend

import "reflect"

// Call is a kernel with its arguments. Every argument struct is one.
type Call interface {
	Check()       // panics on a shape that does not fit
	On(b Backend) // enqueues the call on b
}

// Name is the name of c's kernel: that of its argument struct and of the method that it calls.
func Name(c Call) string { return reflect.TypeOf(c).Name() }

// Around is a backend that gives every call of a kernel to Do, as its argument struct, and computes nothing itself. Do
// says what happens before, after or instead of the call on a device; c.On(device) runs it. Memory calls go to Memory.
//
// It embeds no Backend: a kernel that it lacks is an error of the compiler, not a call past Do.
type Around struct {
	Memory
	Do func(c Call)
}

var _ Backend = Around{}
