package sequence

// Tensor is a named array on the host, row-major.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// padLogits spreads rows of logits over (B, T_target, V); classes are (B, C) as they are.
func padLogits(s Shape, b *Batch, logits []float32) Tensor {
	c := s.Outputs()
	if s.Classes > 0 {
		return Tensor{"logits", []int{len(b.Prompts), c}, logits}
	}
	longest := 0
	for _, t := range b.Targets {
		longest = max(longest, len(t))
	}
	out := make([]float32, len(b.Targets)*longest*c)
	for i, t := range b.Targets {
		logits = logits[copy(out[i*longest*c:][:len(t)*c], logits):]
	}
	return Tensor{"logits", []int{len(b.Targets), longest, c}, out}
}
