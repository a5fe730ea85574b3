package backend

import "reflect"

// Call is a kernel with its arguments. Every argument struct is one.
type Call interface {
	Check()       // panics on a shape that does not fit
	On(b Backend) // enqueues the call on b
}

// Calls is the list of kernels, each as a call without arguments.
func Calls() []Call {
	return []Call{
		MatMul{}, MatMulInput{}, MatMulWeight{},
		CrossEntropy{}, SumSquares{}, Adam{},
		DriveForward{}, DriveBackward{},
		RecurrenceForward{}, RecurrenceBackward{},
		FactorForward{}, FactorBackward{},
		ProjectForward{}, ProjectBackward{},
		AttentionForward{}, AttentionBackward{}, AttentionMatrices{},
		OutputForward{}, OutputBackward{},
		Columns{}, SlotsForward{}, SlotsBackward{}, TurnForward{}, TurnBackward{}, RecallForward{}, RecallBackward{},
		RowsForward{}, RowsBackward{},
		RowSum{},
		NormForward{}, NormBackward{},
		ActivateForward{}, ActivateBackward{},
		LSTMForward{}, LSTMBackward{},
		GRUForward{}, GRUBackward{},
		SoftmaxForward{}, SoftmaxBackward{}, SoftmaxMatrices{},
		ConvForward{}, ConvBackward{},
		DeltaForward{}, DeltaBackward{},
		Average{},
	}
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

func (x Around) MatMul(a MatMul)                         { x.Do(a) }
func (x Around) MatMulInput(a MatMulInput)               { x.Do(a) }
func (x Around) MatMulWeight(a MatMulWeight)             { x.Do(a) }
func (x Around) CrossEntropy(a CrossEntropy)             { x.Do(a) }
func (x Around) SumSquares(a SumSquares)                 { x.Do(a) }
func (x Around) Adam(a Adam)                             { x.Do(a) }
func (x Around) DriveForward(a DriveForward)             { x.Do(a) }
func (x Around) DriveBackward(a DriveBackward)           { x.Do(a) }
func (x Around) RecurrenceForward(a RecurrenceForward)   { x.Do(a) }
func (x Around) RecurrenceBackward(a RecurrenceBackward) { x.Do(a) }
func (x Around) FactorForward(a FactorForward)           { x.Do(a) }
func (x Around) FactorBackward(a FactorBackward)         { x.Do(a) }
func (x Around) ProjectForward(a ProjectForward)         { x.Do(a) }
func (x Around) ProjectBackward(a ProjectBackward)       { x.Do(a) }
func (x Around) AttentionForward(a AttentionForward)     { x.Do(a) }
func (x Around) AttentionBackward(a AttentionBackward)   { x.Do(a) }
func (x Around) AttentionMatrices(a AttentionMatrices)   { x.Do(a) }
func (x Around) OutputForward(a OutputForward)           { x.Do(a) }
func (x Around) OutputBackward(a OutputBackward)         { x.Do(a) }
func (x Around) Columns(a Columns)                       { x.Do(a) }
func (x Around) SlotsForward(a SlotsForward)             { x.Do(a) }
func (x Around) SlotsBackward(a SlotsBackward)           { x.Do(a) }
func (x Around) TurnForward(a TurnForward)               { x.Do(a) }
func (x Around) TurnBackward(a TurnBackward)             { x.Do(a) }
func (x Around) RecallForward(a RecallForward)           { x.Do(a) }
func (x Around) RecallBackward(a RecallBackward)         { x.Do(a) }
func (x Around) RowsForward(a RowsForward)               { x.Do(a) }
func (x Around) RowsBackward(a RowsBackward)             { x.Do(a) }
func (x Around) RowSum(a RowSum)                         { x.Do(a) }
func (x Around) NormForward(a NormForward)               { x.Do(a) }
func (x Around) NormBackward(a NormBackward)             { x.Do(a) }
func (x Around) ActivateForward(a ActivateForward)       { x.Do(a) }
func (x Around) ActivateBackward(a ActivateBackward)     { x.Do(a) }
func (x Around) LSTMForward(a LSTMForward)               { x.Do(a) }
func (x Around) LSTMBackward(a LSTMBackward)             { x.Do(a) }
func (x Around) GRUForward(a GRUForward)                 { x.Do(a) }
func (x Around) GRUBackward(a GRUBackward)               { x.Do(a) }
func (x Around) SoftmaxForward(a SoftmaxForward)         { x.Do(a) }
func (x Around) SoftmaxBackward(a SoftmaxBackward)       { x.Do(a) }
func (x Around) SoftmaxMatrices(a SoftmaxMatrices)       { x.Do(a) }
func (x Around) ConvForward(a ConvForward)               { x.Do(a) }
func (x Around) ConvBackward(a ConvBackward)             { x.Do(a) }
func (x Around) DeltaForward(a DeltaForward)             { x.Do(a) }
func (x Around) DeltaBackward(a DeltaBackward)           { x.Do(a) }
func (x Around) Average(a Average)                       { x.Do(a) }
