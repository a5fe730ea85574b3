// Package sequence is what every family of networks shares: batches, how they lie on the row arena, the head with its
// loss and results, decoding, and the tensors that `forward` writes (SPEC §§7, 9, FORMATS.md). A family
// brings a Config, which reads its own keys and opens the network, and a Core, which computes what lies between the
// tokens and the rows that the head reads. Net makes a Network of a Core.
package sequence

import (
	"fmt"

	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// Shape is what goes into a network and comes out of it.
type Shape struct {
	Vocab   int  // V, tokens
	Classes int  // 0: the network writes sequences of tokens
	Prefix  bool // sequences with `prefix` supervision: prompt and target are one stream (SPEC §7)
	Longest int  // tokens of a stream that positions are learned of (SPEC §13); 0: any number
}

// Fits refuses a stream of that many tokens where it is longer than what the network can read, by a TooLongError.
func (s Shape) Fits(tokens int) error {
	if s.Longest == 0 || tokens <= s.Longest {
		return nil
	}
	return &TooLongError{tokens, s.Longest}
}

// TooLongError is that of a stream longer than the learned positions of a network reach.
type TooLongError struct{ Tokens, Longest int }

func (e *TooLongError) Error() string { return e.Named("context", "positions") }

// Named is Error with other names for these keys.
func (e *TooLongError) Named(context, positions string) string {
	return fmt.Sprintf("prompt and answer have %d tokens together, and the model has learned positions for %d; "+
		"shorten them, or train with %s %d, or with %s \"rotary\"", e.Tokens, e.Longest, context, e.Tokens, positions)
}

// Stream is how many tokens a network reads in one stream of a prompt and a target of that many.
func (s Shape) Stream(prompt, target int) int {
	if s.Prefix && target > 0 {
		return prompt + target - 1 // the target's last token is never read
	}
	return prompt
}

// Supervision is where the answer is read, in the words of SPEC §7.
func (s Shape) Supervision() string {
	if s.Prefix {
		return "prefix"
	}
	return "final"
}

// Outputs is the number of logits: the classes, or the vocabulary.
func (s Shape) Outputs() int {
	if s.Classes > 0 {
		return s.Classes
	}
	return s.Vocab
}

// Traits are what a network has to show in addition to its answers. Whoever draws or explains
// a network asks for them, not for its name.
type Traits struct {
	Blocks  int  // L; the tensors of a dump are named blocks.0 to blocks.L−1
	Units   int  // N complex units with a phase each, in the dump's blocks.*.state [B, T, 2N]; 0: none
	Turning int  // units [0, Turning) turn with the state, the rest hold (SPEC §2)
	Steered bool // the angle of a turn depends on the state too, not on the token alone (SPEC §2)
	Reach   int  // tokens of a prompt that a memory of positions tells apart (SPEC §2, memory); 0: it has none
	Period  int  // P where unit j of that memory turns by 2πj/P a token; 0: at other rates
	Heads   int  // H with matrices over pairs of positions in the dump (FORMATS.md); 0: none
	Weights int  // H of which the dump has the attention weights alone (SPEC §13); 0: none
}

// Outgrows reports whether a prompt of that many tokens is longer than a memory of positions can tell apart.
func (t Traits) Outgrows(tokens int) bool { return t.Reach > 0 && tokens > t.Reach }

// DumpBytes is about how much memory Dump of a batch takes, the device's copy included.
func (t Traits) DumpBytes(s Shape, b *Batch) float64 {
	longest := 0
	for i, p := range b.Prompts {
		longest = max(longest, s.Stream(len(p), b.answer(i)))
	}
	steps := float64(longest)
	// Numbers a position: state and output, matrices.
	per := 4*float64(t.Units) + float64(t.Heads)*(3*steps+float64(t.Heads)) + float64(t.Weights)*steps
	return 2 * 4 * float64(t.Blocks) * float64(len(b.Prompts)) * steps * per
}

// Key is one of a configuration's keys as a user meets it.
type Key struct {
	Name    string   // in JSON; a flag has - in place of _
	Usage   string   // what it is, without the default; the unit in backquotes
	Choices []string // of a text
	Value   any      // *int, *float64, *bool or *string: the field itself
}

// Config is a network's configuration: a pointer to a struct whose JSON keys are those of its family, "model" (the
// preset that it started from), "vocab" and "classes" among them (FORMATS.md).
type Config interface {
	Name() string // the preset
	Shape() Shape
	Traits() Traits
	Keys() []Key // that a user may choose, "model" not among them

	// Fit sets vocabulary and classes, 0 for sequences, to those of a task.
	Fit(vocab, classes int)
	// Suit sets the start values that SPEC §8 recommends for tasks with labels, or without, where the two differ.
	Suit(labels bool)

	// Validate names the first key that does not fit, its value and what would.
	Validate() error
	// Parameters are the names and shapes of the tensors; nothing is allocated for their numbers.
	Parameters() (*param.Set, error)
	// Open builds the network with all parameters zero; Initialise it, or upload a checkpoint's.
	Open(backend.Backend) (Network, error)
}

// Preset is a named configuration.
type Preset struct {
	Name string
	New  func() Config // a fresh one each time
}

// Network is one network on one backend. It is not safe for concurrent use.
//
// It promises (package sequencetest holds every family to it):
//
//   - The results of Gradients and Evaluate say 1 for all hits of a sample exactly when Generate writes its target, or
//     Classify names its label: up to the first error greedy decoding reads what the teacher feeds.
//   - A sample's numbers do not depend on the other samples of its batch, whatever their lengths.
//   - With `prefix` supervision and in every dump a position depends on the tokens up to it alone.
//   - The gradient is the loss's: float64 on the reference agrees with central differences to 1e-6.
type Network interface {
	Config() Config
	Params() *param.Set
	Backend() backend.Base

	// Initialise draws all parameters from the seed (SPEC §8).
	Initialise(seed uint64)
	// Gradients computes the loss and adds the gradients of all parameters to Params().Grads(), which the caller has
	// cleared. Nothing is read back: Loss and Results do that. The batch needs targets or labels.
	Gradients(*Batch)
	// Evaluate is Gradients without the gradients.
	Evaluate(*Batch)
	// Loss waits for the device and returns the loss of the last Gradients or Evaluate; an error where that found a
	// sample longer than Shape.Longest, and did nothing.
	Loss() (float32, error)
	// Hits is Loss, and with it the hits of the batch's logits rows: 1 where the target is the most probable, else 0.
	Hits(hits []float32) (loss float32, err error)
	// Results is what a host wants to know of the last Gradients or Evaluate, in one
	// piece on the device: see ResultLoss.
	Results() backend.Vec
	// Logits runs a batch and returns its logits, row-major [rows, outputs]: the target positions of all samples one
	// after another, or one row a sample for classes.
	Logits(*Batch) ([]float32, error)
	// Generate writes after each prompt, greedily and fed by its own output, until <EOS> or limit tokens (SPEC §9).
	Generate(prompts [][]int32, limit int, probs bool) ([]Generation, error)
	// Classify returns each prompt's most probable class, and the logits [B, classes].
	Classify(prompts [][]int32) ([]int32, []float32, error)
	// Dump runs a batch and returns everything that FORMATS.md's `forward` writes: what Traits promises,
	// logits and, given targets or labels, loss.
	Dump(*Batch) ([]Tensor, error)
	// States is Dump without what comes of the states: matrices, logits and loss.
	States(*Batch) ([]Tensor, error)
}
