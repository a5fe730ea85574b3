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

// plainSorts are the standard library's files of unstable sorts, by path, with heap sort in place of quicksort. The
// compiler makes every sort anew for each kind of data, 13 KB each; heap sort, which quicksort falls back to, is a
// sixth of it. Up to twelve elements are sorted by insertion, as quicksort sorts them; the trainer sorts few more.
func plainSorts(root string) (map[string]string, error) {
	plain := map[string]string{}
	for _, name := range []string{"slices/zsortanyfunc.go", "slices/zsortordered.go", "sort/zsortfunc.go",
		"sort/zsortinterface.go"} {
		path := filepath.Join(root, "src", filepath.FromSlash(name))
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		at := quicksort.FindSubmatchIndex(text)
		if at == nil {
			return nil, fmt.Errorf("%s has no quicksort as this builder knows it", name)
		}
		body := at[1]
		end := strings.Index(string(text[body:]), "\n}\n")
		if end < 0 {
			return nil, fmt.Errorf("%s: the quicksort has no end", name)
		}
		call := string(text[at[2]:at[3]]) + "(data, a, b"
		if at[4] >= 0 {
			call += ", cmp"
		}
		plain[path] = string(text[:body]) + fmt.Sprintf("\tif b-a <= 12 {\n\t\tinsertionSort%s)\n\t} else {\n"+
			"\t\theapSort%[1]s)\n\t}", call) + string(text[body+end:])
	}
	return plain, nil
}
