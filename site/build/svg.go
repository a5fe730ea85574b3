//go:build !js

package main

import (
	"bytes"
	"fmt"
	"regexp"
)

// Pictures that package figure draws, made small for the page: nobody sees a hundredth of a point.

var decimals = regexp.MustCompile(`(\.\d)\d+`)

// slim cuts numbers of an SVG to tenths.
func slim(svg []byte) []byte {
	_, head, ok := bytes.Cut(svg, []byte("<svg"))
	if !ok {
		return svg
	}
	at := len(svg) - len(head)
	return append(svg[:at:at], decimals.ReplaceAll(svg[at:], []byte("$1"))...)
}

var viewBox = regexp.MustCompile(`viewBox="0 0 ([\d.]+) ([\d.]+)"`)

// sizeOf is the width and the height of an SVG, rounded, so that a page keeps its place.
func sizeOf(svg []byte) (width, height int, err error) {
	m := viewBox.FindSubmatch(svg)
	if m == nil {
		return 0, 0, fmt.Errorf("a figure has no viewBox: %.200s", svg)
	}
	var w, h float64
	if _, err := fmt.Sscan(string(m[1]), &w); err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscan(string(m[2]), &h); err != nil {
		return 0, 0, err
	}
	return int(w + 0.5), int(h + 0.5), nil
}
