// Package words writes numbers as people read them.
package words

import (
	"strconv"
	"strings"
)

// Number writes 12000 as "12 000".
func Number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + " " + digits[i:]
	}
	return digits
}

// Three writes a number with at most three digits and no power of ten: 1580, 0.0123.
func Three(x float64) string {
	s := strconv.FormatFloat(x, 'g', 3, 64)
	if strings.Contains(s, "e") {
		x, _ = strconv.ParseFloat(s, 64)
		s = strconv.FormatFloat(x, 'f', -1, 64)
	}
	return s
}

// Plural is "1 step", "2 steps".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Number(n) + " " + noun + "s"
}
