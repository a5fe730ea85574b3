//go:build !js

package main

import (
	"strings"
	"testing"
)

// TestAddHead: the lines stand where the mark was, in every page that has one and in no other file; their own file is
// no page; a mark twice, or a head that nobody takes, is an error.
func TestAddHead(t *testing.T) {
	files := map[string][]byte{
		"head.html": []byte("<meta>\n"), "a.html": []byte("<head>\n<!-- head -->\n<title>"),
		"b.html": []byte("<head>"), "c.js": []byte("<!-- head -->\n"),
	}
	if err := addHead(files); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a.html": "<head>\n<meta>\n<title>", "b.html": "<head>", "c.js": "<!-- head -->\n", "head.html": "",
	} {
		if string(files[name]) != want {
			t.Errorf("%s is %q, want %q", name, files[name], want)
		}
	}
	for want, files := range map[string]map[string][]byte{
		"2 times":   {"head.html": nil, "a.html": []byte(headMark + headMark)},
		"no page":   {"head.html": nil, "a.html": []byte("<head>")},
		"not there": {"a.html": []byte(headMark)},
	} {
		if err := addHead(files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestHeadIsShared: the pages that a visitor opens take the lines from the one place.
func TestHeadIsShared(t *testing.T) {
	files, err := collect("..", "../dist")
	if err != nil {
		t.Fatal(err)
	}
	head := string(files[headSource])
	if err := addHead(files); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "lesson.html", "embed.html", "race.html"} {
		if !strings.HasPrefix(string(files[name]), "<!doctype html>\n<html lang=\"en\">\n<head>\n"+head) {
			t.Errorf("%s does not begin with the shared head", name)
		}
	}
}
