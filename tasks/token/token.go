// Package token names the tokens that have the same number in every vocabulary (SPEC §9) and that more than the tasks
// need: a network writes until <EOS>, and its answer begins with <SOS>.
package token

// The digits are the tokens 0 to 9.
const (
	SOS int32 = 16 // starts every prompt, and every answer that is written apart from it
	EOS int32 = 17 // ends every target
	PAD int32 = 18 // fills a batch; never part of a sample
)

// The brackets of the program's own tasks; other vocabularies may have other tokens there.
const (
	Open  int32 = 14
	Close int32 = 15
)
