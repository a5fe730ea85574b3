package tasks

import (
	"cmp"

	"mhacsp/tasks/strict"
)

// longest bounds the lengths that Options accept, in characters.
const longest = 1 << 16

// Options choose a variant of a task. A zero field means the default; a field
// that the task does not have must stay zero.
type Options struct {
	// Preset of arithmetic: "author" (default) or "paper".
	Preset string `json:"preset,omitempty"`
	// Format of arithmetic targets: "repeat" (default), "copy" or "direct".
	Format string `json:"format,omitempty"`
	// MinLength and MaxLength bound the characters of a classification string; the defaults are 2 to 128
	// (parenthesis), 1 to 128 (mod3, parity) and 3 to 40 (modarith).
	MinLength int `json:"min_length,omitempty"`
	MaxLength int `json:"max_length,omitempty"`
	// Brackets of modarith; nil means true.
	Brackets *bool `json:"brackets,omitempty"`
	// Operators of modarith: "+-*" (default) or "+-". Published code disagrees.
	Operators string `json:"operators,omitempty"`
}

// Names returns the tasks that New knows.
func Names() []string { return []string{"arithmetic", "parenthesis", "mod3", "parity", "modarith"} }

// New returns the named task. An error is a *strict.FieldError.
func New(name string, o Options) (Task, error) {
	if err := cmp.Or(strict.OneOf("task", name, Names()), o.foreign(name)); err != nil {
		return nil, err
	}
	switch name {
	case "arithmetic":
		return newArithmetic(o)
	case "parenthesis":
		return newParenthesis(o)
	case "mod3":
		return newCounting(name, "271828", 10, 3, o)
	case "parity":
		return newCounting(name, "1011001", 2, 2, o)
	default:
		return newModArith(o)
	}
}

// LengthSets returns the options of a task's length-generalisation tests (SPEC §9), o with other lengths: exactly 256,
// 512 and 1024 characters, and 40 to 256 where the strict protocol has the task. Arithmetic has none.
func LengthSets(name string, o Options) []Options {
	var sets []Options
	add := func(low, high int) {
		o.MinLength, o.MaxLength = low, high
		sets = append(sets, o)
	}
	if name == "parity" || name == "modarith" {
		add(strictShort, strictLong)
	}
	if name == "parity" || name == "mod3" || name == "parenthesis" {
		add(256, 256)
		add(512, 512)
		add(1024, 1024)
	}
	return sets
}

// The strict length protocol tests at 40 to 256 characters what trained at 3 to 40 (SPEC §9; Grazzi et al. 2025).
const (
	strictShort = 40
	strictLong  = 256
)

// foreign refuses options of another task: silently dropped, they would make
// a run something else than what its command line says.
func (o Options) foreign(name string) error {
	refuse := func(field string, value any) error {
		return strict.Unfit(field, value, ", and task %s has no such option; leave it out", name)
	}
	switch {
	case name != "arithmetic" && o.Preset != "":
		return refuse("preset", o.Preset)
	case name != "arithmetic" && o.Format != "":
		return refuse("format", o.Format)
	case name == "arithmetic" && o.MinLength != 0:
		return refuse("min_length", o.MinLength)
	case name == "arithmetic" && o.MaxLength != 0:
		return refuse("max_length", o.MaxLength)
	case name != "modarith" && o.Brackets != nil:
		return refuse("brackets", *o.Brackets)
	case name != "modarith" && o.Operators != "":
		return refuse("operators", o.Operators)
	}
	return nil
}
