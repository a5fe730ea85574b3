//go:build !js

package main

import (
	"bytes"
	"fmt"
	"path"
)

// shared are lines that the pages which a visitor opens have in common: a page has the mark in their place.
var shared = []struct{ source, mark string }{{"head.html", "<!-- head -->\n"}, {"header.html", "<!-- header -->\n"}}

// addShared puts the lines that pages share in the places of the marks, and leaves their files out of the site. What
// leads to the page itself says so.
func addShared(files map[string][]byte) error {
	for _, part := range shared {
		text, ok := files[part.source]
		if !ok {
			return fmt.Errorf("site/%s is not there; it has lines that pages share", part.source)
		}
		delete(files, part.source)
		for name, page := range files {
			switch n := bytes.Count(page, []byte(part.mark)); {
			case path.Ext(name) != ".html" || n == 0:
			case n > 1:
				return fmt.Errorf("site/%s has the line %q %d times; leave one", name, part.mark[:len(part.mark)-1], n)
			default:
				link := fmt.Sprintf("<a href=%q", name)
				own := bytes.Replace(text, []byte(link+">"), []byte(link+` aria-current="page">`), 1)
				files[name] = bytes.Replace(page, []byte(part.mark), own, 1)
			}
		}
	}
	return nil
}
