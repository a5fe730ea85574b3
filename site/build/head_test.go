//go:build !js

package main

import (
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// TestAddShared: the lines stand where the marks were, in every page that has one and in no other file; the link to
// the page itself is marked; their own files are no pages; a mark twice, or a file that is not there, is an error.
func TestAddShared(t *testing.T) {
	files := map[string][]byte{
		"head.html": []byte("<meta>\n"), "header.html": []byte("<a href=\"a.html\">A</a>\n"),
		"a.html": []byte("<head>\n<!-- head -->\n<title>\n<!-- header -->\n"), "b.html": []byte("<!-- header -->\n"),
		"c.js": []byte("<!-- head -->\n"),
	}
	assert.NoError(t, addShared(files))
	for name, want := range map[string]string{
		"a.html": "<head>\n<meta>\n<title>\n<a href=\"a.html\" aria-current=\"page\">A</a>\n",
		"b.html": "<a href=\"a.html\">A</a>\n", "c.js": "<!-- head -->\n", "head.html": "", "header.html": "",
	} {
		assert.Is(t, string(files[name]), want, "%s", name)
	}
	mark := shared[0].mark
	for want, files := range map[string]map[string][]byte{
		"2 times":   {"head.html": nil, "header.html": nil, "a.html": []byte(mark + mark)},
		"not there": {"head.html": nil, "a.html": []byte(mark)},
	} {
		assert.OneLine(t, want, addShared(files), want)
	}
}

// TestPagesShare: the pages that a visitor opens take head and header from the one place, and each says which it is.
func TestPagesShare(t *testing.T) {
	files := assert.Must(collect("..", "../dist"))(t)
	head, brand := string(files["head.html"]), strings.SplitAfter(string(files["header.html"]), "\n")[0]
	assert.NoError(t, addShared(files))
	for _, name := range []string{"index", "lesson", "embed", "race", "paper", "formulas", "bench"} {
		page := string(files[name+".html"])
		assert.True(t, strings.Contains(page, "<header class=\"bar\">\n"+brand), "%s has another header", name)
		n := strings.Count(page, `aria-current="page"`)
		assert.True(t, n == 1 || name == "bench", "%s has %d links that say that they lead to it", name, n)
		text := name == "paper" || name == "formulas" // they open from a disk too, without a guard
		assert.True(t, text || strings.HasPrefix(page, "<!doctype html>\n<html lang=\"en\">\n<head>\n"+head),
			"%s does not begin with the shared head", name)
	}
}
