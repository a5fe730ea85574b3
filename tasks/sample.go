package tasks

import (
	"slices"

	"mhacsp/tasks/strict"
)

// Role is what a sample is for. It always enters the random stream, so that the same index differs between roles even
// where nothing else keeps them apart; see the package comment for what is disjoint.
type Role uint8

// The three roles; arithmetic gives them 80, 10 and 10 % of its expressions.
const (
	Train Role = iota
	Validation
	Test
)

var roleNames = [...]string{"train", "validation", "test"}

// String returns "train", "validation" or "test".
func (r Role) String() string {
	if int(r) >= len(roleNames) {
		return "unknown"
	}
	return roleNames[r]
}

// ParseRole is the inverse of Role.String. An error is a *strict.FieldError.
func ParseRole(name string) (Role, error) {
	return Role(slices.Index(roleNames[:], name)), strict.OneOf("split", name, roleNames[:])
}

// Draw says which samples are wanted. Its zero value is a training draw with seed 0 over the task's whole range.
type Draw struct {
	Seed uint64
	Role Role
	// IID draws arithmetic without the disjoint splits. The other tasks ignore it.
	IID bool
	// MaxLength, if positive, bounds the characters of a classification string. It may lie below the task's own
	// shortest length (strings then have that length at most), but not below the shortest string that exists: one
	// character, two brackets. Arithmetic ignores it.
	MaxLength int
	// MaxOperands, if positive, bounds the numbers of an arithmetic
	// expression; preset paper starts at two. The other tasks ignore it.
	MaxOperands int
	// MinOperands, if positive, asks for as many numbers or more, so far as
	// MaxOperands and the task allow. The other tasks ignore it.
	MinOperands int
}

// Sample is one prompt with its target or label, in tokens.
type Sample struct {
	Prompt   []int32 // starts with SOS
	Target   []int32 // ends with EOS; empty for classification
	Label    int32   // the class, or -1 for sequences
	AnswerAt int     // index in Target of the (first) answer digit, -1 for classification and where there is none
	Operands int     // numbers in the expression; 0 for strings
	Depth    int     // brackets open at the deepest place
	Length   int     // characters of the string; 0 for expressions
	Trivial  bool    // one number, nothing to compute
	Groups   []Group // further groups that a report counts it in; of a custom task
}

// Group is a value of a named property of a sample.
type Group struct{ Field, Value string }

// Reset empties the sample, keeps its slices and starts the prompt.
func (s *Sample) Reset() {
	*s = Sample{Prompt: append(s.Prompt[:0], SOS), Target: s.Target[:0], Label: -1, AnswerAt: -1}
}

// Task draws samples and says what they look like. Implementations are immutable and safe for concurrent use.
type Task interface {
	// Name is the task's name in New.
	Name() string
	// Vocabulary is shared; every token of every sample is in it.
	Vocabulary() *Vocabulary
	// Classes is the number of labels, 0 for sequences.
	Classes() int
	// ClassName prints a label; it panics if the task has no such label.
	ClassName(label int32) string
	// Example is a prompt as one would type it; Characters are those that a
	// network learns to tell apart: a string's alphabet, an expression's digits.
	Example() string
	Characters() string
	// MaxPrompt and MaxTarget are upper bounds in tokens, SOS and EOS included.
	MaxPrompt() int
	MaxTarget() int
	// Sample overwrites *s with sample number index of the draw and reuses
	// its slices. The result depends on the arguments alone.
	Sample(s *Sample, d Draw, index uint64)
	// Answer finds the answer digit in a free-running output: the token that stands where the format puts the first
	// answer. ok is false where no digit stands there, and for classification.
	Answer(output []int32) (answer int32, ok bool)
	// Curriculum says which limit of Draw may grow during training.
	Curriculum() Curriculum
}

// Placed is a task whose samples stand in files.
type Placed interface {
	// Place is the file and the line, from 1, of what Sample makes with the same arguments.
	Place(d Draw, index uint64) (path string, line int, err error)
}

// Limit names a limit of Draw.
type Limit uint8

// The limits that a curriculum can move.
const (
	None     Limit = iota
	Length         // Draw.MaxLength
	Operands       // Draw.MaxOperands
)

// String returns "none", "length" or "operands".
func (l Limit) String() string { return [...]string{"none", "length", "operands"}[l] }

// Curriculum is the range of a limit: From where training starts, Full where the limit no longer cuts anything. Long
// to Longest are the Draw.MinOperands of the samples that long_share asks for, in turn; 0 where no number counts (SPEC
// §8).
type Curriculum struct {
	Limit         Limit
	From, Full    int
	Long, Longest int
}
