//go:build !amd64

package vec

// deltaWide is what kernels would read and write beside: this processor has none.
type deltaWide struct{}

func (s *Delta) shape() bool                                           { return false }
func (s *Delta) keep([]float32) bool                                   { return false }
func (s *Delta) forward(*DeltaSteps, []float32, int) bool              { return false }
func (s *Delta) backward(*DeltaSteps, []float32, *DeltaGradients) bool { return false }
