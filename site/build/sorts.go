//go:build !js

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// quicksort is the head of the standard library's unstable sort: what its helpers' names end in, and the comparison.
var quicksort = regexp.MustCompile(`(?m)^func pdqsort(\w*)(?:\[.*?\])?\(.*?, a, b, limit int(, cmp func)?.*\{\n`)

// stableSort is the same of its stable sort.
var stableSort = regexp.MustCompile(`(?m)^func stable(\w*)(?:\[.*?\])?\(.*?, n int(, cmp func)?.*\{\n`)

// plainSorts are the standard library's files of unstable sorts, by path, with heap sort in place of quicksort. The
// compiler makes every sort anew for each kind of data, 13 KB each; heap sort, which quicksort falls back to, is a
// sixth of it. Up to twelve elements are sorted by insertion, as quicksort sorts them; the trainer sorts few more. A
// stable sort, 6 KB each, is insertion too: a batch's sequences by length, the most that are sorted, take microseconds.
func plainSorts(root string) (map[string]string, error) {
	plain := map[string]string{}
	for _, name := range []string{"slices/zsortanyfunc.go", "slices/zsortordered.go", "sort/zsortfunc.go",
		"sort/zsortinterface.go"} {
		path := filepath.Join(root, "src", filepath.FromSlash(name))
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		changed, ok := withBody(string(text), quicksort, func(kind, cmp string) string {
			call := kind + "(data, a, b" + cmp
			return "\tif b-a <= 12 {\n\t\tinsertionSort" + call + ")\n\t} else {\n\t\theapSort" + call + ")\n\t}"
		})
		if !ok {
			return nil, fmt.Errorf("%s has no quicksort as this builder knows it", name)
		}
		plain[path], _ = withBody(changed, stableSort, func(kind, cmp string) string {
			return "\tinsertionSort" + kind + "(data, 0, n" + cmp + ")"
		})
	}
	return plain, nil
}

// withBody gives the function whose head matches another body, made of what its helpers' names end in and of the
// comparison as an argument, where it has one. ok is false where there is no such function.
func withBody(text string, head *regexp.Regexp, body func(kind, cmp string) string) (changed string, ok bool) {
	at := head.FindStringSubmatchIndex(text)
	if at == nil {
		return text, false
	}
	end := strings.Index(text[at[1]:], "\n}\n")
	if end < 0 {
		return text, false
	}
	cmp := ""
	if at[4] >= 0 {
		cmp = ", cmp"
	}
	return text[:at[1]] + body(text[at[2]:at[3]], cmp) + text[at[1]+end:], true
}
