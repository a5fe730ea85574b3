package sequence

import (
	"fmt"
	"slices"
	"strings"
)

// Within refuses a configuration's number outside from to to, by a message that
// names the key, its value and what fits.
func Within(key string, value, from, to int) error {
	if value < from || value > to {
		return fmt.Errorf("%s is %d; choose a number from %d to %d", key, value, from, to)
	}
	return nil
}

// OneOf refuses a configuration's text that is none of the allowed ones, likewise.
func OneOf(key, value string, allowed []string) error {
	if !slices.Contains(allowed, value) {
		return fmt.Errorf("%s is %q; choose one of %s", key, value, strings.Join(allowed, ", "))
	}
	return nil
}
