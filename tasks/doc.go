// Package tasks draws the samples of every task: arithmetic modulo 9, balanced brackets, sums modulo 3, parity, and
// arithmetic modulo 5 under the strict length protocol (SPEC §9). It also holds the vocabulary, the parser and
// evaluator of expressions, and the split of expressions into training, validation and test.
//
// A sample is a pure function of the task, the [Draw] and an index: nothing is
// stored, no order matters, and tasks are safe for concurrent use.
//
// # Splits
//
// The roles of arithmetic are disjoint (see splitOf) unless Draw.IID is set: an expression with three or more
// operands belongs to one role by its structure, one with two operands by its text. One-number expressions belong to
// training, yet every role draws them, at the preset's natural share and flagged Trivial, so that a report can put
// them apart.
//
// The other tasks are strings over a few characters; their roles are nothing but different random streams, with or
// without IID. A test string can thus equal a training string; beyond some 20 characters that practically never
// happens, and the short ones are few enough that no learner could avoid them.
package tasks
