package strict

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// FieldError is a key of a configuration, or an option, whose value does not fit. Whoever shows it may have another
// name for the key: a flag, a label.
type FieldError struct {
	Key   string
	Value any
	Want  string // from behind the value: what is wrong with it, and what fits; other keys as in "lower $layers"
}

// Error names the key, its value and what fits.
func (e *FieldError) Error() string { return e.Named(func(key string) string { return key }) }

// Named is Error where each key has the name that name gives it.
func (e *FieldError) Named(name func(key string) string) string {
	want := os.Expand(e.Want, name)
	if text, ok := e.Value.(string); ok {
		return fmt.Sprintf("%s is %q%s", name(e.Key), text, want)
	}
	return fmt.Sprintf("%s is %v%s", name(e.Key), e.Value, want)
}

// Unfit is a *FieldError; want is a format.
func Unfit(key string, value any, want string, args ...any) error {
	return &FieldError{key, value, fmt.Sprintf(want, args...)}
}

// Within refuses a number that does not lie from from to to, with a *FieldError.
func Within[N int | float64](key string, value, from, to N) error {
	if !(value >= from && value <= to) {
		return Unfit(key, value, "; choose a number from %v to %v", from, to)
	}
	return nil
}

// OneOf refuses a text that is none of the allowed ones, likewise.
func OneOf(key, value string, allowed []string) error {
	if !slices.Contains(allowed, value) {
		return Unfit(key, value, "; choose one of %s", strings.Join(allowed, ", "))
	}
	return nil
}
