package sequence

// Whole is what a part of a batch has to know of the batch.
type Whole struct {
	Samples int     // 0: the batch is no part
	Weight  float32 // Batch.Weight of the whole
}

// Weight is what the sum of the losses is divided by (SPEC §7): the number of labels or targets' tokens, answers
// counted with their weight.
func (b *Batch) Weight() float32 {
	total := float32(len(b.Labels))
	for i, target := range b.Targets {
		for t := range target {
			total += b.weight(i, t)
		}
	}
	return total
}

// Part is samples [from, to) of a batch with targets or labels. The losses and gradients of parts that make up the
// batch add up to those of the batch, but for rounding. It shares the batch's memory.
func (b *Batch) Part(from, to int) Batch {
	p := *b
	if p.Whole.Samples == 0 {
		p.Whole = Whole{len(b.Prompts), b.Weight()}
	}
	p.Prompts = b.Prompts[from:to]
	if b.Targets != nil {
		p.Targets = b.Targets[from:to]
	}
	if b.Labels != nil {
		p.Labels = b.Labels[from:to]
	}
	if b.AnswerAt != nil {
		p.AnswerAt = b.AnswerAt[from:to]
	}
	return p
}
