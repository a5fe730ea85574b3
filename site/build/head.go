//go:build !js

package main

import (
	"bytes"
	"fmt"
	"path"
)

// The pages that a visitor opens begin alike: site/head.html has those lines, and a page has a mark in their place.

const (
	headSource = "head.html"
	headMark   = "<!-- head -->\n"
)

// addHead puts the lines that pages share in the place of the mark, and leaves their file out of the site.
func addHead(files map[string][]byte) error {
	head, ok := files[headSource]
	if !ok {
		return fmt.Errorf("site/%s is not there; it has the lines that the pages' heads share", headSource)
	}
	delete(files, headSource)
	used := 0
	for name, page := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		switch n := bytes.Count(page, []byte(headMark)); {
		case n > 1:
			return fmt.Errorf("site/%s has the line %q %d times; leave one", name, headMark[:len(headMark)-1], n)
		case n == 1:
			files[name] = bytes.Replace(page, []byte(headMark), head, 1)
			used++
		}
	}
	if used == 0 {
		return fmt.Errorf("no page has the line %q, so site/%s goes nowhere", headMark[:len(headMark)-1], headSource)
	}
	return nil
}
