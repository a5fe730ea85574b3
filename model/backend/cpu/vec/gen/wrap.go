package main

import (
	"bytes"
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

// signature is the parameters of that function, and what one of the same parameters hands to it. The first slice of an
// exported one says how long a row is, unless a slice has several parts.
func (l *loop) signature() (parameters, arguments string) {
	parameters = strings.Join(l.slices, ", ") + " []float32"
	if len(l.numbers) > 0 {
		parameters += ", " + strings.Join(l.numbers, ", ") + " float32"
	}
	lengths := l.lengths
	if _, exported := l.goName(); exported && slices.Max(l.parts()) == 1 {
		lengths = nil
	} else {
		parameters = strings.Join(lengths, ", ") + " int, " + parameters
	}
	return parameters, strings.Join(slices.Concat(lengths, l.slices, l.numbers), ", ")
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

func (l *loop) starts() (list []string) {
	for _, s := range l.slices {
		list = append(list, "unsafe.SliceData("+s+")")
	}
	return list
}

// wrappers is a file of Go functions, one a loop, that check and choose by level; and the declarations of what is
// assembly. Other processors have none, or are a browser.
func wrappers(loops []*loop, constraint string, levels ...string) []byte {
	var w bytes.Buffer
	w.WriteString(header + constraint + "package vec\n\nimport \"unsafe\"\n\n")
	for _, l := range loops {
		for _, level := range levels {
			fmt.Fprintf(&w, "//go:noescape\nfunc %s%s(%s)\n\n", l.name, level, strings.Join(l.arguments(), ", "))
		}
		name, exported := l.goName()
		parameters, _ := l.signature()
		if exported {
			for line := range strings.Lines(l.doc.Text()) {
				w.WriteString("// " + line)
			}
		}
		fmt.Fprintf(&w, "func %s(%s) (%s) {\n", name, parameters, strings.Join(l.results, ", "))
		if exported {
			w.WriteString(l.checks())
		}
		if l.is("once") {
			fmt.Fprintf(&w, "if queued && atOnce(%s) {\nreturn\n}\n", l.wide())
		}
		var totals, sums []string
		give := ""
		for i, s := range l.sums {
			join := map[kind]string{opAdd: "total", opMax: "greatest"}[s.join] + l.results[i][len("float"):]
			totals = append(totals, fmt.Sprintf("%s(&sums[%d])", join, i))
			give, sums = "return ", []string{"&sums"}
		}
		list := func(arguments ...[]string) string { return strings.Join(slices.Concat(arguments...), ", ") }
		body := fmt.Sprintf("%s%sGo(%s)\n", give, l.name, list(l.lengths, l.slices, l.numbers))
		if len(levels) > 0 {
			choice, arguments := "switch active {\n", list(l.lengths, l.starts(), sums, l.numbers)
			for _, level := range levels {
				choice += fmt.Sprintf("case level%s:\n%[2]s%[1]s(%[3]s)\n", level, l.name, arguments)
			}
			body = choice + "default:\n" + body + "}\n"
			if give != "" {
				body = fmt.Sprintf("var sums [%d][4]float32\n%sreturn %s\n", len(totals), body, list(totals))
			}
		}
		w.WriteString(body + "}\n\n")
	}
	return w.Bytes()
}

// methods is a file of the methods of Queue that are loops.
func methods(loops []*loop) []byte {
	var w bytes.Buffer
	w.WriteString(header + "package vec\n\nimport \"unsafe\"\n\n")
	for _, l := range loops {
		if l.is("queue") {
			name, _ := l.goName()
			parameters, arguments := l.signature()
			fmt.Fprintf(&w, "// %s is the function %[1]s.\nfunc (q *Queue) %[1]s(%s) {\n", name, parameters)
			fmt.Fprintf(&w, "if queued {\n%s", l.checks())
			fmt.Fprintf(&w, "if q.rows(%s) {\nreturn\n}\n}\n%s(%s)\n}\n\n", l.wide(), name, arguments)
		}
	}
	return w.Bytes()
}

// listed is a file of tests: every loop with how many parts of n numbers each of its slices has.
func listed(loops []*loop) []byte {
	var w bytes.Buffer
	w.WriteString(header + "package vec\n\n// allLoops are the loops by name, as they choose by level.\n" +
		"var allLoops = []tried{\n")
	for _, l := range loops {
		name, _ := l.goName()
		fmt.Fprintf(&w, "{%q, %s, %#v},\n", l.name, name, l.parts())
	}
	w.WriteString("}\n")
	return w.Bytes()
}

// wide are the arguments that put off the loop in a browser: its number, n, one row, numbers, and where slices start.
func (l *loop) wide() string {
	numbers := "nil"
	if len(l.numbers) > 0 {
		numbers = "[]float32{" + strings.Join(l.numbers, ", ") + "}"
	}
	return strings.Join(append([]string{wideName(l.name), "n, 1, nil", numbers}, l.starts()...), ", ")
}

// is reports whether a line //wide:what is above the loop's text. In a browser such loops are WebAssembly: "queue"
// where a method of Queue puts them off, "once" where a long row is worth a call, "rows" where methods of Queue use
// them for many rows.
func (l *loop) is(what string) bool {
	says := func(c *ast.Comment) bool { return c.Text == "//wide:"+what }
	return l.doc != nil && slices.ContainsFunc(l.doc.List, says)
}
