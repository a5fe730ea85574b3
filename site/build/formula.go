//go:build !js

package main

import (
	"fmt"
	"html"
	"strings"
	"unicode"
)

// formula writes a formula of model/SPEC.md as HTML: what stands after _ goes below the line, what stands after ^
// above it, and everything else stays as it is, escaped. changed reports whether there was any such part.
//
// The part is what stands in braces; or, after ^, in round brackets, which stay; or else the letters and digits that
// follow: W_δh, C̃_ij, e^{iθ_t}, D^(k)_ij. Modifier letters end it, so that the ᵀ of Λ_kᵀ stays on the line. An
// underscore with nothing to hang from, or with nothing behind it, is an underscore.
//
// Names of keys and tensors have underscores too (rotate_share, delta_h.weight). So with names set a single letter
// must stand before the underscore, or the end of another part, or a closing bracket.
func formula(text string, names bool) (out string, changed bool) {
	var b strings.Builder
	r := []rune(text)
	after := false // a part, or a closing bracket, ends here
	for i := 0; i < len(r); {
		c := r[i]
		if c == '_' && (after || base(r[:i], names)) || c == '^' && i > 0 {
			if part, next := operand(r, i+1, c == '^'); next > i+1 {
				tag := map[rune]string{'_': "sub", '^': "sup"}[c]
				b.WriteString("<" + tag + ">" + set(part) + "</" + tag + ">")
				i, after, changed = next, true, true
				continue
			}
		}
		b.WriteString(html.EscapeString(string(c)))
		after = strings.ContainsRune(")]|‖", c)
		i++
	}
	return b.String(), changed
}

// base reports whether a subscript can hang from the end of r.
func base(r []rune, names bool) bool {
	letters := 0
	for i := len(r) - 1; i >= 0; i-- {
		if unicode.Is(unicode.M, r[i]) { // the tilde of C̃ belongs to its letter
			continue
		}
		if !unicode.IsLetter(r[i]) {
			break
		}
		letters++
	}
	return letters == 1 || letters > 1 && !names
}

// operand is the part that begins at r[at], and where the text goes on; at itself where there is none.
func operand(r []rune, at int, brackets bool) (part string, next int) {
	if at < len(r) && (r[at] == '{' || brackets && r[at] == '(') {
		closing := map[rune]rune{'{': '}', '(': ')'}[r[at]]
		depth := 0
		for i := at; i < len(r); i++ {
			switch r[i] {
			case r[at]:
				depth++
			case closing:
				depth--
			}
			if depth == 0 && r[at] == '{' {
				return string(r[at+1 : i]), i + 1
			}
			if depth == 0 {
				return string(r[at : i+1]), i + 1
			}
		}
		return "", at
	}
	i := at
	for ; i < len(r); i++ {
		letter := unicode.IsLetter(r[i]) && !unicode.Is(unicode.Lm, r[i])
		if !letter && !unicode.IsDigit(r[i]) && !(i > at && unicode.Is(unicode.M, r[i])) {
			break
		}
	}
	return string(r[at:i]), i
}

// formulaBlock writes the lines of a formula block, each a row: the formula, and what stands behind three spaces as a
// remark next to it.
func formulaBlock(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		left, remark, _ := strings.Cut(line, "   ")
		fmt.Fprintf(&b, "<span class=\"row\"><span>%s</span> <span class=\"remark\">%s</span></span>\n",
			set(left), set(strings.TrimSpace(remark)))
	}
	return b.String()
}

func set(text string) string {
	out, _ := formula(text, false)
	return out
}

// mathematical reports whether a code span is a formula and not a name, a file or something to type.
func mathematical(text string, changed bool) bool {
	letters := 0
	for _, c := range text {
		if c > unicode.MaxASCII && (unicode.IsLetter(c) || unicode.Is(unicode.Sm, c) || c == '·') {
			return true
		}
		if unicode.IsLetter(c) {
			letters++
		}
	}
	return changed || letters == 1 && !strings.ContainsAny(text, "\"<>-")
}
