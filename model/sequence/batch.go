package sequence

import (
	"errors"
	"fmt"
)

// Batch is a set of samples: prompts that start with <SOS>, and either targets that end with <EOS> or labels.
type Batch struct {
	Prompts [][]int32
	Targets [][]int32 // sequences; nil for classification
	Labels  []int32   // classification; nil for sequences

	// AnswerAt[b] is the position of the answer in Targets[b]; its loss weighs AnswerWeight (0 or nil: as any other).
	AnswerAt     []int
	AnswerWeight float32

	// StateClip bounds the gradient of every unit's state, as it is passed back from step to step: to StateClip over
	// the number of samples (0: not at all; SPEC §8). Networks without such a loop take no notice.
	StateClip float32

	Whole Whole // of which this batch is a part
}

// Whole is what a part of a batch has to know of the batch.
type Whole struct {
	Samples int     // 0: the batch is no part
	Weight  float32 // Batch.Weight of the whole
}

// Validate names the first sample that a network of this shape cannot read.
// maxLength bounds prompt and target (0: no bound).
func (b *Batch) Validate(s Shape, maxLength int) error {
	switch n := len(b.Prompts); {
	case n == 0:
		return errors.New("batch has no prompts; give at least one")
	case s.Classes > 0 && b.Targets != nil:
		return errors.New(`batch has "targets" but the model classifies; give "labels"`)
	case s.Classes == 0 && b.Labels != nil:
		return errors.New(`batch has "labels" but the model writes sequences; give "targets"`)
	case b.Labels != nil && len(b.Labels) != n:
		return fmt.Errorf("batch has %d prompts and %d labels; give one label a prompt", n, len(b.Labels))
	case b.Targets != nil && len(b.Targets) != n:
		return fmt.Errorf("batch has %d prompts and %d targets; give one target a prompt", n, len(b.Targets))
	case b.AnswerAt != nil && len(b.AnswerAt) != n:
		return fmt.Errorf("batch has %d prompts and %d answer positions; give one a prompt", n, len(b.AnswerAt))
	}
	for i, l := range b.Labels {
		if l < 0 || int(l) >= s.Classes {
			return fmt.Errorf("labels[%d] is %d; the model has classes 0 to %d", i, l, s.Classes-1)
		}
	}
	for _, x := range []struct {
		field string
		rows  [][]int32
	}{{"prompts", b.Prompts}, {"targets", b.Targets}} {
		for i, row := range x.rows {
			if len(row) == 0 {
				return fmt.Errorf("%s[%d] is empty; give at least one token", x.field, i)
			}
			if maxLength > 0 && len(row) > maxLength {
				return fmt.Errorf("%s[%d] has %d tokens, more than the limit of %d; shorten it",
					x.field, i, len(row), maxLength)
			}
			for t, id := range row {
				if id < 0 || int(id) >= s.Vocab {
					return fmt.Errorf("%s[%d][%d] is token %d; the vocabulary has tokens 0 to %d",
						x.field, i, t, id, s.Vocab-1)
				}
			}
		}
	}
	return b.fits(s)
}

// answer is how many tokens the target of sample i has, 0 without targets.
func (b *Batch) answer(i int) int {
	if b.Targets == nil {
		return 0
	}
	return len(b.Targets[i])
}

// fits refuses the first sample that is longer than a network of this shape can read.
func (b *Batch) fits(s Shape) error {
	for i := range b.Prompts {
		if err := s.Fits(s.Stream(len(b.Prompts[i]), b.answer(i))); err != nil {
			return fmt.Errorf("prompts[%d]: %w", i, err)
		}
	}
	return nil
}

// weight is what a target's token counts in the loss.
func (b *Batch) weight(i, t int) float32 {
	if b.AnswerWeight > 0 && b.AnswerAt != nil && b.AnswerAt[i] == t {
		return b.AnswerWeight
	}
	return 1
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
