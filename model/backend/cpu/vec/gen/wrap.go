package main

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"unicode"
)

// signature is the parameters and results of a loop's Go functions, without n, and what one hands to another.
func (l *loop) signature() (parameters, arguments, results string) {
	list := strings.Join(l.slices, ", ")
	parameters, arguments = list+" []float32", list
	switch numbers := strings.Join(l.numbers, ", "); {
	case l.coef != "":
		parameters, arguments = parameters+", k *"+l.coef, arguments+", k"
	case numbers != "":
		parameters, arguments = parameters+", "+numbers+" float32", arguments+", "+numbers
	}
	if len(l.results) > 0 {
		results = "(" + strings.Join(l.results, ", ") + ")"
	}
	return parameters, arguments, results
}

// wrappers is a file of Go functions, one a loop, that choose by level; and the declarations of what is assembly.
func wrappers(loops []*loop, constraint string, levels ...string) string {
	var w strings.Builder
	w.WriteString(header + constraint + "package vec\n\n")
	if len(levels) > 0 {
		w.WriteString("import \"unsafe\"\n\n")
	}
	for _, l := range loops {
		for _, level := range levels {
			fmt.Fprintf(&w, "//go:noescape\nfunc %s%s(%s)\n\n", l.name, level, l.parameters())
		}
		parameters, arguments, results := l.signature()
		var totals []string
		pointers := strings.Join(l.lengths, ", ")
		for _, s := range l.slices {
			pointers += ", unsafe.Pointer(unsafe.SliceData(" + s + "))"
		}
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
		} else {
			pointers += ", &sums"
		}
		pointers += strings.TrimPrefix(arguments, strings.Join(l.slices, ", "))
		plain := fmt.Sprintf("%s%sGo(%s, %s)", give, l.name, strings.Join(l.lengths, ", "), arguments)
		fmt.Fprintf(&w, "func %s(%s int, %s) %s {\n", l.name, strings.Join(l.lengths, ", "), parameters, results)
		if len(levels) == 0 {
			fmt.Fprintf(&w, "%s\n}\n\n", plain)
			continue
		}
		if len(totals) > 0 {
			fmt.Fprintf(&w, "var sums [%d][4]float32\n", len(totals))
		}
		w.WriteString("switch active {\n")
		for _, level := range levels {
			fmt.Fprintf(&w, "case level%s:\n%s%s(%s)\n", level, l.name, level, pointers)
		}
		fmt.Fprintf(&w, "default:\n%s\n}\n", plain)
		if len(totals) > 0 {
			fmt.Fprintf(&w, "%s%s\n", give, strings.Join(totals, ", "))
		}
		w.WriteString("}\n\n")
	}
	return w.String()
}

// exported is a file of the functions that callers meet: they check lengths. A loop has one where its text is
// documented under a name for all; the first slice then says how long a row is, unless a slice has several parts.
func exported(loops []*loop) string {
	var w strings.Builder
	w.WriteString(header + "package vec\n\nimport \"unsafe\"\n\n")
	for _, l := range loops {
		doc := l.doc.Text()
		name, _, _ := strings.Cut(doc, " ")
		if name == "" || !unicode.IsUpper(rune(name[0])) {
			continue
		}
		doc = "// " + strings.ReplaceAll(strings.TrimSuffix(doc, "\n"), "\n", "\n// ")
		parameters, arguments, results := l.signature()
		parts := l.parts()
		var checks, starts strings.Builder
		if slices.Max(parts) > 1 {
			parameters = "n int, " + parameters
		} else {
			fmt.Fprintf(&checks, "n := len(%s)\n", l.slices[0])
		}
		for i, s := range l.slices {
			switch {
			case parts[i] > 1:
				fmt.Fprintf(&checks, "need(%d*n, len(%s))\n", parts[i], s)
			case i > 0 || slices.Max(parts) > 1:
				fmt.Fprintf(&checks, "need(n, len(%s))\n", s)
			}
			fmt.Fprintf(&starts, ", unsafe.SliceData(%s)", s)
		}
		wide := fmt.Sprintf("%s, n, %s%s", wideName(l.name), l.wideNumbers(), starts.String())
		plain := fmt.Sprintf("%s(n, %s)\n", l.name, arguments)
		if len(l.sums) > 0 {
			plain = "return " + plain
		}
		now := plain
		if l.is("once") {
			now = fmt.Sprintf("if !queued || !atOnce(%s) {\n%s}\n", wide, plain)
		}
		fmt.Fprintf(&w, "%s\nfunc %s(%s) %s {\n%s%s}\n\n", doc, name, parameters, results, checks.String(), now)
		if l.is("queue") {
			fmt.Fprintf(&w, "// %s is the function %[1]s.\nfunc (q *Queue) %[1]s(%s) {\n", name, parameters)
			w.WriteString(checks.String())
			fmt.Fprintf(&w, "if !queued || !q.later(%s) {\n%s}\n}\n\n", wide, plain)
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
		parts := strings.Trim(fmt.Sprint(l.parts()), "[]")
		fmt.Fprintf(&w, "{%q, %s, []int{%s}},\n", l.name, l.name, strings.ReplaceAll(parts, " ", ", "))
	}
	w.WriteString("}\n")
	return w.String()
}

// wideNumbers is a list of the numbers that a loop of WebAssembly reads.
func (l *loop) wideNumbers() string {
	switch {
	case l.coef != "":
		return fmt.Sprintf("unsafe.Slice(&k.%s, %d)", l.numbers[0], len(l.numbers))
	case len(l.numbers) > 0:
		return "[]float32{" + strings.Join(l.numbers, ", ") + "}"
	}
	return "nil"
}

// is reports whether a line //wide:what is above the loop's text. In a browser such loops are WebAssembly: "queue"
// where a method of Queue puts them off, "once" where a long row is worth a call, "rows" where methods of Queue use
// them for many rows.
func (l *loop) is(what string) bool {
	if l.doc == nil {
		return false
	}
	return slices.ContainsFunc(l.doc.List, func(c *ast.Comment) bool { return c.Text == "//wide:"+what })
}
