package main

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"unicode"
)

// goName is the loop's function in Go: the name that its text is documented under, if that is one for callers.
func (l *loop) goName() (name string, exported bool) {
	name, _, _ = strings.Cut(l.doc.Text(), " ")
	if name != "" && unicode.IsUpper(rune(name[0])) {
		return name, true
	}
	return l.name, false
}

// signature is the parameters and results of that function, and what one of the same parameters hands to it. The first
// slice of an exported one says how long a row is, unless a slice has several parts.
func (l *loop) signature() (parameters, arguments, results string) {
	list := strings.Join(l.slices, ", ")
	parameters, arguments = list+" []float32", list
	if numbers := strings.Join(l.numbers, ", "); numbers != "" {
		parameters, arguments = parameters+", "+numbers+" float32", arguments+", "+numbers
	}
	if _, exported := l.goName(); !exported || slices.Max(l.parts()) > 1 {
		lengths := strings.Join(l.lengths, ", ")
		parameters, arguments = lengths+" int, "+parameters, lengths+", "+arguments
	}
	if len(l.results) > 0 {
		results = "(" + strings.Join(l.results, ", ") + ")"
	}
	return parameters, arguments, results
}

// checks are those of an exported function.
func (l *loop) checks() (text string) {
	parts := l.parts()
	if slices.Max(parts) == 1 {
		text = "n := len(" + l.slices[0] + ")\n"
	}
	for i, s := range l.slices {
		switch {
		case parts[i] > 1:
			text += fmt.Sprintf("need(%d*n, len(%s))\n", parts[i], s)
		case i > 0 || slices.Max(parts) > 1:
			text += fmt.Sprintf("need(n, len(%s))\n", s)
		}
	}
	return text
}

// inner are the arguments of the plain loop, or of assembly.
func (l *loop) inner(assembly bool) string {
	list := slices.Clone(l.lengths)
	for _, s := range l.slices {
		if assembly {
			s = "unsafe.Pointer(unsafe.SliceData(" + s + "))"
		}
		list = append(list, s)
	}
	if assembly && len(l.sums) > 0 {
		list = append(list, "&sums")
	}
	return strings.Join(append(list, l.numbers...), ", ")
}

// wrappers is a file of Go functions, one a loop, that check and choose by level; and the declarations of what is
// assembly. Other processors have none, or are a browser.
func wrappers(loops []*loop, constraint string, levels ...string) string {
	var w strings.Builder
	w.WriteString(header + constraint + "package vec\n\nimport \"unsafe\"\n\n")
	for _, l := range loops {
		for _, level := range levels {
			fmt.Fprintf(&w, "//go:noescape\nfunc %s%s(%s)\n\n", l.name, level, l.parameters())
		}
		var totals []string
		for i, s := range l.sums {
			join := map[kind]string{opAdd: "total", opMax: "greatest"}[s.join]
			if l.results[i] == "float64" {
				join += "64"
			}
			totals = append(totals, fmt.Sprintf("%s(&sums[%d])", join, i))
		}
		give := "return "
		if len(totals) == 0 {
			give = ""
		}
		name, exported := l.goName()
		parameters, _, results := l.signature()
		if exported {
			doc := strings.TrimSuffix(l.doc.Text(), "\n")
			w.WriteString("// " + strings.ReplaceAll(doc, "\n", "\n// ") + "\n")
		}
		fmt.Fprintf(&w, "func %s(%s) %s {\n", name, parameters, results)
		if exported {
			w.WriteString(l.checks())
		}
		plain := fmt.Sprintf("%s%sGo(%s)\n", give, l.name, l.inner(false))
		if len(levels) == 0 {
			if l.is("once") {
				fmt.Fprintf(&w, "if queued && atOnce(%s) {\nreturn\n}\n", l.wide())
			}
			w.WriteString(plain + "}\n\n")
			continue
		}
		if len(totals) > 0 {
			fmt.Fprintf(&w, "var sums [%d][4]float32\n", len(totals))
		}
		w.WriteString("switch active {\n")
		for _, level := range levels {
			fmt.Fprintf(&w, "case level%s:\n%s%s(%s)\n", level, l.name, level, l.inner(true))
		}
		fmt.Fprintf(&w, "default:\n%s}\n", plain)
		if len(totals) > 0 {
			fmt.Fprintf(&w, "%s%s\n", give, strings.Join(totals, ", "))
		}
		w.WriteString("}\n\n")
	}
	return w.String()
}

// methods is a file of the methods of Queue that are loops.
func methods(loops []*loop) string {
	var w strings.Builder
	w.WriteString(header + "package vec\n\nimport \"unsafe\"\n\n")
	for _, l := range loops {
		if l.is("queue") {
			name, _ := l.goName()
			parameters, arguments, _ := l.signature()
			fmt.Fprintf(&w, "// %s is the function %[1]s.\nfunc (q *Queue) %[1]s(%s) {\n", name, parameters)
			fmt.Fprintf(&w, "if queued {\n%s", l.checks())
			fmt.Fprintf(&w, "if q.later(%s) {\nreturn\n}\n}\n%s(%s)\n}\n\n", l.wide(), name, arguments)
		}
	}
	return w.String()
}

// listed is a file of tests: every loop with how many parts of n numbers each of its slices has.
func listed(loops []*loop) string {
	var w strings.Builder
	w.WriteString(header + "package vec\n\n// allLoops are the loops by name, as they choose by level.\n" +
		"var allLoops = []tried{\n")
	for _, l := range loops {
		name, _ := l.goName()
		parts := strings.Trim(fmt.Sprint(l.parts()), "[]")
		fmt.Fprintf(&w, "{%q, %s, []int{%s}},\n", l.name, name, strings.ReplaceAll(parts, " ", ", "))
	}
	w.WriteString("}\n")
	return w.String()
}

// wide are the arguments that put off the loop in a browser: its number, n, what it reads, and where slices start.
func (l *loop) wide() string {
	list := []string{wideName(l.name), "n"}
	if len(l.numbers) > 0 {
		list = append(list, "[]float32{"+strings.Join(l.numbers, ", ")+"}")
	} else {
		list = append(list, "nil")
	}
	for _, s := range l.slices {
		list = append(list, "unsafe.SliceData("+s+")")
	}
	return strings.Join(list, ", ")
}

// is reports whether a line //wide:what is above the loop's text. In a browser such loops are WebAssembly: "queue"
// where a method of Queue puts them off, "once" where a long row is worth a call, "rows" where methods of Queue use
// them for many rows.
func (l *loop) is(what string) bool {
	says := func(c *ast.Comment) bool { return c.Text == "//wide:"+what }
	return l.doc != nil && slices.ContainsFunc(l.doc.List, says)
}
