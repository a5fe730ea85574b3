package main

import (
	"fmt"
	"strings"
)

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
		parameters, arguments := "n int, "+strings.Join(l.slices, ", ")+" []float32", "n"
		pointers := arguments
		for _, s := range l.slices {
			arguments += ", " + s
			pointers += ", unsafe.Pointer(unsafe.SliceData(" + s + "))"
		}
		if len(l.sums) > 0 {
			pointers += ", &sums"
		}
		switch {
		case l.coef != "":
			parameters += ", k *" + l.coef
			arguments, pointers = arguments+", k", pointers+", k"
		case len(l.numbers) > 0:
			list := strings.Join(l.numbers, ", ")
			parameters += ", " + list + " float32"
			arguments, pointers = arguments+", "+list, pointers+", "+list
		}
		results := strings.Join(l.results, ", ")
		if len(l.results) > 1 {
			results = "(" + results + ")"
		}
		fmt.Fprintf(&w, "func %s(%s) %s {\n", l.name, parameters, results)
		plain := fmt.Sprintf("%sGo(%s)", l.name, arguments)
		switch {
		case len(levels) == 0 && len(l.sums) > 0:
			fmt.Fprintf(&w, "return %s\n", plain)
		case len(levels) == 0:
			fmt.Fprintf(&w, "%s\n", plain)
		case len(l.sums) == 0:
			w.WriteString("switch active {\n")
			for _, level := range levels {
				fmt.Fprintf(&w, "case level%s:\n%s%s(%s)\n", level, l.name, level, pointers)
			}
			fmt.Fprintf(&w, "default:\n%s\n}\n", plain)
		default:
			fmt.Fprintf(&w, "var sums [%d][4]float32\nswitch active {\n", len(l.sums))
			for _, level := range levels {
				fmt.Fprintf(&w, "case level%s:\n%s%s(%s)\n", level, l.name, level, pointers)
			}
			fmt.Fprintf(&w, "default:\nreturn %s\n}\n", plain)
			var totals []string
			for i, s := range l.sums {
				join := map[kind]string{opAdd: "total", opMax: "greatest"}[s.join]
				if l.results[i] == "float64" {
					join += "64"
				}
				totals = append(totals, fmt.Sprintf("%s(&sums[%d])", join, i))
			}
			fmt.Fprintf(&w, "return %s\n", strings.Join(totals, ", "))
		}
		w.WriteString("}\n\n")
	}
	return w.String()
}
